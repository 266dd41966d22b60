package payout

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
	sweepMade   = 50  // rows that the partner has to make, in one sweep
	sweepSeen   = 500 // transfers, in one sweep
	sweepLast   = 7 * 24 * time.Hour
	sweepBehind = 20 * time.Second // in which a transfer's own job has taken it in
)

// sweepTransfers has the transfers looked at whose jobs were lost. It goes on
// where it was, but for what may still become visible.
func (s *Service) sweepTransfers(ctx context.Context) error {
	now := s.clock.Now()
	if s.swept.CreatedAt.IsZero() {
		s.swept.CreatedAt = now.Add(-sweepLast)
	}
	rows, err := s.transfers.TransfersSince(ctx, watch.Withdraw, s.swept, sweepSeen)
	if err != nil {
		return err
	}
	for _, t := range rows {
		if now.Sub(t.UpdatedAt) < sweepBehind { // its own job is under way
			return nil
		}
		if err := s.sweepTransfer(ctx, t); err != nil {
			return err
		}
		s.swept = page.Cursor{CreatedAt: t.UpdatedAt, ID: t.ID}
	}
	return nil
}

func (s *Service) sweepTransfer(ctx context.Context, t watch.Transfer) error {
	d, err := s.store.Drain(ctx, t.WorkspaceID, t.ID)
	if err != nil && !isMissing(err) || err == nil && !t.UpdatedAt.After(d.TransferAt) {
		return err
	}
	return s.store.Work(ctx, t.WorkspaceID, func(ctx context.Context, tx Tx) (command.Audit, error) {
		return command.Audit{}, tx.Enqueue(ctx, job.Job{Kind: JobDeposit, WorkspaceID: t.WorkspaceID, ID: t.ID})
	})
}

// each goes on past a row that fails, but not where the next would fail alike.
func each[T any](rows []T, do func(T) error) (err error) {
	for _, row := range rows {
		failed := do(row)
		err = errors.Join(err, failed)
		if f, ok := fault.As(failed); ok && f.Kind == fault.Unavailable {
			return err
		}
	}
	return err
}

// unless is no error where it is that one.
func unless(err, that error) error {
	if errors.Is(err, that) {
		return nil
	}
	return err
}
