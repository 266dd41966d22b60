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
	"github.com/railkit/railkit/store/internal/sqldb"
	"github.com/railkit/railkit/store/platform"
	"github.com/railkit/railkit/store/postgres"
	"github.com/railkit/railkit/store/sqlite"
)

// engine is what only opening and migrating a database needs, of either engine.
type engine struct {
	writer     *sql.DB
	dialect    goose.Dialect
	migrations fs.FS // its own, beside those of all
	lock       func(context.Context) (unlock func() error, err error)
	close      func() error
	pools      map[string]*sql.DB // all handles, by what they are for
}

// River keeps the errors of a job as JSON in SQLite, and as an array of JSON in PostgreSQL.
const (
	sqliteJobErrors   = "COALESCE(CAST(errors AS TEXT), '')"
	postgresJobErrors = "COALESCE(CAST(to_jsonb(errors) AS TEXT), '')"
)

// OpenSQLite opens the embedded database and brings its tables up to date.
func OpenSQLite(ctx context.Context, path string, jobs Jobs, clk clock.Clock) (*Store, error) {
	file, err := sqlite.Open(ctx, path)
	if err != nil {
		return nil, err
	}
	writes := sqlite.Keep(file.Writer)
	begin := func(ctx context.Context) (sqldb.Begun, error) {
		tx, err := writes.Begin(ctx)
		return sqldb.Begun{Tx: tx, Kept: writes.Within(tx), Release: func() {}}, err
	}
	return open(ctx, jobs, engine{
		writer: file.Writer, dialect: goose.DialectSQLite3, migrations: sqlite.Migrations, lock: file.Lock,
		close: file.Close, pools: map[string]*sql.DB{"writer": file.Writer, "reader": file.Reader},
	}, sqldb.DB{
		Read: db.New(sqlite.Keep(file.Reader)), Reader: file.Reader,
		Begin: begin, BeginInLane: begin, Lanes: 1, // there is one writer
		Waited:    func(error) bool { return false },
		Retryable: sqlite.Busy,
		Time:      "SELECT CAST(unixepoch('subsec') * 1000000 AS INTEGER)", JobErrors: sqliteJobErrors, Jobs: jobs,
		Clock:       clk,
		Connections: func() int64 { return 0 }, // nobody puts another file in the place of an open one
	})
}

// OpenPostgres opens the production database, which must exist, and brings its
// tables up to date.
func OpenPostgres(ctx context.Context, url string, jobs Jobs, clk clock.Clock) (*Store, error) {
	server, err := postgres.Open(ctx, url)
	if err != nil {
		return nil, err
	}
	return open(ctx, jobs, engine{
		writer: server.Pool, dialect: goose.DialectPostgres, migrations: postgres.Migrations, lock: server.Lock,
		close: server.Close, pools: map[string]*sql.DB{"all": server.Pool, "lanes": server.Lanes},
	}, sqldb.DB{
		Read: db.New(server.Reader()), Reader: server.Reader(), // pgx remembers what it prepared
		Begin: begun(server.Begin), BeginInLane: begun(server.BeginInLane), Lanes: postgres.Lanes,
		Waited: postgres.Waited, Retryable: postgres.Retryable,
		Time: "SELECT CAST(EXTRACT(EPOCH FROM clock_timestamp()) * 1000000 AS BIGINT)", Jobs: jobs, Clock: clk,
		JobErrors:   postgresJobErrors,
		Connections: server.Connections,
	})
}

func begun(begin func(context.Context) (*postgres.Transaction, error)) func(context.Context) (sqldb.Begun, error) {
	return func(ctx context.Context) (sqldb.Begun, error) {
		tx, err := begin(ctx)
		if err != nil {
			return sqldb.Begun{}, err
		}
		return sqldb.Begun{Tx: tx.Tx, Kept: tx, Release: tx.Release, Send: tx.Send}, nil
	}
}

func open(ctx context.Context, jobs Jobs, e engine, d sqldb.DB) (*Store, error) {
	s := newStore(e, d)
	unlock, err := s.lock(ctx)
	if err != nil {
		return nil, errors.Join(err, s.Close())
	}
	if err = errors.Join(s.migrate(ctx, jobs), unlock()); err != nil {
		return nil, fmt.Errorf("bringing the tables up to date: %w", errors.Join(err, s.Close()))
	}
	return s, nil
}

func newStore(e engine, d sqldb.DB) *Store {
	d.Ready()
	return &Store{Store: platform.New(&d), engine: e, db: &d}
}
