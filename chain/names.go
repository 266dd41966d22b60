package chain

import "strconv"

// names are what wallets and other tools call networks that have another slug here. A testnet has the slug of its
// mainnet: in the sandbox "base" and "base-sepolia" are one network, and in production the latter is none.
var names = map[string]uint64{
	"mainnet":          1,
	"avalanche":        43114,
	"sepolia":          11155111,
	"base-sepolia":     84532,
	"polygon-amoy":     80002,
	"arbitrum-sepolia": 421614,
	"optimism-sepolia": 11155420,
	"avalanche-fuji":   43113,
	"fuji":             43113,
}

// Named finds the network in a list that somebody calls by its slug, by its chain id, or as other tools do.
func Named(all []Network, name string) (Network, bool) {
	if n, ok := WithSlug(all, name); ok {
		return n, true
	}
	if id, err := strconv.ParseUint(name, 10, 64); err == nil {
		return WithChainID(all, id)
	}
	return WithChainID(all, names[name])
}
