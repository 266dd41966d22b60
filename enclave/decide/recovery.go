package decide

import (
	"slices"
	"time"

	"github.com/railkit/railkit/clock"
	"github.com/railkit/railkit/enclave/refusal"
	"github.com/railkit/railkit/enclave/wire"
)

// Begun is a recovery that was begun and not yet answered.
type Begun struct {
	ID             string
	OrganizationID string
	UserID         string
	Email          string
	ExpiresAt      time.Time
}

// RecoveryID makes an id out of random text.
func RecoveryID(random string) string { return newID(random, "recovery") }

// Recoverable finds the user of an e-mail who can be recovered: his organization
// has a recovery key, or lets the mail alone do. The e-mail is as it was
// registered, however somebody wrote it now.
func (s *State) Recoverable(workspaceID, email string) (b Begun, ok bool) {
	ref := emailKey(workspaceID, email)
	org := s.organizations[s.emails[ref]]
	if org == nil || org.recoveryPublicKey == "" && !org.emailOnly {
		return Begun{}, false
	}
	for _, c := range org.credentials {
		if emailKey(workspaceID, c.Email) == ref {
			return Begun{OrganizationID: org.ID, UserID: c.UserID, Email: c.Email}, true
		}
	}
	return Begun{}, false
}

// Recovery is the parameters of a recovery, nil of anything else.
func (r Request) Recovery() *wire.RecoverUserParams {
	p, _ := r.params.(*wire.RecoverUserParams)
	return p
}

// Pending is the recovery of an organization that waits out its delay, nil where
// there is none.
func (s *State) Pending(organizationID string) *wire.RecoveryPending {
	org := s.organizations[organizationID]
	if org == nil || org.recovery == nil {
		return nil
	}
	p := org.recovery.RecoveryPending
	return &p
}

// pendingAfter is the recovery that waits once the event has happened.
func (s *State) pendingAfter(e Event) *wire.RecoveryPending {
	switch e.Kind {
	case EventRecovery:
		p := e.Recovery.RecoveryPending
		return &p
	case EventRecovered, EventRecoveryCancelled:
		return nil
	}
	p := s.Pending(e.OrganizationID)
	if e.Kind == EventCancelled && p != nil && p.Fingerprint == e.Fingerprint {
		return nil
	}
	return p
}

// beginRecovery lets a recovery wait out its delay. Nobody stamps it: the answer
// to the mailed secret is one half of its authority, the recovery key the other.
func beginRecovery(c call, p *wire.RecoverUserParams) (Event, error) {
	b := c.sub.Begun
	if b == nil || b.ID != p.RecoveryID || b.OrganizationID != c.org.ID || !c.now.Before(b.ExpiresAt) ||
		c.sub.Registration == nil {
		return Event{}, refusal.ErrRecovery
	}
	emailOnly, err := c.vouched(*b, p)
	if err != nil {
		return Event{}, err
	}
	// A recovery that the recovery key vouches for takes the place of one that has
	// the mail only. Otherwise the first stays: nobody pushes out the owner's.
	if c.org.recovery != nil && (emailOnly || !c.org.recovery.EmailOnly) {
		return Event{}, refusal.ErrRecovering
	}
	made := passkeyOf(*c.sub.Registration, b.UserID, b.Email)
	r := &Recovery{
		Passkey:      made,
		RemoveOthers: p.RemoveOtherPasskeys,
		NewPublicKey: p.NewRecoveryPublicKey,
		ReadyAtMs:    c.now.Add(c.RecoveryDelay).UnixMilli(),
	}
	if err := c.admitsRecovery(r); err != nil {
		return Event{}, err
	}
	r.RecoveryPending = wire.RecoveryPending{
		RecoveryID: b.ID, Fingerprint: c.sub.Fingerprint, UserID: b.UserID, Email: b.Email,
		CredentialID: made.CredentialID, PublicKey: made.PublicKey, StartedAt: clock.ISO(c.now),
		ReadyAt: clock.ISO(time.UnixMilli(r.ReadyAtMs)), EmailOnly: emailOnly,
	}
	return Event{Kind: EventRecovery, Recovery: r, Owners: c.org.owners()}, nil
}

// vouched holds what a recovery says against the recovery key, and tells whether
// the mail is all that it rests on. The mail alone puts no other recovery key in
// the place of the owners': that one could still stop it.
func (c call) vouched(b Begun, p *wire.RecoverUserParams) (emailOnly bool, err error) {
	if p.NewRecoveryPublicKey != "" {
		if err := checkP256("newRecoveryPublicKey", p.NewRecoveryPublicKey); err != nil {
			return false, err
		}
	}
	if p.RecoverySignature == "" && p.NewRecoveryPublicKey == "" && c.org.emailOnly {
		return true, nil
	}
	message := wire.RecoveryMessage(string(c.Environment), c.org.ID, b.UserID, *p)
	if c.org.recoveryPublicKey == "" || !wire.VerifyP256(c.org.recoveryPublicKey, message, p.RecoverySignature) {
		return false, refusal.ErrRecoveryKey
	}
	return false, nil
}

