package payout

import (
	"context"
	"errors"
	"time"

	"github.com/railkit/railkit/kit/payout/order"
	"github.com/railkit/railkit/platform/command"
	"github.com/railkit/railkit/platform/page"
)

// Advance does what an order asks for next, and says when to look again; 0 ends
// it. It follows from the order alone, so that two may do it at once: of their
// changes one is written.
func (s *Service) Advance(ctx context.Context, workspaceID, id string) (again time.Duration, err error) {
	o, err := s.store.Order(ctx, workspaceID, id)
	if err != nil {
		return 0, err
	}
	if o.Next(s.clock.Now()) == order.Expire {
		return 0, unlessPast(s.change(ctx, o, order.Event{Kind: order.OrderExpired, By: order.System}))
	}
	return 0, nil
}

// change applies events to an order, in one transaction. Their time is now.
func (s *Service) change(ctx context.Context, o order.Order, events ...order.Event) error {
	return s.store.Work(ctx, o.WorkspaceID, func(ctx context.Context, tx Tx) (command.Audit, error) {
		now := o
		for _, e := range events {
			if e.At.IsZero() {
				e.At = s.clock.Now()
			}
			c, err := order.Apply(now, e)
			if err == nil {
				err = tx.Apply(ctx, c)
			}
			if err != nil {
				return command.Audit{}, err
			}
			now = c.Order
		}
		return command.Audit{}, nil // the timeline is the record, and an order waits for no other one's
	})
}

// unlessPast is no error where another was faster with the same, or with what
// leaves nothing to do.
func unlessPast(err error) error {
	if errors.Is(err, ErrStale) || errors.Is(err, order.ErrKnown) {
		return nil
	}
	return err
}

const sweepBatch = 500

// sweepOrders asks again for work on orders that nobody has touched for too long.
func (s *Service) sweepOrders(ctx context.Context) error {
	now := s.clock.Now()
	for after := (page.Cursor{}); ; {
		rows, err := s.store.OrdersDue(ctx, now, after, sweepBatch)
		if err != nil || len(rows) == 0 {
			return err
		}
		for _, o := range rows {
			if err := unlessPast(s.remind(ctx, o.Order, now)); err != nil {
				return err
			}
			after = page.Cursor{CreatedAt: o.DueAt, ID: o.ID}
		}
		if len(rows) < sweepBatch {
			return nil
		}
	}
}

func (s *Service) remind(ctx context.Context, o order.Order, now time.Time) error {
	return s.store.Work(ctx, o.WorkspaceID, func(ctx context.Context, tx Tx) (command.Audit, error) {
		again := o.Due(now)
		if o.Status == order.Awaiting { // its time has come already
			again = now.Add(time.Minute)
		}
		if err := tx.DeferOrder(ctx, o, again); err != nil {
			return command.Audit{}, err
		}
		return command.Audit{}, tx.Enqueue(ctx, Job{Kind: JobOrder, WorkspaceID: o.WorkspaceID, ID: o.ID})
	})
}
