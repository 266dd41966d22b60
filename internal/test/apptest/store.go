package apptest

import (
	"context"
	"errors"
	"log/slog"
	"os"
	"path/filepath"
	"sync"
	"testing"

	"github.com/railkit/railkit/clock"
	"github.com/railkit/railkit/internal/app"
	"github.com/railkit/railkit/internal/config"
	"github.com/railkit/railkit/internal/test/testenv"
	"github.com/railkit/railkit/job/queue"
	"github.com/railkit/railkit/store"
)

// migrated is an embedded database with its tables, and without a row: migrations
// take longer than many a test.
var migrated = sync.OnceValues(func() ([]byte, error) {
	dir, err := os.MkdirTemp("", "railkit")
	if err != nil {
		return nil, err
	}
	err = app.Migrate(context.Background(), app.Config{
		Server: config.Server{DataDir: dir}, Log: slog.New(slog.DiscardHandler),
	})
	file, unread := os.ReadFile(filepath.Join(dir, "railkit.db"))
	return file, errors.Join(err, unread, os.RemoveAll(dir))
})

// embedded puts a database of its own into the folder, and gives its path.
func embedded(t testing.TB, dir string) string {
	t.Helper()
	path := filepath.Join(dir, "railkit.db")
	file, err := migrated()
	if err == nil {
		err = os.WriteFile(path, file, 0o600)
	}
	if err != nil {
		t.Fatalf("making the database: %v", err)
	}
	return path
}

// OpenStore opens an empty database of the run's engine, for who tests a kit
// without a server. The queue is what its jobs are in.
func OpenStore(t testing.TB, clk clock.Clock) (*store.Store, *queue.Queue) {
	t.Helper()
	url := database(t, testenv.TestEngine(t))
	if url == "" {
		return OpenFile(t, embedded(t, t.TempDir()), clk)
	}
	queue, err := queue.Postgres()
	if err != nil {
		t.Fatal(err)
	}
	st, err := store.OpenPostgres(t.Context(), url, queue, clk)
	return closing(t, st, err), queue
}

// OpenFile opens an embedded database, whatever the engine of the run.
func OpenFile(t testing.TB, path string, clk clock.Clock) (*store.Store, *queue.Queue) {
	t.Helper()
	queue, err := queue.SQLite()
	if err != nil {
		t.Fatal(err)
	}
	st, err := store.OpenSQLite(t.Context(), path, queue, clk)
	return closing(t, st, err), queue
}

// OpenEmbedded opens an empty embedded database, of which CopyOf makes copies.
func OpenEmbedded(t testing.TB, clk clock.Clock) (*store.Store, *queue.Queue) {
	t.Helper()
	return OpenFile(t, embedded(t, t.TempDir()), clk)
}

// CopyOf copies an embedded database as it is now, as a backup does, and gives the path of the copy.
func CopyOf(t testing.TB, st *store.Store) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "copy.db")
	if _, err := st.Writer().ExecContext(t.Context(), "VACUUM INTO ?", path); err != nil {
		t.Fatalf("copying the database: %v", err)
	}
	return path
}

func closing(t testing.TB, st *store.Store, err error) *store.Store {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := st.Close(); err != nil {
			t.Error(err)
		}
	})
	return st
}
