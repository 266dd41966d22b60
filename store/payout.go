package store

import (
	"github.com/railkit/railkit/kit/payout"
	"github.com/railkit/railkit/kit/payout/account"
	"github.com/railkit/railkit/kit/payout/alert"
	"github.com/railkit/railkit/kit/payout/arrival"
	"github.com/railkit/railkit/kit/payout/customer"
	"github.com/railkit/railkit/kit/payout/invite"
	"github.com/railkit/railkit/kit/payout/notice"
	"github.com/railkit/railkit/kit/payout/operator"
	"github.com/railkit/railkit/kit/payout/orders"
	"github.com/railkit/railkit/kit/payout/payment"
	"github.com/railkit/railkit/kit/payout/quote"
	"github.com/railkit/railkit/kit/payout/recipient"
	"github.com/railkit/railkit/kit/payout/reconcile"
	"github.com/railkit/railkit/kit/payout/sandbox"
	"github.com/railkit/railkit/kit/payout/transfer"
	"github.com/railkit/railkit/kit/payout/virtual"
	"github.com/railkit/railkit/kit/payout/withdraw"
)

// Payout is the store as the payout kit sees it: it hands out the store of each noun.
// By itself it has the reads and writes of all of them, for whoever changes several
// nouns in one transaction.
type Payout struct{ payoutNoun[PayoutTx] }

// payoutNoun is the store of one noun of the kit, which writes with Tx. It has the
// reads of all nouns; the noun's own interface says which of them are its.
type payoutNoun[Tx any] struct {
	scope[Tx]
	payoutReads
}

// payoutReads reads for the kit. It sees committed rows only.
type payoutReads struct {
	recipientReads
	accountReads
	alertReads
	addressReads
	arrivalReads
	orderReads
	quoteReads
	inviteReads
	noticeReads
	booksReads
}

type (
	recipientReads struct{ *Store }
	accountReads   struct{ *Store }
	alertReads     struct{ *Store }
	addressReads   struct{ *Store }
	arrivalReads   struct{ *Store }
	orderReads     struct{ *Store }
	quoteReads     struct{ *Store }
	inviteReads    struct{ *Store }
	noticeReads    struct{ *Store }
	booksReads     struct{ *Store }
)

// PayoutTx is the writing half of a transaction as the payout kit sees it.
type PayoutTx struct {
	*tx
	recipientTx
	accountTx
	alertTx
	addressTx
	arrivalTx
	orderTx
	quoteTx
	inviteTx
	noticeTx
}

type (
	recipientTx struct{ *tx }
	accountTx   struct{ *tx }
	alertTx     struct{ *tx }
	addressTx   struct{ *tx }
	arrivalTx   struct{ *tx }
	orderTx     struct{ *tx }
	quoteTx     struct{ *tx }
	inviteTx    struct{ *tx }
	noticeTx    struct{ *tx }
)

// Payout returns it.
func (s *Store) Payout() Payout {
	return Payout{payoutNounOf(s, func(t PayoutTx) PayoutTx { return t })}
}

var _ payout.Store = Payout{}

func payoutNounOf[Tx any](s *Store, narrow func(PayoutTx) Tx) payoutNoun[Tx] {
	return payoutNoun[Tx]{scope[Tx]{s, func(t *tx) Tx { return narrow(payoutTxOf(t)) }}, payoutReads{
		recipientReads{s},
		accountReads{s},
		alertReads{s},
		addressReads{s},
		arrivalReads{s},
		orderReads{s},
		quoteReads{s},
		inviteReads{s},
		noticeReads{s},
		booksReads{s},
	}}
}

func payoutTxOf(t *tx) PayoutTx {
	return PayoutTx{
		t, recipientTx{t}, accountTx{t}, alertTx{t}, addressTx{t}, arrivalTx{t}, orderTx{t}, quoteTx{t}, inviteTx{t}, noticeTx{t},
	}
}

// Customers is the store of workspaces as customers of the partner.
func (s Payout) Customers() customer.Store {
	return payoutNounOf(s.Store, func(t PayoutTx) customer.Tx { return t })
}

// Recipients is the store of recipients.
func (s Payout) Recipients() recipient.Store {
	return payoutNounOf(s.Store, func(t PayoutTx) recipient.Tx { return t })
}

// Alerts is the store of alerts and their mails.
func (s Payout) Alerts() alert.Store {
	return payoutNounOf(s.Store, func(t PayoutTx) alert.Tx { return t })
}

// Accounts is the store of bank accounts.
func (s Payout) Accounts() account.Store {
	return payoutNounOf(s.Store, func(t PayoutTx) account.Tx { return t })
}

// Addresses is the store of withdrawal addresses.
func (s Payout) Addresses() withdraw.Store {
	return payoutNounOf(s.Store, func(t PayoutTx) withdraw.Tx { return t })
}

// Virtuals is the store of virtual accounts.
func (s Payout) Virtuals() virtual.Store {
	return payoutNounOf(s.Store, func(t PayoutTx) virtual.Tx { return t })
}

// Orders is the store of orders.
func (s Payout) Orders() orders.Store {
	return payoutNounOf(s.Store, func(t PayoutTx) orders.Tx { return t })
}

// Arrivals is the store of what arrives at withdrawal addresses.
func (s Payout) Arrivals() arrival.Store {
	return payoutNounOf(s.Store, func(t PayoutTx) arrival.Tx { return t })
}

// Quotes is the store of quotes.
func (s Payout) Quotes() quote.Store {
	return payoutNounOf(s.Store, func(t PayoutTx) quote.Tx { return t })
}

// Transfers is the store of transfers at the partner.
func (s Payout) Transfers() transfer.Store {
	return payoutNounOf(s.Store, func(t PayoutTx) transfer.Tx { return t })
}

// Payments is the store of payments.
func (s Payout) Payments() payment.Store {
	return payoutNounOf(s.Store, func(t PayoutTx) payment.Tx { return t })
}

// Operator is the store of an operator's decisions.
func (s Payout) Operator() operator.Store {
	return payoutNounOf(s.Store, func(t PayoutTx) operator.Tx { return t })
}

// Invites is the store of invites.
func (s Payout) Invites() invite.Store {
	return payoutNounOf(s.Store, func(t PayoutTx) invite.Tx { return t })
}

// Notices is the store of the partner's notices.
func (s Payout) Notices() notice.Store {
	return payoutNounOf(s.Store, func(t PayoutTx) notice.Tx { return t })
}

// Sandbox is the store of the sandbox.
func (s Payout) Sandbox() sandbox.Store {
	return payoutNounOf(s.Store, func(t PayoutTx) sandbox.Tx { return t })
}

// Books is what checks of the books read.
func (s Payout) Books() reconcile.BookStore { return s.booksReads }

// Matches is what the comparison with the partner reads.
func (s Payout) Matches() reconcile.MatchStore { return s.payoutNoun }
