package chain

import (
	"strconv"
	"strings"
)

// names are what wallets and other tools call networks that have another slug here, of each network the most common one
// first. A testnet has the slug of its mainnet: in the sandbox "base" and "base-sepolia" are one network, and in
// production the latter is none.
var names = []struct {
	name string
	id   uint64
}{
	{"ethereum", 1}, {"mainnet", 1}, {"avalanche", 43114}, {"sepolia", 11155111}, {"base-sepolia", 84532},
	{"polygon-amoy", 80002}, {"arbitrum-sepolia", 421614}, {"optimism-sepolia", 11155420}, {"fuji", 43113},
	{"avalanche-fuji", 43113},
}

// Named finds the network in a list that somebody calls by its slug, by its chain id, or as other tools do.
func Named(all []Network, name string) (Network, bool) {
	if n, ok := WithSlug(all, name); ok {
		return n, true
	}
	if id, err := strconv.ParseUint(name, 10, 64); err == nil {
		return WithChainID(all, id)
	}
	for _, known := range names {
		if known.name == name {
			return WithChainID(all, known.id)
		}
	}
	return Network{}, false
}

// Unknown is what a field is told that names none of the networks in a list: it says which there are.
func Unknown(all []Network) string {
	var known []string
	for _, n := range all {
		name := n.Slug
		if n.ChainID != 0 {
			name += " (" + strconv.FormatUint(n.ChainID, 10) + ")"
		}
		known = append(known, name)
	}
	return "is not a network of this environment: there are " + strings.Join(known, ", ")
}

// CommonName is what wallets call a network: by another name than its slug where names has one.
func (n Network) CommonName() string {
	for _, known := range names {
		if known.id == n.ChainID {
			return known.name
		}
	}
	return n.Slug
}

// Names are all by which Named finds the network.
func (n Network) Names() []string {
	all := []string{n.Slug}
	if n.Kind == EVM {
		all = append(all, strconv.FormatUint(n.ChainID, 10))
	}
	for _, known := range names {
		if known.id == n.ChainID && n.Kind == EVM {
			all = append(all, known.name)
		}
	}
	return all
}
