package payment

import (
	"context"
	"errors"

	"github.com/railkit/railkit/enclave/client"
	"github.com/railkit/railkit/enclave/wire"
	"github.com/railkit/railkit/fault"
	"github.com/railkit/railkit/kit/agent/call"
	"github.com/railkit/railkit/kit/signing/transaction"
	"github.com/railkit/railkit/platform/command"
	"github.com/railkit/railkit/platform/idempotency"
	"github.com/railkit/railkit/platform/record"
)

// Pay executes the payment that an agent's request asks for.
func (s *Service) Pay(ctx context.Context, cmd *command.Command, a wire.AgentReply) (command.Answer, error) {
	p, err := s.find(ctx, cmd, a)
	if err != nil {
		return command.Answer{}, err
	}
	if p.State != transaction.Awaiting {
		return s.c.Transactions.AnswerAgain(ctx, cmd, p.Transaction, nil)
	}
	if p.out.State == wire.Unknown {
		if err := s.ask(ctx, cmd, a, &p); err != nil {
			return command.Answer{}, s.refuse(ctx, a, p.Transaction, err)
		}
	}
	answer, err := s.c.Transactions.CommitOutcome(ctx, cmd, p.Transaction, p.out, nil)
	if err != nil {
		return answer, err
	}
	if err := s.c.Budget.Capture(ctx, p.WorkspaceID, p.ID); err != nil {
		s.c.Log.WarnContext(ctx,
			"capturing the price of a call failed; the sweeper does it", "transaction", p.ID, "error", err)
	}
	return answer, nil
}

// payment is an agent's transaction, and what the enclave made of its body before: Unknown where it was not asked.
type payment struct {
	transaction.Transaction
	out client.Outcome
}

// ask holds the call's price, and asks the enclave to sign.
func (s *Service) ask(ctx context.Context, cmd *command.Command, a wire.AgentReply, p *payment) error {
	err := s.c.Budget.Hold(ctx, a, p.ID, p.Fingerprint)
	if err == nil {
		stamp := &wire.Stamp{HeaderName: wire.AgentStamp, HeaderValue: cmd.Principal.Claim.MAC}
		p.out, err = s.c.Transactions.CheckAndSubmit(ctx, p.Transaction, stamp, false)
	}
	return s.lacksCoin(err, p.Chain)
}

// find finds or writes the row of a payment. Under one Idempotency-Key there is one operation, which the enclave
// executes once. The agent signs each try anew, with another timestamp, so that each try has another body: the one
// before is cancelled in the enclave first, so that of all bodies only the one in the row can be signed.
//
// Example: a payment was signed, and the server crashed before it answered. The agent asks again under the same key:
// the enclave's outcome of the first body is the answer, and nothing is paid twice.
func (s *Service) find(ctx context.Context, cmd *command.Command, a wire.AgentReply) (payment, error) {
	id := record.NewID()
	if cmd.Key == nil {
		return s.begin(ctx, cmd, a, id)
	}
	id = record.DerivedID("agent payment", a.WorkspaceID, cmd.Key.Hash, cmd.Key.Request)
	t, err := s.c.Store.Transaction(ctx, a.WorkspaceID, id)
	switch {
	case errors.Is(err, fault.ErrNotFound):
		return s.begin(ctx, cmd, a, id)
	case err != nil || t.State != transaction.Awaiting:
		return payment{Transaction: t}, err
	}
	out, err := s.c.Enclave.Outcome(ctx, t.Fingerprint)
	if err == nil && out.State == wire.Unknown {
		if s.c.Clock.Now().Sub(t.CreatedAt) < call.Patience {
			return payment{}, idempotency.ErrInFlight.After(call.RetryAfter)
		}
		out, err = s.c.Enclave.Cancel(ctx, t.Fingerprint)
	}
	if err != nil || out.State != wire.Cancelled {
		return payment{t, out}, err
	}
	return s.tryAgain(ctx, cmd, a, t)
}

// begin writes the row of a payment that was not asked for before.
func (s *Service) begin(
	ctx context.Context, cmd *command.Command, a wire.AgentReply, id string,
) (payment, error) {
	t, err := s.draft(ctx, cmd, a, id)
	if err != nil {
		return payment{}, err
	}
	err = s.c.Store.Work(ctx, t.WorkspaceID, func(ctx context.Context, tx Tx) (command.Audit, error) {
		return command.Audit{}, tx.InsertTransaction(ctx, t)
	})
	if err != nil && cmd.Key != nil {
		if _, missing := s.c.Store.Transaction(ctx, t.WorkspaceID, id); missing == nil {
			err = idempotency.ErrInFlight.After(call.RetryAfter) // another try was faster
		}
	}
	return payment{t, client.Outcome{State: wire.Unknown}}, err
}

// tryAgain puts the body of another try into the row, in the place of a cancelled one.
func (s *Service) tryAgain(
	ctx context.Context, cmd *command.Command, a wire.AgentReply, old transaction.Transaction,
) (payment, error) {
	t, err := s.draft(ctx, cmd, a, old.ID)
	if err != nil {
		return payment{}, err
	}
	err = s.c.Store.Work(ctx, t.WorkspaceID, func(ctx context.Context, tx Tx) (command.Audit, error) {
		if err := tx.DropPayment(ctx, old.WorkspaceID, old.ID, old.Fingerprint); err != nil {
			return command.Audit{}, err
		}
		return command.Audit{}, tx.InsertTransaction(ctx, t)
	})
	if errors.Is(err, record.ErrStale) {
		err = idempotency.ErrInFlight.After(call.RetryAfter)
	}
	return payment{t, client.Outcome{State: wire.Unknown}}, err
}

// refuse deletes the row of a payment that was refused and can never be signed, and frees the price of the call.
// Where nobody knows whether it was signed (the enclave did not answer), both stay for the sweeper.
func (s *Service) refuse(ctx context.Context, a wire.AgentReply, t transaction.Transaction, refusal error) error {
	// Where it was cancelled, another try of the same operation took its place.
	f, ok := fault.As(refusal)
	if !ok || !f.Refusal() || errors.Is(f, transaction.ErrCancelled) {
		return refusal
	}
	failed := s.c.Store.Work(ctx, t.WorkspaceID, func(ctx context.Context, tx Tx) (command.Audit, error) {
		return command.Audit{
			Action: "agent.payment.refuse", Resource: a.AgentID,
			Detail: map[string]string{"code": f.Code, "amount": t.Amount, "network": t.Chain, "to": t.To},
		}, tx.DropPayment(ctx, t.WorkspaceID, t.ID, t.Fingerprint)
	})
	if failed = record.UnlessStale(failed); failed == nil {
		failed = s.c.Budget.Void(ctx, t.WorkspaceID, t.ID)
	}
	if failed != nil {
		s.c.Log.WarnContext(ctx,
			"forgetting a refused payment failed; the sweeper does it", "transaction", t.ID, "error", failed)
	}
	return refusal
}
