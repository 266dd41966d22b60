package store

import (
	"github.com/railkit/railkit/kit/payout"
	"github.com/railkit/railkit/kit/payout/work"
)

// Payout is the store as the payout kit sees it.
type Payout struct{ scope[payout.Tx] }

// Payout returns it.
func (s *Store) Payout() Payout {
	return Payout{scope[payout.Tx]{s, func(t *tx) payout.Tx { return payoutTx{t} }}}
}

var (
	_ payout.Store     = Payout{}
	_ payout.BookStore = Payout{}
)

// payoutTx is the writing half of a transaction as the payout kit sees it.
type payoutTx struct{ *tx }

// swapped is the answer to a compare-and-swap of the kit's.
func swapped(what string, n int64, err error) error {
	if err == nil && n == 0 {
		return work.ErrStale
	}
	return doing(what, err)
}
