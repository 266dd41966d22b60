package store_test

import (
	"context"
	"fmt"
	"path/filepath"
	"regexp"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/railkit/railkit/clock"
	"github.com/railkit/railkit/fault"
	"github.com/railkit/railkit/job/queue"
	"github.com/railkit/railkit/kit/signing"
	"github.com/railkit/railkit/kit/signing/transaction"
	"github.com/railkit/railkit/kit/signing/wallet"
	"github.com/railkit/railkit/platform/auth"
	"github.com/railkit/railkit/platform/command"
	"github.com/railkit/railkit/platform/workspace"
	"github.com/railkit/railkit/store"
	"github.com/railkit/railkit/store/storetest"
	"github.com/railkit/railkit/store/storetest/agenttest"
	"github.com/railkit/railkit/store/storetest/payouttest"
	"github.com/railkit/railkit/store/storetest/platformtest"
	"github.com/railkit/railkit/store/storetest/skilltest"
)

// concurrent are cases of several writers: what of the suite the race detector has
// with this engine, too.
var concurrent = regexp.MustCompile(`(Race|Parallel|Once|Writers|OfMany)$`)

// Migrations take longer than a case: each works on a copy of what they made.
func TestSQLite(t *testing.T) {
	template := filepath.Join(t.TempDir(), "railkit.db")
	made, err := openPath(t.Context(), template, clock.System{})
	if err != nil {
		t.Fatal(err)
	}
	if err := made.Close(); err != nil {
		t.Fatal(err)
	}
	open := func(t *testing.T, clk clock.Clock) *store.Store {
		t.Helper()
		if testing.Short() && !concurrent.MatchString(t.Name()) {
			t.Skip("alone in its store, it shows the race detector nothing that it does not on PostgreSQL")
		}
		path := filepath.Join(t.TempDir(), "railkit.db")
		copyTree(t, template, path)
		return openFile(t, path, clk)
	}
	storetest.Run(t, open)
	platformtest.Run(t, open)
	payouttest.Run(t, open)
	agenttest.Run(t, open)
	skilltest.Run(t, open)
}

func openFile(tb testing.TB, path string, clk clock.Clock) *store.Store {
	tb.Helper()
	s, err := openPath(tb.Context(), path, clk)
	return opened(tb, s, err)
}

