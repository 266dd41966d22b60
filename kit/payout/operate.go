package payout

import (
	"context"
	"errors"
	"fmt"

	"github.com/railkit/railkit/kit/payout/order"
	"github.com/railkit/railkit/platform/command"
	"github.com/railkit/railkit/platform/page"
)

// ErrNotStuck is an order of which nothing waits for an operator.
var ErrNotStuck = errors.New("the order waits for nothing that an operator can do")

// ErrGone is an order that nothing leaves for, since its deposit is not on the chain.
var ErrGone = errors.New("its deposit is not on the chain any more: wait for it, cover it, or drop it")

// Stuck lists the orders of a workspace that go on by a person's word only, or that
// may: held for review, failed, or submitted to a partner that says something else
// than that it goes on.
func (s *Service) Stuck(ctx context.Context, workspaceID string, at page.Page) ([]order.Order, *page.Cursor, int, error) {
	rows, counts, err := s.store.Orders(ctx, OrderFilter{
		WorkspaceID: workspaceID, Statuses: []order.Status{order.InReview, order.Error, order.PaymentSubmitted}, Page: at,
	})
	if err != nil {
		return nil, nil, 0, err
	}
	total := counts[order.InReview] + counts[order.Error] + counts[order.PaymentSubmitted]
	next := nextOrder(at, rows, total)
	var stuck []order.Order
	for _, o := range rows {
		if o.Status != order.PaymentSubmitted || o.Delay != "" {
			stuck = append(stuck, o)
		}
	}
	return stuck, next, total, nil
}

// RetryRefund has a refund sent again that could not be.
func (s *Service) RetryRefund(ctx context.Context, cmd *command.Command, idOrReference string) (command.Answer, error) {
	return s.operate(ctx, cmd, idOrReference, order.RefundRetried, "order.retry_refund")
}

// GiveBack ends a review: the deposit goes to the return address or, without one,
// to what lies at the withdrawal address.
func (s *Service) GiveBack(ctx context.Context, cmd *command.Command, idOrReference string) (command.Answer, error) {
	return s.operate(ctx, cmd, idOrReference, order.ReviewRefused, "order.give_back")
}

// CoverDeposit has an order go on whose final deposit is gone, or settles one that was
// paid: the loss is taken.
func (s *Service) CoverDeposit(ctx context.Context, cmd *command.Command, idOrReference string) (command.Answer, error) {
	return s.operate(ctx, cmd, idOrReference, order.DepositCovered, "order.cover_deposit")
}

// DropDeposit ends an order whose final deposit is gone, and for which nothing has left.
func (s *Service) DropDeposit(ctx context.Context, cmd *command.Command, idOrReference string) (command.Answer, error) {
	return s.operate(ctx, cmd, idOrReference, order.DepositDropped, "order.drop_deposit")
}

func (s *Service) operate(ctx context.Context, cmd *command.Command, idOrReference string, kind order.Kind, action string) (answer command.Answer, err error) {
	lost := false
	err = s.raced(func() error {
		o, err := s.store.Order(ctx, cmd.Principal.WorkspaceID, idOrReference)
		if err != nil {
			return err
		}
		lost = o.Lost()
		answer, err = s.store.Commit(ctx, cmd, func(ctx context.Context, tx Tx) (command.Reply, error) {
			done := command.Audit{Action: action, Resource: o.ID, Before: map[string]any{"status": string(o.Status)}}
			now, err := s.written(ctx, tx, o, order.Event{Kind: kind, By: order.Operator, At: s.clock.Now()})
			done.After = map[string]any{"status": string(now.Status)}
			if err == nil && kind == order.DepositDropped { // it may be there again
				err = tx.Enqueue(ctx, Job{Kind: JobDeposit, WorkspaceID: o.WorkspaceID, ID: now.Dropped, Anew: true})
			}
			return command.Reply{Status: 200, Message: "Order changed", Data: viewOrder(now), Audit: done}, err
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
