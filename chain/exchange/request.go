package exchange

import (
	"math/big"
	"slices"

	"github.com/railkit/railkit/chain"
	"github.com/railkit/railkit/fault"
)

const (
	whole       = 10_000 // basis points
	maxSlippage = 5_000
)

// trade is a request that was read.
type trade struct {
	network   chain.Network
	markets   []chain.Market
	sell, buy chain.Token // the network's own coin has no address
	in        *big.Int
	slippage  int
}

func (s *Service) read(in Request) (t trade, err error) {
	var ok bool
	if t.network, ok = chain.Named(s.networks, in.Chain); !ok {
		return t, errChain
	}
	t.markets = slices.DeleteFunc(chain.Markets(t.network), func(m chain.Market) bool {
		return in.Protocol != "" && m.Protocol != in.Protocol || !m.Kind.V2() && m.Kind != chain.MarketV3
	})
	if _, ok := t.network.Wrapped(); !ok || len(t.markets) == 0 {
		return t, errChain
	}
	if t.sell, ok = t.network.Asset(in.Sell); !ok {
		return t, fault.Field("fromToken", "must be native or a listed token of the network")
	}
	if t.buy, ok = t.network.Asset(in.Buy); !ok {
		return t, fault.Field("toToken", "must be native or a listed token of the network")
	}
	if contractOf(t.network, t.sell) == contractOf(t.network, t.buy) {
		return t, fault.Field("toToken", "must not be what is sold; wrapping the network's own coin is no swap")
	}
	if t.in, err = chain.ParseUnits(in.Amount, t.sell.Decimals); err != nil || t.in.Sign() == 0 {
		return t, fault.Field("amount", "must be positive decimal text, of the token's precision at most")
	}
	if t.slippage = in.SlippageBps; t.slippage < 0 || t.slippage > maxSlippage {
		return t, fault.Field("slippage", "must be from 0 to 50 percent")
	}
	return t, nil
}

// quote is the answer for the best route. A trade that may end with nothing is refused: its minimum would hold nobody
// to anything.
func (t trade) quote(r route) (Quote, error) {
	least := new(big.Int).Mul(r.out, big.NewInt(int64(whole-t.slippage)))
	least.Div(least, big.NewInt(whole))
	if least.Sign() == 0 {
		return Quote{}, fault.Field("amount", "is too small: nothing might be bought")
	}
	path := slices.Clone(r.path)
	path[0], path[len(path)-1] = t.sell, t.buy
	return Quote{
		Network: t.network, Market: r.market, Path: path, Fees: r.fees, In: t.in, Out: r.out, MinimumOut: least,
		SlippageBps: t.slippage, ImpactBps: r.impact, Gas: r.gas,
	}, nil
}
