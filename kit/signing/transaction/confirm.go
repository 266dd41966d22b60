package transaction

import (
	"context"

	"github.com/railkit/railkit/enclave/client"
	"github.com/railkit/railkit/enclave/wire"
	"github.com/railkit/railkit/fault"
	"github.com/railkit/railkit/kit/signing/activity"
	"github.com/railkit/railkit/kit/signing/denial"
	"github.com/railkit/railkit/kit/signing/nodes"
	"github.com/railkit/railkit/platform/command"
)

// ConfirmTransactionInput is a stamped transaction.
type ConfirmTransactionInput struct {
	TransactionID     string            `json:"transactionId" format:"uuid"`
	SignedActivity    *activity.Stamped `json:"signedActivity,omitempty" doc:"Where custody is enclave"`
	SignedTransaction string            `json:"signedTransaction,omitempty" minLength:"2" maxLength:"262146" doc:"Where custody is external: hex of unsignedTransaction with its signature"`
	Broadcast         *bool             `json:"broadcast,omitempty" doc:"Default true; with false the signed transaction waits for POST broadcast"`
}

// check refuses a confirm that brings both or neither.
func (in ConfirmTransactionInput) check() error {
	switch {
	case in.SignedActivity == nil && in.SignedTransaction == "":
		return fault.Field("signedActivity", "is required, or signedTransaction where custody is external")
	case in.SignedActivity != nil && in.SignedTransaction != "":
		return fault.Field("signedTransaction", "must not come together with signedActivity")
	}
	return nil
}

// suits refuses the one's signature for the other's transaction, and any for
// one that can no longer be signed.
func (in ConfirmTransactionInput) suits(t Transaction) error {
	switch {
	case t.External() && in.SignedActivity != nil:
		return ErrCustodyExternal
	case !t.External() && in.SignedActivity == nil:
		return ErrCustodyEnclave
	}
	return t.refusal()
}

// refusal is why a transaction can no longer be signed at all.
func (t Transaction) refusal() error {
	switch t.State {
	case Cancelled:
		return ErrCancelled
	case Expired:
		return ErrExpired
	}
	return nil
}

// Confirm has the enclave sign, tries one node once, and commits.
// The order keeps every crash harmless: what the enclave signed it signs again
// the same, and the sweeper finds what was signed and not committed.
func (s *Service) Confirm(ctx context.Context, cmd *command.Command, in ConfirmTransactionInput) (command.Answer, error) {
	if err := in.check(); err != nil {
		return command.Answer{}, err
	}
	t, err := s.store.Transaction(ctx, cmd.Principal.WorkspaceID, in.TransactionID)
	if err != nil {
		return command.Answer{}, err
	}
	if err := in.suits(t); err != nil {
		return command.Answer{}, err
	}
	if t.External() {
		return s.confirmExternal(ctx, cmd, t, in)
	}
	same := in.SignedActivity.Body == t.Body
	switch {
	case t.State == Awaiting && !same:
		return command.Answer{}, activity.ErrStampedBody
	case t.State != Awaiting && !same:
		return command.Answer{}, ErrNotAwaiting
	case t.State != Awaiting:
		return s.answerAgain(ctx, cmd, t, &in.SignedActivity.Stamp)
	}
	held := in.Broadcast != nil && !*in.Broadcast
	if in.Broadcast == nil && cmd.Ceremony != nil {
		held = t.Held // as it was prepared: the page has no say in it
	}
	return s.signAndCommit(ctx, cmd, t, &in.SignedActivity.Stamp, held)
}

// answerAgain is for the same stamped body again: the first result, where the
// enclave knows the stamp as one for the body.
func (s *Service) answerAgain(ctx context.Context, cmd *command.Command, t Transaction, stamp *wire.Stamp) (command.Answer, error) {
	if stamp != nil {
		if _, err := s.firstOutcome(ctx, t, stamp); err != nil {
			return command.Answer{}, err
		}
	}
	if t.State == AwaitingApproval {
		a, err := s.store.Approval(ctx, t.WorkspaceID, t.approvalID())
		if err != nil {
			return command.Answer{}, err
		}
		return s.store.Commit(ctx, cmd, func(context.Context, Tx) (command.Reply, error) { return a.Queued("transaction.sign"), nil })
	}
	if d := t.denial(); d != nil {
		return command.Answer{}, denial.Refusal(d)
	}
	return s.rows.answer(ctx, cmd, t, "transaction.confirm")
}

