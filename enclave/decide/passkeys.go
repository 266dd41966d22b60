package decide

import (
	"encoding/base64"
	"slices"
	"time"

	"github.com/railkit/railkit/enclave/stamp"
	"github.com/railkit/railkit/enclave/wire"
)

// maxPasskeys is the bound per user, and maxUsers per organization, as in the field.
const (
	maxPasskeys = 10
	maxUsers    = 100
)

// Ceremony is the making of a passkey that a body carries: an answer to one of
// the enclave's own challenges.
type Ceremony struct {
	WorkspaceID string
	Challenge   string
	Attestation wire.Attestation
}

// Ceremony finds what a body answers to.
func (s *State) Ceremony(r Request) (Ceremony, bool) {
	switch p := r.params.(type) {
	case *wire.CreateSubOrganizationParams:
		return Ceremony{p.WorkspaceID, p.Challenge, p.Attestation}, true
	case *wire.CreateAuthenticatorParams:
		org := s.organizations[r.Body.OrganizationID]
		if org == nil {
			return Ceremony{}, false
		}
		return Ceremony{org.WorkspaceID, p.Challenge, p.Attestation}, true
	}
	return Ceremony{}, false
}

// answers reports whether a challenge was made for this e-mail, and still counts.
func (c *Challenge) answers(workspaceID, email string, now time.Time) bool {
	return c != nil && emailKey(c.WorkspaceID, c.Email) == emailKey(workspaceID, email) && now.Before(c.ExpiresAt)
}

func passkeyOf(r stamp.Registration, userID, email string) NewPasskey {
	return NewPasskey{
		Credential: wire.Credential{
			CredentialID: encode(r.CredentialID), PublicKey: encode(r.PublicKey), AAGUID: r.AAGUID,
			UserID: userID, Email: email,
		},
		Counter: r.SignCount, BackupEligible: r.BackupEligible,
	}
}

// decidePasskey adds a passkey: a further one of the user who stamps, which is his
// own affair, or the first of another user, who can sign from then on.
func (s *State) decidePasskey(
	org *organization, sub Submission, p *wire.CreateAuthenticatorParams, by actor, now time.Time,
) (Event, error) {
	if org.recovery != nil {
		return Event{}, ErrRecovering
	}
	made, err := org.newPasskey(sub, p, by, now)
	if err != nil {
		return Event{}, err
	}
	if err := s.admits(org, made); err != nil {
		return Event{}, err
	}
	e := Event{Kind: EventPasskey, Passkey: &made, Owners: org.ownersOf(append(org.keys(), made.Credential))}
	e, err = s.change(org, sub, e, p.Email != "", by, now)
	if e.Held != nil {
		e.Held.Passkey = &made // its challenge is gone by the time of the votes
	}
	return e, err
}

func (o *organization) newPasskey(
	sub Submission, p *wire.CreateAuthenticatorParams, by actor, now time.Time,
) (NewPasskey, error) {
	if h := o.held[sub.Fingerprint]; by.voted && h != nil && h.Passkey != nil {
		return *h.Passkey, nil
	}
	userID, email := newID(sub.Fingerprint, "user"), p.Email
	switch {
	case email != "" && !IsEmail(email):
		return NewPasskey{}, ErrBody.Msg("email is not an e-mail address")
	case email == "" && by.credential == nil:
		return NewPasskey{}, ErrUnstamped
	case email == "":
		userID, email = by.credential.UserID, by.credential.Email
	}
	if !sub.Challenge.answers(o.WorkspaceID, email, now) {
		return NewPasskey{}, ErrChallenge
	}
	if sub.Registration == nil {
		return NewPasskey{}, ErrStamp
	}
	return passkeyOf(*sub.Registration, userID, email), nil
}

// unknown refuses a passkey that is somebody's already, also under another
// credential id in the same organization: it would be one human with two votes.
func (s *State) unknown(org *organization, made NewPasskey) error {
	taken := s.taken(org, made.CredentialID)
	for _, c := range org.credentials {
		taken = taken || c.PublicKey == made.PublicKey
	}
	if taken {
		return ErrCredentialTaken
	}
	return nil
}

// taken reports whether a credential is a registered passkey, or waits in another
// organization's recovery: that recovery could not end if it were registered meanwhile.
func (s *State) taken(org *organization, credentialID string) bool {
	_, known := s.credentials[credentialID]
	for _, other := range s.recovering {
		known = known || other != org && other.recovery.Passkey.CredentialID == credentialID
	}
	return known
}

const tooManyPasskeys = "the user has 10 passkeys, the most there can be"

// admits refuses a passkey for which there is no room.
func (s *State) admits(org *organization, made NewPasskey) error {
	if err := s.unknown(org, made); err != nil {
		return err
	}
	if n := org.passkeys(made.UserID); n > 0 {
		return below(n, maxPasskeys, tooManyPasskeys)
	}
	if _, taken := s.emails[emailKey(org.WorkspaceID, made.Email)]; taken {
		return ErrEmailTaken
	}
	return below(org.users(), maxUsers, "the sub-organization has 100 users, the most there can be")
}

func below(n, limit int, why string) error {
	if n >= limit {
		return ErrBody.Msg(why)
	}
	return nil
}

