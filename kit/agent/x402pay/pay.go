package x402pay

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"reflect"
	"strconv"
	"time"

	"github.com/railkit/railkit/enclave/client"
	"github.com/railkit/railkit/enclave/refusal"
	"github.com/railkit/railkit/enclave/wire"
	"github.com/railkit/railkit/fault"
	"github.com/railkit/railkit/kit/agent/budget"
	"github.com/railkit/railkit/kit/agent/call"
	"github.com/railkit/railkit/kit/signing/activity"
	"github.com/railkit/railkit/kit/signing/approval"
	"github.com/railkit/railkit/kit/signing/signer"
	"github.com/railkit/railkit/platform/command"
	"github.com/railkit/railkit/platform/idempotency"
	"github.com/railkit/railkit/platform/record"
	"github.com/railkit/railkit/rest"
	"github.com/railkit/railkit/x402"
)

const mostUnused = 100 // of an agent's unused payments, that are looked at for a nonce

// Pay pays for what an agent's request names, or goes on with a payment.
func (s *Service) Pay(
	ctx context.Context, cmd *command.Command, a wire.AgentReply, in rest.X402PayRequest,
) (command.Answer, error) {
	if id := in.PaymentID; id != "" {
		if in.PaymentID = ""; !reflect.ValueOf(in).IsZero() {
			return command.Answer{}, fault.Field("paymentId", "must be the only field: the payment has the others")
		}
		return s.goOn(ctx, cmd, a, id)
	}
	if a.Limits == nil {
		return command.Answer{}, refusal.ErrAgentPending
	}
	w, err := s.read(a, cmd.Principal.Claim.Body, in)
	if err != nil {
		return command.Answer{}, err
	}
	var row activity.Activity
	var out client.Outcome
	err = record.Retry(func() (err error) { // another call was faster with the nonce that this one took up
		row, out, err = s.calls.Do(ctx, cmd, s.call(cmd, w))
		return err
	})
	var free freeError
	if errors.As(err, &free) {
		return s.answerFree(ctx, cmd, a, free)
	}
	if err != nil {
		return command.Answer{}, s.refused(ctx, w, err)
	}
	if out.State == wire.Held {
		return s.hold(ctx, cmd, row, out)
	}
	p, err := s.signed(ctx, row, out)
	if err != nil {
		return command.Answer{}, err
	}
	return s.finish(ctx, cmd, p)
}

// call is the agent's request on its way through the enclave, and the row that belongs to it.
func (s *Service) call(cmd *command.Command, w wanted) call.Call[Tx] {
	var p Payment
	var r ready
	return call.Call[Tx]{
		Name: "agent x402 payment", Agent: w.agent,
		Draft: func(ctx context.Context, id string) (a activity.Activity, err error) {
			p, a, r, err = s.draft(ctx, cmd, w, id)
			return a, err
		},
		Volatile: func(ctx context.Context) (v *wire.Volatile, err error) {
			if v, r.volatile = r.volatile, nil; v != nil { // a moment ago
				return v, nil
			}
			return s.volatile(ctx, p)
		},
		Beside: func(ctx context.Context, tx Tx, _ activity.Activity) error {
			if p.Reuses != "" {
				if err := tx.TakeX402Nonce(ctx, p.WorkspaceID, p.Reuses, p.ID); err != nil {
					return err
				}
			}
			return tx.InsertX402Payment(ctx, p) // the sweeper follows one that is never signed
		},
		Drop: func(ctx context.Context, tx Tx, _ activity.Activity) error { return drop(ctx, tx, p) },
	}
}

// drop forgets a payment that was never signed, and lets its nonce go.
func drop(ctx context.Context, tx Tx, p Payment) error {
	if err := tx.DeleteX402Payment(ctx, p.WorkspaceID, p.ID); err != nil || p.Reuses == "" {
		return err
	}
	return tx.FreeX402Nonce(ctx, p.WorkspaceID, p.Reuses, p.ID)
}

// draft asks the seller, chooses, and writes the body that the enclave is to sign.
func (s *Service) draft(
	ctx context.Context, cmd *command.Command, w wanted, id string,
) (p Payment, a activity.Activity, r ready, err error) {
	if err := s.calls.Budget.Running(ctx, w.agent); err != nil {
		return p, a, r, err
	}
	c, answer, r, err := s.offer(ctx, w)
	if err != nil {
		return p, a, r, err
	}
	if p, err = s.payment(ctx, w, c, answer, r, id); err != nil {
		return p, a, r, err
	}
	d := activity.Draft{
		Kind: wire.AgentX402, ID: id,
		Owner:  activity.Owner{WorkspaceID: w.agent.WorkspaceID, ID: w.agent.OrganizationID},
		Params: p.params(signer.Call(w.agent.AgentID, cmd.Principal.Claim), c),
	}
	if err := s.c.Activities.Write(&d); err != nil {
		return p, a, r, err
	}
	a, err = d.Activity()
	p.CreatedAt, p.UpdatedAt = d.Now, d.Now
	return p, a, r, err
}

// params are what the enclave is asked to sign.
func (p Payment) params(asked wire.AgentCall, c x402.Choice) wire.AgentX402Params {
	q := wire.AgentX402Params{
		AgentCall: asked, Chain: p.Network, Transfer: p.Transfer, To: p.PayTo, Amount: strconv.FormatInt(p.Micro, 10),
		Facilitator: p.Facilitator,
	}
	if p.sponsored() {
		q.Memo = p.Memo
	} else {
		q.Nonce, q.Seconds = p.Nonce, strconv.FormatInt(c.Seconds, 10)
	}
	return q
}

