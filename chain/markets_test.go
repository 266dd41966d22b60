package chain_test

import (
	"testing"

	"github.com/railkit/railkit/chain"
	"github.com/railkit/railkit/chain/families"
)

// A market's addresses are those of its network, and every network that has one has the wrapped coin that it trades.
func TestChain_Markets(t *testing.T) {
	for _, env := range []chain.Environment{chain.Sandbox, chain.Production} {
		for _, n := range chain.OfKind(chain.EVM, chain.Networks(env)) {
			f, _ := families.Of(n.Kind)
			list := chain.Markets(n)
			coin, ok := n.Wrapped()
			if len(list) == 0 || !ok || coin.Decimals != n.Native.Decimals {
				t.Errorf("%s: %d markets, wrapped %+v", n.Name, len(list), coin)
			}
			for _, m := range list {
				other := m.Factory
				if m.Kind == chain.MarketV3 {
					other = m.Quoter
				}
				for _, address := range []string{m.Router, other} {
					if got, err := f.ParseAddress(address); err != nil || got != address {
						t.Errorf("%s of %s: %s: %v", m.Protocol, n.Name, address, err)
					}
				}
				if found, ok := chain.MarketAt(n, m.Router); !ok || found.Kind != m.Kind {
					t.Errorf("%s of %s is not found by its router", m.Protocol, n.Name)
				}
			}
		}
	}
	if list := chain.Markets(chain.Network{}); len(list) != 0 {
		t.Errorf("no network has %d markets", len(list))
	}
}
