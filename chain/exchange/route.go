package exchange

import (
	"context"
	"errors"
	"math/big"

	"github.com/railkit/railkit/chain"
	"github.com/railkit/railkit/chain/evm"
	"github.com/railkit/railkit/chain/evm/router"
	"github.com/railkit/railkit/chain/node"
	"github.com/railkit/railkit/fault"
)

// route is one way through an exchange's pools.
type route struct {
	market  chain.Market
	network chain.Network
	path    []chain.Token // tokens: the wrapped coin for the network's own
	fees    []int         // v3: of the pools
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

// search finds what a route buys, in a few steps: what it asks next depends on the answers before.
type search interface {
	// ask is what is to be asked now; nothing: the search is over.
	ask() []router.Question
	// hear takes the answers; nil is that of a call that was refused.
	hear(answers [][]byte)
	found() route
}

func (t trade) search(m chain.Market, path []chain.Token) search {
	r := route{market: m, network: t.network, path: path}
	if m.Kind == chain.MarketV3 {
		return &searchV3{route: r, path: r.contracts(), amount: t.in}
	}
	return &searchV2{route: r, path: r.contracts(), in: t.in}
}

// best is the route that buys most, of every exchange and path. The searches go on together, so that the node is asked
// twice, however many they are.
func (t trade) best(ctx context.Context, c node.Caller) (best route, err error) {
	var all []search
	for _, m := range t.markets {
		for _, path := range t.paths() {
			all = append(all, t.search(m, path))
		}
	}
	for asking := true; asking; {
		if asking, err = step(ctx, c, all); err != nil {
			return best, err
		}
	}
	for _, s := range all {
		if r := s.found(); r.better(best) {
			best = r
		}
	}
	if best.out == nil {
		return best, errNoRoute
	}
	return best, nil
}

// step asks what each search wants to know now. False: none wants to know more.
func step(ctx context.Context, c node.Caller, all []search) (bool, error) {
	var questions []router.Question
	counts := make([]int, len(all))
	for i, s := range all {
		asked := s.ask()
		questions, counts[i] = append(questions, asked...), len(asked)
	}
	if len(questions) == 0 {
		return false, nil
	}
	answers, err := ask(ctx, c, questions)
	if err != nil {
		return false, err
	}
	for i, s := range all {
		if counts[i] > 0 {
			s.hear(answers[:counts[i]])
		}
		answers = answers[counts[i]:]
	}
	return true, nil
}

// ask has Multicall ask all, in the state of one block.
func ask(ctx context.Context, c node.Caller, all []router.Question) ([][]byte, error) {
	answer, err := c.Call(ctx, node.ContractCall{To: router.Multicall.String(), Data: router.Together(all)})
	if err != nil {
		return nil, fault.ErrUnavailable.Because(err)
	}
	answers, ok := router.ReadTogether(answer, len(all))
	if !ok {
		return nil, fault.ErrUnavailable.Because(errMulticall)
	}
	return answers, nil
}

var errMulticall = errors.New("the network's Multicall3 gives no answers that can be read")

// measure adds the impact of the amount and the gas.
func (r *route) measure(ctx context.Context, c node.Caller, in *big.Int) error {
	if r.market.Kind == chain.MarketV3 {
		return r.measureV3(ctx, c, in)
	}
	r.impact = impact(in, r.pools)
	r.gas = v2Gas + v2HopGas*uint64(len(r.pools))
	return nil
}
