package decide

import (
	"encoding/base64"
	"fmt"
	"net/mail"
	"strings"
	"time"

	"github.com/railkit/railkit/clock"
	"github.com/railkit/railkit/enclave/refusal"
	"github.com/railkit/railkit/enclave/stamp"
	"github.com/railkit/railkit/enclave/wire"
)

// maxEmail is RFC 5321's longest path, without its brackets.
const maxEmail = 254

// decideOrganization turns a registration into an organization with one user
// and one passkey. The enclave's own challenge stands in for a stamp: nothing
// before this passkey could have signed.
func (s *State) decideOrganization(sub Submission, p *wire.CreateSubOrganizationParams, now time.Time) (Event, error) {
	if sub.Body.OrganizationID != "" {
		return Event{}, refusal.ErrBody.Msg("organizationId is empty while it is being created")
	}
	if err := checkRegistration(p); err != nil {
		return Event{}, err
	}
	if !sub.Challenge.answers(p.WorkspaceID, p.Email, now) {
		return Event{}, refusal.ErrChallenge
	}
	if sub.Registration == nil {
		return Event{}, refusal.ErrStamp
	}
	if s.taken(nil, encode(sub.Registration.CredentialID)) {
		return Event{}, refusal.ErrCredentialTaken
	}
	if _, taken := s.emails[emailKey(p.WorkspaceID, p.Email)]; taken {
		return Event{}, refusal.ErrEmailTaken
	}
	created := newOrganization(sub, p, now)
	return Event{Kind: EventOrganization, OrganizationID: created.ID, Created: created, Owners: created.owners()}, nil
}

func newOrganization(sub Submission, p *wire.CreateSubOrganizationParams, now time.Time) *Created {
	user := newID(sub.Fingerprint, "user")
	first := passkeyOf(*sub.Registration, user, p.Email)
	return &Created{
		SubOrganization: wire.SubOrganization{
			ID:          newID(sub.Fingerprint, "organization"),
			WorkspaceID: p.WorkspaceID,
			UserID:      user,
			CreatedAt:   clock.ISO(now),
		},
		Credential:        first.Credential,
		Counter:           first.Counter,
		BackupEligible:    first.BackupEligible,
		RecoveryPublicKey: p.RecoveryPublicKey,
	}
}

func (c Created) owners() *wire.Owners {
	return &wire.Owners{Credentials: []wire.Credential{c.Credential}, RecoveryPublicKey: c.RecoveryPublicKey}
}

func checkRegistration(p *wire.CreateSubOrganizationParams) error {
	if p.WorkspaceID == "" || len(p.WorkspaceID) > 64 {
		return refusal.ErrBody.Msg("workspaceId is missing or too long")
	}
	if !IsEmail(p.Email) {
		return refusal.ErrBody.Msg("email is not an e-mail address")
	}
	if p.RecoveryPublicKey == "" {
		return nil
	}
	return checkP256("recoveryPublicKey", p.RecoveryPublicKey)
}

// IsEmail reports whether text is an e-mail address and nothing else.
func IsEmail(text string) bool {
	if len(text) > maxEmail {
		return false
	}
	a, err := mail.ParseAddress(text)
	return err == nil && a.Address == text
}

func checkP256(field, compressed string) error {
	if _, err := wire.ParseP256(compressed); err != nil || strings.ToLower(compressed) != compressed {
		return refusal.ErrBody.Msg(field + " is not a compressed P-256 key in lower-case hex")
	}
	return nil
}

// key is the verifying half of a journaled passkey.
func (p NewPasskey) key() (stamp.Credential, error) {
	id, err := base64.RawURLEncoding.DecodeString(p.CredentialID)
	if err != nil {
		return stamp.Credential{}, fmt.Errorf("credential id: %w", err)
	}
	key, err := base64.RawURLEncoding.DecodeString(p.PublicKey)
	if err != nil {
		return stamp.Credential{}, fmt.Errorf("credential key: %w", err)
	}
	// The counter is judged here (see window), not by the assertion's verification.
	return stamp.Credential{ID: id, PublicKey: key, BackupEligible: p.BackupEligible}, nil
}

func encode(raw []byte) string { return base64.RawURLEncoding.EncodeToString(raw) }
