package sandbox_test

import (
	"testing"

	"github.com/railkit/railkit/chain"
	"github.com/railkit/railkit/chain/evm/rpc"
)

func base(t *testing.T) *rpc.Client {
	t.Helper()
	n, _ := chain.BySlug(chain.Sandbox, "base")
	c, err := rpc.Dial(t.Context(), chains(t).RPCURL("base"), n)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(c.Close)
	return c
}

func usdc() string {
	n, _ := chain.BySlug(chain.Sandbox, "base")
	token, _ := n.TokenBySymbol("USDC")
	return token.Address
}
