package store_test

import (
	"fmt"
	"path/filepath"
	"sync/atomic"
	"testing"

	"github.com/railkit/railkit/clock"
	"github.com/railkit/railkit/internal/test/pgtest"
	"github.com/railkit/railkit/store"
)

// BenchmarkCommits is eight callers for each processor, of one workspace or of eight: the
// commits of a workspace wait for each other at the head of its audit chain.
func BenchmarkCommits(b *testing.B) {
	for _, engine := range []string{"sqlite", "postgres"} {
		for _, workspaces := range []int{1, 8} {
			b.Run(fmt.Sprintf("%s/%d", engine, workspaces), func(b *testing.B) {
				benchmarkCommits(b, engine, workspaces)
			})
		}
	}
}

func benchmarkCommits(b *testing.B, engine string, workspaces int) {
	s := openEngine(b, engine)
	var runs, callers, n atomic.Int64
	b.SetParallelism(8)
	b.ResetTimer()
	b.RunParallel(func(pb *testing.PB) {
		caller := int(callers.Add(1))
		for pb.Next() {
			id := fmt.Sprint("tx-", n.Add(1))
			cmd := keyedCommand(id)
			cmd.Principal.WorkspaceID = fmt.Sprint("ws-", caller%workspaces)
			if _, err := s.Signing().Commit(b.Context(), cmd, insertWithJob(id, &runs)); err != nil {
				b.Fatal(err)
			}
		}
	})
}

func openEngine(b *testing.B, engine string) *store.Store {
	b.Helper()
	if engine == "sqlite" {
		return openFile(b, filepath.Join(b.TempDir(), "railkit.db"), clock.System{})
	}
	url, _ := pgtest.Durable(b)
	return openServer(b, url, clock.System{})
}
