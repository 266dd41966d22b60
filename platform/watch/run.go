package watch

import (
	"context"
	"errors"
	"io"
	"log/slog"
	"math/rand/v2"
	"sync"
	"time"

	"github.com/railkit/railkit/clock"
)

const (
	// lookBack is how many blocks the watcher reads again for a new address, and how many hashes it keeps beyond the
	// confirmations of a network.
	lookBack = 128
	// mostBlocks is how many blocks the range of one step has at most.
	mostBlocks   = 1024
	fewTransfers = 2000 // after a range with fewer, the next one is twice as long
	// mostWait is the longest pause after failures.
	mostWait = 10 * time.Second
	// patience is how many steps in a row may fail because the node is a little behind or its chain moves, before
	// the watcher logs that.
	patience = 20
)

// Config sets a Watcher.
type Config struct {
	Store    Store
	Networks []Network
	Nodes    map[string]Node  // by slug; the watcher does not follow a network without one
	From     map[string]int64 // by slug: the block of --watch-from; most have none
	Sink     Sink             // may be nil
	Clock    clock.Clock
	Log      *slog.Logger
	Every    time.Duration // between two looks at a chain; default 1 s
}

// Watcher follows chains.
type Watcher struct {
	chains []*follower
	every  time.Duration
}

// New makes a Watcher of the networks that have a node.
func New(c Config) *Watcher {
	if c.Log == nil {
		c.Log = slog.New(slog.NewTextHandler(io.Discard, nil))
	}
	if c.Every <= 0 {
		c.Every = time.Second
	}
	w := &Watcher{every: c.Every}
	for _, n := range c.Networks {
		if node := c.Nodes[n.Slug]; node != nil && len(n.Tokens) > 0 {
			w.chains = append(w.chains, newFollower(c, n, node))
		}
	}
	return w
}

// Run follows every chain until the context ends.
func (w *Watcher) Run(ctx context.Context) {
	var all sync.WaitGroup
	for _, c := range w.chains {
		all.Go(func() { c.run(ctx, w.every) })
	}
	all.Wait()
}

// Step takes one step of a chain, and reports whether there is more to read. Callers use it instead of Run to set
// their own pace.
func (w *Watcher) Step(ctx context.Context, slug string) (more bool, err error) {
	for _, c := range w.chains {
		if c.network.Slug == slug {
			return c.step(ctx)
		}
	}
	return false, errors.New("watch: no such chain")
}

// follower follows one chain.
type follower struct {
	network Network
	node    Node
	store   Store
	sink    Sink
	clock   clock.Clock
	log     *slog.Logger
	tokens  map[string]Token // by address
	listed  []string         // their keys
	window  int64            // how many numbers below the newest read block keep their hashes
	from    int64            // the first block to read again; 0: none, or done
	span    int64            // the length of the next range

	failing  string // the failure that was logged and is not over; empty: none
	restless int    // steps in a row with errMoved or errBehind

	mu       sync.Mutex // guards progress
	progress Progress
}

func newFollower(c Config, n Network, node Node) *follower {
	f := &follower{
		network: n, node: node, store: c.Store, sink: c.Sink, clock: c.Clock, log: c.Log.With("network", n.Slug),
		tokens: map[string]Token{}, window: n.Confirmations + lookBack, from: c.From[n.Slug], span: 64,
		progress: Progress{Slug: n.Slug, ReadAt: c.Clock.Now()}, // else a chain that is never read would look new
	}
	for _, t := range n.Tokens {
		f.tokens[t.Address] = t
		f.listed = append(f.listed, t.Address)
	}
	return f
}

// run takes steps until the context ends: at once if there is more to read, else after a pause, which grows while the
// node fails.
func (f *follower) run(ctx context.Context, every time.Duration) {
	wait := every
	for {
		more, err := f.step(ctx)
		if ctx.Err() != nil {
			return
		}
		f.logHealth(err)
		switch {
		case f.failing != "":
			wait = min(2*wait, max(mostWait, every))
		case more:
			wait = 0
		default:
			wait = every
		}
		select {
		case <-ctx.Done():
			return
		case <-time.After(wait - wait/10 + rand.N(wait/5+1)): // so servers of one database do not ask all at once
		}
		wait = max(wait, every)
	}
}

// logHealth logs a failure when it begins and when it ends. It does not log a node that is a block behind for a
// moment, since all nodes are at times.
func (f *follower) logHealth(err error) {
	if errors.Is(err, errMoved) || errors.Is(err, errBehind) {
		if f.restless++; f.restless < patience {
			return
		}
	} else {
		f.restless = 0
	}
	f.noteStep(err)
	switch {
	case err == nil || errors.Is(err, ErrStale):
		if f.failing != "" {
			f.failing = ""
			f.log.Info("deposits are watched again")
		}
	case err.Error() != f.failing:
		f.failing = err.Error()
		f.log.Error("deposits are not watched: what arrives is found later", "error", err)
	}
}
