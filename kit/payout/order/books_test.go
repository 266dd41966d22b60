package order_test

import (
	"fmt"
	"maps"

	"github.com/railkit/railkit/kit/payout/ledger"
	"github.com/railkit/railkit/kit/payout/order"
	"github.com/railkit/railkit/money"
)

type sums map[ledger.Account]map[money.Currency]int64

func (s sums) add(all []ledger.Entry, sign int64) {
	for _, e := range all {
		if s[e.Account] == nil {
			s[e.Account] = map[money.Currency]int64{}
		}
		s[e.Account][e.Amount.Currency] += sign * e.Amount.Minor
	}
}

// zero tells in which currency the accounts do not sum to zero, if in any.
func (s sums) zero() error {
	total := map[money.Currency]int64{}
	for _, of := range s {
		for c, n := range of {
			total[c] += n
		}
	}
	for c, n := range total {
		if n != 0 {
			return fmt.Errorf("the accounts sum to %d %s", n, c)
		}
	}
	return nil
}

// books is the ledger as a database would keep it, for one workspace.
type books struct {
	posted, pending sums
	states          map[string]ledger.State
	digests         map[string]string
	guarded         map[ledger.Delta]ledger.Delta // by account and currency alone
}

func newBooks() *books {
	return &books{sums{}, sums{}, map[string]ledger.State{}, map[string]string{}, map[ledger.Delta]ledger.Delta{}}
}

func (b *books) of(a ledger.Account, c money.Currency) int64 { return b.posted[a][c] }

// open is how many transactions are pending.
func (b *books) open() (n int) {
	for _, s := range b.states {
		if s == ledger.Pending {
			n++
		}
	}
	return n
}

// take books a change, all of it or nothing.
func (b *books) take(c order.Change) error {
	states := maps.Clone(b.states)
	for _, op := range c.Ledger {
		if err := op.Check(); err != nil {
			return err
		}
		was, known := states[op.Ref]
		if op.Settles() != (was == ledger.Pending) ||
			!op.Settles() && known || op.Settles() && b.digests[op.Ref] != op.Digest() && b.digests[op.Ref] != "" {
			return fmt.Errorf("%s %s: %w", op.Do, op.Ref, ledger.ErrState)
		}
		states[op.Ref] = op.State()
	}
	if err := b.guard(c.Ledger); err != nil {
		return err
	}
	b.states = states
	for _, op := range c.Ledger {
		b.digests[op.Ref] = op.Digest()
		b.run(op)
	}
	return nil
}

func (b *books) run(op ledger.Op) {
	switch op.Do {
	case ledger.Pend:
		b.pending.add(op.Entries, 1)
	case ledger.Void:
		b.pending.add(op.Entries, -1)
	case ledger.Post:
		b.pending.add(op.Entries, -1)
		b.posted.add(op.Entries, 1)
	case ledger.Record:
		b.posted.add(op.Entries, 1)
	}
}

func (b *books) guard(ops []ledger.Op) error {
	deltas, err := ledger.Deltas(ops)
	if err != nil {
		return err
	}
	after := maps.Clone(b.guarded)
	for _, d := range deltas {
		k := ledger.Delta{Account: d.Account, Currency: d.Currency}
		now := after[k]
		now.Posted += d.Posted
		now.PendingIn += d.PendingIn
		now.PendingOut += d.PendingOut
		if now.Posted < now.PendingOut || now.PendingIn < 0 || now.PendingOut < 0 {
			return fmt.Errorf("%s: %w", d.Account, ledger.ErrShort)
		}
		after[k] = now
	}
	b.guarded = after
	return nil
}
