// Package operator carries out an operator's decisions about orders that cannot go on by
// themselves. The command railkit admin order lists these orders (Stuck). With it the operator
// can repeat a payout or a refund, give the deposit back, release what screening found, and, for
// a deposit that vanished from its chain, cover the loss or end the order. Each decision is an event of the order;
// package payment then takes the next step of the order's new state.
package operator

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/railkit/railkit/clock"
	"github.com/railkit/railkit/job"
	"github.com/railkit/railkit/kit/payout/arrival"
	"github.com/railkit/railkit/kit/payout/order"
	"github.com/railkit/railkit/kit/payout/orderview"
	"github.com/railkit/railkit/kit/payout/transfer"
	"github.com/railkit/railkit/platform/command"
	"github.com/railkit/railkit/platform/page"
	"github.com/railkit/railkit/platform/record"
)

// ErrNotStuck refuses a decision that the order's state does not allow.
var ErrNotStuck = errors.New("the order waits for nothing that an operator can do")

// ErrGone refuses to send money for an order whose deposit is no longer on its chain.
var ErrGone = errors.New("its deposit is not on the chain any more: wait for it, cover it, or drop it")

// Store reads and writes orders for the operator.
type Store interface {
	record.Writer[Tx]
	Orders(ctx context.Context, f orderview.Filter) ([]order.Order, error)
	OrderCounts(ctx context.Context, f orderview.Filter) (orderview.Counts, error)
}

// Tx writes orders and enqueues jobs.
type Tx interface {
	transfer.Tx
	record.Queue
}

// Service carries out the operator's decisions.
type Service struct {
	store     Store
	orders    *orderview.Service
	transfers *transfer.Service
	clock     clock.Clock
}

// New makes a Service.
func New(s Store, o *orderview.Service, t *transfer.Service, clk clock.Clock) *Service {
	return &Service{s, o, t, clk}
}

// unanswered is how long an order may wait for the partner's answer to a transfer before Stuck lists it.
const unanswered = 10 * time.Minute

// unheard is how long nothing may be heard of a payout that the partner took before Stuck lists it.
const unheard = 24 * time.Hour

// stuckAt are the statuses in which an order may need an operator.
var stuckAt = []order.Status{order.InReview, order.Error, order.PaymentSubmitted, order.FundsReceived, order.Returned}

// Stuck lists the orders of a workspace that need, or may need, an operator's decision: those
// held for review, failed, delayed at the partner, or waiting for the partner's answer for more
// than ten minutes. The total counts all orders in these statuses, stuck or not, and so does
// the page: it can hold fewer orders than its limit. The first page also has completed orders
// that are not settled with partner or depositor.
func (s *Service) Stuck(
	ctx context.Context, workspaceID string, at page.Page,
) ([]order.Order, *page.Cursor, int, error) {
	f := orderview.Filter{WorkspaceID: workspaceID, Statuses: stuckAt, Page: at}
	counts, err := s.store.OrderCounts(ctx, f)
	if err != nil {
		return nil, nil, 0, err
	}
	rows, err := s.store.Orders(ctx, f)
	if err != nil {
		return nil, nil, 0, err
	}
	total := counts.Total(stuckAt)
	next := orderview.NextPage(at, rows, total)
	var stuck []order.Order
	if at.After == nil {
		if stuck, err = s.unsettled(ctx, workspaceID); err != nil {
			return nil, nil, 0, err
		}
	}
	for _, o := range rows {
		if s.isStuck(o) {
			stuck = append(stuck, o)
		}
	}
	return stuck, next, total, nil
}

// settledIn is how old a completed order may be of which the partner says that it sent the coins twice, or whose
// fiat the depositor's bank took back, to be listed. The books show what is owed for ever.
const settledIn = 60 * 24 * time.Hour

// unsettled lists completed orders with a pay-in about which an operator has to talk to the partner or the depositor.
func (s *Service) unsettled(ctx context.Context, workspaceID string) (all []order.Order, err error) {
	f := orderview.Filter{
		WorkspaceID: workspaceID, Statuses: []order.Status{order.Completed},
		Types: []order.Type{order.OnRamp, order.GlobalPayment}, From: s.clock.Now().Add(-settledIn),
	}
	for o, err := range orderview.All(ctx, s.store, f) {
		if err != nil {
			return nil, err
		}
		if o.Recalled() || slices.Contains(o.Labels, order.PaidTwice) {
			all = append(all, o)
		}
	}
	return all, nil
}

// isStuck tells whether an order in one of the statuses of stuckAt needs an operator.
func (s *Service) isStuck(o order.Order) bool {
	asking := o.Paying || o.Refund != nil && o.Refund.Paying
	switch o.Status {
	case order.InReview, order.Error:
		return true
	case order.PaymentSubmitted:
		return o.Delay != "" || s.clock.Now().Sub(o.UpdatedAt) > unheard
	case order.FundsReceived:
		if o.PayIn != nil && o.Delay != "" {
			return true
		}
	case order.Returned:
		if o.Recalled() || o.PayIn != nil && o.Delay != "" {
			return true
		}
	}
	return asking && s.clock.Now().Sub(o.Reserved()) > unanswered
}

