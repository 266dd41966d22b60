package store_test

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/railkit/railkit/clock"
	"github.com/railkit/railkit/internal/test/pgtest"
	"github.com/railkit/railkit/internal/test/testwait"
	"github.com/railkit/railkit/kit/signing"
	"github.com/railkit/railkit/platform/audit"
	"github.com/railkit/railkit/platform/command"
	"github.com/railkit/railkit/platform/record"
	"github.com/railkit/railkit/store"
)

// A crowd are callers whose changes are committed together: one holds the lane until all others wait in it.
type crowd struct {
	t     *testing.T
	s     *store.Store
	first chan error
	gate  chan struct{}
	wg    sync.WaitGroup
	n     int
	ran   atomic.Int64
}

func newCrowd(t *testing.T, s *store.Store, first string) *crowd {
	t.Helper()
	c := &crowd{t: t, s: s, first: make(chan error, 1), gate: make(chan struct{})}
	busy := make(chan struct{})
	go func() {
		_, err := s.Signing().Commit(t.Context(), keyedCommand(first), func(ctx context.Context, tx signing.Tx) (
			command.Reply, error,
		) {
			close(busy)
			<-c.gate
			return insertWithJob(first, &c.ran)(ctx, tx)
		})
		c.first <- err
	}()
	<-busy
	return c
}

// joins has another caller commit, and returns once that one waits.
func (c *crowd) joins(caller func()) {
	c.t.Helper()
	c.n++
	c.wg.Go(caller)
	testwait.Until(c.t, "a caller waits", func() bool { return c.s.Commits().Waiting == c.n })
}

// inserts is a caller whose change succeeds.
func (c *crowd) inserts(id string) {
	c.t.Helper()
	c.joins(func() {
		if _, err := c.s.Signing().Commit(c.t.Context(), keyedCommand(id), insertWithJob(id, &c.ran)); err != nil {
			c.t.Errorf("%s: %v", id, err)
		}
	})
}

// goes lets all of them commit.
func (c *crowd) goes() {
	c.t.Helper()
	close(c.gate)
	c.wg.Wait()
	if err := <-c.first; err != nil {
		c.t.Error(err)
	}
}

// holds compares what is stored with the changes that must be there, each once, and the record with what it proves.
func (c *crowd) holds(ids ...string) {
	c.t.Helper()
	for _, table := range []string{"transactions", "audit", "idempotency", "river_job"} {
		if got := count(c.t, c.s.Writer(), "SELECT COUNT(*) FROM "+table); got != len(ids) {
			c.t.Errorf("%d rows of %s, want %d", got, table, len(ids))
		}
	}
	for _, id := range ids {
		if _, err := c.s.Signing().Transaction(c.t.Context(), "ws-1", id); err != nil {
			c.t.Errorf("%s: %v", id, err)
		}
	}
	if n := count(c.t, c.s.Writer(), "SELECT COUNT(*) FROM idempotency WHERE status <> 201"); n != 0 {
		c.t.Errorf("%d keys without their answer", n)
	}
	report, err := audit.Verify(c.t.Context(), c.s, "ws-1", nil, func(int) {})
	if err != nil || len(report.Faults) > 0 || report.Head.Seq != int64(len(ids)) {
		c.t.Errorf("the record: %+v, %v", report, err)
	}
	last := count(c.t, c.s.Writer(), "SELECT MAX(seq) FROM events WHERE workspace_id = 'ws-1'")
	if n := count(c.t, c.s.Writer(), "SELECT COUNT(*) FROM events WHERE workspace_id = 'ws-1'"); n != last {
		c.t.Errorf("%d events, the last one has number %d", n, last)
	}
}

// eachEngine runs a test on a store of either engine.
func eachEngine(t *testing.T, test func(*testing.T, *store.Store)) {
	t.Helper()
	t.Run("sqlite", func(t *testing.T) { test(t, openFile(t, t.TempDir()+"/railkit.db", clock.System{})) })
	t.Run("postgres", func(t *testing.T) { test(t, openServer(t, pgtest.New(t), clock.System{})) })
}

