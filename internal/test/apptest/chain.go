package apptest

import (
	"context"

	"github.com/railkit/railkit/chain"
	"github.com/railkit/railkit/chain/evm/rpc"
)

// HoldsUSDC is what the chain says that an address has, in micro-USDC.
func (a *App) HoldsUSDC(slug, address string) int64 {
	a.t.Helper()
	ctx := context.Background()
	network, _ := chain.BySlug(chain.Sandbox, slug)
	token, _ := network.TokenBySymbol("USDC")
	node, err := rpc.Dial(ctx, a.Devnet.RPCURL(slug), network)
	if err != nil {
		a.t.Fatal(err)
	}
	defer node.Close()
	held, err := node.TokenBalance(ctx, token.Address, address)
	if err != nil {
		a.t.Fatal(err)
	}
	return held.Int64()
}
