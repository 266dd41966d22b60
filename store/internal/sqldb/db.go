// Package sqldb is what the rows of every kit stand on: a database of either engine, its transactions with their audit
// entry and answer, the conditions of lists, and how Go's values are written in columns. It knows no kit.
package sqldb

import (
	"context"
	"database/sql"
	"fmt"
	"hash/maphash"
	"sync/atomic"
	"time"

	"github.com/railkit/railkit/clock"
	"github.com/railkit/railkit/fault"
	"github.com/railkit/railkit/job"
	"github.com/railkit/railkit/platform/record"
	"github.com/railkit/railkit/store/db"
	"github.com/railkit/railkit/store/postgres"
	"github.com/railkit/railkit/store/sqlite"
)

// DB is an open database of either engine.
type DB struct {
	Read   *db.Queries // runs queries whose text never changes, outside of transactions
	Reader db.DBTX     // runs those that Query adds conditions to
	Begin  func(context.Context) (Begun, error)
	// BeginInLane is Begin for a transaction in which no statement waits long for another transaction: Waited reports
	// whether that is what an error says.
	BeginInLane func(context.Context) (Begun, error)
	Waited      func(error) bool
	Lanes       int
	Retryable   func(error) bool // whether a transaction failed only because of another one
	Time        string           // SQL: the engine's own clock, in microseconds
	JobErrors   string           // SQL: the errors of a job, as a JSON array
	Jobs        Jobs
	Clock       clock.Clock
	// Connections is how many connections to the database were made so far.
	Connections func() int64
	Counts      *Counts

	seed  maphash.Seed
	lanes []lane
}

// Begun is a transaction that has begun. Release must be called once it has ended.
type Begun struct {
	*sql.Tx
	Kept    db.DBTX // runs queries whose text never changes
	Release func()
	// Send runs statements whose answers nobody reads, in one round trip to the server. It is nil where there is no
	// server.
	Send func(context.Context, []postgres.Statement) error
}

// Ready makes the lanes in which changes are committed together.
func (d *DB) Ready() {
	d.Counts, d.seed, d.lanes = &Counts{}, maphash.MakeSeed(), make([]lane, d.Lanes)
}

// Counts are of transactions, and of the changes in them.
type Counts struct {
	Transactions, Changes, Alone, Again, GaveUp atomic.Uint64 // see record.Commits
}

// Commits are the numbers so far.
func (d *DB) Commits() record.Commits {
	c := d.Counts
	waiting := 0
	for i := range d.lanes {
		waiting += d.lanes[i].length()
	}
	return record.Commits{
		Transactions: c.Transactions.Load(), Changes: c.Changes.Load(), Alone: c.Alone.Load(),
		Again: c.Again.Load(), GaveUp: c.GaveUp.Load(), Waiting: waiting,
	}
}

// Jobs is a queue that lives in the same database.
type Jobs interface {
	// Enqueue adds a job that runs only if tx commits.
	Enqueue(ctx context.Context, tx *sql.Tx, j job.Job) error
}

// Doing says what failed in a transaction.
func Doing(what string, err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("%s: %w", what, err)
}

// Reading says what failed outside of a transaction, where an outage has to be told apart at once.
func Reading(what string, err error) error { return Doing(what, outage(err)) }

// fullDisk is when a caller comes back whom a full or failing disk refused: somebody has to make room first.
const fullDisk = 10 * time.Second

// outage makes what says that either engine is away an error that the caller is told of.
func outage(err error) error {
	if _, is := fault.As(err); !is && sqlite.Away(err) {
		return fault.ErrUnavailable.Because(err).After(fullDisk)
	}
	return postgres.Tell(err)
}

// Swapped is the answer to a compare-and-swap, which changed n rows.
func Swapped(what string, n int64, err error) error {
	if err == nil && n == 0 {
		return record.ErrStale
	}
	return Doing(what, err)
}