// Changes that come while a commit is under way are committed by the next one. One of them that fails, panics, whose
// caller leaves, or whose key has its answer, takes no other with it and leaves nothing.
func TestTogether(t *testing.T) {
	broken := errors.New("broken")
	eachEngine(t, func(t *testing.T, s *store.Store) {
		c := newCrowd(t, s, "first")
		c.inserts("a")
		c.joins(func() {
			_, err := s.Signing().Commit(t.Context(), keyedCommand("bad"), func(ctx context.Context, tx signing.Tx) (
				command.Reply, error,
			) {
				_, err := insertWithJob("bad", &c.ran)(ctx, tx)
				return command.Reply{}, errors.Join(err, broken)
			})
			if !errors.Is(err, broken) {
				t.Errorf("a change that fails: %v", err)
			}
		})
		c.inserts("b")
		c.joins(func() {
			defer func() {
				if p := recover(); p != "a bug" {
					t.Errorf("recovered %v", p)
				}
			}()
			_, _ = s.Signing().Commit(t.Context(), keyedCommand("bug"), func(ctx context.Context, tx signing.Tx) (
				command.Reply, error,
			) {
				_, _ = insertWithJob("bug", &c.ran)(ctx, tx)
				panic("a bug")
			})
		})
		c.joins(func() {
			ctx, cancel := context.WithCancel(t.Context())
			_, err := s.Signing().Commit(ctx, keyedCommand("left"), func(ctx context.Context, tx signing.Tx) (
				command.Reply, error,
			) {
				cancel()
				return insertWithJob("left", &c.ran)(ctx, tx)
			})
			if !errors.Is(err, context.Canceled) {
				t.Errorf("a caller who left: %v", err)
			}
		})
		c.joins(func() { // the key of one that is under way
			a, err := s.Signing().Commit(t.Context(), keyedCommand("first"), insertWithJob("second", &c.ran))
			if err != nil || !a.Replayed {
				t.Errorf("a key that has its answer: %+v, %v", a, err)
			}
		})
		c.inserts("c")
		c.joins(func() { // the key of one in the same transaction
			a, err := s.Signing().Commit(t.Context(), keyedCommand("c"), insertWithJob("again", &c.ran))
			if err != nil || !a.Replayed {
				t.Errorf("a key of another one that waits: %+v, %v", a, err)
			}
		})
		before := s.Commits()
		c.goes()
		c.holds("first", "a", "b", "c")
		if n := s.Commits(); n.Transactions-before.Transactions != 2 || n.Changes-before.Changes != 4 || n.Alone != 0 {
			t.Errorf("%+v", n)
		}
	})
}

// A caller who leaves while it waits does not come to its turn.
func TestTogetherLeaves(t *testing.T) {
	s := openFile(t, t.TempDir()+"/railkit.db", clock.System{})
	c := newCrowd(t, s, "first")
	ctx, cancel := context.WithCancel(t.Context())
	left := make(chan error, 1)
	c.joins(func() {
		_, err := s.Signing().Commit(ctx, keyedCommand("left"), insertWithJob("left", &c.ran))
		left <- err
	})
	cancel()
	if err := <-left; !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
	c.goes()
	c.holds("first")
}

// A change of many rows does not make others wait: it is committed alone.
func TestTogetherLong(t *testing.T) {
	eachEngine(t, func(t *testing.T, s *store.Store) {
		c := newCrowd(t, s, "first")
		c.inserts("a")
		c.joins(func() {
			_, err := s.Signing().Commit(t.Context(), keyedCommand("many"), func(ctx context.Context, tx signing.Tx) (
				command.Reply, error,
			) {
				for range 100 {
					err := tx.ReplaceTransaction(ctx, "ws-1", "none", "", time.Now())
					if !errors.Is(err, record.ErrStale) {
						return command.Reply{}, err
					}
				}
				return insertWithJob("many", &c.ran)(ctx, tx)
			})
			if err != nil {
				t.Error(err)
			}
		})
		c.inserts("b")
		c.goes()
		c.holds("first", "a", "many", "b")
		if n := s.Commits(); n.Alone != 1 {
			t.Errorf("%+v", n)
		}
	})
}

// Who needs a row, or a key, that another server holds waits for it alone: the others are committed meanwhile.
func TestTogetherLocks(t *testing.T) {
	url := migrated(t)
	s, other := openServer(t, url, clock.System{}), openServer(t, url, clock.System{})
	release, held := make(chan struct{}), make(chan struct{})
	holder := make(chan error, 1)
	go func() {
		_, err := other.Signing().Commit(t.Context(), keyedCommand("key"), func(ctx context.Context, tx signing.Tx) (
			command.Reply, error,
		) {
			reply, err := insertWithJob("held", new(atomic.Int64))(ctx, tx)
			close(held)
			<-release
			return reply, err
		})
		holder <- err
	}()
	<-held
	c := newCrowd(t, s, "first")
	c.inserts("a")
	waits := make(chan error, 2)
	c.joins(func() { // for a row of the same id
		_, err := s.Signing().Commit(t.Context(), keyedCommand("row"), insertWithJob("held", &c.ran))
		waits <- err
	})
	c.joins(func() {
		a, err := s.Signing().Commit(t.Context(), keyedCommand("key"), insertWithJob("again", &c.ran))
		if err == nil && !a.Replayed {
			err = fmt.Errorf("not the first one's answer: %+v", a)
		}
		waits <- err
	})
	c.inserts("b")
	close(c.gate)
	for _, id := range []string{"first", "a", "b"} {
		testwait.Until(t, id+" is committed while the lock is held", func() bool {
			_, err := other.Signing().Transaction(t.Context(), "ws-1", id)
			return err == nil
		})
	}
	close(release)
	c.wg.Wait()
	if err := errors.Join(<-c.first, <-holder); err != nil {
		t.Error(err)
	}
	failed := 0
	for range 2 {
		if err := <-waits; err != nil {
			failed++ // the row is the other server's
		}
	}
	if failed != 1 {
		t.Errorf("%d failed", failed)
	}
	c.holds("first", "a", "b", "held")
}
