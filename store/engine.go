package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io/fs"

	"github.com/pressly/goose/v3"

	"github.com/railkit/railkit/clock"
	"github.com/railkit/railkit/store/db"
	"github.com/railkit/railkit/store/postgres"
	"github.com/railkit/railkit/store/sqlite"
)

// engine is what the databases do not have in common.
type engine struct {
	writer *sql.DB
	reader db.DBTX
	// begin begins a transaction; release must be called once that has ended.
	begin func(context.Context) (tx *sql.Tx, release func(), err error)
	// queries makes the generated queries of a handle, ready to run.
	queries    func(context.Context, db.DBTX) (*db.Queries, error)
	retryable  func(error) bool // whether a transaction failed only because of another one
	dialect    goose.Dialect
	time       string // SQL: the engine's own clock, in microseconds
	migrations fs.FS  // its own, beside those of all
	lock       func(context.Context) (unlock func() error, err error)
	close      func() error
}

// OpenSQLite opens the embedded database and brings its tables up to date.
func OpenSQLite(ctx context.Context, path string, jobs Jobs, clk clock.Clock) (*Store, error) {
	file, err := sqlite.Open(ctx, path)
	if err != nil {
		return nil, err
	}
	return open(ctx, engine{
		writer: file.Writer, reader: file.Reader, dialect: goose.DialectSQLite3, migrations: sqlite.Migrations,
		begin: func(ctx context.Context) (*sql.Tx, func(), error) {
			tx, err := file.Writer.BeginTx(ctx, nil)
			return tx, func() {}, err
		},
		queries:   db.Prepare, // SQLite would parse each at each use
		time:      "SELECT CAST(unixepoch('subsec') * 1000000 AS INTEGER)",
		retryable: sqlite.Busy, lock: file.Lock, close: file.Close,
	}, jobs, clk)
}

// OpenPostgres opens the production database, which must exist, and brings its
// tables up to date.
func OpenPostgres(ctx context.Context, url string, jobs Jobs, clk clock.Clock) (*Store, error) {
	server, err := postgres.Open(ctx, url)
	if err != nil {
		return nil, err
	}
	return open(ctx, engine{
		writer: server.Pool, reader: server.Reader(), dialect: goose.DialectPostgres, migrations: postgres.Migrations,
		queries: func(_ context.Context, h db.DBTX) (*db.Queries, error) { return db.New(h), nil }, // pgx remembers what it prepared
		time:    "SELECT CAST(EXTRACT(EPOCH FROM clock_timestamp()) * 1000000 AS BIGINT)",
		begin:   server.Begin, retryable: postgres.Retryable, lock: server.Lock, close: server.Close,
	}, jobs, clk)
}

func open(ctx context.Context, e engine, jobs Jobs, clk clock.Clock) (*Store, error) {
	s := &Store{engine: e, jobs: jobs, clock: clk}
	unlock, err := s.lock(ctx)
	if err != nil {
		return nil, errors.Join(err, s.Close())
	}
	if err = errors.Join(s.migrate(ctx), unlock()); err != nil {
		return nil, fmt.Errorf("bringing the tables up to date: %w", errors.Join(err, s.Close()))
	}
	if err = s.prepare(ctx); err != nil {
		return nil, fmt.Errorf("preparing the queries: %w", errors.Join(err, s.Close()))
	}
	return s, nil
}

// prepare comes after the migrations: there is nothing to query before.
func (s *Store) prepare(ctx context.Context) (err error) {
	if s.read, err = s.queries(ctx, s.reader); err != nil {
		return err
	}
	s.write, err = s.queries(ctx, s.writer)
	return err
}
