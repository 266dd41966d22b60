// Package store is the database behind the kits and the platform: one SQL text
// for SQLite and PostgreSQL, reads on one handle, writes in whole transactions
// on the other. Rules live in the kits; what is here only keeps.
//
// This package opens a database and brings its tables up to date. The rows are kept by kit in signing, payout, agent
// and platform, which stand on internal/sqldb: transactions with their audit entry and answer, conditions of lists,
// values.
package store

import (
	"context"
	"database/sql"
	"fmt"

	"github.com/railkit/railkit/platform/record"
	"github.com/railkit/railkit/store/agent"
	"github.com/railkit/railkit/store/db"
	"github.com/railkit/railkit/store/internal/sqldb"
	"github.com/railkit/railkit/store/lookup"
	"github.com/railkit/railkit/store/payout"
	"github.com/railkit/railkit/store/platform"
	"github.com/railkit/railkit/store/signing"
	"github.com/railkit/railkit/store/widget"
)

//go:generate go tool -modfile=../tools/go.mod sqlc generate

// Jobs is the queue that lives in the same database.
type Jobs interface {
	// Migrate makes the queue's own tables.
	Migrate(ctx context.Context, writer *sql.DB) error
	sqldb.Jobs
}

// Store keeps everything that the server keeps.
type Store struct {
	platform.Store
	engine
	db *sqldb.DB
}

// Signing is the database as the signing kit sees it.
func (s *Store) Signing() signing.Store { return signing.New(s.db) }

// Payout is the database as the payout kit sees it.
func (s *Store) Payout() payout.Store { return payout.New(s.db) }

// Agents is the database as the agent kit sees it.
func (s *Store) Agents() agent.Store { return agent.New(s.db) }

// Widgets is the database as the widget kit sees it.
func (s *Store) Widgets() widget.Store { return widget.New(s.db) }

// Lookup is the database as who looks up an id sees it.
func (s *Store) Lookup() lookup.Store { return lookup.New(s.db) }

// Writer is the handle of every write, for the job client.
func (s *Store) Writer() *sql.DB { return s.writer }

// Reader is the handle of single reads.
func (s *Store) Reader() db.DBTX { return s.db.Reader }

// Pools are the connections, by what they are for.
func (s *Store) Pools() map[string]sql.DBStats {
	all := map[string]sql.DBStats{}
	for name, pool := range s.pools {
		all[name] = pool.Stats()
	}
	return all
}

// Commits counts transactions and the changes in them, so far.
func (s *Store) Commits() record.Commits { return s.db.Commits() }

// Ping reports whether the database answers a read.
func (s *Store) Ping(ctx context.Context) error {
	var one int
	return s.db.Reader.QueryRowContext(ctx, "SELECT 1").Scan(&one)
}

// Current reports whether the database has the tables that this program works with.
// Newer ones do not count against it: a server of the earlier version goes on
// while a later one takes its place.
func (s *Store) Current(ctx context.Context) error {
	want, err := NewestTables()
	if err != nil {
		return err
	}
	got, err := Tables(ctx, s.db.Reader)
	if err == nil && got < want {
		err = fmt.Errorf("the tables are of version %d, this program's of %d: run railkit migrate", got, want)
	}
	return err
}

// Close closes the database. Nothing may use it any more.
func (s *Store) Close() error { return s.close() }