// RetryPayout repeats a payout that the partner canceled or that is stalled at the partner.
func (s *Service) RetryPayout(ctx context.Context, cmd *command.Command, idOrReference string) (command.Answer, error) {
	return s.decide(ctx, cmd, idOrReference, "order.retry_payout", func(order.Order) order.Event {
		return order.Event{Kind: order.PayoutGivenUp, Wish: order.PayAgain}
	})
}

// RetryRefund repeats a refund that failed or that is stalled at the partner.
func (s *Service) RetryRefund(ctx context.Context, cmd *command.Command, idOrReference string) (command.Answer, error) {
	return s.decide(ctx, cmd, idOrReference, "order.retry_refund", always(order.RefundRetried))
}

// GiveBack ends a review, or a payout that is stalled at the partner, by a refund: the deposit
// goes to the return address. Without a return address it stays in the books as money held
// for the withdrawal address. Coins that came twice are the partner's: they stay in suspense.
func (s *Service) GiveBack(ctx context.Context, cmd *command.Command, idOrReference string) (command.Answer, error) {
	return s.GiveBackFor(ctx, cmd, idOrReference, Decision{})
}

// GiveBackFor is GiveBack by somebody who is not the caller. The decision may be empty.
func (s *Service) GiveBackFor(
	ctx context.Context, cmd *command.Command, idOrReference string, d Decision,
) (command.Answer, error) {
	return s.decideFor(ctx, cmd, idOrReference, "order.give_back", func(o order.Order) order.Event {
		if o.Status == order.PaymentSubmitted {
			return order.Event{Kind: order.PayoutGivenUp, Wish: order.GiveBack}
		}
		return order.Event{Kind: order.ReviewRefused}
	}, d)
}

// always makes an event of one kind, whatever the order.
func always(k order.Kind) func(order.Order) order.Event {
	return func(order.Order) order.Event { return order.Event{Kind: k} }
}

// CoverDeposit takes the loss of a final deposit that is no longer on its chain: the ledger books
// the amount from suspense. An unpaid order goes on as if the deposit were there; for an order
// that was already paid, the books are settled.
func (s *Service) CoverDeposit(
	ctx context.Context, cmd *command.Command, idOrReference string,
) (command.Answer, error) {
	return s.decide(ctx, cmd, idOrReference, "order.cover_deposit", always(order.DepositCovered))
}

// DropDeposit ends an order whose final deposit is no longer on its chain and for which no money was sent.
func (s *Service) DropDeposit(ctx context.Context, cmd *command.Command, idOrReference string) (command.Answer, error) {
	return s.decide(ctx, cmd, idOrReference, "order.drop_deposit", always(order.DepositDropped))
}

// decide is decideFor where the caller's name is enough.
func (s *Service) decide(ctx context.Context, cmd *command.Command, idOrReference, action string,
	what func(order.Order) order.Event,
) (command.Answer, error) {
	return s.decideFor(ctx, cmd, idOrReference, action, what, Decision{})
}

// decideFor applies the operator's event to the order. If the order's state does not allow the
// event, the error is ErrGone or ErrNotStuck.
func (s *Service) decideFor(ctx context.Context, cmd *command.Command, idOrReference, action string,
	what func(order.Order) order.Event, d Decision,
) (answer command.Answer, err error) {
	lost := false
	err = record.Retry(func() error {
		o, err := s.orders.FindOne(ctx, cmd.Principal.WorkspaceID, idOrReference)
		if err != nil {
			return err
		}
		lost = o.Lost()
		answer, err = s.store.Commit(ctx, cmd, func(ctx context.Context, tx Tx) (command.Reply, error) {
			e := what(o)
			e.By, e.At = order.Operator, s.clock.Now()
			now, err := s.transfers.Write(ctx, tx, o, e)
			done := command.Audit{
				Action: action, Resource: o.ID, Before: before(o), After: map[string]any{"status": string(now.Status)},
			}
			d.note(done.After)
			if err == nil && e.Kind == order.DepositDropped { // the deposit may be on its chain again: look at it anew
				err = tx.Enqueue(
					ctx, job.Job{Kind: arrival.Job, WorkspaceID: o.WorkspaceID, ID: now.Dropped, Anew: true},
				)
			}
			return command.Reply{Status: 200, Message: "Order changed", Data: orderview.ViewOf(now), Audit: done}, err
		})
		return err
	})
	switch illegal := errors.Is(err, order.ErrIllegal); {
	case illegal && lost:
		err = fmt.Errorf("%w: %w", ErrGone, err)
	case illegal:
		err = fmt.Errorf("%w: %w", ErrNotStuck, err)
	}
	return answer, err
}

// before is what an order waited for, for the audit entry of the decision.
func before(o order.Order) map[string]any {
	was := map[string]any{"status": string(o.Status)}
	if o.Hold != "" {
		was["hold"] = o.Hold
	}
	if hits := o.Hits(); len(hits) > 0 {
		was["hits"] = order.Describe(hits)
	}
	return was
}
