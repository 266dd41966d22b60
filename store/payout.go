package store

import (
	"github.com/railkit/railkit/kit/payout"
	"github.com/railkit/railkit/kit/payout/account"
	"github.com/railkit/railkit/kit/payout/alert"
	"github.com/railkit/railkit/kit/payout/customer"
	"github.com/railkit/railkit/kit/payout/notice"
	"github.com/railkit/railkit/kit/payout/recipient"
	"github.com/railkit/railkit/kit/payout/virtual"
	"github.com/railkit/railkit/kit/payout/withdraw"
	"github.com/railkit/railkit/kit/payout/work"
)

// Payout is the store as the payout kit sees it: it hands out the store of each noun.
// By itself it has the reads and writes of all of them, for whoever changes several
// nouns in one transaction.
type Payout struct{ payoutNoun[payout.Tx] }

// payoutNoun is the store of one noun of the kit, which writes with Tx. It has the
// reads of all nouns, which see committed rows only; the noun's own interface says
// which of them are its.
type payoutNoun[Tx any] struct{ scope[Tx] }

// payoutTx is the writing half of a transaction as the payout kit sees it.
type payoutTx struct{ *tx }

// Payout returns it.
func (s *Store) Payout() Payout {
	return Payout{payoutNounOf(s, func(t payoutTx) payout.Tx { return t })}
}

var (
	_ payout.Store     = Payout{}
	_ payout.BookStore = Payout{}
)

func payoutNounOf[Tx any](s *Store, narrow func(payoutTx) Tx) payoutNoun[Tx] {
	return payoutNoun[Tx]{scope[Tx]{s, func(t *tx) Tx { return narrow(payoutTx{t}) }}}
}

// Customers is the store of workspaces as customers of the partner.
func (s Payout) Customers() customer.Store {
	return payoutNounOf(s.Store, func(t payoutTx) customer.Tx { return t })
}

// Recipients is the store of recipients.
func (s Payout) Recipients() recipient.Store {
	return payoutNounOf(s.Store, func(t payoutTx) recipient.Tx { return t })
}

// Alerts is the store of alerts and their mails.
func (s Payout) Alerts() alert.Store {
	return payoutNounOf(s.Store, func(t payoutTx) alert.Tx { return t })
}

// Accounts is the store of bank accounts.
func (s Payout) Accounts() account.Store {
	return payoutNounOf(s.Store, func(t payoutTx) account.Tx { return t })
}

// Addresses is the store of withdrawal addresses.
func (s Payout) Addresses() withdraw.Store {
	return payoutNounOf(s.Store, func(t payoutTx) withdraw.Tx { return t })
}

// Virtuals is the store of virtual accounts.
func (s Payout) Virtuals() virtual.Store {
	return payoutNounOf(s.Store, func(t payoutTx) virtual.Tx { return t })
}

// Notices is the store of the partner's notices.
func (s Payout) Notices() notice.Store {
	return payoutNounOf(s.Store, func(t payoutTx) notice.Tx { return t })
}

// swapped is the answer to a compare-and-swap of the kit's.
func swapped(what string, n int64, err error) error {
	if err == nil && n == 0 {
		return work.ErrStale
	}
	return doing(what, err)
}
