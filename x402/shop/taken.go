package shop

import (
	"cmp"
	"context"
	"crypto/rand"
	"crypto/sha256"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"sync"
	"time"

	"github.com/railkit/railkit/clock"
)

// keptFor is how long a payment is remembered after its end was decided. Until then the chain has long used up its
// nonce, and the facilitator says so.
const keptFor = time.Hour

// How long the answer to a payment is kept for the buyer who did not get it, how much of answers is kept in all, and
// how long a second request waits for the first one with the same payment.
const (
	answersFor = 5 * time.Minute
	maxAnswers = 64 << 20
	waitsFor   = 30 * time.Second
)

// taken are the payments that a shop is busy with or has sold for, by what they move.
type taken struct {
	clock clock.Clock

	mu   sync.Mutex
	all  map[string]entry
	kept int // bytes of answers
}

type entry struct {
	sold    bool          // for good
	busy    chan struct{} // a request is at work with it, until this is closed; nil: none is
	unknown bool          // handed in for settlement, with no word of its end
	sale    string        // what the facilitator knows it by, of unknown
	by      string        // method and URL
	mark    [32]byte      // of the request that was sold
	answer  *buffer       // of sold: what went out; nil: it is kept no more
	at      time.Time     // of answer
	until   time.Time     // forgotten then, of sold and unknown
}

func newTaken(c clock.Clock) *taken { return &taken{clock: c, all: map[string]entry{}} }

// claim is a request's hold on a payment.
type claim struct {
	all      *taken
	id       string
	sale     string
	request  request
	ended    chan struct{}
	verified bool // it was before, and handed in for settlement: only the settlement is asked for again
	settled  bool // done or unknown: release changes nothing
}

// request is a call with a payment.
type request struct {
	by   string   // method and URL
	mark [32]byte // the same of calls that are the same
	// again says that the answer may be given again to a call with the same mark.
	again bool
}

// onTheWay are headers that say how a call came, and not what it asks for.
var onTheWay = []string{
	"Connection", "Forwarded", "Traceparent", "Tracestate", "Via", "X-Forwarded-For", "X-Real-Ip", "X-Request-Id",
}

// requestOf marks a call by its headers, of which one has the payment. A payment can be read on the chain once it is
// settled, so its copy shows nothing of the buyer: an answer is given again to who shows all that the first call did,
// such as credentials. What a body asked for is not given again.
func requestOf(r *http.Request, url string) request {
	hash := sha256.New()
	for _, name := range slices.Sorted(maps.Keys(r.Header)) {
		if !slices.Contains(onTheWay, name) {
			fmt.Fprintf(hash, "%q", append([]string{name}, r.Header[name]...))
		}
	}
	return request{r.Method + " " + url, [32]byte(hash.Sum(nil)), r.ContentLength == 0}
}

// claim takes a payment for a request. The same request that comes again while the first is at work waits for it, and
// gets the answer that was sold. Neither: another request is at work with the payment, or it was sold for another one,
// or too long ago, or this is another request than the one whose settlement has no known end.
func (t *taken) claim(ctx context.Context, id string, r request) (held *claim, sold *buffer) {
	ctx, cancel := context.WithTimeout(ctx, waitsFor)
	defer cancel()
	for {
		held, sold, busy := t.try(id, r)
		if busy == nil {
			return held, sold
		}
		select {
		case <-busy:
		case <-ctx.Done():
			return nil, nil
		}
	}
}

// try gives what a claim ends with now, or what it waits for.
func (t *taken) try(id string, r request) (held *claim, sold *buffer, busy <-chan struct{}) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.sweep()
	e, found := t.all[id]
	switch {
	case found && e.sold && r.again && e.by == r.by && e.mark == r.mark:
		return nil, e.answer, nil
	case found && (e.sold || e.by != r.by), e.busy != nil && !r.again:
		return nil, nil, nil
	case e.busy != nil:
		return nil, nil, e.busy
	}
	e.busy, e.by = make(chan struct{}), r.by
	t.all[id] = e
	return &claim{
		all: t, id: id, request: r, ended: e.busy, sale: cmp.Or(e.sale, rand.Text()), verified: e.unknown,
	}, nil, nil
}

// sweep forgets what is over. A shop sells less in an hour than it could not walk through.
func (t *taken) sweep() {
	now := t.clock.Now()
	for id, e := range t.all {
		if e.answer != nil && now.Sub(e.at) > answersFor {
			t.drop(id)
		}
		if e.busy == nil && now.After(e.until) {
			delete(t.all, id)
		}
	}
}

// drop forgets an answer. Under the lock.
func (t *taken) drop(id string) {
	if e := t.all[id]; e.answer != nil {
		t.kept -= e.answer.body.Len()
		e.answer = nil
		t.all[id] = e
	}
}

// makeRoom forgets the oldest answers. Under the lock.
func (t *taken) makeRoom() {
	for t.kept > maxAnswers {
		oldest := ""
		for id, e := range t.all {
			if e.answer != nil && (oldest == "" || e.at.Before(t.all[oldest].at)) {
				oldest = id
			}
		}
		t.drop(oldest)
	}
}

func (c *claim) set(e entry) {
	c.all.mu.Lock()
	defer c.all.mu.Unlock()
	c.settled = true
	e.by, e.until = c.request.by, c.all.clock.Now().Add(keptFor)
	c.all.all[c.id] = e
	if e.answer != nil {
		c.all.kept += e.answer.body.Len()
		c.all.makeRoom()
	}
	close(c.ended)
}

// done keeps the payment, and for a while what was sold for it.
func (c *claim) done(answer *buffer) {
	if !c.request.again {
		answer = nil
	}
	c.set(entry{sold: true, mark: c.request.mark, answer: answer, at: c.all.clock.Now()})
}

// unknown lets the same request come again, and no other: its money may have moved.
func (c *claim) unknown() { c.set(entry{unknown: true, sale: c.sale}) }

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
	close(c.ended)
}
