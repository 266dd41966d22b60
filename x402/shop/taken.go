package shop

import (
	"cmp"
	"crypto/rand"
	"sync"
	"time"

	"github.com/railkit/railkit/clock"
	"github.com/railkit/railkit/x402"
)

// keptFor is how long a payment is remembered after its end was decided. Until then the chain has long used up its
// nonce, and the facilitator says so.
const keptFor = time.Hour

// taken are the payments that a shop is busy with or has sold for, by what they move.
type taken struct {
	clock clock.Clock

	mu  sync.Mutex
	all map[string]entry
}

type entry struct {
	sold    bool      // for good
	busy    bool      // a request is at work with it
	unknown bool      // handed in for settlement, with no word of its end
	sale    string    // what the facilitator knows it by, of unknown
	by      string    // method and URL, of unknown
	until   time.Time // forgotten then, of sold and unknown
}

func newTaken(c clock.Clock) *taken { return &taken{clock: c, all: map[string]entry{}} }

// claim is a request's hold on a payment.
type claim struct {
	all      *taken
	id       string
	by, sale string
	verified bool // it was before, and handed in for settlement: only the settlement is asked for again
	settled  bool // done or unknown: release changes nothing
}

// claim takes a payment for a request. It is refused while another request is at work with it, once it was sold for,
// and for another request than the one whose settlement has no known end.
func (t *taken) claim(p x402.Payload, by string) (*claim, bool) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.sweep()
	id := p.ID()
	e, found := t.all[id]
	if found && (e.sold || e.busy || e.by != by) {
		return nil, false
	}
	e.busy, e.by = true, by
	t.all[id] = e
	return &claim{all: t, id: id, by: by, sale: cmp.Or(e.sale, rand.Text()), verified: e.unknown}, true
}

// sweep forgets what is over. A shop sells less in an hour than it could not walk through.
func (t *taken) sweep() {
	now := t.clock.Now()
	for id, e := range t.all {
		if !e.busy && now.After(e.until) {
			delete(t.all, id)
		}
	}
}

func (c *claim) set(e entry) {
	c.all.mu.Lock()
	defer c.all.mu.Unlock()
	c.settled = true
	e.until = c.all.clock.Now().Add(keptFor)
	c.all.all[c.id] = e
}

// done keeps the payment: it was sold for.
func (c *claim) done() { c.set(entry{sold: true}) }

// unknown lets the same request come again, and no other: its money may have moved.
func (c *claim) unknown() { c.set(entry{unknown: true, by: c.by, sale: c.sale}) }

// release gives the payment back as it was before the claim, unless done or unknown have decided.
func (c *claim) release() {
	if c.settled {
		return
	}
	if c.verified {
		c.unknown()
		return
	}
	c.all.mu.Lock()
	defer c.all.mu.Unlock()
	delete(c.all.all, c.id)
}
