package exchange

import (
	"context"
	"errors"
	"math/big"

	"github.com/railkit/railkit/chain"
	"github.com/railkit/railkit/chain/evm"
	"github.com/railkit/railkit/chain/node"
	"github.com/railkit/railkit/fault"
)

// route is one way through an exchange's pools.
type route struct {
	market  chain.Market
	network chain.Network
	path    []chain.Token // tokens: the wrapped coin for the network's own
	fees    []int         // v3
	pools   []reserves    // v2
	out     *big.Int      // nil: no such route
	gas     uint64
	impact  int // basis points
}

// better reports whether a route buys more than another. Of two that buy the same the first found stays.
func (r route) better(than route) bool {
	return r.out != nil && r.out.Sign() > 0 && (than.out == nil || r.out.Cmp(than.out) > 0)
}

// contracts are those of the path.
func (r route) contracts() []evm.Address {
	var all []evm.Address
	for _, t := range r.path {
		all = append(all, contractOf(r.network, t))
	}
	return all
}

// paths are the direct one and those through one token of the network that most pools have.
func (t trade) paths() [][]chain.Token {
	coin, _ := t.network.Wrapped()
	sell, buy := t.sell, t.buy
	if sell.Address == "" {
		sell = coin
	}
	if buy.Address == "" {
		buy = coin
	}
	all := [][]chain.Token{{sell, buy}}
	usdc, _ := t.network.TokenBySymbol("USDC")
	usdt, _ := t.network.TokenBySymbol("USDT")
	for _, between := range []chain.Token{usdc, usdt, coin} {
		if between.Address != "" && between != sell && between != buy {
			all = append(all, []chain.Token{sell, between, buy})
		}
	}
	return all
}

// best is the route of one exchange that buys most.
func (t trade) best(ctx context.Context, a asker) (best route, err error) {
	find := a.v2
	if a.market.Kind == chain.MarketV3 {
		find = a.v3
	}
	for _, path := range t.paths() {
		r := route{market: a.market, network: t.network, path: path}
		if err := find(ctx, &r, t.in); err != nil {
			return best, err
		}
		if r.better(best) {
			best = r
		}
	}
	return best, nil
}

// measure adds the impact of the amount and the gas.
func (r *route) measure(ctx context.Context, c node.Caller, in *big.Int) error {
	if r.market.Kind == chain.MarketV3 {
		return asker{c, r.market}.measure(ctx, r, in)
	}
	r.impact = impact(in, r.pools)
	r.gas = v2Gas + v2HopGas*uint64(len(r.pools))
	return nil
}

// asker asks a node for an exchange's pools.
type asker struct {
	node.Caller
	market chain.Market
}

// ask runs a call. A contract that refuses it answers nothing, as does an address without a contract.
func (a asker) ask(ctx context.Context, to string, data []byte) ([]byte, error) {
	answer, err := a.Call(ctx, node.ContractCall{To: to, Data: data})
	if errors.Is(err, node.ErrReverts) {
		return nil, nil
	}
	if err != nil {
		return nil, fault.ErrUnavailable.Because(err)
	}
	return answer, nil
}
