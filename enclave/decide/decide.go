package decide

import (
	"crypto/sha256"
	"fmt"
	"time"

	"github.com/railkit/railkit/enclave/refusal"
	"github.com/railkit/railkit/enclave/stamp"
	"github.com/railkit/railkit/enclave/wire"
)

// Submission is a body with what came along. Signer and Registration were
// verified with keys that Decide looks at again: between the two, a passkey may
// have been removed.
type Submission struct {
	Request
	Signer       *Signer // a passkey's stamp
	Key          string  // public key of an API-key stamp, verified; compressed hex
	Claim        *Claim  // an agent's signature, verified
	Registration *stamp.Registration
	Ceremony     *Ceremony  // where the body carries one
	Challenge    *Challenge // the one that the registration answers; nil where the enclave issued none
	Begun        *Begun     // the recovery that the body answers to
	Volatile     wire.Volatile
}

// Signer is a verified stamp.
type Signer struct {
	CredentialID string
	Key          stamp.Credential
	Counter      uint32
	// What the passkey says of itself in this stamp.
	BackupEligible bool
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
	past, ok := s.Outcome(sub.Fingerprint)
	if ok && past.Held {
		return s.decideHeld(sub, past, now)
	}
	if ok {
		return Decision{Past: &past}, nil
	}
	if sub.Body.Environment != string(s.Environment) {
		return Decision{}, refusal.ErrBody.Msg("it is for another environment")
	}
	if err := checkTimes(sub.Body, now); err != nil {
		return Decision{}, err
	}
	e, err := s.decideKind(sub, now)
	if err != nil {
		return Decision{}, err
	}
	return Decision{Event: s.annotate(e, sub, now)}, nil
}

// annotate fills in time, fingerprint, type of the activity, and any recovery under way.
func (s *State) annotate(e Event, sub Submission, now time.Time) Event {
	e.TimeMs, e.Fingerprint, e.Activity = now.UnixMilli(), sub.Fingerprint, sub.Body.Type
	e.RecoveryPending = s.pendingAfter(e)
	return e
}

func (s *State) decideKind(sub Submission, now time.Time) (Event, error) {
	if p, ok := sub.params.(*wire.CreateSubOrganizationParams); ok {
		return s.decideOrganization(sub, p, now)
	}
	org, by, use, err := s.authorize(sub)
	if err != nil {
		return Event{}, err
	}
	e, err := call{s, org, sub, by, now}.judge()
	e.OrganizationID, e.Stamp = org.ID, use
	return e, err
}

// judge is what the body comes to.
func (c call) judge() (Event, error) { return c.sub.activity.judge(c) }

// Cancel is the event after which a body can never be executed, or what became
// of the body before.
func (s *State) Cancel(fingerprint string, now time.Time) Decision {
	past, ok := s.Outcome(fingerprint)
	if ok && !past.Held {
		return Decision{Past: &past}
	}
	e := Event{Kind: EventCancelled, TimeMs: now.UnixMilli(), Fingerprint: fingerprint}
	if ok { // held bodies are few
		e.OrganizationID = s.waitsIn(fingerprint)
		e.RecoveryPending = s.pendingAfter(e)
	}
	return Decision{Event: e}
}

// waitsIn is the organization in which a body waits, if it does.
func (s *State) waitsIn(fingerprint string) string {
	for id, org := range s.organizations {
		if org.held[fingerprint] != nil || org.recovery != nil && org.recovery.Fingerprint == fingerprint {
			return id
		}
	}
	return ""
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
