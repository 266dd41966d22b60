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

// checkCustody refuses a passkey's stamp for a transaction whose key is outside, and signed bytes for one whose key is
// in the enclave. It also refuses both for a transaction that can no longer be signed.
func (in ConfirmTransactionInput) checkCustody(t Transaction) error {
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

// Confirm has the enclave sign, tries one node once, and commits. The order keeps every crash harmless. The enclave
// signs the same body always to the same bytes, so that a caller who asks again after a crash gets the transaction that
// was signed, and never a second one; the sweeper finds what was signed and not committed.
func (s *Service) Confirm(ctx context.Context, cmd *command.Command,
	in ConfirmTransactionInput,
) (command.Answer, error) {
	if err := in.check(); err != nil {
		return command.Answer{}, err
	}
	t, err := s.c.Store.Transaction(ctx, cmd.Principal.WorkspaceID, in.TransactionID)
	if err != nil {
		return command.Answer{}, err
	}
	if err := in.checkCustody(t); err != nil {
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
		return s.AnswerAgain(ctx, cmd, t, &in.SignedActivity.Stamp)
	}
	held := in.Broadcast != nil && !*in.Broadcast
	if in.Broadcast == nil && cmd.Ceremony != nil {
		held = t.Held // as it was prepared: the page has no say in it
	}
	return s.signAndCommit(ctx, cmd, t, &in.SignedActivity.Stamp, held)
}

// AnswerAgain repeats the first outcome of a body: that it was signed, waits for votes, or was refused. A stamp that
// comes along has to be a good one for the body.
func (s *Service) AnswerAgain(ctx context.Context, cmd *command.Command, t Transaction,
	stamp *wire.Stamp,
) (command.Answer, error) {
	if stamp != nil {
		if _, err := s.firstOutcome(ctx, t, stamp); err != nil {
			return command.Answer{}, err
		}
	}
	if t.State == AwaitingApproval {
		a, err := s.c.Store.Approval(ctx, t.WorkspaceID, t.approvalID())
		if err != nil {
			return command.Answer{}, err
		}
		return s.c.Store.Commit(ctx, cmd, func(context.Context, Tx) (command.Reply, error) {
			return a.Queued("transaction.sign"), nil
		})
	}
	if d := t.denial(); d != nil {
		return command.Answer{}, denial.Refusal(d)
	}
	return s.c.Rows.answer(ctx, cmd, t, "transaction.confirm")
}

// signAndCommit has the enclave execute a transaction's body, and commits what the enclave made of it: signed, held for
// votes, or refused by a rule. stamp is nil where a delegation or votes are the authority.
func (s *Service) signAndCommit(ctx context.Context, cmd *command.Command, t Transaction, stamp *wire.Stamp,
	held bool,
) (command.Answer, error) {
	out, err := s.CheckAndSubmit(ctx, t, stamp, held)
	if err != nil {
		return command.Answer{}, err
	}
	t.Held = held
	return s.CommitOutcome(ctx, cmd, t, out, stamp)
}

// CommitOutcome commits what the enclave made of a transaction's body.
func (s *Service) CommitOutcome(ctx context.Context, cmd *command.Command, t Transaction, out client.Outcome,
	stamp *wire.Stamp,
) (command.Answer, error) {
	switch out.State {
	case wire.Held:
		return s.hold(ctx, cmd, t, out, stamp)
	case wire.Denied:
		return command.Answer{}, s.endDenied(ctx, t, out)
	}
	return s.commitSigned(ctx, cmd, t, out, stamp)
}

// CheckAndSubmit asks the node for what the enclave cannot see, and then has the enclave sign. So no nonce is spent on
// a transaction that the address cannot pay for, or that would revert. Whether the owner wants it sent is written down
// meanwhile, and before the enclave signs.
func (s *Service) CheckAndSubmit(ctx context.Context, t Transaction, stamp *wire.Stamp,
	held bool,
) (client.Outcome, error) {
	written := make(chan error, 1)
	go func() { written <- s.c.Rows.writeHeld(ctx, t, held) }()
	volatile, err := s.Volatile(ctx, t)
	if err := <-written; err != nil {
		return client.Outcome{}, err
	}
	return s.Submit(ctx, t, stamp, volatile, err)
}

// Volatile is what the server adds to a body when it is signed, asked for within the time that one request has for a
// node.
func (s *Service) Volatile(ctx context.Context, t Transaction) (wire.Volatile, error) {
	asking, cancel := context.WithTimeout(ctx, nodes.AskTimeout)
	defer cancel()
	return s.volatile(asking, t)
}

// Submit brings a transaction's body to the enclave. Where the node refused it before, the enclave is only asked for
// what it made of the body earlier.
func (s *Service) Submit(ctx context.Context, t Transaction, stamp *wire.Stamp, v wire.Volatile,
	refusal error,
) (client.Outcome, error) {
	if refusal != nil {
		return s.firstResult(ctx, t, stamp, refusal)
	}
	again := func() (wire.Volatile, error) { return s.Volatile(ctx, t) }
	out, err := submitAnew(v, again, func(v wire.Volatile) (client.Outcome, error) {
		return s.c.Enclave.Submit(ctx, wire.SubmitRequest{Body: t.Body, Stamp: stamp, Volatile: &v}, t.Fingerprint)
	})
	if err == nil && out.State == wire.Cancelled {
		err = ErrCancelled
	}
	return out, err
}

// firstResult is for the retry after a crash. Example: a transfer of all that an address has was signed and sent, and
// the server crashed before it answered. Asked again, the node says that the balance is too low, since the transfer has
// spent it. A caller who is told so pays a second time. So what the enclave signed before is the answer, whatever the
// node says.
func (s *Service) firstResult(ctx context.Context, t Transaction, stamp *wire.Stamp,
	refusal error,
) (client.Outcome, error) {
	out, err := s.firstOutcome(ctx, t, stamp)
	first := out.State == wire.Done || out.State == wire.Denied || out.State == wire.Held && t.State == Awaiting
	if err != nil || !first {
		return client.Outcome{}, refusal
	}
	return out, nil
}

// firstOutcome asks the enclave what became of a body, and has it check the stamp that came along, if any.
func (s *Service) firstOutcome(ctx context.Context, t Transaction, stamp *wire.Stamp) (client.Outcome, error) {
	if stamp == nil {
		return s.c.Enclave.Outcome(ctx, t.Fingerprint)
	}
	return s.c.Enclave.Submit(ctx, wire.SubmitRequest{Body: t.Body, Stamp: stamp, Again: true}, t.Fingerprint)
}