// payment is the row of an offer that was chosen.
func (s *Service) payment(
	ctx context.Context, w wanted, c x402.Choice, answer answer402, r ready, id string,
) (p Payment, err error) {
	p = Payment{
		WorkspaceID: w.agent.WorkspaceID, ID: id, AgentID: w.agent.AgentID, State: Prepared, Resource: w.terms.URL,
		Network: c.Network.Slug, Transfer: string(c.Method), From: w.agent.AddressOn(c.Network.Kind), PayTo: c.PayTo,
		Micro: c.Amount.Int64(), Delivery: Unseen, Facilitator: cmp.Or(c.Facilitator, c.FeePayer), Memo: r.memo,
		Since: r.since,
	}
	raw, err := json.Marshal(answer)
	if err != nil {
		return p, err
	}
	p.Answer = string(raw)
	if !w.self {
		if raw, err = json.Marshal(w.asked); err != nil {
			return p, err
		}
		p.Request, p.Delivery = s.c.Vault.Seal(p.place(), raw), Pending
	}
	return p, s.nonce(ctx, &p)
}

// signed writes what the enclave has signed, and captures the price of the call. It is on disk before the seller hears
// of it: what the seller took and no row tells of, another payment could be made for.
func (s *Service) signed(ctx context.Context, row activity.Activity, out client.Outcome) (Payment, error) {
	p, err := s.c.Store.X402Payment(ctx, row.WorkspaceID, row.ID)
	if err != nil || p.State != Prepared {
		return p, err
	}
	r := out.Statement.Result
	switch p.State, p.UpdatedAt = Signed, s.c.Clock.Now(); {
	case out.State != wire.Done || r == nil:
		return p, errUnsigned
	case p.sponsored():
		err = s.transacted(&p, r.Transaction)
	case r.Signature == nil || r.Authorization == nil:
		return p, errUnsigned
	default:
		var ends time.Time
		ends, err = time.Parse(time.RFC3339, r.Authorization.EndsAt)
		p.Signature, p.ValidBefore = r.Signature.Signature, ends.Unix()
	}
	if err != nil {
		return p, errors.Join(errRow, err)
	}
	err = record.Do(ctx, s.c.Store, p.WorkspaceID, func(ctx context.Context, tx Tx) error {
		return errors.Join(tx.SignX402Payment(ctx, p), s.c.Activities.Finish(ctx, tx, row),
			tx.Enqueue(ctx, p.job(p.UpdatedAt.Add(lookSoonest))), budget.CaptureIn(ctx, tx, p.WorkspaceID, p.ID))
	})
	if errors.Is(err, record.ErrStale) { // another try wrote the same
		return s.c.Store.X402Payment(ctx, p.WorkspaceID, p.ID)
	}
	return p, err
}

var errUnsigned = errors.New("the enclave's answer to a payment by x402 has no signature")

// hold answers that a payment waits for votes.
func (s *Service) hold(
	ctx context.Context, cmd *command.Command, row activity.Activity, out client.Outcome,
) (command.Answer, error) {
	held, err := s.c.Activities.Approval(ctx, &row, out)
	if err != nil {
		return command.Answer{}, err
	}
	return s.c.Store.Commit(ctx, cmd, func(ctx context.Context, tx Tx) (command.Reply, error) {
		reply := held.Queued("agent.x402")
		if view, ok := reply.Data.(approval.QueuedView); ok {
			view.PaymentID = row.ID
			reply.Data = view
		}
		return reply, errors.Join(s.c.Activities.Hold(ctx, tx, cmd, row, held),
			budget.CaptureIn(ctx, tx, row.WorkspaceID, row.ID))
	})
}

// answerFree passes on the answer of a seller that wants no money.
func (s *Service) answerFree(
	ctx context.Context, cmd *command.Command, a wire.AgentReply, free freeError,
) (command.Answer, error) {
	id := record.NewID()
	if err := s.c.Budget.Hold(ctx, a, id, ""); err != nil {
		return command.Answer{}, err
	}
	view := rest.X402Answer{}
	show(&view, free.Response)
	answer, err := s.c.Store.Commit(ctx, cmd, func(context.Context, Tx) (command.Reply, error) {
		return command.Reply{Status: 200, Message: "Nothing to pay", Data: view, Audit: command.Audit{
			Action: "agent.x402.free", Resource: a.AgentID,
			Detail: map[string]string{"status": strconv.Itoa(free.Status)},
		}}, nil
	})
	if err == nil {
		err = s.c.Budget.Capture(ctx, a.WorkspaceID, id)
	}
	return answer, err
}

// refused leaves an audit entry of a payment that the budget, a limit or the switch refused.
func (s *Service) refused(ctx context.Context, w wanted, refusal error) error {
	f, ok := fault.As(refusal)
	if !ok || !f.Refusal() || errors.Is(refusal, idempotency.ErrInFlight) {
		return refusal
	}
	failed := s.c.Store.Work(ctx, w.agent.WorkspaceID, func(context.Context, Tx) (command.Audit, error) {
		return command.Audit{
			Action: "agent.x402.refuse", Resource: w.agent.AgentID,
			Detail: map[string]string{"code": f.Code, "resource": w.terms.URL},
		}, nil
	})
	if failed != nil {
		s.c.Log.WarnContext(ctx, "noting a refused payment failed", "agent", w.agent.AgentID, "error", failed)
	}
	return refusal
}
