// Package job names the work that the server does after a request. A kit declares the kinds of its jobs and enqueues a
// Job inside the transaction that asks for the work; job/queue runs it once that has committed. A job is a hint and the
// row that it names is the truth: a handler may be called late, twice, or at the same time on two servers, and finds
// out from the row whether there is anything left to do. Sweeps find rows whose job was lost.
//
// A new kind of job touches two places: its kit, with the constant and the method that does the work, and the table of
// handlers in internal/app.
package job

import (
	"context"
	"time"
)

// Kind is the kind of a job. It is stored: a running server may find jobs that an earlier version enqueued.
type Kind string

// Job is a hint that a row wants work. Losing or doubling one changes nothing.
type Job struct {
	Kind        Kind
	WorkspaceID string
	ID          string    // of the row
	RunAt       time.Time // zero: now
	Anew        bool      // now, also where the same job waits for later, or is just ending
}

// Handler does the work of one kind on one row. A positive again runs the job once more after that time; an error runs
// it again too, after a wait that doubles with each failure.
type Handler func(ctx context.Context, workspaceID, id string) (again time.Duration, err error)

// Handlers are all kinds of job that a server works on.
type Handlers map[Kind]Handler

// Once is the handler of work that is not looked at again once it succeeded.
func Once(do func(ctx context.Context, workspaceID, id string) error) Handler {
	return func(ctx context.Context, workspaceID, id string) (time.Duration, error) {
		return 0, do(ctx, workspaceID, id)
	}
}
