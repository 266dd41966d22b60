package job

import (
	"context"
	"time"

	"github.com/riverqueue/river"

	"github.com/railkit/railkit/kit/signing"
)

// Deposit is the job of a transfer to a withdrawal address that was seen, became
// final or was taken back. Its id is the transfer's.
const Deposit signing.JobKind = "payout_deposit"

// Deposits is a Handler that takes deposits. One that is none gets no such jobs.
type Deposits interface {
	// Deposit looks at a transfer as it is now, and says when to look again; 0 ends it.
	Deposit(ctx context.Context, workspaceID, transferID string) (again time.Duration, err error)
}

type depositArgs struct{ row }

// Kind is River's name of the job.
func (depositArgs) Kind() string { return string(Deposit) }

type depositWorker struct {
	river.WorkerDefaults[depositArgs]
	handler Deposits
}

// Work is called by River.
func (w *depositWorker) Work(ctx context.Context, j *river.Job[depositArgs]) error {
	return snoozed(w.handler.Deposit(ctx, j.Args.WorkspaceID, j.Args.ID))
}