// opened closes a store of either engine when its test ends.
func opened(tb testing.TB, s *store.Store, err error) *store.Store {
	tb.Helper()
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

func openPath(ctx context.Context, path string, clk clock.Clock) (*store.Store, error) {
	queue, err := queue.SQLite()
	if err != nil {
		return nil, err
	}
	return store.OpenSQLite(ctx, path, queue, clk)
}

// A full disk is an outage: callers are told to come back, nothing of their calls is left, and what comes once there is
// room is done.
func TestSQLiteDiskFull(t *testing.T) {
	s := openFile(t, filepath.Join(t.TempDir(), "railkit.db"), clock.System{})
	limit := func(pages string) {
		t.Helper()
		if _, err := s.Writer().ExecContext(t.Context(), "PRAGMA max_page_count = "+pages); err != nil {
			t.Fatal(err)
		}
	}
	var runs atomic.Int64
	write := func(i int) error {
		id := fmt.Sprint("tx-", i)
		_, err := s.Signing().Commit(t.Context(), keyedCommand(id), insertWithJob(id, &runs))
		return err
	}
	limit("1") // SQLite takes what there is, if that is more
	i, err := 0, error(nil)
	for ; err == nil && i < 1000; i++ {
		err = write(i)
	}
	f, told := fault.As(err)
	if !told || f.Code != fault.ErrUnavailable.Code || f.RetryAfter <= 0 || f.Kind.Status() != 503 {
		t.Fatalf("after %d calls: %v", i, err)
	}
	limit("1000000")
	if err := write(i - 1); err != nil {
		t.Errorf("the same call, once there is room: %v", err)
	}
}

// Several processes may start at once on a folder that has nothing yet.
func TestOpenTogether(t *testing.T) {
	path := filepath.Join(t.TempDir(), "railkit.db")
	var wg sync.WaitGroup
	for range 6 {
		wg.Go(func() {
			s, err := openPath(t.Context(), path, clock.System{})
			if err != nil {
				t.Errorf("opening: %v", err)
				return
			}
			if err := s.Close(); err != nil {
				t.Errorf("closing: %v", err)
			}
		})
	}
	wg.Wait()
}

func TestReopen(t *testing.T) {
	path := filepath.Join(t.TempDir(), "railkit.db")
	s, err := openPath(t.Context(), path, clock.System{})
	if err != nil {
		t.Fatal(err)
	}
	want := workspace.Workspace{ID: "ws-1", Name: "Ours", Modules: []auth.Module{auth.Signing}}
	if err := s.EnsureWorkspace(t.Context(), want); err != nil {
		t.Fatal(err)
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	got, err := openFile(t, path, clock.System{}).Workspace(t.Context(), "ws-1")
	if err != nil || got.Name != want.Name {
		t.Errorf("after a restart: %+v, %v", got, err)
	}
}

// Two handles on one file stand for two processes: each waits for the other.
func TestTwoWriters(t *testing.T) {
	path := filepath.Join(t.TempDir(), "railkit.db")
	stores := []*store.Store{openFile(t, path, clock.System{}), openFile(t, path, clock.System{})}
	const each = 50
	var wg sync.WaitGroup
	for i, s := range stores {
		wg.Go(func() {
			for n := range each {
				if err := s.Signing().Work(
					t.Context(), "ws-1", newTransaction(fmt.Sprintf("tx-%d-%d", i, n)),
				); err != nil {
					t.Errorf("writing: %v", err)
				}
			}
		})
	}
	wg.Wait()
	_, total, err := stores[0].Signing().Transactions(t.Context(), transaction.Filter{WorkspaceID: "ws-1"})
	if err != nil || total != 2*each {
		t.Errorf("%d transactions, %v, want %d", total, err, 2*each)
	}
}

func newTransaction(id string) func(context.Context, signing.Tx) (command.Audit, error) {
	return func(ctx context.Context, tx signing.Tx) (command.Audit, error) {
		return command.Audit{}, tx.InsertTransaction(
			ctx, transaction.Transaction{WorkspaceID: "ws-1", ID: id, State: transaction.Awaiting},
		)
	}
}

func BenchmarkCommit(b *testing.B) {
	s := openFile(b, filepath.Join(b.TempDir(), "railkit.db"), clock.System{})
	var runs atomic.Int64
	for n := 0; b.Loop(); n++ {
		id := fmt.Sprint("tx-", n)
		if _, err := s.Signing().Commit(b.Context(), keyedCommand(id), insertWithJob(id, &runs)); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkWallet(b *testing.B) {
	s := openFile(b, filepath.Join(b.TempDir(), "railkit.db"), clock.System{})
	err := s.Signing().Work(b.Context(), "ws-1", func(ctx context.Context, tx signing.Tx) (command.Audit, error) {
		for n := range 1000 {
			w := wallet.Wallet{
				WorkspaceID: "ws-1", ID: fmt.Sprint("wallet-", n), EnclaveID: fmt.Sprint("enclave-", n), Name: "Main",
			}
			if err := tx.InsertWallet(ctx, w); err != nil {
				return command.Audit{}, err
			}
		}
		return command.Audit{}, nil
	})
	if err != nil {
		b.Fatal(err)
	}
	b.RunParallel(func(pb *testing.PB) {
		for n := 0; pb.Next(); n++ {
			if _, err := s.Signing().Wallet(b.Context(), "ws-1", fmt.Sprint("enclave-", n%1000)); err != nil {
				b.Fatal(err)
			}
		}
	})
}
