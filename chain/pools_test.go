package chain_test

import (
	"encoding/hex"
	"strconv"
	"strings"
	"testing"

	"github.com/railkit/railkit/chain"
	"github.com/railkit/railkit/chain/families"
)

// A pool's addresses are those of its network, which lists the coin that the gateway wraps. Our own are derived as the
// table says.
func TestChain_LendingPools(t *testing.T) {
	for _, env := range environments {
		for _, n := range chain.OfKind(chain.EVM, chain.Networks(env)) {
			f, _ := families.Of(n.Kind)
			list := chain.LendingPools(n)
			if _, ok := n.Wrapped(); !ok || len(list) != 1 {
				t.Fatalf("%s: %d pools", n.Name, len(list))
			}
			p := list[0]
			for _, address := range []string{p.Pool, p.Gateway, p.Oracle} {
				if got, err := f.ParseAddress(address); err != nil || got != address {
					t.Errorf("%s: %s: %v", n.Name, address, err)
				}
			}
			if env == chain.Sandbox && (p.Pool != derived("pool", n) || p.Gateway != derived("gateway", n)) {
				t.Errorf("%s: %+v", n.Name, p)
			}
			if found, gateway, ok := chain.LendingPoolAt(n, strings.ToLower(p.Pool)); !ok || gateway || found != p {
				t.Errorf("%s: the pool is not found by its address", n.Name)
			}
			if found, gateway, ok := chain.LendingPoolAt(n, p.Gateway); !ok || !gateway || found != p {
				t.Errorf("%s: the pool is not found by its gateway", n.Name)
			}
			if _, _, ok := chain.LendingPoolAt(n, n.Tokens[0].Address); ok {
				t.Errorf("%s: a token is a pool", n.Name)
			}
		}
	}
	if len(chain.LendingPools(chain.Network{})) != 0 {
		t.Error("no network has a pool")
	}
}

func derived(what string, n chain.Network) string {
	sum := keccak([]byte("railkit sandbox lending " + what + " " + strconv.FormatUint(n.ChainID, 10)))
	return checksummed("0x" + hex.EncodeToString(sum[12:]))
}
