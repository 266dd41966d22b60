package store

import (
	"context"
	"embed"
	"errors"
	"fmt"
	"io/fs"

	"github.com/pressly/goose/v3"
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

// migrate applies what is new, forward only. The caller holds the engine's lock.
func (s *Store) migrate(ctx context.Context) error {
	provider, err := goose.NewProvider(s.dialect, s.writer, both{migrationFiles, s.migrations}, goose.WithDisableGlobalRegistry(true))
	if err != nil {
		return fmt.Errorf("reading the migrations: %w", err)
	}
	if _, err := provider.Up(ctx); err != nil {
		return fmt.Errorf("applying the migrations: %w", err)
	}
	return s.jobs.Migrate(ctx, s.writer)
}
