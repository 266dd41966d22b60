package queue

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"log/slog"
	"time"

	"github.com/riverqueue/river"
	"github.com/riverqueue/river/rivertype"

	"github.com/railkit/railkit/job"
)

// worker hands River's jobs of one kind to the kind's handler.
type worker struct {
	river.WorkerDefaults[args]
	handle job.Handler
	done   func(kind job.Kind, took time.Duration, err error)
}

// Work is called by River.
func (w *worker) Work(ctx context.Context, j *river.Job[args]) error {
	ctx = within(ctx, j.JobRow)
	again, err := w.run(ctx, j)
	if err != nil || again <= 0 {
		return err
	}
	if len(j.UniqueKey) == 0 {
		if left, err := leave(ctx, j, time.Now().Add(again)); left || err != nil {
			return err
		}
	}
	return river.JobSnooze(again)
}

// errPanicked is told of a job that panicked.
var errPanicked = errors.New("the job panicked")

// run does the work and has it told, also where it panics.
func (w *worker) run(ctx context.Context, j *river.Job[args]) (again time.Duration, err error) {
	began := time.Now()
	err = errPanicked
	defer func() { w.done(job.Kind(j.Kind), time.Since(began), err) }()
	again, err = w.handle(ctx, j.Args.WorkspaceID, j.Args.ID)
	return again, err
}

// leave tells whether another job of the row will look at it by an instant, so that a second job need not stay. It
// makes one where there is none. Without it, each second job of an order would go on beside the first until the order
// ends: 568 orders once had 22,882 jobs.
func leave(ctx context.Context, j *river.Job[args], by time.Time) (bool, error) {
	of := args{kind: job.Kind(j.Kind), WorkspaceID: j.Args.WorkspaceID, ID: j.Args.ID}
	opts := &river.InsertOpts{MaxAttempts: maxAttempts, ScheduledAt: by, UniqueOpts: once, Metadata: labels(ctx)}
	first, err := river.ClientFromContext[*sql.Tx](ctx).Insert(ctx, of, opts)
	if err != nil {
		return false, fmt.Errorf("leaving the row to another job: %w", err)
	}
	return !first.UniqueSkippedAsDuplicate || looks(first.Job, j, by), nil
}

// looks tells whether the first job of a row reads it after the second one was made: it waits to, or runs since the
// second one does. If it has run for longer, it may have read the row before the change for which the second was made.
func looks(first *rivertype.JobRow, second *river.Job[args], by time.Time) bool {
	if first.State == rivertype.JobStateRunning {
		return first.AttemptedAt != nil && second.AttemptedAt != nil && !first.AttemptedAt.Before(*second.AttemptedAt)
	}
	return !first.ScheduledAt.After(by)
}

// errorLog tells of failed jobs; River tries them again.
type errorLog struct{ log *slog.Logger }

// HandleError is called by River.
func (e *errorLog) HandleError(ctx context.Context, j *rivertype.JobRow, err error) *river.ErrorHandlerResult {
	e.log.WarnContext(within(ctx, j),
		"job failed", "kind", j.Kind, "args", string(j.EncodedArgs), "attempt", j.Attempt, "error", err)
	return nil
}

// HandlePanic is called by River.
func (e *errorLog) HandlePanic(
	ctx context.Context, j *rivertype.JobRow, value any, trace string,
) *river.ErrorHandlerResult {
	e.log.ErrorContext(within(ctx, j),
		"job panicked", "kind", j.Kind, "args", string(j.EncodedArgs), "attempt", j.Attempt,
		"panic", value, "trace", trace)
	return nil
}

// atLeast drops River's chatter about starting and stopping.
type atLeast struct {
	slog.Handler
	level slog.Level
}

// Enabled is called by slog.
func (a atLeast) Enabled(ctx context.Context, l slog.Level) bool {
	return l >= a.level && a.Handler.Enabled(ctx, l)
}

// WithAttrs is called by slog.
func (a atLeast) WithAttrs(attrs []slog.Attr) slog.Handler {
	return atLeast{a.Handler.WithAttrs(attrs), a.level}
}

// WithGroup is called by slog.
func (a atLeast) WithGroup(name string) slog.Handler {
	return atLeast{a.Handler.WithGroup(name), a.level}
}
