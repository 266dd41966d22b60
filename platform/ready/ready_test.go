package ready

import (
	"context"
	"errors"
	"log/slog"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/railkit/railkit/fault"
	"github.com/railkit/railkit/internal/test/testlog"
)

// rig is a probe of a database and a signer that the test breaks.
type rig struct {
	*Probe
	log   testlog.Log
	asked atomic.Int32
	down  atomic.Bool // the database
	hangs atomic.Bool // the signer
}

func newRig() *rig {
	r := &rig{}
	r.Probe = New(slog.New(slog.NewJSONHandler(&r.log, nil)),
		Part{"database", func(context.Context) error {
			r.asked.Add(1)
			if r.down.Load() {
				return errors.New("no route to db7.internal")
			}
			return nil
		}},
		Part{"signer", func(ctx context.Context) error {
			if r.hangs.Load() {
				<-ctx.Done()
				return ctx.Err()
			}
			return nil
		}})
	return r
}

func (r *rig) want(t *testing.T, want ...string) {
	t.Helper()
	if got, err := r.Missing(t.Context()); err != nil || !slices.Equal(got, want) {
		t.Errorf("missing %q, %v; want %q", got, err, want)
	}
}

func TestPlatform_ReadyByName(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig()
		r.want(t)
		r.down.Store(true)
		r.want(t) // of the same second
		time.Sleep(Fresh)
		r.want(t, "database")
		r.hangs.Store(true)
		time.Sleep(Fresh)
		began := time.Now()
		r.want(t, "database", "signer")
		if waited := time.Since(began); waited != Patience {
			t.Errorf("a part that hangs held the answer up for %v", waited)
		}
		err := r.Err(t.Context())
		if f, ok := fault.As(err); !ok || !errors.Is(err, ErrNotReady) || f.Message != "Not ready: database, signer" ||
			strings.Contains(err.Error(), "db7") {
			t.Errorf("the answer is %v", err)
		}
		r.down.Store(false)
		r.hangs.Store(false)
		time.Sleep(Fresh)
		r.want(t)
		if err := r.Err(t.Context()); err != nil {
			t.Error(err)
		}
		if n := strings.Count(r.log.String(), "\n"); n != 3 || !strings.Contains(r.log.String(), "db7.internal") ||
			!strings.Contains(r.log.String(), "ready again") {
			t.Errorf("the log:\n%s", &r.log)
		}
	})
}

// However many ask, the parts are asked once a second, and whoever hangs up is let go.
func TestPlatform_ReadyIsCheap(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig()
		r.hangs.Store(true)
		gone, hangUp := context.WithCancel(t.Context())
		hangUp()
		var wg sync.WaitGroup
		for range 100 {
			wg.Go(func() { r.want(t, "signer") })
		}
		if _, err := r.Missing(gone); !errors.Is(err, context.Canceled) {
			t.Errorf("who hung up: %v", err)
		}
		wg.Wait()
		r.want(t, "signer")
		if n := r.asked.Load(); n != 1 {
			t.Errorf("the database was asked %d times", n)
		}
	})
}
