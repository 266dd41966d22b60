package job

import (
	"context"
	"log/slog"
	"time"

	"github.com/riverqueue/river"
	"github.com/riverqueue/river/rivertype"
)

type broadcastWorker struct {
	river.WorkerDefaults[broadcastArgs]
	handler Handler
}

// Work is called by River.
func (w *broadcastWorker) Work(ctx context.Context, j *river.Job[broadcastArgs]) error {
	return w.handler.Broadcast(ctx, j.Args.WorkspaceID, j.Args.ID)
}

type confirmWorker struct {
	river.WorkerDefaults[confirmArgs]
	handler Handler
}

// Work is called by River.
func (w *confirmWorker) Work(ctx context.Context, j *river.Job[confirmArgs]) error {
	return snoozed(w.handler.Confirm(ctx, j.Args.WorkspaceID, j.Args.ID))
}

func snoozed(again time.Duration, err error) error {
	if err == nil && again > 0 {
		return river.JobSnooze(again)
	}
	return err
}

type executeWorker struct {
	river.WorkerDefaults[executeArgs]
	handler Handler
}

// Work is called by River.
func (w *executeWorker) Work(ctx context.Context, j *river.Job[executeArgs]) error {
	return snoozed(w.handler.Execute(ctx, j.Args.WorkspaceID, j.Args.ID))
}

type orderWorker struct {
	river.WorkerDefaults[orderArgs]
	handler Handler
}

// Work is called by River.
func (w *orderWorker) Work(ctx context.Context, j *river.Job[orderArgs]) error {
	return snoozed(w.handler.Order(ctx, j.Args.WorkspaceID, j.Args.ID))
}

type recoveryWorker struct {
	river.WorkerDefaults[recoveryArgs]
	handler Handler
}

// Work is called by River.
func (w *recoveryWorker) Work(ctx context.Context, j *river.Job[recoveryArgs]) error {
	again, err := w.handler.Recover(ctx, j.Args.WorkspaceID, j.Args.ID)
	if err != nil {
		return err
	}
	if again > 0 {
		return river.JobSnooze(again)
	}
	return nil
}

type noticeWorker struct {
	river.WorkerDefaults[noticeArgs]
	handler Handler
}

// Work is called by River.
func (w *noticeWorker) Work(ctx context.Context, j *river.Job[noticeArgs]) error {
	return snoozed(w.handler.Notice(ctx, j.Args.WorkspaceID, j.Args.ID))
}

type mailWorker struct {
	river.WorkerDefaults[mailArgs]
	handler Handler
}

// Work is called by River.
func (w *mailWorker) Work(ctx context.Context, j *river.Job[mailArgs]) error {
	return w.handler.SendInvitation(ctx, j.Args.WorkspaceID, j.Args.ID)
}

type inviteWorker struct {
	river.WorkerDefaults[inviteArgs]
	handler Handler
}

// Work is called by River.
func (w *inviteWorker) Work(ctx context.Context, j *river.Job[inviteArgs]) error {
	return w.handler.MailInvite(ctx, j.Args.WorkspaceID, j.Args.ID)
}

type alertWorker struct {
	river.WorkerDefaults[alertArgs]
	handler Handler
}

// Work is called by River.
func (w *alertWorker) Work(ctx context.Context, j *river.Job[alertArgs]) error {
	return snoozed(w.handler.MailAlerts(ctx, j.Args.WorkspaceID, j.Args.ID))
}

// errorLog tells of failed jobs; River tries them again.
type errorLog struct{ log *slog.Logger }

// HandleError is called by River.
func (e *errorLog) HandleError(_ context.Context, j *rivertype.JobRow, err error) *river.ErrorHandlerResult {
	e.log.Warn("job failed", "kind", j.Kind, "args", string(j.EncodedArgs), "attempt", j.Attempt, "error", err)
	return nil
}

// HandlePanic is called by River.
func (e *errorLog) HandlePanic(_ context.Context, j *rivertype.JobRow, value any, trace string) *river.ErrorHandlerResult {
	e.log.Error("job panicked", "kind", j.Kind, "args", string(j.EncodedArgs), "attempt", j.Attempt, "panic", value, "trace", trace)
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
