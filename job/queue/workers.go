package queue

import (
	"context"
	"log/slog"

	"github.com/riverqueue/river"
	"github.com/riverqueue/river/rivertype"

	"github.com/railkit/railkit/job"
)

// worker hands River's jobs of one kind to the kind's handler.
type worker struct {
	river.WorkerDefaults[args]
	handle job.Handler
}

// Work is called by River.
func (w *worker) Work(ctx context.Context, j *river.Job[args]) error {
	again, err := w.handle(ctx, j.Args.WorkspaceID, j.Args.ID)
	if err == nil && again > 0 {
		return river.JobSnooze(again)
	}
	return err
}

// errorLog tells of failed jobs; River tries them again.
type errorLog struct{ log *slog.Logger }

// HandleError is called by River.
func (e *errorLog) HandleError(_ context.Context, j *rivertype.JobRow, err error) *river.ErrorHandlerResult {
	e.log.Warn("job failed", "kind", j.Kind, "args", string(j.EncodedArgs), "attempt", j.Attempt, "error", err)
	return nil
}

// HandlePanic is called by River.
func (e *errorLog) HandlePanic(
	_ context.Context, j *rivertype.JobRow, value any, trace string,
) *river.ErrorHandlerResult {
	e.log.Error("job panicked", "kind", j.Kind, "args", string(j.EncodedArgs), "attempt", j.Attempt,
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
