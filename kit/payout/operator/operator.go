// Package operator is what an operator decides about orders that do not go on by
// themselves: railkit admin order lists them (Stuck) and has a payout or refund made
// again, the deposit given back, or the loss of a vanished deposit covered. Each is an
// event of the order, written by the operator's word; package payment then does what
// the order's new state asks for.
package operator

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/railkit/railkit/clock"
	"github.com/railkit/railkit/job"
	"github.com/railkit/railkit/kit/payout/arrival"
	"github.com/railkit/railkit/kit/payout/order"
	"github.com/railkit/railkit/kit/payout/orders"
	"github.com/railkit/railkit/kit/payout/transfer"
	"github.com/railkit/railkit/platform/command"
	"github.com/railkit/railkit/platform/page"
	"github.com/railkit/railkit/platform/record"
)

// ErrNotStuck is an order of which nothing waits for an operator.
var ErrNotStuck = errors.New("the order waits for nothing that an operator can do")

// ErrGone is an order that nothing leaves for, since its deposit is not on the chain.
var ErrGone = errors.New("its deposit is not on the chain any more: wait for it, cover it, or drop it")

// Store is what an operator's decisions need of a database.
type Store interface {
	record.Writer[Tx]
	Orders(ctx context.Context, f orders.Filter) ([]order.Order, orders.Counts, error)
}

// Tx writes them.
type Tx interface {
	transfer.Tx
	record.Queue
}

// Service carries decisions out.
type Service struct {
	store     Store
	orders    *orders.Service
	transfers *transfer.Service
	clock     clock.Clock
}

// New makes it.
func New(s Store, o *orders.Service, t *transfer.Service, clk clock.Clock) *Service {
	return &Service{s, o, t, clk}
}

// unanswered is after how long an order is listed that the partner does not answer.
const unanswered = 10 * time.Minute

// stuckAt are the statuses in which an order may wait for a person.
var stuckAt = []order.Status{order.InReview, order.Error, order.PaymentSubmitted, order.FundsReceived, order.Returned}

// Stuck lists the orders of a workspace that go on by a person's word only, or that
// may: held for review, failed, submitted to a partner that says something else than
// that it goes on, or asked of one that does not answer.
func (s *Service) Stuck(
	ctx context.Context, workspaceID string, at page.Page,
) ([]order.Order, *page.Cursor, int, error) {
	rows, counts, err := s.store.Orders(ctx, orders.Filter{
		WorkspaceID: workspaceID, Statuses: stuckAt, Page: at,
	})
	if err != nil {
		return nil, nil, 0, err
	}
	total := 0
	for _, status := range stuckAt {
		total += counts[status]
	}
	next := orders.NextPage(at, rows, total)
	var stuck []order.Order
	for _, o := range rows {
		if s.isStuck(o) {
			stuck = append(stuck, o)
		}
	}
	return stuck, next, total, nil
}

// isStuck tells whether an order in one of those statuses waits for a person.
func (s *Service) isStuck(o order.Order) bool {
	asking := o.Paying || o.Refund != nil && o.Refund.Paying
	switch o.Status {
	case order.InReview, order.Error:
		return true
	case order.PaymentSubmitted:
		return o.Delay != ""
	}
	return asking && s.clock.Now().Sub(o.Reserved()) > unanswered
}

// RetryPayout has a payout made again that the partner canceled or that stands there.
func (s *Service) RetryPayout(ctx context.Context, cmd *command.Command, idOrReference string) (command.Answer, error) {
	return s.decide(ctx, cmd, idOrReference, "order.retry_payout", func(order.Order) order.Event {
		return order.Event{Kind: order.PayoutGivenUp, Wish: order.PayAgain}
	})
}

// RetryRefund has a refund sent again that could not be, or that stands at the partner.
func (s *Service) RetryRefund(ctx context.Context, cmd *command.Command, idOrReference string) (command.Answer, error) {
	return s.decide(ctx, cmd, idOrReference, "order.retry_refund", always(order.RefundRetried))
}

// GiveBack ends a review, or a payout that stands at the partner: the deposit goes to
// the return address or, without one, to what lies at the withdrawal address.
func (s *Service) GiveBack(ctx context.Context, cmd *command.Command, idOrReference string) (command.Answer, error) {
	return s.decide(ctx, cmd, idOrReference, "order.give_back", func(o order.Order) order.Event {
		if o.Status == order.PaymentSubmitted {
			return order.Event{Kind: order.PayoutGivenUp, Wish: order.GiveBack}
		}
		return order.Event{Kind: order.ReviewRefused}
	})
}

func always(k order.Kind) func(order.Order) order.Event {
	return func(order.Order) order.Event { return order.Event{Kind: k} }
}

// CoverDeposit has an order go on whose final deposit is gone, or settles one that was
// paid: the loss is taken.
func (s *Service) CoverDeposit(
	ctx context.Context, cmd *command.Command, idOrReference string,
) (command.Answer, error) {
	return s.decide(ctx, cmd, idOrReference, "order.cover_deposit", always(order.DepositCovered))
}

// DropDeposit ends an order whose final deposit is gone, and for which nothing has left.
func (s *Service) DropDeposit(ctx context.Context, cmd *command.Command, idOrReference string) (command.Answer, error) {
	return s.decide(ctx, cmd, idOrReference, "order.drop_deposit", always(order.DepositDropped))
}

// decide writes an operator's event down. Where the order does not allow it, the error
// says why.
func (s *Service) decide(ctx context.Context, cmd *command.Command, idOrReference, action string,
	what func(order.Order) order.Event,
) (answer command.Answer, err error) {
	lost := false
	err = record.Retry(func() error {
		o, err := s.orders.FindOne(ctx, cmd.Principal.WorkspaceID, idOrReference)
		if err != nil {
			return err
		}
		lost = o.Lost()
		answer, err = s.store.Commit(ctx, cmd, func(ctx context.Context, tx Tx) (command.Reply, error) {
			done := command.Audit{Action: action, Resource: o.ID, Before: map[string]any{"status": string(o.Status)}}
			e := what(o)
			e.By, e.At = order.Operator, s.clock.Now()
			now, err := s.transfers.Write(ctx, tx, o, e)
			done.After = map[string]any{"status": string(now.Status)}
			if err == nil && e.Kind == order.DepositDropped { // it may be there again
				err = tx.Enqueue(
					ctx, job.Job{Kind: arrival.Job, WorkspaceID: o.WorkspaceID, ID: now.Dropped, Anew: true},
				)
			}
			return command.Reply{Status: 200, Message: "Order changed", Data: orders.ViewOf(now), Audit: done}, err
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
