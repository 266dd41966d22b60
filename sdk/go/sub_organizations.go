package railkit

import (
	"context"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"sync"

	"github.com/railkit/railkit/enclave/wire"
)

// SubOrganizationsService registers sub-organizations by their first passkey, and knows who owns them.
type SubOrganizationsService struct{ c *Client }

// RegisterParams say who a new sub-organization is for.
type RegisterParams struct {
	Email             string
	Name              string
	Label             string
	RecoveryPublicKey string // P-256, compressed hex; without it no recovery
}

// RegisterRequest registers a passkey as the first of a new sub-organization.
type RegisterRequest struct {
	Email             string      `json:"email"`
	Name              string      `json:"name"`
	Label             string      `json:"label,omitempty"`
	EncodedChallenge  string      `json:"encodedChallenge"`
	Attestation       Attestation `json:"attestation"`
	RecoveryPublicKey string      `json:"recoveryPublicKey,omitempty"` // P-256, compressed hex; without it no recovery
}

// Registration is a new sub-organization.
type Registration struct {
	PasskeyID         string `json:"passkeyId"`
	SubOrganizationID string `json:"subOrganizationId"`
	UserID            string `json:"userId"`
	CreatedAt         string `json:"createdAt"`
	Proof             *Proof `json:"proof"`

	// Owners is what to store and to give to SubOrganizations.TrustOwners after a restart.
	Owners Owners `json:"-"`
}

// Create creates a passkey and registers it. The proof says that
// this passkey owns the new sub-organization, or the call fails. Each call makes
// a new passkey, so a caller's idempotency key has no meaning here.
func (s *SubOrganizationsService) Create(ctx context.Context, pk Passkey, p RegisterParams) (*Registration, error) {
	challenge, err := s.Challenge(withoutKey(ctx), p.Email)
	if err != nil {
		return nil, fmt.Errorf("asking for a challenge: %w", err)
	}
	attestation, err := pk.Create(challenge.Options)
	if err != nil {
		return nil, fmt.Errorf("creating a passkey: %w", err)
	}
	return s.Register(withoutKey(ctx), RegisterRequest{
		Email: p.Email, Name: p.Name, Label: p.Label, EncodedChallenge: challenge.EncodedChallenge,
		Attestation: attestation, RecoveryPublicKey: p.RecoveryPublicKey,
	})
}

// Challenge asks for the challenge of a registration; it holds for 5 minutes.
func (s *SubOrganizationsService) Challenge(ctx context.Context, email string) (*PasskeyChallenge, error) {
	r, err := send[PasskeyChallenge](ctx, s.c, request{
		method: http.MethodPost, path: "/v1/signing/passkeys/challenge", body: map[string]string{"email": email},
	})
	if err != nil {
		return nil, err
	}
	return checked(&r.Data, s.c.checkChallenge(&r.Data))
}

// Register registers a passkey and holds the enclave's proof against it:
// the sub-organization belongs to this passkey, this e-mail address and this
// recovery key, or the call fails.
func (s *SubOrganizationsService) Register(ctx context.Context, req RegisterRequest) (*Registration, error) {
	if req.Attestation.Transports == nil {
		req.Attestation.Transports = []string{} // the API takes no null
	}
	made, err := credentialOf(req.Attestation)
	if err != nil {
		return nil, err
	}
	r, err := send[Registration](ctx, s.c, request{
		method: http.MethodPost, path: "/v1/signing/passkeys/register", body: req,
	})
	if err != nil {
		return nil, err
	}
	reg := &r.Data
	reg.Owners = Owners{Credentials: []Credential{made}, RecoveryPublicKey: req.RecoveryPublicKey}
	if s.c.verify == nil {
		return reg, nil
	}
	if err := s.c.verify.registration(reg, req.Email); err != nil {
		return nil, err
	}
	s.TrustOwners(reg.SubOrganizationID, reg.Owners)
	return reg, nil
}

func (v *verifier) registration(reg *Registration, email string) error {
	st, err := v.open(reg.Proof, wire.KindResult)
	if err != nil {
		return err
	}
	if st.Activity != wire.CreateSubOrganization || st.Result == nil || st.Result.SubOrganization == nil {
		return tampered(ReasonKind, "the proof is not of a new sub-organization")
	}
	if err := reg.Owners.match(st.Result.Owners); err != nil {
		return err
	}
	for _, owner := range st.Result.Owners.Credentials {
		if !strings.EqualFold(owner.Email, email) {
			return tampered(ReasonOwners, "the passkey is registered for another e-mail address")
		}
	}
	sub := st.Result.SubOrganization
	if sub.ID != reg.SubOrganizationID || st.OrganizationID != sub.ID || sub.UserID != reg.UserID {
		return tampered(ReasonResult, "the answer names another sub-organization or user than the enclave made")
	}
	return nil
}

// Credential is a passkey, as far as it matters who holds it.
type Credential struct {
	ID        string `json:"id"`        // base64url without padding
	PublicKey string `json:"publicKey"` // COSE key, base64url without padding
}

