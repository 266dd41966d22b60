package x402

import (
	"strconv"
	"strings"

	"github.com/railkit/railkit/chain"
	"github.com/railkit/railkit/chain/families"
	"github.com/railkit/railkit/chain/solana"
)

// namesV1 are the names that version 1 has for networks, those of them that the registry lists, with their kind and ID.
// Version 2 and MPP name networks by CAIP-2.
var namesV1 = map[string]chain.Network{
	"ethereum": evmNetwork(1), "base": evmNetwork(8453), "polygon": evmNetwork(137), "avalanche": evmNetwork(43114),
	"sepolia": evmNetwork(11155111), "base-sepolia": evmNetwork(84532), "polygon-amoy": evmNetwork(80002),
	"avalanche-fuji": evmNetwork(43113),
	"solana":         cluster("mainnet"), "solana-devnet": cluster("devnet"), "solana-testnet": cluster("testnet"),
}

func evmNetwork(id uint64) chain.Network { return chain.Network{Kind: chain.EVM, ChainID: id} }

func cluster(name string) chain.Network { return chain.Network{Kind: chain.Solana, Cluster: name} }

// NameV1 is the name of a network in version 1.
func NameV1(n chain.Network) (string, bool) {
	for name, other := range namesV1 {
		if other.Kind == n.Kind && other.ID() == n.ID() {
			return name, true
		}
	}
	return "", false
}

// NetworkID is the name of a network in version 2: its CAIP-2 id. On Solana that is the beginning of the hash of the
// first block. It is "" where there is none.
func NetworkID(n chain.Network) string {
	switch n.Kind {
	case chain.EVM:
		return "eip155:" + strconv.FormatUint(n.ChainID, 10)
	case chain.Solana:
		if hash := solana.Genesis(n.Cluster); hash != "" {
			return "solana:" + hash[:32]
		}
	}
	return ""
}

// ReadNetwork reads the name of a network in version 1 or 2. It is as the registry lists it, or one of which nothing
// but kind and ID is known.
func ReadNetwork(d Dialect, name string) (chain.Network, bool) {
	n, ok := namesV1[name]
	if d != V1 {
		n, ok = readCAIP2(name)
	}
	if !ok {
		return chain.Network{}, false
	}
	for _, env := range []chain.Environment{chain.Production, chain.Sandbox} {
		if listed, found := chain.WithID(chain.Networks(env), n.Kind, n.ID()); found {
			return listed, true
		}
	}
	return n, true
}

func readCAIP2(name string) (n chain.Network, ok bool) {
	if digits, found := strings.CutPrefix(name, "eip155:"); found {
		id, err := strconv.ParseUint(digits, 10, 64)
		n, ok = evmNetwork(id), err == nil && id > 0
		return n, ok && NetworkID(n) == name
	}
	for _, n := range namesV1 {
		if n.Kind == chain.Solana && NetworkID(n) == name {
			return n, true
		}
	}
	return chain.Network{}, false
}

// CanBePaid reads an address that is to get a token, and reports whether who has it can use what is sent to it. It
// refuses the token itself, and whatever is known to give nothing back, such as a router or a program.
func CanBePaid(n chain.Network, token, payTo string) (canonical string, ok bool) {
	family, found := families.Of(n.Kind)
	if !found {
		return "", false
	}
	canonical, err := family.ParseAddress(payTo)
	if err != nil || family.Lookup(canonical) == family.Lookup(token) {
		return "", false
	}
	_, known := chain.KnownAt(n, canonical)
	return canonical, !known && family.CheckPayee(canonical) == nil
}

// isSolana tells a network of Solana's by its name in any dialect.
func isSolana(name string) bool {
	return name == "solana" || strings.HasPrefix(name, "solana-") || strings.HasPrefix(name, "solana:")
}
