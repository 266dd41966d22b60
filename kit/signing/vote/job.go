package vote

import (
	"context"
	"errors"
	"time"

	"github.com/railkit/railkit/job"
	"github.com/railkit/railkit/kit/signing/approval"
	"github.com/railkit/railkit/platform/page"
	"github.com/railkit/railkit/platform/record"
)

// The kit's jobs.
const (
	JobExecute job.Kind = "signing_execute" // execute a request that has its votes; ID is the approval's
)

// executeAgain is how long after a failed try the next one comes.
const executeAgain = 2 * time.Second

// executeSlowest is the longest time between two tries.
const executeSlowest = time.Minute

// Execute is the job of an approval that has its votes and is not executed yet.
// It says when to try again; 0 ends it.
func (s *Service) Execute(ctx context.Context, workspaceID, id string) (again time.Duration, err error) {
	a, err := s.c.Store.Approval(ctx, workspaceID, id)
	if err != nil || a.State != approval.Approved || !a.Open() {
		return 0, err
	}
	x, err := s.executeOrAbandon(ctx, a)
	if err != nil {
		return 0, err
	}
	if err := s.record(ctx, x); err != nil || x.State != approval.Approved || !x.Open() {
		return 0, err
	}
	return max(executeAgain, min(s.c.Clock.Now().Sub(a.CreatedAt)/20, executeSlowest)), nil
}

func (s *Service) executeOrAbandon(ctx context.Context, a approval.Approval) (execution, error) {
	if a.Lasts(s.c.Clock.Now()) {
		return s.attempt(ctx, a, a.State)
	}
	why := "not enough votes in time"
	if a.State == approval.Approved {
		why = "it could not be executed in time: " + a.Comment
	}
	return s.abandon(ctx, a, a.State, why)
}

// Sweep finishes what a crash left undone, and ends what has expired.
func (s *Service) Sweep(ctx context.Context) (err error) {
	before := s.c.Clock.Now().Add(-record.SweepAfter)
	for _, state := range []approval.State{approval.Pending, approval.Approved} {
		rows, failed := s.c.Store.WaitingApprovals(ctx, state, before, s.sweptApprovals[state], record.SweepBatch)
		if failed != nil {
			return errors.Join(err, failed)
		}
		s.sweptApprovals[state] = record.Resume(rows,
			func(a approval.Approval) page.Cursor { return page.Cursor{CreatedAt: a.UpdatedAt, ID: a.ID} })
		err = errors.Join(err, record.Each(rows, func(a approval.Approval) error { return s.sweepOne(ctx, a) }))
	}
	return err
}

// sweepOne skips an approval that was checked recently and still waits for votes.
func (s *Service) sweepOne(ctx context.Context, a approval.Approval) error {
	now := s.c.Clock.Now()
	if a.State == approval.Pending && a.Lasts(now) {
		if now.Sub(a.UpdatedAt) < record.SweepJobs {
			return nil
		}
		x, err := s.askOutcome(ctx, a)
		if err != nil {
			return err
		}
		return s.record(ctx, x)
	}
	x, err := s.executeOrAbandon(ctx, a)
	if err != nil {
		return err
	}
	return s.record(ctx, x)
}
