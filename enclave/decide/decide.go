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
		return Decision{}, ErrBody.Msg("it is for another environment")
	}
	if err := checkTimes(sub.Body, now); err != nil {
		return Decision{}, err
	}
	e, err := s.decideKind(sub, now)
	if err != nil {
		return Decision{}, err
	}
	return Decision{Event: s.by(e, sub, now)}, nil
}

// by notes which body an event comes from, and what stands beside it.
func (s *State) by(e Event, sub Submission, now time.Time) Event {
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
	e, err := s.decideFor(org, sub, by, now)
	e.OrganizationID, e.Stamp = org.ID, use
	return e, err
}

func (s *State) decideFor(org *organization, sub Submission, by actor, now time.Time) (Event, error) {
	switch p := sub.params.(type) {
	case *wire.CreateWalletParams:
		return s.decideWallet(org, sub.Fingerprint, p, now)
	case *wire.CreateWalletAccountsParams:
		return s.decideAccounts(org, p)
	case *wire.SignIntentParams:
		return s.decideIntent(org, sub, p, by, now)
	case *wire.SignTransactionParams:
		return s.decideExact(org, sub, p, by, now)
	case *wire.SignMessageParams:
		return s.decideMessage(org, sub, p, by, now)
	case *wire.AgentPaymentParams:
		x, err := s.readPayment(org, sub.Request, p)
		if err != nil {
			return Event{}, err
		}
		return s.decidePayment(org, sub, x, by, now)
	case *wire.AgentX402Params:
		x, err := s.readX402(org, sub.Request, p, now)
		if err != nil {
			return Event{}, err
		}
		return s.decidePayment(org, sub, x, by, now)
	case *wire.AgentWalletParams:
		return s.decideAgentWallet(org, sub, p, now)
	case *wire.ApproveActivityParams:
		return s.decideVote(org, p, by, now)
	}
	return s.decideRule(org, sub, by, now)
}

func (s *State) decideRule(org *organization, sub Submission, by actor, now time.Time) (Event, error) {
	switch p := sub.params.(type) {
	case *wire.CreatePolicyParams:
		return s.decidePolicy(org, sub, p, by, now)
	case *wire.UpdatePolicyParams:
		return s.decidePolicyUpdate(org, sub, p, by, now)
	case *wire.DeletePolicyParams:
		return s.decidePolicyDeletion(org, sub, p, by, now)
	case *wire.ApprovalConfig:
		return s.decideConfig(org, sub, p, by, now)
	case *wire.OverridePriceParams:
		return s.decideOverride(org, sub, p, by, now)
	case *wire.CreateAuthenticatorParams:
		return s.decidePasskey(org, sub, p, by, now)
	case *wire.DeleteAuthenticatorParams:
		return s.decidePasskeyDeletion(org, sub, p, by, now)
	case *wire.RecoverUserParams:
		return s.decideRecovery(org, sub, p, now)
	case *wire.CancelRecoveryParams:
		return s.decideRecoveryCancel(org, p)
	case *wire.UpdateRecoveryParams:
		return s.decideRecoveryRule(org, sub, p, by, now)
	case *wire.AddPayeeParams:
		return s.decideAddPayee(org, sub, p, by, now)
	case *wire.RemovePayeeParams:
		return s.decideRemovePayee(org, sub, p, by, now)
	}
	return s.decideAgentRule(org, sub, by, now)
}

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
