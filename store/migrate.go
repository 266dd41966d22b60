package store

import (
	"context"
	"embed"
	"errors"
	"fmt"
	"io/fs"

	"github.com/pressly/goose/v3"

	"github.com/railkit/railkit/store/postgres"
)

//go:embed migrations/*.sql
var migrationFiles embed.FS

// both is the migrations of all engines and those of one: what has no common
// text, as triggers. Their numbers are one row.
type both struct{ common, own fs.FS }

// Glob looks into the folders named migrations; goose asks for files alone.
func (b both) Glob(pattern string) ([]string, error) {
	common, err := fs.Glob(b.common, "migrations/"+pattern)
	own, ownErr := fs.Glob(b.own, "migrations/"+pattern)
	return append(common, own...), errors.Join(err, ownErr)
}

// Open opens what Glob found.
func (b both) Open(name string) (fs.File, error) {
	file, err := b.common.Open(name)
	if errors.Is(err, fs.ErrNotExist) {
		return b.own.Open(name)
	}
	return file, err
}

// firstVersion is the lowest number of a migration. Lower ones were given before the first release.
const firstVersion = 101

// migrate applies what is new, forward only, and refuses tables that a newer
// version of this program made. The caller holds the engine's lock.
func (e engine) migrate(ctx context.Context, jobs Jobs) error {
	provider, err := goose.NewProvider(
		e.dialect, e.writer, both{migrationFiles, e.migrations}, goose.WithDisableGlobalRegistry(true),
	)
	if err != nil {
		return fmt.Errorf("reading the migrations: %w", err)
	}
	newest, err := NewestTables()
	if err != nil {
		return err
	}
	version, err := provider.GetDBVersion(ctx)
	if err != nil {
		return fmt.Errorf("reading which tables there are: %w", explainDenied(err))
	}
	if version > 0 && version < firstVersion {
		return fmt.Errorf("they are of version %d, from before the first release, whose tables begin with %d: "+
			"start with an empty database or data folder", version, firstVersion)
	}
	if version > newest {
		return fmt.Errorf("they are of version %d, which a newer railkit made, and this one knows %d: "+
			"run the newer one, or restore the backup from before it", version, newest)
	}
	if _, err := provider.Up(ctx); err != nil {
		return fmt.Errorf("applying the migrations from version %d to %d: %w", version, newest, explainDenied(err))
	}
	return explainDenied(jobs.Migrate(ctx, e.writer))
}

// explainDenied names the cure where PostgreSQL says that this role lacks a right:
// migrations are for the role that owns the tables, and the server's role works
// with the rights that docs/operations.md gives it.
func explainDenied(err error) error {
	if !postgres.Denied(err) {
		return err
	}
	return fmt.Errorf("this database role lacks a right: run railkit migrate as the role that owns the tables, which needs "+
		"GRANT CREATE ON SCHEMA public, and give the server's role the GRANTs of docs/operations.md: %w", err)
}
