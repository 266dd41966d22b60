package payment

import (
	"context"
	"time"

	"github.com/railkit/railkit/job"
	"github.com/railkit/railkit/kit/payout/order"
	"github.com/railkit/railkit/platform/command"
	"github.com/railkit/railkit/platform/page"
	"github.com/railkit/railkit/platform/record"
)

const sweepBatch = 500

// Sweep enqueues jobs for orders that are due.
func (s *Service) Sweep(ctx context.Context) error {
	now, err := s.sharedNow(ctx)
	if err != nil {
		return err
	}
	for after := (page.Cursor{}); ; {
		rows, err := s.c.Store.OrdersDue(ctx, now, after, sweepBatch)
		if err != nil || len(rows) == 0 {
			return err
		}
		for _, o := range rows {
			if err := record.UnlessStale(s.remind(ctx, o.Order, now)); err != nil {
				return err
			}
			after = page.Cursor{CreatedAt: o.DueAt, ID: o.ID}
		}
		if len(rows) < sweepBatch {
			return nil
		}
	}
}

// sharedNow is the time by the database's clock, which decides when quotes expire.
func (s *Service) sharedNow(ctx context.Context) (now time.Time, err error) {
	err = record.Do(ctx, s.c.Store, "", func(ctx context.Context, tx Tx) error {
		now, err = tx.Now(ctx)
		return err
	})
	return now, err
}

func (s *Service) remind(ctx context.Context, o order.Order, now time.Time) error {
	return s.c.Store.Work(ctx, o.WorkspaceID, func(ctx context.Context, tx Tx) (command.Audit, error) {
		again := o.Due(now)
		if o.Status == order.Awaiting && o.Next(now) == order.Expire { // its time has come already
			again = now.Add(time.Minute)
		}
		if err := tx.DeferOrder(ctx, o, again); err != nil {
			return command.Audit{}, err
		}
		return command.Audit{}, tx.Enqueue(ctx, job.Job{Kind: Job, WorkspaceID: o.WorkspaceID, ID: o.ID})
	})
}
