package arrival

import (
	"context"
	"errors"
	"time"

	"github.com/railkit/railkit/fault"
	"github.com/railkit/railkit/job"
	"github.com/railkit/railkit/platform/command"
	"github.com/railkit/railkit/platform/page"
	"github.com/railkit/railkit/platform/watch"
)

const (
	sweepSeen   = 500 // transfers, in one sweep
	sweepLast   = 7 * 24 * time.Hour
	sweepBehind = 20 * time.Second // in which a transfer's own job has taken it in
)

// Sweep takes transfers whose jobs were lost. It continues after the last one of the sweep before, less a margin for
// transactions that commit late.
func (s *Service) Sweep(ctx context.Context) error {
	now := s.c.Clock.Now()
	if s.swept.CreatedAt.IsZero() {
		s.swept.CreatedAt = now.Add(-sweepLast)
	}
	rows, err := s.c.Transfers.TransfersSince(ctx, watch.Withdraw, s.swept, sweepSeen)
	if err != nil {
		return err
	}
	for _, t := range rows {
		if now.Sub(t.UpdatedAt) < sweepBehind { // its own job is under way
			return nil
		}
		if err := s.remind(ctx, t); err != nil {
			return err
		}
		s.swept = page.Cursor{CreatedAt: t.UpdatedAt, ID: t.ID}
	}
	return nil
}

func (s *Service) remind(ctx context.Context, t watch.Transfer) error {
	d, err := s.c.Store.Arrival(ctx, t.WorkspaceID, t.ID)
	if err != nil && !errors.Is(err, fault.ErrNotFound) || err == nil && !t.UpdatedAt.After(d.TransferAt) {
		return err
	}
	return s.c.Store.Work(ctx, t.WorkspaceID, func(ctx context.Context, tx Tx) (command.Audit, error) {
		return command.Audit{}, tx.Enqueue(ctx, job.Job{Kind: Job, WorkspaceID: t.WorkspaceID, ID: t.ID})
	})
}
