// Package plan turns the request for a transaction into the transaction: who signs, on which network, what it does,
// with which nonce and at which fee. A plan is not stored; package transaction makes a row from it.
//
// Read plan.go first, then price.go for nonce, gas and fee, replacement.go for a transaction that takes another one's
// nonce, and exact.go for a caller's own bytes.
package plan

import (
	"context"

	"github.com/railkit/railkit/clock"
	"github.com/railkit/railkit/kit/signing/nodes"
	"github.com/railkit/railkit/kit/signing/signer"
	"github.com/railkit/railkit/kit/signing/wallet"
)

// Planner plans transactions.
type Planner struct {
	enclave signer.Enclave
	wallets *wallet.Service
	nodes   *nodes.Set
	issuers Issuers
	clock   clock.Clock

	dataFees dataFees
}

// Issuers refuses a token whose issuer is not who was kept. Of a network that has no such tokens it refuses nothing.
type Issuers interface {
	Check(ctx context.Context, network, token string) error
}

// New makes a Planner.
func New(e signer.Enclave, wallets *wallet.Service, n *nodes.Set, i Issuers, c clock.Clock) *Planner {
	return &Planner{e, wallets, n, i, c, dataFees{enclave: e, clock: c}}
}
