// Package pair says which stablecoins of which chains become money at a bank, and which ones such money becomes. Each
// of the fiat currencies goes with every pair, in the same direction. It is the one place that knows: withdrawal
// addresses, deposit accounts, quotes, and the table of docs/networks.md, which is made from it.
package pair

import (
	"slices"
	"strings"

	"github.com/railkit/railkit/chain"
	"github.com/railkit/railkit/fault"
	"github.com/railkit/railkit/money"
)

// Ramp is a direction.
type Ramp string

// The directions.
const (
	Off Ramp = "off" // stablecoin to a bank
	On  Ramp = "on"  // a bank to stablecoin
)

// The reasons why a stablecoin of a chain is refused.
var (
	ErrUnsupported = fault.Define(fault.Invalid, "pair_unsupported", "Unsupported chain and currency combination: %s",
		"The stablecoin cannot be taken in, or paid, on this chain")
	ErrNotWatched = fault.Define(fault.Unavailable, "chain_not_watched", "Nobody watches this chain at the moment",
		"The server has no node of the chain, so that a deposit would not be seen; retry once the operator has given it one (--rpc)")
)

// offRamp are the stablecoins of each chain that are paid out: the partner makes addresses there, the issuer has a
// token there, and our watcher sees what comes.
var offRamp = map[string][]money.Currency{
	"base":     {money.USDC},
	"polygon":  {money.USDC, money.USDT},
	"arbitrum": {money.USDC, money.USDT},
	"solana":   {money.USDC, money.USDT},
}

// unpaid are the families on which nothing is paid to a bank or from one, whatever their networks list: the sandbox's
// partner has no address there.
var unpaid = map[chain.Kind]string{
	chain.Tron: "nothing is paid to a bank or from one on Tron",
}

// unpaired gives the reason for combinations that a client could expect and that are not supported.
var unpaired = map[string]string{
	"base usdt": "USDT is not issued on base",
}

// Pairs are those of a server.
type Pairs struct {
	Environment chain.Environment
	Watched     []string // chains that have a node
}

// Check refuses a stablecoin of a chain that nobody would see arrive.
func (p Pairs) Check(r Ramp, slug string, coin money.Currency) error {
	if why := Why(r, p.Environment, slug, coin); why != "" {
		return ErrUnsupported.Msg(why)
	}
	if !slices.Contains(p.Watched, slug) {
		return ErrNotWatched
	}
	return nil
}

// Why is the reason why no server serves a stablecoin of a chain in a direction; "": those do that have a node of it.
func Why(r Ramp, env chain.Environment, slug string, coin money.Currency) string {
	if r == Off && !slices.Contains(offRamp[slug], coin) {
		if why := unpaired[slug+" "+string(coin)]; why != "" {
			return why
		}
		return "it is not one of " + offRampList()
	}
	network, known := chain.BySlug(env, slug)
	if !known {
		return slug + " " + chain.Unknown(chain.Networks(env))
	}
	if why := unpaid[network.Kind]; why != "" {
		return why
	}
	if _, listed := network.TokenBySymbol(string(coin)); !listed {
		return coin.Upper() + " is not listed on " + slug
	}
	return ""
}

// Never is why nothing of a chain is paid to a bank or from one, whatever the currency; "": some may be.
func (p Pairs) Never(slug string) string {
	network, _ := chain.BySlug(p.Environment, slug)
	return unpaid[network.Kind]
}

func offRampList() string {
	var all []string
	for slug, coins := range offRamp {
		for _, c := range coins {
			all = append(all, slug+"+"+string(c))
		}
	}
	slices.Sort(all)
	return strings.Join(all, ", ")
}
