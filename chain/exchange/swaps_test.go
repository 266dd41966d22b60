package exchange_test

import (
	"context"
	"errors"
	"math/big"
	"slices"
	"testing"
	"time"

	"github.com/ethereum/go-ethereum"
	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/core/types"
	"github.com/ethereum/go-ethereum/rpc"

	"github.com/railkit/railkit/chain"
	"github.com/railkit/railkit/chain/evm/router"
	evmrpc "github.com/railkit/railkit/chain/evm/rpc"
	"github.com/railkit/railkit/chain/exchange"
	"github.com/railkit/railkit/chain/node"
)

// A swap pays to the last unit what the quote before it said, at the sandbox's own exchange and at those of Uniswap.
func TestWidget_SwapsPayWhatWasQuoted(t *testing.T) {
	uniswap(t)
	coin := deployed(weth9)
	for _, v := range []venue{
		open(t, "polygon", ours, nil, traders[0]), open(t, "polygon", uniswapV2, &coin, traders[0]),
		open(t, "polygon", uniswapV3, &coin, traders[0]),
	} {
		t.Run(v.market.Protocol, func(t *testing.T) {
			v.t = t
			v.ready()
			v.trades()
			v.refusals()
		})
	}
}

func (v venue) trades() {
	for _, c := range []struct {
		sell, buy, amount string
		hops              int
	}{
		{"USDC", "WPOL", "123.456789", 1},
		{"WPOL", "USDC", "1000.000000000000000001", 1},
		{"native", "USDC", "77.7", 1},
		{"USDC", "native", "2500", 1},
		{v.token("USDT").Hex(), "wpol", "10", 2}, // no pool has both
		{"native", "USDT", "3000", 2},
		{"USDT", "native", "50000", 2},
	} {
		q := v.quote(exchange.Request{Sell: c.sell, Buy: c.buy, Amount: c.amount, SlippageBps: 50})
		least := new(big.Int).Mul(q.Out, big.NewInt(9950))
		if len(q.Path) != c.hops+1 || q.MinimumOut.Cmp(least.Div(least, big.NewInt(10_000))) != 0 {
			v.t.Errorf("%s for %s: %+v", c.sell, c.buy, q)
		}
		v.pays(q)
	}
}

// pays makes the trade and compares what the trader has before and after.
func (v venue) pays(q exchange.Quote) {
	v.t.Helper()
	sold, bought := q.Path[0], q.Path[len(q.Path)-1]
	before, had := v.has(sold), v.has(bought)
	to, value, data, err := v.swap(q).Call()
	v.check(err)
	tried, err := v.tries.Gain(v.t.Context(), node.ContractCall{
		From: v.address.Hex(), To: to.String(), Value: value, Data: data,
	}, bought.Address, v.address.Hex())
	if err != nil || tried.Cmp(q.Out) != 0 {
		v.t.Errorf("%s for %s: tried, it brings %v of %v: %v", sold.Symbol, bought.Symbol, tried, q.Out, err)
	}
	receipt := v.trade(q)
	gas := new(big.Int).Mul(receipt.EffectiveGasPrice, new(big.Int).SetUint64(receipt.GasUsed))
	paid, got := before.Sub(before, v.has(sold)), new(big.Int).Sub(v.has(bought), had)
	if sold.Address == "" {
		paid.Sub(paid, gas)
	}
	if bought.Address == "" {
		got.Add(got, gas)
	}
	if paid.Cmp(q.In) != 0 || got.Cmp(q.Out) != 0 {
		v.t.Errorf("%s for %s: paid %v of %v, got %v of %v", sold.Symbol, bought.Symbol, paid, q.In, got, q.Out)
	}
	if receipt.GasUsed > q.Gas*2 || receipt.GasUsed < q.Gas/2 {
		v.t.Errorf("%s for %s: %d gas, about %d was said", sold.Symbol, bought.Symbol, receipt.GasUsed, q.Gas)
	}
	if kept := v.read(v.coin(), "balanceOf", common.HexToAddress(v.market.Router))[0].(*big.Int); kept.Sign() > 0 {
		v.t.Errorf("the router keeps %v", kept)
	}
}

// trade sends the quote's trade.
func (v venue) trade(q exchange.Quote) *types.Receipt {
	v.t.Helper()
	to, value, data, err := v.swap(q).Call()
	v.check(err)
	at := common.Address(to)
	return v.send(&at, value, data)
}

func (v venue) swap(q exchange.Quote) router.Swap {
	v.t.Helper()
	s, err := q.Swap(v.address.Hex(), soon().Uint64())
	v.check(err)
	return s
}

