package store

import (
	"context"

	"github.com/railkit/railkit/store/db"
	"github.com/railkit/railkit/store/internal/sqldb"
	"github.com/railkit/railkit/store/postgres"
	"github.com/railkit/railkit/store/sqlite"
)

// ReadSQLite opens a database for reading alone, beside a server that runs: it
// brings no tables up to date. The file must exist.
func ReadSQLite(ctx context.Context, path string) (*Store, error) {
	file, err := sqlite.Open(ctx, path)
	if err != nil {
		return nil, err
	}
	return reading(file.Reader, sqliteJobErrors, file.Close), nil
}

// ReadPostgres is ReadSQLite for the other engine. A role that may only read
// what is asked for is enough.
func ReadPostgres(ctx context.Context, url string) (*Store, error) {
	server, err := postgres.Open(ctx, url)
	if err != nil {
		return nil, err
	}
	return reading(server.Reader(), postgresJobErrors, server.Close), nil
}

func reading(from db.DBTX, jobErrors string, closing func() error) *Store {
	return newStore(engine{close: closing}, sqldb.DB{Read: db.New(from), Reader: from, JobErrors: jobErrors})
}
