package store_test

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/railkit/railkit/clock"
	"github.com/railkit/railkit/internal/test/pgtest"
	"github.com/railkit/railkit/store"
)

// Tables that a newer version made are not touched: their rows may mean what this
// one does not know.
func TestTablesOfANewerVersion(t *testing.T) {
	newest, err := store.NewestTables()
	if err != nil {
		t.Fatal(err)
	}
	file, address := filepath.Join(t.TempDir(), "railkit.db"), migrated(t)
	for engine, open := range map[string]func(context.Context) (*store.Store, error){
		"sqlite":   func(ctx context.Context) (*store.Store, error) { return openPath(ctx, file, clock.System{}) },
		"postgres": func(ctx context.Context) (*store.Store, error) { return openURL(ctx, address, clock.System{}) },
	} {
		s, err := open(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		alter(t, s, fmt.Sprintf("INSERT INTO goose_db_version (version_id, is_applied) VALUES (%d, TRUE)", newest+1))
		if err := s.Close(); err != nil {
			t.Fatal(err)
		}
		want := fmt.Sprintf(
			"they are of version %d, which a newer railkit made, and this one knows %d", newest+1, newest,
		)
		if s, err = open(t.Context()); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", engine, err)
		}
		if err == nil {
			_ = s.Close()
		}
	}
}

// Tables of before the first release are refused, in one line that says what to do, and stay as they are.
func TestTablesOfBeforeTheFirstRelease(t *testing.T) {
	file, address := filepath.Join(t.TempDir(), "railkit.db"), pgtest.New(t)
	for engine, e := range map[string]struct {
		driver, address string
		open            func() (*store.Store, error)
	}{
		"sqlite": {"sqlite", file, func() (*store.Store, error) {
			return openPath(t.Context(), file, clock.System{})
		}},
		"postgres": {"pgx", address, func() (*store.Store, error) {
			return openURL(t.Context(), address, clock.System{})
		}},
	} {
		t.Run(engine, func(t *testing.T) {
			db, err := sql.Open(e.driver, e.address)
			if err != nil {
				t.Fatal(err)
			}
			defer db.Close()
			for _, statement := range []string{
				"CREATE TABLE goose_db_version (id INTEGER PRIMARY KEY, version_id BIGINT NOT NULL, is_applied BOOLEAN NOT NULL, tstamp TIMESTAMP)",
				"INSERT INTO goose_db_version (id, version_id, is_applied, tstamp) VALUES (1, 0, TRUE, CURRENT_TIMESTAMP), (2, 42, TRUE, CURRENT_TIMESTAMP)",
				"CREATE TABLE workspaces (id TEXT)",
			} {
				if _, err := db.ExecContext(t.Context(), statement); err != nil {
					t.Fatal(err)
				}
			}
			s, err := e.open()
			if err == nil {
				_ = s.Close()
			}
			if err == nil || !strings.Contains(err.Error(), "version 42, from before the first release") ||
				!strings.HasSuffix(err.Error(), "start with an empty database or data folder") ||
				strings.Contains(err.Error(), "\n") {
				t.Errorf("got %v", err)
			}
		})
	}
}

// What PostgreSQL calls "permission denied for schema public" names its cure: of a
// role that is to make the first tables, of one that is to bring older ones up to
// date, and of one that nobody gave a right.
func TestPostgres_RoleWithoutRights(t *testing.T) {
	const versions = "CREATE TABLE goose_db_version (id INTEGER, version_id BIGINT NOT NULL, is_applied BOOLEAN NOT NULL, tstamp TIMESTAMP)"
	const begun = "INSERT INTO goose_db_version (id, version_id, is_applied) VALUES (1, 0, TRUE)"
	for about, prepare := range map[string][]string{
		"no tables":    {},
		"older tables": {versions, begun, "GRANT SELECT ON goose_db_version TO railkit_few"},
		"no grants":    {versions, begun},
	} {
		t.Run(about, func(t *testing.T) {
			address := pgtest.New(t)
			owner := pool(t, address)
			for _, statement := range append(
				[]string{"CREATE ROLE railkit_few LOGIN", "REVOKE CREATE ON SCHEMA public FROM PUBLIC"}, prepare...,
			) {
				if _, err := owner.Exec(statement); err != nil {
					t.Fatal(err)
				}
			}
			t.Cleanup(func() {
				_, _ = owner.Exec("DROP OWNED BY railkit_few")
				_, _ = owner.Exec("DROP ROLE railkit_few")
			})
			u, err := url.Parse(address)
			if err != nil {
				t.Fatal(err)
			}
			u.User = url.User("railkit_few")
			s, err := openURL(t.Context(), u.String(), clock.System{})
			if err == nil {
				_ = s.Close()
			}
			const want = "run railkit migrate as the role that owns the tables, which needs GRANT CREATE ON SCHEMA public"
			if err == nil ||
				!strings.Contains(err.Error(), want) || !strings.Contains(err.Error(), "permission denied for") {
				t.Errorf("%v", err)
			}
		})
	}
}

func pool(t *testing.T, address string) *sql.DB {
	t.Helper()
	db, err := sql.Open("pgx", address)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = db.Close() })
	return db
}

// Rows of batches from before their references had a column get it from what the preview showed.
func TestReferencesOfOlderBatches(t *testing.T) {
	file := filepath.Join(t.TempDir(), "railkit.db")
	for engine, open := range map[string]func() (*store.Store, error){
		"sqlite":   func() (*store.Store, error) { return openPath(t.Context(), file, clock.System{}) },
		"postgres": func() (*store.Store, error) { return openURL(t.Context(), migrated(t), clock.System{}) },
	} {
		s, err := open()
		if err != nil {
			t.Fatal(err)
		}
		migration, err := os.ReadFile(engine + "/migrations/00135_batch_references.sql")
		if err != nil {
			t.Fatal(err)
		}
		alter(t, s, `INSERT INTO batch_rows (workspace_id, batch_id, n, quote_id, shown) VALUES
			('w', 'b', 1, 'q-1', '{"row":1,"reference":"INV-1 \u00e9"}'), ('w', 'b', 2, 'q-2', '{"row":2}'),
			('w', 'b', 3, '', '{"row":3,"reference":"x\u0000y"}')`)
		alter(t, s, string(migration))
		var got string
		rows, err := s.Writer().QueryContext(t.Context(), "SELECT reference FROM batch_rows ORDER BY n")
		if err != nil {
			t.Fatal(err)
		}
		for rows.Next() {
			var one string
			if err := rows.Scan(&one); err != nil {
				t.Fatal(err)
			}
			got += one + ";"
		}
		if err := errors.Join(rows.Err(), rows.Close(), s.Close()); err != nil || got != "INV-1 \u00e9;;;" {
			t.Errorf("%s: %q, %v", engine, got, err)
		}
	}
}
