// Package token lists the tokens that widgets offer on a network, by the protocol that trades them. A list is data with
// a source: that of usdc is the platform's own list of networks (chain), whose addresses are those that Circle gives.
// There is none of an exchange yet.
package token

import (
	"github.com/railkit/railkit/chain"
	"github.com/railkit/railkit/fault"
)

// Token is one of a list.
type Token struct {
	ChainID  uint64  `json:"chainId"`
	Chain    string  `json:"chain" doc:"Slug of the network"`
	Symbol   string  `json:"symbol"`
	Address  string  `json:"address"`
	Decimals int     `json:"decimals"`
	LogoURI  *string `json:"logoURI" doc:"Null: the platform has none"`
}

// protocols have for each list the symbol of its tokens.
var protocols = map[string]string{"usdc": "USDC"}

// List is a protocol's list on a network, which is named by its slug, chain id or name, or on all.
func List(networks []chain.Network, network, protocol string) ([]Token, error) {
	symbol, ok := protocols[protocol]
	if !ok {
		return nil, fault.Field("protocol", "has no list of tokens here; usdc has one")
	}
	if network != "all" {
		n, ok := chain.Named(networks, network)
		if !ok {
			return nil, fault.Field("chain", "is not a network of this environment, or all")
		}
		networks = []chain.Network{n}
	}
	all := []Token{}
	for _, n := range networks {
		if t, ok := n.TokenBySymbol(symbol); ok {
			all = append(all, Token{
				ChainID: n.ChainID, Chain: n.Slug, Symbol: t.Symbol, Address: t.Address, Decimals: t.Decimals,
			})
		}
	}
	if len(all) == 0 {
		return nil, fault.Field("protocol", "has no tokens on this network")
	}
	return all, nil
}
