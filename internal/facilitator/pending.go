package facilitator

import (
	"cmp"
	"context"
	"slices"
	"sync"
	"time"

	"github.com/railkit/railkit/clock"
	"github.com/railkit/railkit/x402"
)

// pending are an account's settlements without a receipt. The lock is over the list, and over the bytes and the hash
// of what is in it.
type pending struct {
	mu   sync.Mutex
	open []*settlement
}

// waiting is a copy of what is open.
func (p *pending) waiting() []*settlement {
	p.mu.Lock()
	defer p.mu.Unlock()
	return slices.Clone(p.open)
}

// underWay is the open settlement of a payment, or nil.
func (p *pending) underWay(id string) *settlement {
	p.mu.Lock()
	defer p.mu.Unlock()
	i := slices.IndexFunc(p.open, func(s *settlement) bool { return s.id == id })
	if i < 0 {
		return nil
	}
	return p.open[i]
}

func (p *pending) hashOf(s *settlement) string {
	p.mu.Lock()
	defer p.mu.Unlock()
	return s.hash
}

// there is the settlement of a payment, if there is one. Of other terms it is a second settlement of one payment, and
// so is one of a payment whose success was told, though no row is left of its settlement.
func (p *pending) there(
	ctx context.Context, j *journal, id, terms string, duplicate func(hash string) x402.Receipt,
) (*settlement, error) {
	s, err := j.known(ctx, id, p.underWay)
	switch {
	case err != nil || s.of(terms) != nil:
		return s, err
	case s != nil:
		return nil, refusal(duplicate(p.hashOf(s)))
	}
	told, err := j.wasTold(ctx, id)
	if told || err != nil {
		return nil, cmp.Or(err, error(refusal(duplicate(""))))
	}
	return nil, nil
}

// begin writes a settlement down and puts it on the list, under one lock: a row of the journal without a receipt is on
// the list whenever somebody looks for it (journal.known).
func (p *pending) begin(ctx context.Context, j *journal, s *settlement) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	if err := j.begin(ctx, s); err != nil {
		return err
	}
	p.open = append(p.open, s)
	return nil
}

// signed notes the bytes that the signer has made of one.
func (p *pending) signed(s *settlement, raw []byte, hash string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	s.raw, s.hash = raw, hash
}

// remove takes a settlement off the list. Under the lock.
func (p *pending) remove(s *settlement) {
	p.open = slices.DeleteFunc(p.open, func(o *settlement) bool { return o == s })
}

// queue is what waits on a network, and since when the oldest does.
func (p *pending) queue(network string) (q Queue, since time.Time) {
	p.mu.Lock()
	defer p.mu.Unlock()
	q.Network = network
	for _, s := range p.open {
		if s.network() != network {
			continue
		}
		if s.hash == "" {
			q.Unsigned++
		} else {
			q.Unmined++
		}
		if since.IsZero() || s.at.Before(since) {
			since, q.Nonce, q.Transaction = s.at, s.nonce, s.hash
		}
	}
	q.Since = clock.ISO(since)
	return q, since
}
