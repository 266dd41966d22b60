package evm_test

import (
	"strings"
	"testing"

	"github.com/railkit/railkit/chain"
	"github.com/railkit/railkit/chain/chaintest"
	"github.com/railkit/railkit/chain/evm"
)

const (
	zero = "0x0000000000000000000000000000000000000000"
	usdc = "0x036CbD53842c5426634e7929541eC2318f3dCF7e"
)

const mail = `{
	"types": {
		"EIP712Domain": [{"name": "chainId", "type": "uint256"}], "Mail": [{"name": "contents", "type": "string"}]
	},
	"primaryType": "Mail", "domain": {"chainId": 84532}, "message": {"contents": "Hello"}
}`

func TestFamily(t *testing.T) {
	base, _ := chain.BySlug(chain.Sandbox, "base")
	chaintest.Run(t, chaintest.Case{
		Family: evm.Family{}, Network: base,
		Spellings: [][]string{
			{usdc, strings.ToLower(usdc), "0x" + strings.ToUpper(usdc[2:])},
			{zero},
			{"0x52908400098527886E0F7030069857D2E4169EE7", "0x52908400098527886e0f7030069857d2e4169ee7"},
		},
		Typos: []string{
			"0x036cbD53842c5426634e7929541eC2318f3dCF7e", usdc[2:], "0X" + usdc[2:], usdc[:41] + "g", usdc[:41],
			usdc + "1", "ETH",
		},
		Nobody:      []string{zero},
		NoToken:     []string{zero, evm.Permit2Address().String()},
		Selectors:   []string{"0xa9059cbb", "0x00000000"},
		NoSelectors: []string{"0xA9059CBB", "a9059cbb", "0xa9059cb", "0xa9059cbb00", "transfer(address,uint256)"},
		NoNetworks: map[string]func(*chain.Network){
			"cluster":     func(n *chain.Network) { n.Cluster = "mainnet" },
			"no chain id": func(n *chain.Network) { n.ChainID = 0 },
			"chain id":    func(n *chain.Network) { n.ChainID = 1<<63 - 1 },
			"decimals":    func(n *chain.Network) { n.Native.Decimals = 9 },
		},
		Messages: map[string]string{
			chain.MessageText: "Hello, Railkit", chain.MessageHex: "0x0102ff", chain.MessageTypedData: mail,
			chain.MessageRawDigest: "0x" + strings.Repeat("ab", 32),
		},
	})
}
