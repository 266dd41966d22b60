// Package plan turns the request for a transaction into the transaction: who signs, on which network, what it does,
// with which nonce and at which fee. A plan is not stored; package transaction makes a row from it.
//
// Read plan.go first, then price.go for nonce, gas and fee, replacement.go for a transaction that takes another one's
// nonce, and exact.go for a caller's own bytes.
package plan

import (
	"github.com/railkit/railkit/kit/signing/nodes"
	"github.com/railkit/railkit/kit/signing/signer"
	"github.com/railkit/railkit/kit/signing/wallet"
)

// Planner plans transactions.
type Planner struct {
	enclave signer.Enclave
	wallets *wallet.Service
	nodes   *nodes.Set
}

// New makes a Planner.
func New(e signer.Enclave, wallets *wallet.Service, n *nodes.Set) *Planner {
	return &Planner{e, wallets, n}
}
