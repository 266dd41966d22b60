package x402

import (
	"strconv"
	"strings"

	"github.com/railkit/railkit/chain"
	"github.com/railkit/railkit/chain/evm"
)

// namesV1 are the names that version 1 has for networks, those of them that the registry lists. Version 2 and MPP
// name networks by CAIP-2.
var namesV1 = map[string]uint64{
	"ethereum": 1, "base": 8453, "polygon": 137, "avalanche": 43114,
	"sepolia": 11155111, "base-sepolia": 84532, "polygon-amoy": 80002, "avalanche-fuji": 43113,
}

// NameV1 is the name of an EVM network in version 1.
func NameV1(chainID uint64) (string, bool) {
	for name, id := range namesV1 {
		if id == chainID {
			return name, true
		}
	}
	return "", false
}

// NetworkID is the name of an EVM network in version 2: its CAIP-2 id.
func NetworkID(chainID uint64) string { return "eip155:" + strconv.FormatUint(chainID, 10) }

// chainOf reads the name of an EVM network in a dialect. The older dialect has the slugs of the registry.
func chainOf(d Dialect, name string, all []chain.Network) (id uint64, ok bool) {
	switch d {
	case V1:
		id, ok = namesV1[name]
		return id, ok
	case Old:
		n, found := chain.WithSlug(all, name)
		return n.ChainID, found && n.Kind == chain.EVM
	}
	return readCAIP2(name)
}

func readCAIP2(name string) (id uint64, ok bool) {
	digits, found := strings.CutPrefix(name, "eip155:")
	id, err := strconv.ParseUint(digits, 10, 64)
	return id, found && err == nil && id > 0 && NetworkID(id) == name
}

// ChainOf reads the name of an EVM network in version 1 or 2.
func ChainOf(d Dialect, name string) (id uint64, ok bool) { return chainOf(d, name, nil) }

// NetworkOf is the network of a chain id as the registry lists it, or one of which nothing but the id is known.
func NetworkOf(id uint64) chain.Network {
	for _, env := range []chain.Environment{chain.Production, chain.Sandbox} {
		if n, ok := chain.ByChainID(env, id); ok {
			return n
		}
	}
	return chain.Network{Kind: chain.EVM, ChainID: id}
}

// CanBePaid reports whether who has an address can use a token that is sent to it. It refuses the token's own contract,
// and whatever chain.KnownAt knows on the network, such as a router.
func CanBePaid(n chain.Network, token, payTo evm.Address) bool {
	_, known := chain.KnownAt(n, payTo.String())
	return !known && payTo != token
}

// isSolana tells a network of Solana's by its name in any dialect.
func isSolana(name string) bool {
	return name == "solana" || name == "solana-devnet" || name == "solana-testnet" || strings.HasPrefix(name, "solana:")
}
