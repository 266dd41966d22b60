package store

import (
	"context"
	"database/sql"
	"fmt"
	"io/fs"
	"path"
	"time"

	"github.com/railkit/railkit/store/internal/sqldb"
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
func Tables(ctx context.Context, in reads) (n int64, err error) {
	err = in.QueryRowContext(ctx, "SELECT MAX(version_id) FROM goose_db_version").Scan(&n)
	if err != nil {
		return 0, fmt.Errorf("reading which tables there are: %w", err)
	}
	return n, nil
}

// reads is a database, or a transaction.
type reads interface {
	QueryRowContext(ctx context.Context, query string, args ...any) *sql.Row
}

// OperatorKeys counts the keys that may act across workspaces and are good now.
// Without one nobody can make a workspace over the API.
func OperatorKeys(ctx context.Context, db *sql.DB, environment string, now time.Time) (n int64, err error) {
	err = db.QueryRowContext(ctx, `SELECT COUNT(*) FROM api_keys WHERE environment = $1 AND revoked_at = 0
		AND (expires_at = 0 OR expires_at > $2) AND (scopes LIKE '%"internal"%' OR scopes LIKE '%"admin"%')`,
		environment, sqldb.Micros(now)).Scan(&n)
	if err != nil {
		return 0, fmt.Errorf("counting the operator's keys: %w", err)
	}
	return n, nil
}
