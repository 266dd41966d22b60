// Package lending supplies a network's assets to its lending pool and takes them out again. There are two ways. The
// older one makes an unsigned transaction for an address, which its owner signs and sends himself. The newer one
// prepares a transaction of a workspace's wallet: the enclave reads the pool's call, the owner's passkey stamps it, and
// rules hold. Nothing here has money or a key, and nothing is borrowed.
//
// A pool takes a token only where its owner allows it to, and a gateway gives the network's own coin only for aTokens
// that it may take. The allowance is for the exact amount, so that it is used up by the next step. Each call therefore
// answers one step, and is made again once that one is in a block:
//
//	revoke            an allowance of another amount is set to zero, as Tether's token asks for
//	approve           the pool, or its gateway, may take the amount
//	supply, withdraw  what was asked for
//
// Read pool.go for what is asked of a pool, position.go for who has what, step.go for the calls, then unsigned.go and
// execute.go for the two ways, and status.go for what became of a transaction.
package lending

import (
	"github.com/railkit/railkit/chain"
	"github.com/railkit/railkit/clock"
	"github.com/railkit/railkit/fault"
	"github.com/railkit/railkit/kit/signing/nodes"
	"github.com/railkit/railkit/kit/signing/plan"
	"github.com/railkit/railkit/kit/signing/transaction"
	"github.com/railkit/railkit/kit/signing/wallet"
	"github.com/railkit/railkit/rest"
)

// Errors of lending.
var (
	ErrNoPool = fault.Define(fault.Unprocessable, "no_lending_pool", "No lending pool lends this asset on this network",
		"No lending pool is listed for the network, or it does not lend the token")
	ErrClosed = fault.Define(fault.Unprocessable, "lending_closed", "The pool takes no supplies of this asset now",
		"The pool's operators have frozen or paused the token")
	ErrNotSupplied = fault.Define(fault.Unprocessable, "insufficient_supply", "Less than that is supplied",
		"A withdrawal of more than the address has supplied, with its interest until now")
	ErrNotLending = fault.Define(fault.NotFound, "lending_not_found", "Lending transaction not found",
		"The transaction is not one of a lending pool")
)

// Config wires a Service.
type Config struct {
	Store        transaction.DraftStore
	Nodes        *nodes.Set
	Wallets      *wallet.Service
	Planner      *plan.Planner
	Transactions *transaction.Service
	Environment  chain.Environment
	Clock        clock.Clock
}

// Service reads pools, and writes what is supplied and withdrawn.
type Service struct{ c Config }

// New makes it.
func New(c Config) *Service { return &Service{c} }

// OrderInput asks for a transaction of a workspace's wallet.
type OrderInput struct {
	SignWith      string      `json:"signWith" minLength:"1" maxLength:"64" doc:"Address of one of the workspace's wallets, which owns what is supplied"`
	TokenAddress  string      `json:"tokenAddress" minLength:"1" maxLength:"64" doc:"Address or symbol of a listed token; the zero address, native or the coin's symbol for the network's own coin"`
	Amount        rest.Number `json:"amount" minimum:"0" doc:"In whole units: 25.5"`
	ChainID       uint64      `json:"chainId" minimum:"1" example:"43113"`
	AutoApprove   bool        `json:"autoApprove,omitempty" doc:"Must not be true: every step is stamped by the wallet's owner"`
	AutoBroadcast bool        `json:"autoBroadcast,omitempty" doc:"Must not be true: a step is sent once its owner has stamped it"`
	rest.ReturnTo
}

// Of names an address on a network.
type Of struct {
	UserAddress string
	ChainID     uint64
}

// PreparedLending is the next step, to be stamped.
type PreparedLending struct {
	Step Step `json:"step" enum:"revoke,approve,supply,withdraw" doc:"What this transaction does. After revoke and approve the call is made again once it is confirmed"`
	transaction.PreparedTransaction
}
