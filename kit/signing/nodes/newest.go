package nodes

import (
	"context"
	"crypto/sha256"
	"fmt"
	"sync"
	"time"

	"golang.org/x/sync/singleflight"

	"github.com/railkit/railkit/chain/families"
	"github.com/railkit/railkit/chain/node"
)

const (
	// newestFor is for how long a block is taken for the newest one after a node was asked for it. What a block of that
	// age has changed is not known before.
	newestFor = 200 * time.Millisecond
	// mostAddresses and mostCalls bound what is kept of one block: one more takes the place of another.
	mostAddresses = 4096
	mostCalls     = 64 // of an address
)

// newest keeps what a node said as of its newest block: nonce, balances and fee by address, and the gas that a call
// takes. An answer belongs to the block that the node named beside it, and is gone with that block: when the node names
// another one, be it higher, lower, or another one in its place. Whoever needs it asks which block is the newest,
// unless that was asked a moment ago. A node that is asked nothing costs nothing.
//
// What is kept may say yes and never no: see Set.Preflight. The most that a yes can do is a signature whose
// transaction fails or waits, which a block that comes right after the answer does as well: the enclave counts the
// nonces, and the fee and amount are stamped.
type newest struct {
	node   Numbered
	asking singleflight.Group

	mu    sync.Mutex
	block string    // its hash
	asked time.Time // when the node was asked which is the newest, and said this one
	sends uint64    // grows with each transaction that this server gave the node
	of    map[string]*account
}

// account is what was said of an address.
type account struct {
	facts map[string]node.Preflight // by the token that was asked about
	gas   map[[sha256.Size]byte]uint64
}

// question is a flight by what its answer is kept under.
type question struct {
	node.Flight
	from string
	call [sha256.Size]byte
}

func ask(f node.Flight) question {
	q := question{Flight: f, from: families.Lookup(f.From)}
	value := "0"
	if f.Value != nil {
		value = f.Value.String()
	}
	q.call = sha256.Sum256(fmt.Appendf(nil, "%s %s %x", families.Lookup(f.To), value, f.Data))
	return q
}

// preflight gives what is kept of the newest block, or asks. Callers with the same question at the same time share one
// answer, which is then said to be kept: it may have been on its way before they came.
func (l *newest) preflight(ctx context.Context, f node.Flight) (p node.Preflight, kept bool, err error) {
	q := ask(f)
	p, kept, fresh := l.known(q)
	if kept && !fresh {
		if _, _, err := together(ctx, &l.asking, "newest", l.look); err == nil {
			p, kept, fresh = l.known(q)
		}
	}
	if kept && fresh {
		return p, true, nil
	}
	return together(ctx, &l.asking, l.key(q), func(ctx context.Context) (node.Preflight, error) {
		return l.anew(ctx, q)
	})
}

// known is what is kept for a question, and whether its block was the newest one a moment ago.
func (l *newest) known(q question) (p node.Preflight, kept, fresh bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	a := l.of[q.from]
	if a == nil {
		return p, false, false
	}
	if p, kept = a.facts[q.Token]; kept && q.Estimate {
		p.Gas, kept = a.gas[q.call]
	}
	return p, kept, time.Since(l.asked) < newestFor
}

// key names a question. What was asked before this server sent something is no answer to what is asked after it.
func (l *newest) key(q question) string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return fmt.Sprintf("%d %s %x %s %t", l.sends, q.from, q.call, q.Token, q.Estimate)
}

// look asks which block is the newest.
func (l *newest) look(ctx context.Context) (node.Header, error) {
	began := time.Now()
	h, err := l.node.Latest(ctx)
	if err == nil {
		l.mu.Lock()
		defer l.mu.Unlock()
		l.note(h.Hash, began)
	}
	return h, err
}

// anew asks for everything, and keeps it under the block that the answer names, if no later answer names another one.
// The node is asked for the block first, so that the rest is of it or of a newer one. Where a node reads them in
// another order, and a block comes in between, the rest may be of the one before: nobody is refused by it.
func (l *newest) anew(ctx context.Context, q question) (node.Preflight, error) {
	l.mu.Lock()
	began, sends := time.Now(), l.sends
	l.mu.Unlock()
	p, err := l.node.Preflight(ctx, q.Flight)
	if err != nil || p.Block == "" {
		return p, err
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.note(p.Block, began); p.Block == l.block && sends == l.sends {
		l.keep(q, p)
	}
	return p, nil
}

// note takes a block for the newest one, unless a question that was put later has named another.
func (l *newest) note(block string, began time.Time) {
	if began.Before(l.asked) {
		return
	}
	if l.asked = began; block != l.block {
		l.block, l.of = block, map[string]*account{}
	}
}

func (l *newest) keep(q question, p node.Preflight) {
	a := l.of[q.from]
	if a == nil {
		a = &account{facts: map[string]node.Preflight{}, gas: map[[sha256.Size]byte]uint64{}}
		room(l.of, mostAddresses)
		l.of[q.from] = a
	}
	if q.Estimate && p.GasError == nil {
		room(a.gas, mostCalls)
		a.gas[q.call] = p.Gas
	}
	p.Gas, p.GasError = 0, nil
	a.facts[q.Token] = p
}

// room takes one entry out of a map that is full.
func room[K comparable, V any](of map[K]V, most int) {
	for k := range of {
		if len(of) < most {
			return
		}
		delete(of, k)
	}
}

// forget drops what is kept of an address, whose transaction was just given to the node.
func (l *newest) forget(address string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.sends++
	delete(l.of, families.Lookup(address))
}

// together asks for all who have the same question now. It goes on where the first of them goes away.
func together[T any](
	ctx context.Context, g *singleflight.Group, key string, ask func(context.Context) (T, error),
) (answer T, shared bool, err error) {
	told := g.DoChan(key, func() (any, error) {
		ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), AskTimeout)
		defer cancel()
		return ask(ctx)
	})
	select {
	case <-ctx.Done():
		return answer, false, ctx.Err()
	case t := <-told:
		return t.Val.(T), t.Shared, t.Err
	}
}