// signAndCommit has the enclave execute a transaction's body, on whoever's word it comes,
// and commits what it made of it.
func (s *Service) signAndCommit(ctx context.Context, cmd *command.Command, t Transaction, stamp *wire.Stamp, held bool) (command.Answer, error) {
	out, err := s.checkAndSubmit(ctx, t, stamp, held)
	if err != nil {
		return command.Answer{}, err
	}
	t.Held = held
	switch out.State {
	case wire.Held:
		return s.hold(ctx, cmd, t, out, stamp)
	case wire.Denied:
		return command.Answer{}, s.endDenied(ctx, t, out)
	}
	return s.commitSigned(ctx, cmd, t, out, stamp)
}

// checkAndSubmit checks at the node what the enclave cannot see, so that no nonce goes
// to a transaction that cannot be mined, and has the enclave sign. What the owner
// wants done with the result is written down meanwhile, and before the enclave.
func (s *Service) checkAndSubmit(ctx context.Context, t Transaction, stamp *wire.Stamp, held bool) (client.Outcome, error) {
	written := make(chan error, 1)
	go func() { written <- s.writeHeld(ctx, t, held) }()
	volatile, err := s.Volatile(ctx, t)
	if err := <-written; err != nil {
		return client.Outcome{}, err
	}
	return s.Submit(ctx, t, stamp, volatile, err)
}

// Volatile is volatile, within the time that a request has for the node.
func (s *Service) Volatile(ctx context.Context, t Transaction) (wire.Volatile, error) {
	asking, cancel := context.WithTimeout(ctx, nodes.AskTimeout)
	defer cancel()
	return s.volatile(asking, t)
}

func (s *Service) Submit(ctx context.Context, t Transaction, stamp *wire.Stamp, v wire.Volatile, refusal error) (client.Outcome, error) {
	if refusal != nil {
		return s.firstResult(ctx, t, stamp, refusal)
	}
	out, err := s.enclave.Submit(ctx, wire.SubmitRequest{Body: t.Body, Stamp: stamp, Volatile: &v}, t.Fingerprint)
	if err == nil && out.State == wire.Cancelled {
		err = ErrCancelled
	}
	return out, err
}

// writeHeld writes down whether the result is to be sent: should a crash keep it
// out of the database, the sweeper does with it what its owner wanted last.
func (s *Service) writeHeld(ctx context.Context, t Transaction, held bool) error {
	if held == t.Held {
		return nil
	}
	return s.rows.Move(ctx, t, []State{Awaiting}, Awaiting, Change{Now: t.UpdatedAt, Held: &held}, "")
}

// firstResult is for the retry after a crash: what was signed is the answer,
// whatever the node says by now. It may have spent the balance already, and who
// is told so pays twice.
func (s *Service) firstResult(ctx context.Context, t Transaction, stamp *wire.Stamp, refusal error) (client.Outcome, error) {
	out, err := s.firstOutcome(ctx, t, stamp)
	first := out.State == wire.Done || out.State == wire.Denied || out.State == wire.Held && t.State == Awaiting
	if err != nil || !first {
		return client.Outcome{}, refusal
	}
	return out, nil
}

// firstOutcome asks the enclave what became of a body, and to check the stamp that
// came with it, if any.
func (s *Service) firstOutcome(ctx context.Context, t Transaction, stamp *wire.Stamp) (client.Outcome, error) {
	if stamp == nil {
		return s.enclave.Outcome(ctx, t.Fingerprint)
	}
	return s.enclave.Submit(ctx, wire.SubmitRequest{Body: t.Body, Stamp: stamp, Again: true}, t.Fingerprint)
}
