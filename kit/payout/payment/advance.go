package payment

import (
	"context"
	"slices"
	"time"

	"github.com/railkit/railkit/kit/payout/order"
	"github.com/railkit/railkit/kit/payout/orderview"
	"github.com/railkit/railkit/kit/payout/transfer"
	"github.com/railkit/railkit/platform/record"
)

// Advance does the next steps of an order until there is none to do now, and returns when to look again. It may run
// twice at the same time for one order: the second caller finds the row changed, and the partner answers both calls,
// which have the same key, with one transfer.
func (s *Service) Advance(ctx context.Context, workspaceID, orderID string) (again time.Duration, err error) {
	err = record.Retry(func() error {
		again, err = s.advance(ctx, workspaceID, orderID)
		return err
	})
	return again, err
}

func (s *Service) advance(ctx context.Context, workspaceID, orderID string) (time.Duration, error) {
	for done := range mostSteps {
		o, err := s.c.Store.Order(ctx, workspaceID, orderID)
		if err != nil || done > 0 && o.Status == order.Completed {
			return 0, err
		}
		again, err := s.step(ctx, o)
		if err != nil || again != transfer.AtOnce {
			return again, err
		}
	}
	return transfer.Soon, nil
}

// leaving are the steps in which money may leave.
var leaving = []order.Step{order.Pay, order.AskPayout, order.SendRefund, order.AskRefund}

// step does one thing.
func (s *Service) step(ctx context.Context, o order.Order) (time.Duration, error) {
	next := o.Next(s.c.Clock.Now())
	if next == order.FollowPayIn {
		return s.c.PayIns.Follow(ctx, o)
	}
	if o.Status == order.Awaiting {
		return 0, s.expire(ctx, o)
	}
	if slices.Contains(leaving, next) {
		if news, err := s.c.Arrivals.SyncFinalDeposit(ctx, o); news || err != nil {
			return transfer.AtOnce, err
		}
	}
	switch next {
	case order.Pay:
		return s.pay(ctx, o)
	case order.AskPayout:
		return s.ask(ctx, o)
	case order.PollPayout:
		return s.poll(ctx, o)
	case order.SendRefund:
		return s.c.Refunds.Send(ctx, o)
	case order.AskRefund:
		return s.c.Refunds.Ask(ctx, o)
	case order.PollRefund:
		return s.c.Refunds.Poll(ctx, o)
	}
	if o.Status == order.Completed && o.Payout.TransferID != "" { // long ago; a notice came
		return s.poll(ctx, o)
	}
	return 0, nil
}

// expire ends an order without a deposit whose quote has expired by the database's clock.
func (s *Service) expire(ctx context.Context, o order.Order) error {
	return record.Do(ctx, s.c.Store, o.WorkspaceID, func(ctx context.Context, tx Tx) error {
		now, err := tx.Now(ctx)
		if err == nil && o.Next(now) == order.Expire {
			_, err = orderview.Write(
				ctx, tx, o, order.Event{Kind: order.OrderExpired, By: order.System, At: s.c.Clock.Now()},
			)
		}
		return err
	})
}

const (
	mostSteps = 20 // of one order in one go
)
