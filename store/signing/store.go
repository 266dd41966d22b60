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
type Store struct{ noun[signing.Tx] }

// New makes it.
func New(d *sqldb.DB) Store {
	return Store{nounOf(d, func(t tx) signing.Tx { return t })}
}

// noun is the store of one noun, which writes with Tx. It has the reads of all nouns; the noun's own interface says
// which of them are its.
type noun[Tx any] struct {
	reads
	payeeReads
	agentReads
	sqldb.Writer[Tx]
}

func nounOf[Tx any](d *sqldb.DB, narrow func(tx) Tx) noun[Tx] {
	write := sqldb.WriterOf(d, func(t *sqldb.Tx) Tx { return narrow(tx{t, x402Tx{t}, noticeTx{t}}) })
	return noun[Tx]{reads{d}, payeeReads{d}, agentReads{d}, write}
}

// reads reads committed rows.
type reads struct{ db *sqldb.DB }

// payeeReads reads committed rows of the books of payees.
type payeeReads struct{ db *sqldb.DB }

// tx is the writing half of a transaction.
type tx struct {
	*sqldb.Tx
	x402Tx
	noticeTx
}

// Stores are those of the nouns.
func (s Store) Stores() signing.Stores {
	return signing.Stores{
		Denials:      s,
		Links:        s,
		Activities:   nounOf(s.reads.db, func(t tx) activity.Tx { return t }),
		Passkeys:     nounOf(s.reads.db, func(t tx) passkey.Tx { return t }),
		Notices:      nounOf(s.reads.db, func(t tx) passkey.NoticeTx { return t }),
		Wallets:      nounOf(s.reads.db, func(t tx) wallet.Tx { return t }),
		Transactions: nounOf(s.reads.db, func(t tx) transaction.Tx { return t }),
		Broadcasts:   nounOf(s.reads.db, func(t tx) broadcast.Tx { return t }),
		Outstanding:  s,
		Rules:        nounOf(s.reads.db, func(t tx) rule.Tx { return t }),
		Payees:       nounOf(s.reads.db, func(t tx) payee.Tx { return t }),
		Recoveries:   nounOf(s.reads.db, func(t tx) recovery.Tx { return t }),
		Changes:      nounOf(s.reads.db, func(t tx) activity.Tx { return t }),
		Votes:        nounOf(s.reads.db, func(t tx) vote.Tx { return t }),
		Ceremonies:   nounOf(s.reads.db, func(t tx) ceremony.Tx { return t }),
		Faucet:       nounOf(s.reads.db, func(t tx) faucet.Tx { return t }),
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
	return Others{
		Agents:       nounOf(s.reads.db, func(t tx) life.Tx { return t }),
		Payments:     nounOf(s.reads.db, func(t tx) payment.Tx { return t }),
		X402Payments: nounOf(s.reads.db, func(t tx) x402pay.Tx { return t }),
		Drafts:       nounOf(s.reads.db, func(t tx) transaction.DraftTx { return t }),
	}
}
