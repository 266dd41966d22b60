package chain_test

import (
	"slices"
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

// A network is found by each of its names, and by no name that is not among them.
func TestNames(t *testing.T) {
	all := chain.Networks(chain.Sandbox)
	for _, n := range all {
		names := n.Names()
		for _, name := range append(names, n.CommonName()) {
			if found, ok := chain.Named(all, name); !ok || found.Slug != n.Slug || !slices.Contains(names, name) {
				t.Errorf("%s of %s: %+v", name, n.Slug, found)
			}
		}
	}
	if n, _ := chain.Named(all, "fuji"); !slices.Equal(n.Names(),
		[]string{"avalanche_c_chain", "43113", "fuji", "avalanche-fuji"}) {
		t.Errorf("%q", n.Names())
	}
}

// A payment of an agent names a network by its slug, and Solana's also as its own programs do. No name is that of
// another cluster's network.
func TestOfCluster(t *testing.T) {
	for name, want := range map[string][2]string{ // in the sandbox, and in production
		"base": {"base", "base"}, "solana": {"solana", "solana"}, "devnet": {"solana", ""},
		"mainnet-beta": {"", "solana"}, "mainnet": {}, "testnet": {}, "Devnet": {}, "84532": {}, "": {},
	} {
		for i, env := range []chain.Environment{chain.Sandbox, chain.Production} {
			if n, ok := chain.OfCluster(chain.Networks(env), name); n.Slug != want[i] || ok != (want[i] != "") {
				t.Errorf("%q in %s: %q, %v", name, env, n.Slug, ok)
			}
		}
	}
}
