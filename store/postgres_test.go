package store_test

import (
	"context"
	"database/sql"
	"errors"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/railkit/railkit/clock"
	"github.com/railkit/railkit/fault"
	"github.com/railkit/railkit/internal/test/pgtest"
	"github.com/railkit/railkit/job/queue"
	"github.com/railkit/railkit/kit/signing"
	"github.com/railkit/railkit/kit/signing/wallet"
	"github.com/railkit/railkit/platform/command"
	"github.com/railkit/railkit/platform/idempotency"
	"github.com/railkit/railkit/store"
	"github.com/railkit/railkit/store/storetest"
	"github.com/railkit/railkit/store/storetest/agenttest"
	"github.com/railkit/railkit/store/storetest/payouttest"
	"github.com/railkit/railkit/store/storetest/platformtest"
	"github.com/railkit/railkit/store/storetest/skilltest"
)

func TestPostgres(t *testing.T) {
	open := func(t *testing.T, clk clock.Clock) *store.Store {
		t.Helper()
		return openServer(t, migrated(t), clk)
	}
	storetest.Run(t, open)
	platformtest.Run(t, open)
	payouttest.Run(t, open)
	agenttest.Run(t, open)
	skilltest.Run(t, open)
}

// migrated is an empty database with its tables: migrations take longer than a case.
func migrated(t *testing.T) (url string) {
	t.Helper()
	return pgtest.NewFrom(t, "store", func(url string) error {
		s, err := openURL(context.Background(), url, clock.System{})
		if err != nil {
			return err
		}
		return s.Close()
	})
}

func openServer(tb testing.TB, url string, clk clock.Clock) *store.Store {
	tb.Helper()
	s, err := openURL(tb.Context(), url, clk)
	return opened(tb, s, err)
}

func openURL(ctx context.Context, url string, clk clock.Clock) (*store.Store, error) {
	queue, err := queue.Postgres()
	if err != nil {
		return nil, err
	}
	return store.OpenPostgres(ctx, url, queue, clk)
}

// Several servers may start at once on a database that has nothing yet.
func TestPostgresOpenTogether(t *testing.T) {
	url := pgtest.New(t)
	var wg sync.WaitGroup
	for range 6 {
		wg.Go(func() {
			s, err := openURL(t.Context(), url, clock.System{})
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

func count(t *testing.T, db *sql.DB, query string) (n int) {
	t.Helper()
	if err := db.QueryRowContext(t.Context(), query).Scan(&n); err != nil {
		t.Fatal(err)
	}
	return n
}

// A server that goes away is an outage that callers are told of, and not an
// error of ours; once it is back, so are we.
func TestPostgresConnectionLost(t *testing.T) {
	s := openServer(t, pgtest.New(t), clock.System{})
	err := s.Signing().Work(t.Context(), "ws-1", func(ctx context.Context, tx signing.Tx) (command.Audit, error) {
		_, err := s.Writer().ExecContext(ctx, `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
			WHERE datname = current_database() AND state = 'idle in transaction'`)
		if err != nil {
			return command.Audit{}, err
		}
		return newTransaction("lost")(ctx, tx)
	})
	if !errors.Is(err, fault.ErrUnavailable) {
		t.Errorf("got %v", err)
	}
	if err := s.Signing().Work(t.Context(), "ws-1", newTransaction("after")); err != nil {
		t.Errorf("afterwards: %v", err)
	}
	if n := count(t, s.Writer(), "SELECT COUNT(*) FROM transactions"); n != 1 {
		t.Errorf("%d transactions, want the second one", n)
	}
}

// A second caller of a key at another server waits at the row as long as it would
// at the first one's, is told so, and finds the answer later.
func TestPostgresClaimWaits(t *testing.T) {
	url := migrated(t)
	one, other := openServer(t, url, clock.System{}), openServer(t, url, clock.System{})
	var runs atomic.Int64
	working, finish, done := make(chan struct{}), make(chan struct{}), make(chan error, 1)
	go func() {
		_, err := one.Signing().Commit(t.Context(), keyedCommand("tx-1"), func(
			ctx context.Context, tx signing.Tx,
		) (command.Reply, error) {
			close(working)
			<-finish
			return insertWithJob("tx-1", &runs)(ctx, tx)
		})
		done <- err
	}()
	<-working
	_, err := other.Signing().Commit(t.Context(), keyedCommand("tx-1"), insertWithJob("tx-1", &runs))
	if told, _ := fault.As(err); !errors.Is(err, idempotency.ErrInFlight) || told.RetryAfter <= 0 {
		t.Errorf("while the first one works: %v", err)
	}
	close(finish)
	if err := <-done; err != nil {
		t.Error(err)
	}
	again, err := other.Signing().Commit(t.Context(), keyedCommand("tx-1"), insertWithJob("tx-1", &runs))
	if err != nil || !again.Replayed || runs.Load() != 1 {
		t.Errorf("afterwards: %+v %v, %d runs", again, err, runs.Load())
	}
}

// A read whose connection is cut under it twice is an outage too, and no error of ours.
func TestPostgresReadCutShort(t *testing.T) {
	s := openServer(t, pgtest.New(t), clock.System{})
	for name, read := range map[string]func() error{
		"a row": func() error { return second(s.Signing().Wallet(t.Context(), "ws-1", "x")) },
		"rows":  func() error { return second(s.Signing().Addresses(t.Context(), "ws-1", "x")) },
		"count": func() error { _, _, err := s.Signing().Wallets(t.Context(), wallet.Filter{}); return err },
		"key":   func() error { _, _, err := s.KeyByHash(t.Context(), "x"); return err },
		"answer": func() error {
			_, _, err := s.Answer(t.Context(), "ws-1", "x", time.Now())
			return err
		},
	} {
		lock, err := s.Writer().BeginTx(t.Context(), nil)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := lock.ExecContext(t.Context(), "LOCK TABLE wallets, addresses, api_keys, idempotency"); err != nil {
			t.Fatal(err)
		}
		got := make(chan error, 1)
		go func() { got <- read() }()
		for cut := 0; cut < 2; { // it waits for the lock once more on another connection
			cut += count(t, s.Writer(), `SELECT COUNT(pg_terminate_backend(pid, 5000)) FROM pg_stat_activity
				WHERE datname = current_database() AND wait_event_type = 'Lock'`)
		}
		if err := <-got; !errors.Is(err, fault.ErrUnavailable) {
			t.Errorf("%s: got %v", name, err)
		}
		if err := lock.Rollback(); err != nil {
			t.Fatal(err)
		}
	}
}

func second[T any](_ T, err error) error { return err }
