package chain_test

import (
	"testing"

	"github.com/railkit/railkit/chain"
)

func TestNamed(t *testing.T) {
	for name, want := range map[string][2]uint64{ // in the sandbox, and in production
		"base": {84532, 8453}, "base-sepolia": {84532, 0}, "8453": {0, 8453}, "84532": {84532, 0},
		"fuji": {43113, 0}, "avalanche": {0, 43114}, "avalanche_c_chain": {43113, 43114}, "mainnet": {0, 1},
		"": {}, "0": {}, "nowhere": {}, "-1": {}, "8453.0": {},
	} {
		for i, env := range []chain.Environment{chain.Sandbox, chain.Production} {
			if n, ok := chain.Named(chain.Networks(env), name); n.ChainID != want[i] || ok != (want[i] != 0) {
				t.Errorf("%s in %s: %+v, %v", name, env, n, ok)
			}
		}
	}
}
