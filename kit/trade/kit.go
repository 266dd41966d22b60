// Package trade is the trade kit: what is done with a wallet's tokens at contracts of strangers. It stands on the
// signing kit, which does not know it: a trade is a transaction of that kit, which its owner stamps.
//
// Each noun has a package of its own below this one; here they are only put together:
//
//	allowance  what a contract may take of a token, exactly
//	swap       trades at exchanges
//	lending    supplies to lending pools
package trade

import (
	"github.com/railkit/railkit/chain"
	"github.com/railkit/railkit/clock"
	"github.com/railkit/railkit/kit/signing"
	"github.com/railkit/railkit/kit/signing/transaction"
	"github.com/railkit/railkit/kit/trade/lending"
	"github.com/railkit/railkit/kit/trade/swap"
)

// Kit is the nouns, put together.
type Kit struct {
	Swaps   *swap.Service
	Lending *lending.Service
}

// Stores are what the nouns need of a database.
type Stores struct {
	Drafts transaction.DraftStore // of both
}

// Tx is all that the kit writes in a transaction of the database: a trade is a transaction of the signing kit.
type Tx interface {
	transaction.DraftTx
}

// Config wires a Kit.
type Config struct {
	Stores      Stores
	Signing     *signing.Kit
	Exchanges   swap.Exchanges // where tokens are traded
	Environment chain.Environment
	Clock       clock.Clock
}

// New puts the nouns together.
func New(c Config) *Kit {
	s := c.Signing
	return &Kit{
		Swaps: swap.New(swap.Config{
			Store: c.Stores.Drafts, Exchanges: c.Exchanges, Nodes: s.Nodes, Wallets: s.Wallets,
			Transactions: s.Transactions, Clock: c.Clock,
		}),
		Lending: lending.New(lending.Config{
			Store: c.Stores.Drafts, Nodes: s.Nodes, Wallets: s.Wallets, Planner: s.Planner,
			Transactions: s.Transactions, Environment: c.Environment, Clock: c.Clock,
		}),
	}
}
