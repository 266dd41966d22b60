package store

import (
	"github.com/railkit/railkit/kit/signing"
	"github.com/railkit/railkit/kit/signing/activity"
	"github.com/railkit/railkit/kit/signing/broadcast"
	"github.com/railkit/railkit/kit/signing/ceremony"
	"github.com/railkit/railkit/kit/signing/change"
	"github.com/railkit/railkit/kit/signing/faucet"
	"github.com/railkit/railkit/kit/signing/passkey"
	"github.com/railkit/railkit/kit/signing/recovery"
	"github.com/railkit/railkit/kit/signing/rule"
	"github.com/railkit/railkit/kit/signing/transaction"
	"github.com/railkit/railkit/kit/signing/vote"
	"github.com/railkit/railkit/kit/signing/wallet"
)

// Signing is the store as the signing kit sees it: what it reads, and for each of its nouns a store that writes with the
// noun's own part of a transaction.
type Signing struct{ scope[signing.Tx] }

// Signing returns it.
func (s *Store) Signing() Signing {
	return Signing{scope[signing.Tx]{s, func(t *tx) signing.Tx { return t }}}
}

// noun is the store of one noun of the kit.
type noun[T any] struct {
	Signing
	scope[T]
}

func nounOf[T any](s Signing, narrow func(*tx) T) noun[T] {
	return noun[T]{s, scope[T]{s.Store, narrow}}
}

// Stores are those of all nouns.
func (s Signing) Stores() signing.Stores {
	return signing.Stores{
		Denials:      s,
		Links:        s,
		Activities:   nounOf(s, func(t *tx) activity.Tx { return t }),
		Passkeys:     nounOf(s, func(t *tx) passkey.Tx { return t }),
		Wallets:      nounOf(s, func(t *tx) wallet.Tx { return t }),
		Transactions: nounOf(s, func(t *tx) transaction.Tx { return t }),
		Broadcasts:   nounOf(s, func(t *tx) broadcast.Tx { return t }),
		Rules:        nounOf(s, func(t *tx) rule.Tx { return t }),
		Recoveries:   nounOf(s, func(t *tx) recovery.Tx { return t }),
		Changes:      nounOf(s, func(t *tx) change.Tx { return t }),
		Votes:        nounOf(s, func(t *tx) vote.Tx { return t }),
		Ceremonies:   nounOf(s, func(t *tx) ceremony.Tx { return t }),
		Faucet:       nounOf(s, func(t *tx) faucet.Tx { return t }),
	}
}