// Where no exchange is named the one that buys most is taken, and of v3's pools the one that pays best.
func TestWidget_TheBestRouteIsQuoted(t *testing.T) {
	uniswap(t)
	coin := deployed(weth9)
	second, third := open(t, "polygon", uniswapV2, &coin, traders[0]), open(t, "polygon", uniswapV3, &coin, traders[0])
	for _, c := range []struct {
		sell, buy string
		fees      []int
	}{
		{"WPOL", "USDC", []int{500}}, // the pool with the lower fee pays a third more for the coin
		{"USDC", "WPOL", []int{3000}},
		{"native", "USDT", []int{500, 500}},
	} {
		in := exchange.Request{Sell: c.sell, Buy: c.buy, Amount: "100", SlippageBps: 50}
		v2, v3 := second.quote(in), third.quote(in)
		in.Chain = "polygon"
		best := v2
		if v3.Out.Cmp(v2.Out) > 0 {
			best = v3
		}
		q, err := second.service.Quote(t.Context(), in)
		if err != nil || q.Market.Protocol != best.Market.Protocol || q.Out.Cmp(best.Out) != 0 {
			t.Errorf("%s for %s: %v at %s, want the best of %v and %v: %v",
				c.sell, c.buy, q.Out, q.Market.Protocol, v2.Out, v3.Out, err)
		}
		if !slices.Equal(v3.Fees, c.fees) {
			t.Errorf("%s for %s: pools of %v", c.sell, c.buy, v3.Fees)
		}
	}
}

// counted counts what a node is asked.
type counted struct {
	node.Caller
	calls *int
}

func (c counted) Call(ctx context.Context, asked node.ContractCall) ([]byte, error) {
	*c.calls++
	return c.Caller.Call(ctx, asked)
}

// A quote asks the node three times at most: for the first pools, for the next ones, and for the price of a small
// amount. A public page may ask for quotes, and every one is a bill of the node's.
func TestWidget_AQuoteIsFewQuestions(t *testing.T) {
	uniswap(t)
	coin := deployed(weth9)
	v := open(t, "polygon", uniswapV3, &coin, traders[0])
	client, err := evmrpc.Dial(t.Context(), v.devnet.RPCURL("polygon"), v.network)
	v.check(err)
	t.Cleanup(client.Close)
	calls := 0
	v.service = exchange.New([]chain.Network{v.network}, one{counted{client, &calls}})
	_, err = v.service.Quote(t.Context(), exchange.Request{Chain: "polygon", Sell: "USDT", Buy: "native", Amount: "5"})
	if err != nil || calls > 3 {
		t.Errorf("%d questions: %v", calls, err)
	}
}

// What a quote says of the price is what the pools' sizes make of it: 1 % of what a pool has moves it by about 1 %.
func TestWidget_ImpactOfAQuote(t *testing.T) {
	uniswap(t)
	coin := deployed(weth9)
	for _, v := range []venue{
		open(t, "optimism", ours, nil, traders[0]), open(t, "polygon", uniswapV3, &coin, traders[0]),
	} {
		for _, c := range []struct {
			amount      string
			least, most int
		}{{"1", 0, 1}, {"10000", 80, 110}, {"100000", 800, 960}} {
			q := v.quote(exchange.Request{Sell: "USDC", Buy: "native", Amount: c.amount})
			if q.ImpactBps < c.least || q.ImpactBps > c.most {
				t.Errorf("%s: %s USDC move the price by %d basis points", v.market.Protocol, c.amount, q.ImpactBps)
			}
		}
	}
}

// refusals are of trades that come too late, or would buy less than the minimum.
func (v venue) refusals() {
	v.t.Helper()
	for _, names := range [][2]string{{"USDC", "WPOL"}, {"native", "USDC"}, {"USDC", "native"}, {"USDT", "native"}} {
		q := v.quote(exchange.Request{Sell: names[0], Buy: names[1], Amount: "5"})
		if !v.runs(v.swap(q)) {
			v.t.Errorf("%s for %s: the quote itself is refused", names[0], names[1])
		}
		late := v.swap(q)
		late.Deadline = uint64(time.Now().Add(-time.Hour).Unix())
		dear := v.swap(q)
		dear.MinOut = new(big.Int).Add(q.Out, big.NewInt(1))
		if v.runs(late) || v.runs(dear) {
			v.t.Errorf("%s for %s: a passed deadline, or a minimum above the price, is taken", names[0], names[1])
		}
	}
}

// runs reports whether the chain would take the trade now.
func (v venue) runs(s router.Swap) bool {
	v.t.Helper()
	to, value, data, err := s.Call()
	v.check(err)
	at := common.Address(to)
	_, err = v.CallContract(v.t.Context(), ethereum.CallMsg{From: v.address, To: &at, Value: value, Data: data}, nil)
	if _, reverts := errors.AsType[rpc.DataError](err); err != nil && !reverts {
		v.t.Fatal(err)
	}
	return err == nil
}
