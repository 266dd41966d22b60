package toychain_test

import (
	"os"
	"strings"
	"testing"

	"github.com/railkit/railkit/chain"
	"github.com/railkit/railkit/chain/chaintest"
	"github.com/railkit/railkit/chain/families"
	"github.com/railkit/railkit/internal/test/toychain"
)

func TestMain(m *testing.M) {
	families.Add(toychain.Family{})
	chain.AddNetwork(chain.Sandbox, toychain.Network())
	os.Exit(m.Run())
}

var (
	nobody = toychain.Nobody()
	one    = toychain.AddressOf("one")
)

func TestFamily(t *testing.T) {
	chaintest.Run(t, chaintest.Case{
		Family: toychain.Family{}, Network: toychain.Network(),
		Spellings: [][]string{{one}, {toychain.OtherCase(one)}, {nobody}},
		Typos: []string{
			one[1:10], one + "1", "0" + one[1:], "l" + one[1:], nobody + "1", nobody[1:], strings.Repeat("1", 32),
			"0x036CbD53842c5426634e7929541eC2318f3dCF7e",
		},
		Nobody: []string{nobody}, NoToken: []string{nobody},
		Selectors: []string{"t", "a"}, NoSelectors: []string{"T", "tt", "0xa9059cbb"},
		NoNetworks: map[string]func(*chain.Network){
			"chain id":      func(n *chain.Network) { n.ChainID = 1 },
			"no cluster":    func(n *chain.Network) { n.Cluster = "" },
			"other cluster": func(n *chain.Network) { n.Cluster = "Toy net" },
			"decimals":      func(n *chain.Network) { n.Native.Decimals = 18 },
		},
		Messages: map[string]string{chain.MessageText: "Hello, toys"},
	})
}