// Owners are all who may sign for the accounts of a sub-organization.
type Owners struct {
	Credentials       []Credential `json:"credentials"`
	RecoveryPublicKey string       `json:"recoveryPublicKey,omitempty"` // "": none may recover
	// Removed since; statements from before still name them.
	Former         []Credential `json:"former,omitempty"`
	FormerRecovery []string     `json:"formerRecovery,omitempty"` // recovery keys that were replaced
}

func (o Owners) clone() Owners {
	return Owners{
		slices.Clone(o.Credentials), o.RecoveryPublicKey, slices.Clone(o.Former), slices.Clone(o.FormerRecovery),
	}
}

// Without is the owners once a passkey is removed.
func (o Owners) Without(credentialID string) Owners {
	next := o.clone()
	next.Credentials = nil
	for _, c := range o.Credentials {
		if c.ID == credentialID {
			next.Former = append(next.Former, c)
		} else {
			next.Credentials = append(next.Credentials, c)
		}
	}
	return next
}

type ownerBook struct {
	mu    sync.RWMutex
	known map[string]Owners
}

// TrustOwners tells the client who owns a sub-organization: after a restart,
// from what [Registration].Owners said, and when somebody adds a passkey. It
// replaces what was known of it before.
func (s *SubOrganizationsService) TrustOwners(subOrganizationID string, o Owners) {
	s.c.owners.mu.Lock()
	defer s.c.owners.mu.Unlock()
	s.c.owners.known[subOrganizationID] = o.clone()
}

// KnownOwners is what the client believes of a sub-organization, for storing it.
func (s *SubOrganizationsService) KnownOwners(subOrganizationID string) (Owners, bool) {
	s.c.owners.mu.RLock()
	defer s.c.owners.mu.RUnlock()
	o, ok := s.c.owners.known[subOrganizationID]
	return o.clone(), ok
}

// match refuses owners nobody told us about, and owners that lack one of ours.
func (o Owners) match(stated *wire.Owners) error {
	o.Former, o.FormerRecovery = nil, nil // who was removed owns nothing now
	if err := o.noStranger(stated); err != nil {
		return err
	}
	for _, known := range o.Credentials {
		if !slices.ContainsFunc(stated.Credentials, known.is) {
			return tampered(ReasonOwners, "a passkey of this sub-organization is not among the owners")
		}
	}
	return nil
}

// noStranger is match for a statement from some time ago.
func (o Owners) noStranger(stated *wire.Owners) error {
	if stated == nil {
		return tampered(ReasonOwners, "the enclave's statement names no owners")
	}
	for _, s := range stated.Credentials {
		same := func(c Credential) bool { return c.is(s) }
		if !slices.ContainsFunc(o.Credentials, same) && !slices.ContainsFunc(o.Former, same) {
			return tampered(ReasonOwners, "a passkey that is not known here can sign for it")
		}
	}
	if stated.RecoveryPublicKey != o.RecoveryPublicKey && !slices.Contains(o.FormerRecovery, stated.RecoveryPublicKey) {
		return tampered(ReasonOwners, "the recovery key is not the one known here")
	}
	return nil
}

func (c Credential) is(s wire.Credential) bool {
	return s.CredentialID == c.ID && s.PublicKey == c.PublicKey
}

// beforeConfirm reads the body that is handed in and finds who may own what it
// makes, before anything is made that could not be checked.
func (s *SubOrganizationsService) beforeConfirm(signed SignedActivity, params any) (Owners, error) {
	if s.c.verify == nil {
		return Owners{}, nil
	}
	body, err := readBody(signed.Body)
	if err != nil {
		return Owners{}, err
	}
	if err := readParams(body, params); err != nil {
		return Owners{}, err
	}
	owners, ok := s.KnownOwners(body.OrganizationID)
	if !ok {
		return Owners{}, ErrOwnersUnknown
	}
	return owners, nil
}

// ownedBy checks the proof of what a stamped body made, and that the known passkeys own it and nobody else.
func (v *verifier) ownedBy(owners Owners, p *Proof, body string, activity wire.ActivityType) (*opened, error) {
	st, err := v.result(p, body, activity)
	if err != nil {
		return nil, err
	}
	return checked(st, owners.match(st.Result.Owners))
}

// fresh checks a statement that was asked for just now, and the owners where the client knows them.
func (s *SubOrganizationsService) fresh(p *Proof, floor uint64) (*opened, error) {
	st, err := s.c.verify.fresh(p, floor)
	if err != nil {
		return nil, err
	}
	if owners, ok := s.KnownOwners(st.OrganizationID); ok {
		return checked(st, owners.match(st.State.Owners))
	}
	return st, nil
}

// checkOwners looks for strangers where the client knows the owners.
func (s *SubOrganizationsService) checkOwners(st *opened, stated *wire.Owners) error {
	owners, ok := s.KnownOwners(st.OrganizationID)
	if !ok {
		return nil
	}
	return owners.noStranger(stated)
}
