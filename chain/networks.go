package chain

import (
	"slices"
	"strconv"
	"strings"
)

// Networks lists what an environment knows. The answer is the caller's own copy.
func Networks(env Environment) []Network {
	rows := table(env)
	all := make([]Network, 0, len(rows))
	for _, n := range rows {
		all = append(all, n.clone())
	}
	return all
}

// OfKind are the networks of a kind in a list.
func OfKind(k Kind, all []Network) (some []Network) {
	for _, n := range all {
		if n.Kind == k {
			some = append(some, n)
		}
	}
	return some
}

// AddNetwork lists one more network. Tests call it in TestMain, before anything asks for a network; nothing else does.
func AddNetwork(env Environment, n Network) {
	if env == Production {
		production = append(production, n)
	} else {
		sandbox = append(sandbox, n)
	}
}

// BySlug finds a network by its name in the API.
func BySlug(env Environment, slug string) (Network, bool) {
	return WithSlug(table(env), slug)
}

// ByChainID finds an EVM network. Zero is no chain id.
func ByChainID(env Environment, id uint64) (Network, bool) {
	return WithChainID(table(env), id)
}

// WithSlug finds the network of that slug in a list.
func WithSlug(all []Network, slug string) (Network, bool) {
	return first(all, func(n Network) bool { return n.Slug == slug })
}

// clusters are Solana's, as its own programs name them. Its mainnet has no other name: mainnet alone is Ethereum's.
var clusters = map[string]string{"devnet": "devnet", "mainnet-beta": "mainnet"}

// OfCluster finds the network in a list that an agent's payment names as its cluster: by its slug, or as Solana's own
// programs name it.
func OfCluster(all []Network, name string) (Network, bool) {
	if n, ok := WithSlug(all, name); ok {
		return n, true
	}
	cluster, ok := clusters[name]
	return first(all, func(n Network) bool { return ok && n.Kind == Solana && n.Cluster == cluster })
}

// WithChainID finds the EVM network of that chain id in a list. Zero is none.
func WithChainID(all []Network, id uint64) (Network, bool) {
	return first(all, func(n Network) bool { return n.Kind == EVM && id != 0 && n.ChainID == id })
}

// WithID finds the network of a kind and an ID in a list.
func WithID(all []Network, k Kind, id string) (Network, bool) {
	return first(all, func(n Network) bool { return id != "" && n.Kind == k && n.ID() == id })
}

// ID is how a transaction names its network: by its chain id in decimal digits, elsewhere than on EVM by its cluster.
func (n Network) ID() string {
	if n.ChainID == 0 {
		return n.Cluster
	}
	return strconv.FormatUint(n.ChainID, 10)
}

// AddressPage is the explorer's page of an address; "" where the network has no explorer. Explorers that show a
// transaction at /tx/ show an address at /address/.
func (n Network) AddressPage(address string) string {
	base, ok := strings.CutSuffix(n.Explorer, "/tx/%s")
	if !ok {
		return ""
	}
	return base + "/address/" + address
}

// TokenByAddress finds a listed token; an EVM address counts in any case.
func (n Network) TokenByAddress(address string) (Token, bool) {
	for _, t := range n.Tokens {
		if t.Address == address || n.Kind == EVM && strings.EqualFold(t.Address, address) {
			return t, true
		}
	}
	return Token{}, false
}

// TokenBySymbol finds a listed token by its symbol as listed or in lower case,
// the two spellings that the API has. No other folding: it would make
// look-alikes equal.
func (n Network) TokenBySymbol(symbol string) (Token, bool) {
	for _, t := range n.Tokens {
		if t.Symbol == symbol || strings.ToLower(t.Symbol) == symbol {
			return t, true
		}
	}
	return Token{}, false
}

// nativeNames stand for a network's own coin where a token's address is asked for: the word, and two addresses that the
// field writes in its place.
var nativeNames = []string{
	"native", "0x0000000000000000000000000000000000000000", "0xEeeeeEeeeEeEeeEeEeEeeEEEeeeeEeeeeeeeEEeE",
}

// USDC is the token in which agents pay, and in which their limits are counted; false where the network lists none.
func (n Network) USDC() (Token, bool) {
	t, ok := n.TokenBySymbol("USDC")
	return t, ok && t.Decimals == 6
}

// WhyNoAgents says why agents pay nothing on the network; "": they can.
func (n Network) WhyNoAgents() string {
	if _, ok := n.USDC(); !ok {
		return "is " + n.Slug + ", where no USDC is listed, with which agents pay"
	}
	return ""
}

// Symbols names the network's listed tokens where a message says which there are: "USDC, USDT".
func (n Network) Symbols() string {
	var symbols []string
	for _, t := range n.Tokens {
		symbols = append(symbols, t.Symbol)
	}
	return strings.Join(symbols, ", ")
}

// Asset finds what somebody names by address or symbol: a listed token, or the network's own coin.
func (n Network) Asset(name string) (Token, bool) {
	if name == n.Native.Symbol || slices.ContainsFunc(nativeNames, func(t string) bool {
		return strings.EqualFold(t,
			name)
	}) {
		return n.Native, true
	}
	if t, ok := n.TokenByAddress(name); ok {
		return t, true
	}
	return n.TokenBySymbol(name)
}

// first gives a copy: the list may be everybody's.
func first(all []Network, match func(Network) bool) (Network, bool) {
	if i := slices.IndexFunc(all, match); i >= 0 {
		return all[i].clone(), true
	}
	return Network{}, false
}

func table(env Environment) []Network {
	switch env {
	case Production:
		return production
	case Sandbox:
		return sandbox
	}
	return nil
}

func (n Network) clone() Network {
	n.Tokens = slices.Clone(n.Tokens)
	return n
}

var (
	eth  = Token{Symbol: "ETH", Decimals: 18}
	pol  = Token{Symbol: "POL", Decimals: 18}
	avax = Token{Symbol: "AVAX", Decimals: 18}
)

// usdc is Circle's token. Its EIP-712 name differs from network to network.
func usdc(address, domainName string) Token {
	return Token{Symbol: "USDC", Address: address, Decimals: 6, DomainName: domainName, DomainVersion: "2"}
}

// usdt is Tether's token; an empty domain name means that it takes no EIP-712
// signature that we could make.
func usdt(address, domainName string) Token {
	t := Token{Symbol: "USDT", Address: address, Decimals: 6, DomainName: domainName}
	if domainName != "" {
		t.DomainVersion = "1"
	}
	return t
}

// opWETH is WETH on every OP-stack chain.
const opWETH = "0x4200000000000000000000000000000000000006"

// wrapped is the contract that keeps a network's own coin and gives as much of a token for it.
func wrapped(coin Token, address string) Token {
	return Token{Symbol: "W" + coin.Symbol, Address: address, Decimals: coin.Decimals, Wraps: coin.Symbol}
}
