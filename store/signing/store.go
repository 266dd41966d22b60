// Package signing keeps the rows of the signing kit, and those that the agent kit writes in the same transactions: for
// each noun what it reads and what it writes, one file for each.
package signing

import (
	"github.com/railkit/railkit/kit/agent"
	"github.com/railkit/railkit/kit/agent/life"
	"github.com/railkit/railkit/kit/agent/payment"
	"github.com/railkit/railkit/kit/agent/x402pay"
	"github.com/railkit/railkit/kit/signing"
	"github.com/railkit/railkit/kit/signing/activity"
	"github.com/railkit/railkit/kit/signing/broadcast"
	"github.com/railkit/railkit/kit/signing/ceremony"
	"github.com/railkit/railkit/kit/signing/faucet"
	"github.com/railkit/railkit/kit/signing/link"
	"github.com/railkit/railkit/kit/signing/passkey"
	"github.com/railkit/railkit/kit/signing/payee"
	"github.com/railkit/railkit/kit/signing/recovery"
	"github.com/railkit/railkit/kit/signing/rule"
	"github.com/railkit/railkit/kit/signing/transaction"
	"github.com/railkit/railkit/kit/signing/vote"
	"github.com/railkit/railkit/kit/signing/wallet"
	"github.com/railkit/railkit/store/internal/sqldb"
)

// Store is the database as the signing kit sees it: what all nouns read, and the transactions of all.
type Store struct {
	db *sqldb.DB
	reads
	sqldb.Writer[signing.Tx]
}

// New makes it.
func New(d *sqldb.DB) Store {
	return Store{d, readsOf(d), writes(d, func(t tx) signing.Tx { return t })}
}

// writes makes transactions in which a noun sees its Tx.
func writes[Tx any](d *sqldb.DB, narrow func(tx) Tx) sqldb.Writer[Tx] {
	return sqldb.WriterOf(d, func(t *sqldb.Tx) Tx {
		return narrow(tx{t, x402Tx{t}, noticeTx{t}, linkTx{t}, HoldTx{t}})
	})
}

// reads reads committed rows. Each of its parts is named after what it reads, so that a noun has those alone that it
// asks for: the compiler writes every method of a part anew for each noun that has it.
type reads struct {
	activityReads
	agentReads
	approvalReads
	ceremonyReads
	passkeyNoticeReads
	passkeyReads
	payeeReads
	recoveryReads
	returnReads
	ruleReads
	transactionReads
	walletReads
	x402Reads
}

func readsOf(d *sqldb.DB) reads {
	return reads{
		activityReads{d}, agentReads{d}, approvalReads{d}, ceremonyReads{d},
		passkeyNoticeReads{d}, passkeyReads{d}, payeeReads{d}, recoveryReads{d}, returnReads{d},
		ruleReads{d}, transactionReads{d}, walletReads{d}, x402Reads{d},
	}
}

type (
	activityReads      struct{ db *sqldb.DB }
	approvalReads      struct{ db *sqldb.DB }
	ceremonyReads      struct{ db *sqldb.DB }
	passkeyNoticeReads struct{ db *sqldb.DB }
	passkeyReads       struct{ db *sqldb.DB }
	payeeReads         struct{ db *sqldb.DB }
	recoveryReads      struct{ db *sqldb.DB }
	returnReads        struct{ db *sqldb.DB }
	ruleReads          struct{ db *sqldb.DB }
	transactionReads   struct{ db *sqldb.DB }
	walletReads        struct{ db *sqldb.DB }
	x402Reads          struct{ db *sqldb.DB }
)

// tx is the writing half of a transaction.
type tx struct {
	*sqldb.Tx
	x402Tx
	noticeTx
	linkTx
	HoldTx
}

