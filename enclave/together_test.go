package enclave

import (
	"os"
	"sync"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/railkit/railkit/enclave/journal"
	"github.com/railkit/railkit/enclave/wire"
	"github.com/railkit/railkit/fault"
	"github.com/railkit/railkit/internal/test/testwait"
)

// gate is a disk whose first sync, once armed, waits until it is opened.
type gate struct {
	mu      sync.Mutex
	armed   bool
	syncs   int           // since it was armed
	entered chan struct{} // closed by the first
	open    chan struct{}
	err     error // of the second
}

func (g *gate) sync(f *os.File) error {
	g.mu.Lock()
	if g.armed {
		g.syncs++
	}
	n := g.syncs
	g.mu.Unlock()
	switch n {
	case 1:
		close(g.entered)
		<-g.open
	case 2:
		if g.err != nil {
			return g.err
		}
	}
	return f.Sync()
}

func (g *gate) arm() {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.armed = true
}

// together has the first of the bodies wait for its sync, and the others for the one after it. It gives what each got,
// in order, after all were answered.
func together(t *testing.T, w *world, g *gate, all []wire.SubmitRequest) ([]wire.OutcomeReply, []error) {
	t.Helper()
	outs, errs := make([]wire.OutcomeReply, len(all)), make([]error, len(all))
	var answered sync.WaitGroup
	submit := func(i int) { answered.Go(func() { outs[i], errs[i] = w.Submit(all[i]) }) }
	before := w.journal.Position().Seq
	g.arm()
	submit(0)
	<-g.entered
	for i := range all[1:] {
		submit(i + 1)
	}
	testwait.Until(t, "all are in the journal", func() bool {
		return w.journal.Position().Seq == before+uint64(len(all))
	})
	if p := w.journal.Durable().Seq; p != before {
		t.Errorf("entry %d is told of before its sync", p)
	}
	close(g.open)
	answered.Wait()
	return outs, errs
}

func gated(t *testing.T, err error) (*world, *gate, []wire.SubmitRequest) {
	t.Helper()
	g := &gate{entered: make(chan struct{}), open: make(chan struct{}), err: err}
	w := newWorldWith(t, Options{disk: journal.Disk{Sync: g.sync}})
	alice := w.register("alice@example.com")
	return w, g, w.payments(alice, w.wallet(alice, "Main").Address, 9)
}

// Callers who come while a sync is under way share the next one.
func TestSigning_K05_OneSyncForManyCallers(t *testing.T) {
	w, g, all := gated(t, nil)
	outs, errs := together(t, w, g, all)
	for i, err := range errs {
		if err != nil || outs[i].State != wire.Done {
			t.Errorf("body %d: %s, %v", i, outs[i].State, err)
		}
	}
	if g.syncs != 2 {
		t.Errorf("%d syncs for %d callers, want 2", g.syncs, len(all))
	}
}

// A sync that fails is the end of the answer to each who shared it, and of the signer. After a restart each body has
// one outcome, whoever asks.
func TestSigning_K05_FailedSyncOfMany(t *testing.T) {
	w, g, all := gated(t, unix.EIO)
	outs, errs := together(t, w, g, all)
	for i, err := range errs[1:] {
		refused(t, "a member", err, fault.ErrUnavailable)
		if out := outs[i+1]; out.Proof != nil || out.State != "" {
			t.Errorf("a member is answered %+v", out)
		}
	}
	testwait.Until(t, "the signer stops", func() bool { return w.failure() != nil })
	_ = w.Close()
	w.opts.disk = journal.Disk{}
	w.open()
	for i, q := range all {
		first, err := w.Submit(q)
		if err != nil || first.State != wire.Done {
			t.Fatalf("body %d after a restart: %s, %v", i, first.State, err)
		}
		if outs[i].Proof != nil && *outs[i].Proof != *first.Proof {
			t.Errorf("body %d has two results", i)
		}
		if again, err := w.Submit(q); err != nil || *again.Proof != *first.Proof {
			t.Errorf("body %d again: %v", i, err)
		}
	}
}
