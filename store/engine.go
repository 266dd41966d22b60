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
	fixed  db.DBTX // reader, for queries whose text never changes
	// begin begins a transaction; release must be called once that has ended.
	begin func(context.Context) (tx *sql.Tx, release func(), err error)
	// within is the transaction, for queries whose text never changes.
	within     func(*sql.Tx) db.DBTX
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
	writes := sqlite.Keep(file.Writer)
	return open(ctx, engine{
		writer: file.Writer, reader: file.Reader, fixed: sqlite.Keep(file.Reader),
		dialect: goose.DialectSQLite3, migrations: sqlite.Migrations,
		begin: func(ctx context.Context) (*sql.Tx, func(), error) {
			tx, err := writes.Begin(ctx)
			return tx, func() {}, err
		},
		within:    func(tx *sql.Tx) db.DBTX { return writes.Within(tx) },
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
		writer: server.Pool, reader: server.Reader(), fixed: server.Reader(), // pgx remembers what it prepared
		dialect: goose.DialectPostgres, migrations: postgres.Migrations,
		begin:     server.Begin,
		within:    func(tx *sql.Tx) db.DBTX { return tx },
		time:      "SELECT CAST(EXTRACT(EPOCH FROM clock_timestamp()) * 1000000 AS BIGINT)",
		retryable: postgres.Retryable, lock: server.Lock, close: server.Close,
	}, jobs, clk)
}

func open(ctx context.Context, e engine, jobs Jobs, clk clock.Clock) (*Store, error) {
	s := &Store{engine: e, read: db.New(e.fixed), jobs: jobs, clock: clk}
	unlock, err := s.lock(ctx)
	if err != nil {
		return nil, errors.Join(err, s.Close())
	}
	if err = errors.Join(s.migrate(ctx), unlock()); err != nil {
		return nil, fmt.Errorf("bringing the tables up to date: %w", errors.Join(err, s.Close()))
	}
	return s, nil
}
