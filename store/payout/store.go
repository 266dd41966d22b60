// Package payout keeps the rows of the payout kit: for each noun what it reads and what it writes, one file for each.
package payout

import (
	"github.com/railkit/railkit/kit/payout"
	"github.com/railkit/railkit/kit/payout/account"
	"github.com/railkit/railkit/kit/payout/alert"
	"github.com/railkit/railkit/kit/payout/arrival"
	"github.com/railkit/railkit/kit/payout/batch"
	"github.com/railkit/railkit/kit/payout/customer"
	"github.com/railkit/railkit/kit/payout/depositaccount"
	"github.com/railkit/railkit/kit/payout/invite"
	"github.com/railkit/railkit/kit/payout/notice"
	"github.com/railkit/railkit/kit/payout/operator"
	"github.com/railkit/railkit/kit/payout/orderview"
	"github.com/railkit/railkit/kit/payout/payin"
	"github.com/railkit/railkit/kit/payout/payment"
	"github.com/railkit/railkit/kit/payout/quote"
	"github.com/railkit/railkit/kit/payout/recipient"
	"github.com/railkit/railkit/kit/payout/reconcile"
	"github.com/railkit/railkit/kit/payout/sandbox"
	"github.com/railkit/railkit/kit/payout/transfer"
	"github.com/railkit/railkit/kit/payout/virtual"
	"github.com/railkit/railkit/kit/payout/withdraw"
	"github.com/railkit/railkit/store/internal/sqldb"
)

// Store is the database as the payout kit sees it: what all nouns read, and the transactions of all.
type Store struct{ noun[payout.Tx] }

// New makes it.
func New(d *sqldb.DB) Store {
	return Store{nounOf(d, func(t tx) payout.Tx { return t })}
}

var (
	_ reconcile.BookStore  = Store{}
	_ reconcile.MatchStore = Store{}
)

// noun is the store of one noun, which writes with Tx. It has the reads of all nouns; the noun's own interface says
// which of them are its.
type noun[Tx any] struct {
	reads
	sqldb.Writer[Tx]
}

func nounOf[Tx any](d *sqldb.DB, narrow func(tx) Tx) noun[Tx] {
	return noun[Tx]{
		reads{d, orderReads{d}, depositReads{d}},
		sqldb.WriterOf(d, func(t *sqldb.Tx) Tx { return narrow(tx{t, &orderTx{Tx: t}, &depositTx{t}, &batchTx{t}}) }),
	}
}

// reads reads committed rows: of what orders refer to, by orderReads of orders and their books, and by depositReads of
// deposit accounts and virtual accounts.
type reads struct {
	db *sqldb.DB
	orderReads
	depositReads
}

type orderReads struct{ db *sqldb.DB }

// tx is the writing half of a transaction, in the same three parts, and one of batches.
type tx struct {
	*sqldb.Tx
	*orderTx
	*depositTx
	*batchTx
}

// Stores are those of the nouns.
func (s Store) Stores() payout.Stores {
	return payout.Stores{
		Customers:  nounOf(s.db, func(t tx) customer.Tx { return t }),
		Recipients: nounOf(s.db, func(t tx) recipient.Tx { return t }),
		Alerts:     nounOf(s.db, func(t tx) alert.Tx { return t }),
		Accounts:   nounOf(s.db, func(t tx) account.Tx { return t }),
		Addresses:  nounOf(s.db, func(t tx) withdraw.Tx { return t }),
		Virtuals:   nounOf(s.db, func(t tx) virtual.Tx { return t }),
		Deposits:   nounOf(s.db, func(t tx) depositaccount.Tx { return t }),
		Orders:     nounOf(s.db, func(t tx) orderview.Tx { return t }),
		PayIns:     nounOf(s.db, func(t tx) payin.Tx { return t }),
		Arrivals:   nounOf(s.db, func(t tx) arrival.Tx { return t }),
		Quotes:     nounOf(s.db, func(t tx) quote.Tx { return t }),
		Batches:    nounOf(s.db, func(t tx) batch.Tx { return t }),
		Transfers:  nounOf(s.db, func(t tx) transfer.Tx { return t }),
		Payments:   nounOf(s.db, func(t tx) payment.Tx { return t }),
		Operator:   nounOf(s.db, func(t tx) operator.Tx { return t }),
		Invites:    nounOf(s.db, func(t tx) invite.Tx { return t }),
		Notices:    nounOf(s.db, func(t tx) notice.Tx { return t }),
		Sandbox:    nounOf(s.db, func(t tx) sandbox.Tx { return t }),
		Statements: s.reads,
	}
}