// decidePasskeyDeletion removes a passkey. A user may remove his own; another's is
// his consent that is taken away. With his last passkey a user is gone.
func (s *State) decidePasskeyDeletion(
	org *organization, sub Submission, p *wire.DeleteAuthenticatorParams, by actor, now time.Time,
) (Event, error) {
	c, err := org.removable(p.CredentialID)
	if err != nil {
		return Event{}, err
	}
	rest := slices.DeleteFunc(org.keys(), func(k wire.Credential) bool { return k.CredentialID == c.CredentialID })
	e := Event{Kind: EventPasskeyDeleted, Passkey: &NewPasskey{Credential: c.Credential}, Owners: org.ownersOf(rest)}
	own := by.credential != nil && by.credential.UserID == c.UserID
	return s.change(org, sub, e, !own, by, now)
}

// removable finds a passkey without which there are still enough others.
func (o *organization) removable(credentialID string) (*credential, error) {
	c := o.credential(credentialID)
	switch {
	case c == nil:
		return nil, ErrPasskey
	case o.recovery != nil: // who has one passkey must not take from the others the means to cancel
		return nil, ErrRecovering
	case len(o.credentials) == 1:
		return nil, ErrLastPasskey
	case o.config.Enabled && o.passkeys(c.UserID) == 1 && o.users() <= o.required():
		return nil, ErrUsers
	}
	return c, nil
}

func (o *organization) passkeys(userID string) (n int) {
	for _, c := range o.credentials {
		if c.UserID == userID {
			n++
		}
	}
	return n
}

func (o *organization) keys() []wire.Credential {
	var all []wire.Credential
	for _, c := range o.credentials {
		all = append(all, c.Credential)
	}
	return all
}

func (s *State) applyPasskey(e Event) error {
	org, ok := s.organizations[e.OrganizationID]
	if !ok || e.Passkey == nil {
		return errNoRule
	}
	if e.Kind == EventPasskey {
		return s.enrol(org, *e.Passkey)
	}
	s.dismiss(org, e.Passkey.CredentialID)
	if org.passkeys(e.Passkey.UserID) == 0 {
		delete(s.emails, emailKey(org.WorkspaceID, e.Passkey.Email))
	}
	return nil
}

func (s *State) enrol(org *organization, p NewPasskey) error {
	key, err := p.key()
	if err != nil {
		return err
	}
	c := &credential{Credential: p.Credential, organizationID: org.ID, key: key, counter: window{}.with(p.Counter)}
	s.credentials[p.CredentialID] = c
	org.credentials = append(org.credentials, c)
	s.emails[emailKey(org.WorkspaceID, p.Email)] = org.ID
	return nil
}

func (s *State) dismiss(org *organization, credentialID string) {
	delete(s.credentials, credentialID)
	org.credentials = slices.DeleteFunc(org.credentials, func(c *credential) bool {
		return c.CredentialID == credentialID
	})
}

// previewPasskey shows a passkey that would be added. Whose it is where the body
// names no e-mail, only the stamp will tell.
func (s *State) previewPasskey(
	org *organization, r Request, p *wire.CreateAuthenticatorParams, now time.Time,
) (*wire.Preview, error) {
	if h := org.held[r.Fingerprint]; h != nil && h.Passkey != nil {
		return &wire.Preview{Passkey: &h.Passkey.Credential}, nil
	}
	if org.recovery != nil {
		return nil, ErrRecovering
	}
	if p.Email != "" && !IsEmail(p.Email) {
		return nil, ErrBody.Msg("email is not an e-mail address")
	}
	challenge, err := base64.RawURLEncoding.DecodeString(p.Challenge)
	if err != nil {
		return nil, ErrChallenge
	}
	reg, err := stamp.VerifyRegistration(s.RP, challenge, p.Attestation)
	if err != nil {
		return nil, StampRefused(err)
	}
	made := passkeyOf(reg, "", "")
	if p.Email != "" {
		made.UserID, made.Email = newID(r.Fingerprint, "user"), p.Email
	}
	if err := s.admits(org, made); err != nil {
		return nil, err
	}
	waits, err := org.wouldWait(r, p.Email != "", now)
	return &wire.Preview{Passkey: &made.Credential, Waits: waits}, err
}

// previewPasskeyDeletion shows a passkey that would be removed. It waits for
// nobody where it is the stamping user's own.
func (s *State) previewPasskeyDeletion(
	org *organization, r Request, p *wire.DeleteAuthenticatorParams, now time.Time,
) (*wire.Preview, error) {
	c, err := org.removable(p.CredentialID)
	if err != nil {
		return nil, err
	}
	waits, err := org.wouldWait(r, true, now)
	return &wire.Preview{Passkey: &c.Credential, Waits: waits}, err
}

// wouldWait is how a change waits for votes although a passkey stamps it, nil
// where it would not.
func (o *organization) wouldWait(r Request, loosens bool, now time.Time) (*wire.Approval, error) {
	if !loosens || !o.config.Enabled {
		return nil, nil
	}
	e, err := o.hold(Submission{Request: r}, wire.ReasonLoosens, stamping, now)
	if err != nil {
		return nil, err
	}
	return &e.Held.Approval, nil
}
