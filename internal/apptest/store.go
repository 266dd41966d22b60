package apptest

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/railkit/railkit/clock"
	"github.com/railkit/railkit/job"
	"github.com/railkit/railkit/store"
)

// OpenStore opens an empty database of the run's engine, for who tests a kit
// without a server. The queue is what its jobs are in.
func OpenStore(t *testing.T, clk clock.Clock) (*store.Store, *job.Queue) {
	t.Helper()
	url := database(t, os.Getenv(Engine))
	make := job.SQLite
	if url != "" {
		make = job.Postgres
	}
	queue, err := make()
	if err != nil {
		t.Fatal(err)
	}
	var st *store.Store
	if url != "" {
		st, err = store.OpenPostgres(t.Context(), url, queue, clk)
	} else {
		st, err = store.OpenSQLite(t.Context(), filepath.Join(t.TempDir(), "railkit.db"), queue, clk)
	}
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := st.Close(); err != nil {
			t.Error(err)
		}
	})
	return st, queue
}