// What each noun reads and writes with.
type (
	links struct {
		ceremonyReads
		returnReads
		recoveryReads
		sqldb.Writer[link.OriginTx]
	}
	changes struct {
		activityReads
		sqldb.Writer[activity.Tx]
	}
	passkeys struct {
		passkeyReads
		activityReads
		sqldb.Writer[passkey.Tx]
	}
	notices struct {
		passkeyNoticeReads
		passkeyReads
		sqldb.Writer[passkey.NoticeTx]
	}
	wallets struct {
		walletReads
		activityReads
		sqldb.Writer[wallet.Tx]
	}
	transactions struct {
		transactionReads
		approvalReads
		sqldb.Writer[transaction.Tx]
	}
	broadcasts struct {
		transactionReads
		sqldb.Writer[broadcast.Tx]
	}
	rules struct {
		ruleReads
		walletReads
		passkeyReads
		sqldb.Writer[rule.Tx]
	}
	payees struct {
		payeeReads
		passkeyReads
		sqldb.Writer[payee.Tx]
	}
	recoveries struct {
		recoveryReads
		passkeyReads
		sqldb.Writer[recovery.Tx]
	}
	votes struct {
		approvalReads
		activityReads
		passkeyReads
		transactionReads
		walletReads
		sqldb.Writer[vote.Tx]
	}
	ceremonies struct {
		ceremonyReads
		activityReads
		approvalReads
		passkeyReads
		recoveryReads
		transactionReads
		walletReads
		sqldb.Writer[ceremony.Tx]
	}
	agents struct {
		agentReads
		activityReads
		transactionReads
		sqldb.Writer[life.Tx]
	}
	payments struct {
		transactionReads
		sqldb.Writer[payment.Tx]
	}
	x402Payments struct {
		x402Reads
		activityReads
		sqldb.Writer[x402pay.Tx]
	}
	drafts struct {
		transactionReads
		sqldb.Writer[transaction.DraftTx]
	}
)

// Stores are those of the nouns, each with the parts of reads that it asks for.
func (s Store) Stores() signing.Stores {
	r, d := s.reads, s.db
	return signing.Stores{
		Denials: s,
		Links: links{
			r.ceremonyReads, r.returnReads, r.recoveryReads, writes(d, func(t tx) link.OriginTx { return t }),
		},
		Outstanding: s,
		Activities:  writes(d, func(t tx) activity.Tx { return t }),
		Changes:     changes{r.activityReads, writes(d, func(t tx) activity.Tx { return t })},
		Faucet:      writes(d, func(t tx) faucet.Tx { return t }),
		Passkeys:    passkeys{r.passkeyReads, r.activityReads, writes(d, func(t tx) passkey.Tx { return t })},
		Notices:     notices{r.passkeyNoticeReads, r.passkeyReads, writes(d, func(t tx) passkey.NoticeTx { return t })},
		Wallets:     wallets{r.walletReads, r.activityReads, writes(d, func(t tx) wallet.Tx { return t })},
		Transactions: transactions{
			r.transactionReads, r.approvalReads,
			writes(d, func(t tx) transaction.Tx { return t }),
		},
		Broadcasts: broadcasts{r.transactionReads, writes(d, func(t tx) broadcast.Tx { return t })},
		Rules:      rules{r.ruleReads, r.walletReads, r.passkeyReads, writes(d, func(t tx) rule.Tx { return t })},
		Payees:     payees{r.payeeReads, r.passkeyReads, writes(d, func(t tx) payee.Tx { return t })},
		Recoveries: recoveries{r.recoveryReads, r.passkeyReads, writes(d, func(t tx) recovery.Tx { return t })},
		Votes: votes{
			r.approvalReads, r.activityReads, r.passkeyReads, r.transactionReads, r.walletReads,
			writes(d, func(t tx) vote.Tx { return t }),
		},
		Ceremonies: ceremonies{
			r.ceremonyReads, r.activityReads, r.approvalReads, r.passkeyReads, r.recoveryReads, r.transactionReads,
			r.walletReads, writes(d, func(t tx) ceremony.Tx { return t }),
		},
	}
}

// Others are the stores of nouns of other kits that write in the transactions of this one.
type Others struct {
	Agents       life.Store
	Payments     payment.Store
	X402Payments x402pay.Store
	Drafts       transaction.DraftStore // of trades
}

var _ agent.Tx = tx{} // in whichever of its transactions a noun of agents writes

// Others makes them.
func (s Store) Others() Others {
	r, d := s.reads, s.db
	return Others{
		Agents: agents{
			r.agentReads, r.activityReads, r.transactionReads,
			writes(d, func(t tx) life.Tx { return t }),
		},
		Payments:     payments{r.transactionReads, writes(d, func(t tx) payment.Tx { return t })},
		X402Payments: x402Payments{r.x402Reads, r.activityReads, writes(d, func(t tx) x402pay.Tx { return t })},
		Drafts:       drafts{r.transactionReads, writes(d, func(t tx) transaction.DraftTx { return t })},
	}
}
