package sandbox_test

import (
	"testing"

	"github.com/railkit/railkit/chain"
	"github.com/railkit/railkit/chain/evm/rpc"
)

func base(t *testing.T) *rpc.Client {
	t.Helper()
	return node(t, "base")
}

func node(t *testing.T, slug string) *rpc.Client {
	t.Helper()
	n, _ := chain.BySlug(chain.Sandbox, slug)
	c, err := rpc.Dial(t.Context(), chains(t).RPCURL(slug), n)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(c.Close)
	return c
}

func usdc(slug string) string {
	n, _ := chain.BySlug(chain.Sandbox, slug)
	token, _ := n.TokenBySymbol("USDC")
	return token.Address
}
