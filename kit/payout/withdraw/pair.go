package withdraw

import (
	"slices"
	"strings"

	"github.com/railkit/railkit/fault"
	"github.com/railkit/railkit/money"
)

// pairs are the supported stablecoins of each chain. A stablecoin is supported on a chain if the
// partner creates addresses there, the issuer has a token there, and our watcher sees its deposits.
var pairs = map[string][]money.Currency{
	"base":     {money.USDC},
	"polygon":  {money.USDC, money.USDT},
	"arbitrum": {money.USDC, money.USDT},
	"solana":   {money.USDC, money.USDT},
}

// unpaired gives the reason for combinations that a client could expect and that are not supported.
var unpaired = map[string]string{
	"base usdt": "USDT is not issued on base",
}

// The reasons why an address cannot be created on a chain.
var (
	ErrPair = fault.Define(fault.Invalid, "pair_unsupported", "Unsupported chain and currency combination: %s",
		"The stablecoin cannot be taken in on this chain")
	ErrNotWatched = fault.Define(fault.Unavailable, "chain_not_watched", "Nobody watches this chain at the moment",
		"The server has no node of the chain, so that a deposit would not be seen; retry once the operator has given it one (--rpc)")
)

// checkPair refuses a chain and stablecoin whose deposits the server would not see.
func (s *Service) checkPair(chain string, currency money.Currency) error {
	if !slices.Contains(pairs[chain], currency) {
		why := unpaired[chain+" "+string(currency)]
		if why == "" {
			why = "it is not one of " + pairList()
		}
		return ErrPair.Msg(why)
	}
	if !slices.Contains(s.c.Chains, chain) {
		return ErrNotWatched
	}
	return nil
}

func pairList() string {
	var all []string
	for chain, currencies := range pairs {
		for _, c := range currencies {
			all = append(all, chain+"+"+string(c))
		}
	}
	slices.Sort(all)
	return strings.Join(all, ", ")
}
