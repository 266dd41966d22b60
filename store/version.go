package store

import (
	"context"
	"database/sql"
	"fmt"
	"io/fs"
	"strings"
)

// NewestTables is the number of the last migration that this program knows.
func NewestTables() (int64, error) {
	files, err := fs.Glob(migrationFiles, "migrations/*.sql") // in order of their numbers
	if err != nil || len(files) == 0 {
		return 0, fmt.Errorf("reading the migrations: %w", err)
	}
	var n int64
	if _, err := fmt.Sscanf(strings.TrimPrefix(files[len(files)-1], "migrations/"), "%d_", &n); err != nil {
		return 0, fmt.Errorf("reading the migrations: %w", err)
	}
	return n, nil
}

// Tables is the number of the last migration that a database has had. It changes
// nothing, and fails where there are no tables yet.
func Tables(ctx context.Context, db *sql.DB) (n int64, err error) {
	err = db.QueryRowContext(ctx, "SELECT MAX(version_id) FROM goose_db_version").Scan(&n)
	if err != nil {
		return 0, fmt.Errorf("reading which tables there are: %w", err)
	}
	return n, nil
}
