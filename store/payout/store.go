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
type Store struct {
	db *sqldb.DB
	reads
	sqldb.Writer[payout.Tx]
}

// New makes it.
func New(d *sqldb.DB) Store {
	return Store{d, readsOf(d), writes(d, func(t tx) payout.Tx { return t })}
}

var (
	_ reconcile.BookStore  = Store{}
	_ reconcile.MatchStore = Store{}
)

// writes makes transactions in which a noun sees its Tx.
func writes[Tx any](d *sqldb.DB, narrow func(tx) Tx) sqldb.Writer[Tx] {
	return sqldb.WriterOf(d, func(t *sqldb.Tx) Tx { return narrow(tx{t, &orderTx{Tx: t}, &depositTx{t}, &batchTx{t}}) })
}

// reads reads committed rows. Each of its parts is named after what it reads, so that a noun has those alone that it
// asks for: the compiler writes every method of a part anew for each noun that has it.
type reads struct {
	accountReads
	addressReads
	alertReads
	batchReads
	depositReads
	inviteReads
	noticeReads
	orderReads
	paidReads
	recipientReads
	virtualReads
}

func readsOf(d *sqldb.DB) reads {
	return reads{
		accountReads{d}, addressReads{d}, alertReads{d}, batchReads{d},
		depositReads{d}, inviteReads{d}, noticeReads{d}, orderReads{d},
		paidReads{d}, recipientReads{d}, virtualReads{d},
	}
}

type (
	accountReads   struct{ db *sqldb.DB }
	addressReads   struct{ db *sqldb.DB }
	alertReads     struct{ db *sqldb.DB }
	batchReads     struct{ db *sqldb.DB }
	inviteReads    struct{ db *sqldb.DB }
	noticeReads    struct{ db *sqldb.DB }
	orderReads     struct{ db *sqldb.DB }
	paidReads      struct{ db *sqldb.DB }
	recipientReads struct{ db *sqldb.DB }
	virtualReads   struct{ db *sqldb.DB }
)

// tx is the writing half of a transaction, in the same three parts, and one of batches.
type tx struct {
	*sqldb.Tx
	*orderTx
	*depositTx
	*batchTx
}

// Stores are those of the nouns, each with the parts of reads that it asks for.
func (s Store) Stores() payout.Stores {
	r, d := s.reads, s.db
	return payout.Stores{
		Customers: struct {
			accountReads
			sqldb.Writer[customer.Tx]
		}{r.accountReads, writes(d, func(t tx) customer.Tx { return t })},
		Recipients: struct {
			recipientReads
			sqldb.Writer[recipient.Tx]
		}{r.recipientReads, writes(d, func(t tx) recipient.Tx { return t })},
		Alerts: struct {
			alertReads
			sqldb.Writer[alert.Tx]
		}{r.alertReads, writes(d, func(t tx) alert.Tx { return t })},
		Accounts: struct {
			accountReads
			recipientReads
			paidReads
			sqldb.Writer[account.Tx]
		}{r.accountReads, r.recipientReads, r.paidReads, writes(d, func(t tx) account.Tx { return t })},
		Addresses: struct {
			addressReads
			sqldb.Writer[withdraw.Tx]
		}{r.addressReads, writes(d, func(t tx) withdraw.Tx { return t })},
		Virtuals: struct {
			virtualReads
			addressReads
			sqldb.Writer[virtual.Tx]
		}{r.virtualReads, r.addressReads, writes(d, func(t tx) virtual.Tx { return t })},
		Deposits: struct {
			depositReads
			sqldb.Writer[depositaccount.Tx]
		}{r.depositReads, writes(d, func(t tx) depositaccount.Tx { return t })},
		Orders: struct {
			orderReads
			recipientReads
			addressReads
			sqldb.Writer[orderview.Tx]
		}{r.orderReads, r.recipientReads, r.addressReads, writes(d, func(t tx) orderview.Tx { return t })},
		PayIns: struct {
			orderReads
			depositReads
			virtualReads
			addressReads
			sqldb.Writer[payin.Tx]
		}{r.orderReads, r.depositReads, r.virtualReads, r.addressReads, writes(d, func(t tx) payin.Tx { return t })},
		Arrivals: struct {
			orderReads
			addressReads
			sqldb.Writer[arrival.Tx]
		}{r.orderReads, r.addressReads, writes(d, func(t tx) arrival.Tx { return t })},
		Quotes: struct {
			orderReads
			accountReads
			recipientReads
			addressReads
			sqldb.Writer[quote.Tx]
		}{r.orderReads, r.accountReads, r.recipientReads, r.addressReads, writes(d, func(t tx) quote.Tx { return t })},
		Batches: struct {
			batchReads
			sqldb.Writer[batch.Tx]
		}{r.batchReads, writes(d, func(t tx) batch.Tx { return t })},
		Transfers: struct {
			orderReads
			addressReads
			sqldb.Writer[transfer.Tx]
		}{r.orderReads, r.addressReads, writes(d, func(t tx) transfer.Tx { return t })},
		Payments: struct {
			orderReads
			addressReads
			sqldb.Writer[payment.Tx]
		}{r.orderReads, r.addressReads, writes(d, func(t tx) payment.Tx { return t })},
		Operator: struct {
			orderReads
			sqldb.Writer[operator.Tx]
		}{r.orderReads, writes(d, func(t tx) operator.Tx { return t })},
		Invites: struct {
			inviteReads
			accountReads
			recipientReads
			sqldb.Writer[invite.Tx]
		}{r.inviteReads, r.accountReads, r.recipientReads, writes(d, func(t tx) invite.Tx { return t })},
		Notices: struct {
			noticeReads
			sqldb.Writer[notice.Tx]
		}{r.noticeReads, writes(d, func(t tx) notice.Tx { return t })},
		Sandbox: struct {
			orderReads
			virtualReads
			addressReads
			sqldb.Writer[sandbox.Tx]
		}{r.orderReads, r.virtualReads, r.addressReads, writes(d, func(t tx) sandbox.Tx { return t })},
		Statements: r,
	}
}
