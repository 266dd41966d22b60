// Package store is the database behind the kits and the platform: one SQL text
// for SQLite and PostgreSQL, reads on one handle, writes in whole transactions
// on the other. Rules live in the kits; what is here only keeps.
package store

import (
	"context"
	"database/sql"
	"fmt"

	"github.com/railkit/railkit/clock"
	"github.com/railkit/railkit/job"
	"github.com/railkit/railkit/platform/audit"
	"github.com/railkit/railkit/platform/auth"
	"github.com/railkit/railkit/platform/idempotency"
	"github.com/railkit/railkit/platform/workspace"
	"github.com/railkit/railkit/store/db"
)

//go:generate go tool -modfile=../tools/go.mod sqlc generate

var (
	_ auth.Store        = (*Store)(nil)
	_ workspace.Store   = Workspaces{}
	_ idempotency.Store = (*Store)(nil)
	_ audit.Records     = (*Store)(nil)
	_ audit.Lister      = (*Store)(nil)
)

// Jobs is the queue that lives in the same database.
type Jobs interface {
	// Migrate makes the queue's own tables.
	Migrate(ctx context.Context, writer *sql.DB) error
	// Enqueue adds a job that runs only if tx commits.
	Enqueue(ctx context.Context, tx *sql.Tx, j job.Job) error
}

// Store keeps everything that the server keeps.
type Store struct {
	engine
	read  *db.Queries
	jobs  Jobs
	clock clock.Clock
}

// Writer is the handle of every write, for the job client.
func (s *Store) Writer() *sql.DB { return s.writer }

// Ping reports whether the database answers a read.
func (s *Store) Ping(ctx context.Context) error {
	var one int
	return s.reader.QueryRowContext(ctx, "SELECT 1").Scan(&one)
}

// Current reports whether the database has the tables that this program works with.
// Newer ones do not count against it: a server of the earlier version goes on
// while a later one takes its place.
func (s *Store) Current(ctx context.Context) error {
	want, err := NewestTables()
	if err != nil {
		return err
	}
	got, err := Tables(ctx, s.reader)
	if err == nil && got < want {
		err = fmt.Errorf("the tables are of version %d, this program's of %d: run railkit migrate", got, want)
	}
	return err
}

// Close closes the database. Nothing may use it any more.
func (s *Store) Close() error { return s.close() }
