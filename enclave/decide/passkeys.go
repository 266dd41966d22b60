package decide

import (
	"encoding/base64"
	"slices"
	"time"

	"github.com/railkit/railkit/enclave/refusal"
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

// addPasskey adds a passkey: a further one of the user who stamps, which is his
// own affair, or the first of another user, who can sign from then on.
func addPasskey(c call, p *wire.CreateAuthenticatorParams) (Event, error) {
	if c.org.recovery != nil {
		return Event{}, refusal.ErrRecovering
	}
	made, err := c.newPasskey(p)
	if err != nil {
		return Event{}, err
	}
	if err := c.admits(c.org, made); err != nil {
		return Event{}, err
	}
	e := Event{Kind: EventPasskey, Passkey: &made, Owners: c.org.ownersOf(append(c.org.keys(), made.Credential))}
	e, err = c.change(e, p.Email != "")
	if e.Held != nil {
		e.Held.Passkey = &made // its challenge is gone by the time of the votes
	}
	return e, err
}

func (c call) newPasskey(p *wire.CreateAuthenticatorParams) (NewPasskey, error) {
	if h := c.org.held[c.sub.Fingerprint]; c.by.voted && h != nil && h.Passkey != nil {
		return *h.Passkey, nil
	}
	userID, email := newID(c.sub.Fingerprint, "user"), p.Email
	switch {
	case email != "" && !IsEmail(email):
		return NewPasskey{}, refusal.ErrBody.Msg("email is not an e-mail address")
	case email == "" && c.by.credential == nil:
		return NewPasskey{}, refusal.ErrUnstamped
	case email == "":
		userID, email = c.by.credential.UserID, c.by.credential.Email
	}
	if !c.sub.Challenge.answers(c.org.WorkspaceID, email, c.now) {
		return NewPasskey{}, refusal.ErrChallenge
	}
	if c.sub.Registration == nil {
		return NewPasskey{}, refusal.ErrStamp
	}
	return passkeyOf(*c.sub.Registration, userID, email), nil
}

// unknown refuses a passkey that is somebody's already, also under another
// credential id in the same organization: it would be one human with two votes.
func (s *State) unknown(org *organization, made NewPasskey) error {
	taken := s.taken(org, made.CredentialID)
	for _, c := range org.credentials {
		taken = taken || c.PublicKey == made.PublicKey
	}
	if taken {
		return refusal.ErrCredentialTaken
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
		return refusal.ErrEmailTaken
	}
	return below(org.users(), maxUsers, "the sub-organization has 100 users, the most there can be")
}

func below(n, limit int, why string) error {
	if n >= limit {
		return refusal.ErrBody.Msg(why)
	}
	return nil
}

// removePasskey removes a passkey. A user may remove his own; another's is
// his consent that is taken away. With his last passkey a user is gone.
func removePasskey(c call, p *wire.DeleteAuthenticatorParams) (Event, error) {
	gone, err := c.org.removable(p.CredentialID)
	if err != nil {
		return Event{}, err
	}
	rest := slices.DeleteFunc(c.org.keys(), func(k wire.Credential) bool { return k.CredentialID == gone.CredentialID })
	e := Event{
		Kind: EventPasskeyDeleted, Passkey: &NewPasskey{Credential: gone.Credential}, Owners: c.org.ownersOf(rest),
	}
	own := c.by.credential != nil && c.by.credential.UserID == gone.UserID
	return c.change(e, !own)
}

// removable finds a passkey without which there are still enough others.
func (o *organization) removable(credentialID string) (*credential, error) {
	c := o.credential(credentialID)
	switch {
	case c == nil:
		return nil, refusal.ErrPasskey
	case o.recovery != nil: // who has one passkey must not take from the others the means to cancel
		return nil, refusal.ErrRecovering
	case len(o.credentials) == 1:
		return nil, refusal.ErrLastPasskey
	case o.config.Enabled && o.passkeys(c.UserID) == 1 && o.users() <= o.required():
		return nil, refusal.ErrUsers
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

func applyPasskey(s *State, org *organization, e Event) error {
	if e.Passkey == nil {
		return errNoRule
	}
	return s.enrol(org, *e.Passkey)
}

func applyPasskeyDeleted(s *State, org *organization, e Event) error {
	if e.Passkey == nil {
		return errNoRule
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

// showPasskey shows a passkey that would be added. Whose it is where the body
// names no e-mail, only the stamp will tell.
func showPasskey(c call, p *wire.CreateAuthenticatorParams) (*wire.Preview, error) {
	if h := c.org.held[c.sub.Fingerprint]; h != nil && h.Passkey != nil {
		return &wire.Preview{Passkey: &h.Passkey.Credential}, nil
	}
	if c.org.recovery != nil {
		return nil, refusal.ErrRecovering
	}
	if p.Email != "" && !IsEmail(p.Email) {
		return nil, refusal.ErrBody.Msg("email is not an e-mail address")
	}
	challenge, err := base64.RawURLEncoding.DecodeString(p.Challenge)
	if err != nil {
		return nil, refusal.ErrChallenge
	}
	reg, err := stamp.VerifyRegistration(c.RP, challenge, p.Attestation)
	if err != nil {
		return nil, NotRegistered(err)
	}
	made := passkeyOf(reg, "", "")
	if p.Email != "" {
		made.UserID, made.Email = newID(c.sub.Fingerprint, "user"), p.Email
	}
	if err := c.admits(c.org, made); err != nil {
		return nil, err
	}
	waits, err := c.wouldWait(p.Email != "")
	return &wire.Preview{Passkey: &made.Credential, Waits: waits}, err
}

// showPasskeyRemoval shows a passkey that would be removed. It waits for
// nobody where it is the stamping user's own.
func showPasskeyRemoval(c call, p *wire.DeleteAuthenticatorParams) (*wire.Preview, error) {
	gone, err := c.org.removable(p.CredentialID)
	if err != nil {
		return nil, err
	}
	waits, err := c.wouldWait(true)
	return &wire.Preview{Passkey: &gone.Credential, Waits: waits}, err
}

// wouldWait is how a change waits for votes although a passkey stamps it, nil
// where it would not.
func (c call) wouldWait(loosens bool) (*wire.Approval, error) {
	if !loosens || !c.org.config.Enabled {
		return nil, nil
	}
	e, err := c.hold(wire.ReasonLoosens)
	if err != nil {
		return nil, err
	}
	return &e.Held.Approval, nil
}
