// Package token lists the tokens that widgets offer on a network, by the protocol that trades them. A list is data with
// a source: that of usdc is the platform's own list of networks (chain), whose addresses are those that Circle gives;
// that of an exchange is what the platform lists where the exchange is (chain/markets.go), since nothing else is
// traded.
package token

import (
	"slices"
	"strings"

	"github.com/railkit/railkit/chain"
	"github.com/railkit/railkit/fault"
	"github.com/railkit/railkit/rest"
)

// usdc is the list that is no exchange's.
const usdc = "usdc"

// protocols have lists.
func protocols(networks []chain.Network) (all []string) {
	for _, n := range networks {
		for _, m := range chain.Markets(n) {
			all = append(all, m.Protocol)
		}
	}
	slices.Sort(all)
	return append([]string{usdc}, slices.Compact(all)...)
}

// List is a protocol's list on a network, which is named by its slug, chain id or name, or on all.
func List(networks []chain.Network, network, protocol string) ([]rest.Token, error) {
	if known := protocols(networks); !slices.Contains(known, protocol) {
		return nil, fault.Field("protocol", "has no list of tokens here; these have: "+strings.Join(known, ", "))
	}
	if network != "all" {
		n, ok := chain.Named(networks, network)
		if !ok {
			return nil, fault.Field("chain", chain.Unknown(networks)+", and all")
		}
		networks = []chain.Network{n}
	}
	all := []rest.Token{}
	for _, n := range networks {
		for _, t := range tokensOf(n, protocol) {
			all = append(all, rest.Token{
				ChainID: n.ChainID, Chain: n.Slug, Symbol: t.Symbol, Address: t.Address, Decimals: t.Decimals,
			})
		}
	}
	if len(all) == 0 {
		return nil, fault.Field("protocol", "has no tokens on this network")
	}
	return all, nil
}

func tokensOf(n chain.Network, protocol string) []chain.Token {
	if protocol == usdc {
		return slices.DeleteFunc(slices.Clone(n.Tokens), func(t chain.Token) bool { return t.Symbol != "USDC" })
	}
	if slices.ContainsFunc(chain.Markets(n), func(m chain.Market) bool { return m.Protocol == protocol }) {
		return n.Tokens
	}
	return nil
}
