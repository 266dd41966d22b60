package app

import (
	"context"
	"fmt"
	"os"
	"path/filepath"

	"github.com/railkit/railkit/job/queue"
	"github.com/railkit/railkit/store"
	"github.com/railkit/railkit/store/postgres"
)

// openStore opens PostgreSQL where the configuration names one, else the
// embedded database, and brings the tables up to date.
func openStore(ctx context.Context, c Config) (*store.Store, *queue.Queue, error) {
	if c.DatabaseURL != "" {
		return openPostgres(ctx, c)
	}
	jobs, err := queue.SQLite()
	if err != nil {
		return nil, nil, err
	}
	if err := os.MkdirAll(c.DataDir, 0o700); err != nil {
		return nil, nil, fmt.Errorf("making the data folder: %w", err)
	}
	s, err := store.OpenSQLite(ctx, filepath.Join(c.DataDir, databaseFile), jobs, c.Clock)
	return s, jobs, err
}

func openPostgres(ctx context.Context, c Config) (*store.Store, *queue.Queue, error) {
	jobs, err := queue.Postgres()
	if err != nil {
		return nil, nil, err
	}
	s, err := store.OpenPostgres(ctx, c.DatabaseURL, jobs, c.Clock)
	return s, jobs, err
}

// database names the database for people, without user and password.
func (c Config) database() string {
	if c.DatabaseURL != "" {
		return postgres.Address(c.DatabaseURL)
	}
	return "SQLite " + filepath.Join(c.DataDir, databaseFile)
}

const databaseFile = "railkit.db"

// OpenStore opens the database for who needs nothing else of a server.
func OpenStore(ctx context.Context, c Config) (*store.Store, error) {
	s, _, err := openStore(ctx, c.withDefaults())
	return s, err
}

// Migrate brings the tables up to date and does nothing else.
func Migrate(ctx context.Context, c Config) error {
	if err := c.CheckDatabase(); err != nil {
		return err
	}
	s, _, err := openStore(ctx, c.withDefaults())
	if err != nil {
		return err
	}
	return s.Close()
}