// admitsRecovery refuses a passkey that cannot be its user's next one.
func (c call) admitsRecovery(r *Recovery) error {
	if c.org.passkeys(r.Passkey.UserID) == 0 {
		return refusal.ErrRecovery
	}
	if err := c.unknown(c.org, r.Passkey); err != nil || r.RemoveOthers {
		return err
	}
	return below(c.org.passkeys(r.Passkey.UserID), maxPasskeys, tooManyPasskeys)
}

// recovered executes a recovery whose delay is over: the same body comes
// again. One that was cancelled, or pushed out, never will be.
func (c call) recovered(past Past) (Decision, error) {
	r := c.org.recovery
	if r == nil || r.Fingerprint != c.sub.Fingerprint {
		return Decision{}, refusal.ErrRecoveryOver
	}
	if c.now.UnixMilli() < r.ReadyAtMs {
		return Decision{Past: &past}, nil
	}
	if err := c.admitsRecovery(r); err != nil {
		return Decision{}, err
	}
	keys := c.org.keys()
	if r.RemoveOthers {
		keys = slices.DeleteFunc(keys, func(k wire.Credential) bool { return k.UserID == r.UserID })
	}
	owners := c.org.ownersOf(append(keys, r.Passkey.Credential))
	if r.NewPublicKey != "" {
		owners.RecoveryPublicKey = r.NewPublicKey
	}
	e := Event{Kind: EventRecovered, OrganizationID: c.org.ID, Recovery: r, Owners: owners}
	return Decision{Event: c.annotate(e, c.sub, c.now)}, nil
}

// cancelRecovery stops a recovery. Any passkey of the organization may, and
// needs nobody's consent.
func cancelRecovery(c call, p *wire.CancelRecoveryParams) (Event, error) {
	if c.org.recovery == nil || c.org.recovery.RecoveryID != p.RecoveryID {
		return Event{}, refusal.ErrNoRecovery
	}
	return Event{Kind: EventRecoveryCancelled, Recovery: c.org.recovery, Owners: c.org.owners()}, nil
}

// changeRecovery says how the organization is recovered from now on. Any
// change opens a door or closes the owner's last one, so all of them loosen.
func changeRecovery(c call, p *wire.UpdateRecoveryParams) (Event, error) {
	if p.RecoveryPublicKey != "" {
		if err := checkP256("recoveryPublicKey", p.RecoveryPublicKey); err != nil {
			return Event{}, err
		}
	}
	next := *p
	owners := &wire.Owners{
		Credentials: c.org.keys(), RecoveryPublicKey: p.RecoveryPublicKey, EmailOnlyRecovery: p.EmailOnlyRecovery,
	}
	return c.change(Event{Kind: EventRecoveryRule, RecoveryRule: &next, Owners: owners}, true)
}

func showRecoveryRule(c call, p *wire.UpdateRecoveryParams) (*wire.Preview, error) {
	if _, err := changeRecovery(c.as(actor{voted: true}), p); err != nil {
		return nil, err
	}
	waits, err := c.wouldWait(true)
	return &wire.Preview{Recovery: p, Waits: waits}, err
}

func showRecoveryCancel(c call, p *wire.CancelRecoveryParams) (*wire.Preview, error) {
	e, err := cancelRecovery(c, p)
	if err != nil {
		return nil, err
	}
	return &wire.Preview{Cancels: &e.Recovery.RecoveryPending}, nil
}

func applyRecovery(s *State, org *organization, e Event) error {
	s.recovers(org, e.Recovery)
	for _, h := range org.held {
		h.void = true
	}
	return nil
}

func applyRecoveryCancelled(s *State, org *organization, _ Event) error {
	s.recovers(org, nil)
	return nil
}

func applyRecoveryRule(_ *State, org *organization, e Event) error {
	org.recoveryPublicKey, org.emailOnly = e.RecoveryRule.RecoveryPublicKey, e.RecoveryRule.EmailOnlyRecovery
	return nil
}

// recovers notes the recovery that waits now, nil where none does.
func (s *State) recovers(org *organization, r *Recovery) {
	org.recovery = r
	delete(s.recovering, org.ID)
	if r != nil {
		s.recovering[org.ID] = org
	}
}

func applyRecovered(s *State, org *organization, e Event) error {
	r := *e.Recovery
	s.recovers(org, nil)
	for _, k := range org.keys() {
		if r.RemoveOthers && k.UserID == r.UserID {
			s.dismiss(org, k.CredentialID)
		}
	}
	if r.NewPublicKey != "" {
		org.recoveryPublicKey = r.NewPublicKey
	}
	return s.enrol(org, r.Passkey)
}

// applyCancelled also ends a recovery whose own body was cancelled.
func applyCancelled(s *State, e Event, _ uint64) error {
	org := s.organizations[e.OrganizationID]
	if org != nil && org.recovery != nil && org.recovery.Fingerprint == e.Fingerprint {
		s.recovers(org, nil)
	}
	return nil
}
