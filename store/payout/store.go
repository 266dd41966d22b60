// Package payout keeps the rows of the payout kit: for each noun what it reads and what it writes, one file for each.
package payout

import (
	"context"
	"time"

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

// Now is the time by the database's clock. An order is made within milliseconds after its key was claimed.
func (t tx) Now(ctx context.Context) (time.Time, error) { return t.Claimed(ctx) }

// What each noun reads and writes with.
type (
	customers struct {
		accountReads
		sqldb.Writer[customer.Tx]
	}
	recipients struct {
		recipientReads
		sqldb.Writer[recipient.Tx]
	}
	alerts struct {
		alertReads
		sqldb.Writer[alert.Tx]
	}
	accounts struct {
		accountReads
		recipientReads
		paidReads
		sqldb.Writer[account.Tx]
	}
	addresses struct {
		addressReads
		sqldb.Writer[withdraw.Tx]
	}
	virtuals struct {
		virtualReads
		addressReads
		sqldb.Writer[virtual.Tx]
	}
	deposits struct {
		depositReads
		sqldb.Writer[depositaccount.Tx]
	}
	orders struct {
		orderReads
		recipientReads
		addressReads
		sqldb.Writer[orderview.Tx]
	}
	payIns struct {
		orderReads
		depositReads
		virtualReads
		addressReads
		sqldb.Writer[payin.Tx]
	}
	arrivals struct {
		orderReads
		addressReads
		sqldb.Writer[arrival.Tx]
	}
	quotes struct {
		orderReads
		accountReads
		recipientReads
		addressReads
		sqldb.Writer[quote.Tx]
	}
	batches struct {
		batchReads
		sqldb.Writer[batch.Tx]
	}
	transfers struct {
		orderReads
		addressReads
		sqldb.Writer[transfer.Tx]
	}
	payments struct {
		orderReads
		addressReads
		sqldb.Writer[payment.Tx]
	}
	operators struct {
		orderReads
		sqldb.Writer[operator.Tx]
	}
	invites struct {
		inviteReads
		accountReads
		recipientReads
		sqldb.Writer[invite.Tx]
	}
	notices struct {
		noticeReads
		sqldb.Writer[notice.Tx]
	}
	sandboxes struct {
		orderReads
		virtualReads
		addressReads
		sqldb.Writer[sandbox.Tx]
	}
)

// Stores are those of the nouns, each with the parts of reads that it asks for.
func (s Store) Stores() payout.Stores {
	r, d := s.reads, s.db
	return payout.Stores{
		Customers:  customers{r.accountReads, writes(d, func(t tx) customer.Tx { return t })},
		Recipients: recipients{r.recipientReads, writes(d, func(t tx) recipient.Tx { return t })},
		Alerts:     alerts{r.alertReads, writes(d, func(t tx) alert.Tx { return t })},
		Accounts: accounts{
			r.accountReads, r.recipientReads, r.paidReads,
			writes(d, func(t tx) account.Tx { return t }),
		},
		Addresses: addresses{r.addressReads, writes(d, func(t tx) withdraw.Tx { return t })},
		Virtuals:  virtuals{r.virtualReads, r.addressReads, writes(d, func(t tx) virtual.Tx { return t })},
		Deposits:  deposits{r.depositReads, writes(d, func(t tx) depositaccount.Tx { return t })},
		Orders: orders{
			r.orderReads, r.recipientReads, r.addressReads,
			writes(d, func(t tx) orderview.Tx { return t }),
		},
		PayIns: payIns{
			r.orderReads, r.depositReads, r.virtualReads, r.addressReads,
			writes(d, func(t tx) payin.Tx { return t }),
		},
		Arrivals: arrivals{r.orderReads, r.addressReads, writes(d, func(t tx) arrival.Tx { return t })},
		Quotes: quotes{
			r.orderReads, r.accountReads, r.recipientReads, r.addressReads,
			writes(d, func(t tx) quote.Tx { return t }),
		},
		Batches:   batches{r.batchReads, writes(d, func(t tx) batch.Tx { return t })},
		Transfers: transfers{r.orderReads, r.addressReads, writes(d, func(t tx) transfer.Tx { return t })},
		Payments:  payments{r.orderReads, r.addressReads, writes(d, func(t tx) payment.Tx { return t })},
		Operator:  operators{r.orderReads, writes(d, func(t tx) operator.Tx { return t })},
		Invites: invites{
			r.inviteReads, r.accountReads, r.recipientReads,
			writes(d, func(t tx) invite.Tx { return t }),
		},
		Notices: notices{r.noticeReads, writes(d, func(t tx) notice.Tx { return t })},
		Sandbox: sandboxes{
			r.orderReads, r.virtualReads, r.addressReads,
			writes(d, func(t tx) sandbox.Tx { return t }),
		},
		Statements: r,
	}
}
