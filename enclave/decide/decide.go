package decide

import (
	"crypto/sha256"
	"fmt"
	"time"

	"github.com/railkit/railkit/enclave/stamp"
	"github.com/railkit/railkit/enclave/wire"
)

// Submission is a body with what came along. Signer and Registration were
// verified with keys that Decide looks at again: between the two, a passkey may
// have been removed.
type Submission struct {
	Request
	Signer       *Signer
	Registration *stamp.Registration
	Challenge    *Challenge // the one that the registration answers; nil where the enclave issued none
	Volatile     wire.Volatile
}

// Signer is a verified stamp.
type Signer struct {
	CredentialID string
	Key          stamp.Credential
	Counter      uint32
}

// Challenge is a registration challenge as it was issued.
type Challenge struct {
	WorkspaceID string
	Email       string
	ExpiresAt   time.Time
}

// Decision is the judgement over a submission.
type Decision struct {
	Past  *Past // the body was decided before: nothing happens again
	Event Event // else: what has to stand in the journal before anything leaves
}

// Decide judges a submission. It changes nothing. For a wallet and for accounts
// the event still lacks the key material, which is not a matter of judgement.
func (s *State) Decide(sub Submission, now time.Time) (Decision, error) {
	if r, ok := s.Outcome(sub.Fingerprint); ok {
		return Decision{Past: &r}, nil
	}
	if sub.Body.Environment != string(s.Environment) {
		return Decision{}, ErrBody.Msg("it is for another environment")
	}
	if err := checkTimes(sub.Body, now); err != nil {
		return Decision{}, err
	}
	e, err := s.decideKind(sub, now)
	if err != nil {
		return Decision{}, err
	}
	e.TimeMs, e.Fingerprint, e.Activity = now.UnixMilli(), sub.Fingerprint, sub.Body.Type
	return Decision{Event: e}, nil
}

func (s *State) decideKind(sub Submission, now time.Time) (Event, error) {
	if p, ok := sub.params.(*wire.CreateSubOrganizationParams); ok {
		return s.decideOrganization(sub, p, now)
	}
	org, use, err := s.authorize(sub)
	if err != nil {
		return Event{}, err
	}
	e, err := s.decideFor(org, sub, now)
	e.OrganizationID, e.Stamp = org.ID, use
	return e, err
}

func (s *State) decideFor(org *organization, sub Submission, now time.Time) (Event, error) {
	switch p := sub.params.(type) {
	case *wire.CreateWalletParams:
		return s.decideWallet(org, sub.Fingerprint, p, now)
	case *wire.CreateWalletAccountsParams:
		return s.decideAccounts(org, p)
	case *wire.SignIntentParams:
		return s.decideIntent(org, p, sub.Volatile)
	case *wire.SignTransactionParams:
		return s.decideExact(org, p)
	case *wire.CreateAgentParams:
		return s.decideAgent(org, sub.Request, p, now)
	}
	return Event{}, ErrBody.Msg("type is unknown")
}

// authorize finds the organization that the body names and holds the stamp
// against it: a passkey of another organization is no passkey at all.
func (s *State) authorize(sub Submission) (*organization, *StampUse, error) {
	org, ok := s.organizations[sub.Body.OrganizationID]
	if !ok {
		return nil, nil, ErrOrganization
	}
	if sub.Signer == nil {
		return nil, nil, ErrStamp
	}
	c, ok := s.credentials[sub.Signer.CredentialID]
	if !ok || c.organizationID != org.ID || string(c.key.PublicKey) != string(sub.Signer.Key.PublicKey) {
		return nil, nil, ErrStamp
	}
	if !c.counter.accepts(sub.Signer.Counter) {
		return nil, nil, ErrCounter
	}
	return org, &StampUse{CredentialID: sub.Signer.CredentialID, Counter: sub.Signer.Counter}, nil
}

// Cancel is the event after which a body can never be executed, or what became
// of the body before.
func (s *State) Cancel(fingerprint string, now time.Time) Decision {
	if r, ok := s.Outcome(fingerprint); ok {
		return Decision{Past: &r}
	}
	return Decision{Event: Event{Kind: EventCancelled, TimeMs: now.UnixMilli(), Fingerprint: fingerprint}}
}

// newID makes the id of what a body creates out of the body itself, so that a
// second judgement of the same body comes to the same event.
func newID(fingerprint, label string) string {
	sum := sha256.Sum256([]byte("railkit id|" + label + "|" + fingerprint))
	id := sum[:16]
	id[6] = id[6]&0x0f | 0x40 // version 4
	id[8] = id[8]&0x3f | 0x80 // RFC 9562 variant
	return fmt.Sprintf("%x-%x-%x-%x-%x", id[:4], id[4:6], id[6:8], id[8:10], id[10:])
}
