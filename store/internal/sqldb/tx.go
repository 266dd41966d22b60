package sqldb

import (
	"context"
	"database/sql"
	"time"

	"github.com/railkit/railkit/job"
	"github.com/railkit/railkit/platform/audit"
	"github.com/railkit/railkit/platform/event"
	"github.com/railkit/railkit/store/db"
)

// Tx is one change's part of a transaction. A kit's own type around it writes the kit's rows.
type Tx struct {
	Q      *db.Queries
	Handle *sql.Tx
	Begun  time.Time // by the server's clock
	Mark   string    // what is done, where the record has no line of it: for the crash suite
	raw    db.DBTX   // runs texts that are made for one call
	batch  *batch
	last   []func(context.Context) error

	// What is written for all changes of the transaction at once, when their own rows are.
	touched []touch
	told    []event.Change
	entries []audit.Entry
	answer  *answer
}

// Enqueue adds a job that runs only if the transaction commits.
func (t *Tx) Enqueue(ctx context.Context, j job.Job) error {
	return Doing("enqueueing a job", t.batch.Jobs.Enqueue(ctx, t.Handle, j))
}

// Query is a generated query with so many arguments, to which conditions are added.
func (t *Tx) Query(given int) *Query { return &Query{DBTX: t.raw, given: given} }

// Now is the time by the database's clock. On PostgreSQL all servers share it.
func (t *Tx) Now(ctx context.Context) (time.Time, error) {
	var now int64
	err := t.Handle.QueryRowContext(ctx, t.batch.Time).Scan(&now)
	return Instant(now), Doing("asking the database for the time", err)
}

// Last has do write when all else but the audit entry is written.
func (t *Tx) Last(do func(context.Context) error) { t.last = append(t.last, do) }

// finish does what was left for last.
func (t *Tx) finish(ctx context.Context) error {
	for _, do := range t.last {
		if err := do(ctx); err != nil {
			return err
		}
	}
	return nil
}
