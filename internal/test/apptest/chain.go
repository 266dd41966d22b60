package apptest

import (
	"context"
	"math/big"

	"github.com/railkit/railkit/chain"
	"github.com/railkit/railkit/chain/evm/rpc"
)

// HoldsUSDC is what the chain says that an address has, in micro-USDC.
func (a *App) HoldsUSDC(slug, address string) int64 {
	a.t.Helper()
	return a.Holds(slug, "USDC", address).Int64()
}

// Holds is what the chain says that an address has of a token, in its smallest unit.
func (a *App) Holds(slug, symbol, address string) *big.Int {
	a.t.Helper()
	ctx := context.Background()
	network, _ := chain.BySlug(chain.Sandbox, slug)
	token, _ := network.TokenBySymbol(symbol)
	node, err := rpc.Dial(ctx, a.Devnet.RPCURL(slug), network)
	if err != nil {
		a.t.Fatal(err)
	}
	defer node.Close()
	held, err := node.TokenBalance(ctx, token.Address, address)
	if err != nil {
		a.t.Fatal(err)
	}
	return held
}
