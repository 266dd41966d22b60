package store_test

import (
	"path/filepath"
	"testing"

	"github.com/railkit/railkit/clock"
	"github.com/railkit/railkit/job"
	"github.com/railkit/railkit/store"
	"github.com/railkit/railkit/store/storetest"
)

func TestSQLite(t *testing.T) { storetest.Run(t, open) }

func open(t *testing.T, clk clock.Clock) *store.Store {
	t.Helper()
	return openFile(t, filepath.Join(t.TempDir(), "railkit.db"), clk)
}

func openFile(tb testing.TB, path string, clk clock.Clock) *store.Store {
	tb.Helper()
	queue, err := job.SQLite()
	if err != nil {
		tb.Fatal(err)
	}
	s, err := store.OpenSQLite(tb.Context(), path, queue, clk)
	if err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(func() {
		if err := s.Close(); err != nil {
			tb.Errorf("closing: %v", err)
		}
	})
	return s
}
