package store

import (
	"context"
	"database/sql"
	"fmt"
	"io/fs"
	"path"

	"github.com/railkit/railkit/store/sqlite"
)

// NewestTables is the number of the last migration that this program knows; the
// engines have as many.
func NewestTables() (int64, error) {
	files, err := fs.Glob(both{migrationFiles, sqlite.Migrations}, "*.sql")
	if err != nil || len(files) == 0 {
		return 0, fmt.Errorf("reading the migrations: %w", err)
	}
	var newest int64
	for _, file := range files {
		var n int64
		if _, err := fmt.Sscanf(path.Base(file), "%d_", &n); err != nil {
			return 0, fmt.Errorf("reading the migrations: %w", err)
		}
		newest = max(newest, n)
	}
	return newest, nil
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
