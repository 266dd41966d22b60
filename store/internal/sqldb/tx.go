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

	claimed time.Time

	// What is written for all changes of the transaction at once, when their own rows are.
	put     []put
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

// Claimed is the time by the database's clock at which the change took its idempotency key, or the time now where it
// has none. Nobody has to be asked for it: the change's work begins then.
func (t *Tx) Claimed(ctx context.Context) (time.Time, error) {
	if !t.claimed.IsZero() {
		return t.claimed, nil
	}
	return t.Now(ctx)
}

// Now is the time by the database's clock. On PostgreSQL all servers share it.
func (t *Tx) Now(ctx context.Context) (time.Time, error) {
	var now int64
	err := t.Handle.QueryRowContext(ctx, t.batch.Time).Scan(&now)
	return Instant(now), Doing("asking the database for the time", err)
}
