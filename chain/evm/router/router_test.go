package router_test

import (
	"bytes"
	"errors"
	"math/big"
	"strings"
	"testing"

	"github.com/ethereum/go-ethereum/accounts/abi"
	"github.com/ethereum/go-ethereum/common"

	"github.com/railkit/railkit/chain"
	"github.com/railkit/railkit/chain/evm"
	"github.com/railkit/railkit/chain/evm/router"
)

// The interfaces as the exchanges publish them, of the functions that are written.
const published = `[
{"type":"function","name":"swapExactTokensForTokens","inputs":[{"name":"amountIn","type":"uint256"},
 {"name":"amountOutMin","type":"uint256"},{"name":"path","type":"address[]"},{"name":"to","type":"address"},
 {"name":"deadline","type":"uint256"}]},
{"type":"function","name":"swapExactETHForTokens","inputs":[{"name":"amountOutMin","type":"uint256"},
 {"name":"path","type":"address[]"},{"name":"to","type":"address"},{"name":"deadline","type":"uint256"}]},
{"type":"function","name":"swapExactTokensForAVAX","inputs":[{"name":"amountIn","type":"uint256"},
 {"name":"amountOutMin","type":"uint256"},{"name":"path","type":"address[]"},{"name":"to","type":"address"},
 {"name":"deadline","type":"uint256"}]},
{"type":"function","name":"multicall","inputs":[{"name":"deadline","type":"uint256"},
 {"name":"data","type":"bytes[]"}]},
{"type":"function","name":"exactInputSingle","inputs":[{"name":"params","type":"tuple","components":[
 {"name":"tokenIn","type":"address"},{"name":"tokenOut","type":"address"},{"name":"fee","type":"uint24"},
 {"name":"recipient","type":"address"},{"name":"amountIn","type":"uint256"},
 {"name":"amountOutMinimum","type":"uint256"},{"name":"sqrtPriceLimitX96","type":"uint160"}]}]},
{"type":"function","name":"exactInput","inputs":[{"name":"params","type":"tuple","components":[
 {"name":"path","type":"bytes"},{"name":"recipient","type":"address"},{"name":"amountIn","type":"uint256"},
 {"name":"amountOutMinimum","type":"uint256"}]}]},
{"type":"function","name":"unwrapWETH9","inputs":[{"name":"amountMinimum","type":"uint256"},
 {"name":"recipient","type":"address"}]}]`

type single struct {
	TokenIn, TokenOut          common.Address
	Fee                        *big.Int
	Recipient                  common.Address
	AmountIn, AmountOutMinimum *big.Int
	SqrtPriceLimitX96          *big.Int
}

type hops struct {
	Path                       []byte
	Recipient                  common.Address
	AmountIn, AmountOutMinimum *big.Int
}

var (
	at       = evm.Address{1, 9}
	sold     = evm.Address{2, 9}
	between  = evm.Address{3, 9}
	bought   = evm.Address{4, 9}
	receiver = evm.Address{5, 9}
)

func swap(kind chain.MarketKind, path ...evm.Address) router.Swap {
	return router.Swap{Kind: kind, Router: at, Path: path, Fees: []int{500, 10000}[:len(path)-1], In: big.NewInt(1000),
		MinOut: big.NewInt(900), Receiver: receiver, Deadline: 1_800_000_000}
}

// An encoder of others writes the same bytes.
func TestWidget_RouterCallsAreAsPublished(t *testing.T) {
	parsed, err := abi.JSON(strings.NewReader(published))
	if err != nil {
		t.Fatal(err)
	}
	pack := func(name string, args ...any) []byte {
		packed, err := parsed.Pack(name, args...)
		if err != nil {
			t.Fatal(err)
		}
		return packed
	}
	in, out, end := big.NewInt(1000), big.NewInt(900), big.NewInt(1_800_000_000)
	path := []common.Address{common.Address(sold), common.Address(between), common.Address(bought)}
	to, kept := common.Address(receiver), common.Address{19: 2}
	packed := bytes.Join([][]byte{sold[:], {0, 1, 0xf4}, between[:], {0, 0x27, 0x10}, bought[:]}, nil)
	for name, c := range map[string]struct {
		swap router.Swap
		in   bool
		out  bool
		want []byte
	}{
		"tokens": {swap(chain.MarketV2, sold, bought), false, false,
			pack("swapExactTokensForTokens", in, out, []common.Address{path[0], path[2]}, to, end)},
		"coin in": {swap(chain.MarketV2, sold, between, bought), true, false,
			pack("swapExactETHForTokens", out, path, to, end)},
		"coin out": {swap(chain.MarketV2AVAX, sold, between, bought), false, true,
			pack("swapExactTokensForAVAX", in, out, path, to, end)},
		"v3": {swap(chain.MarketV3, sold, bought), true, false,
			pack("multicall", end, [][]byte{pack("exactInputSingle",
				single{path[0], path[2], big.NewInt(500), to, in, out, new(big.Int)})})},
		"v3, two hops, coin out": {swap(chain.MarketV3, sold, between, bought), false, true,
			pack("multicall", end, [][]byte{pack("exactInput", hops{packed, kept, in, out}),
				pack("unwrapWETH9", out, to)})},
	} {
		c.swap.NativeIn, c.swap.NativeOut = c.in, c.out
		router, value, data, err := c.swap.Call()
		if err != nil || router != at || !bytes.Equal(data, c.want) || (value.Cmp(in) == 0) != c.in ||
			(value.Sign() == 0) == c.in {
			t.Errorf("%s: %v, value %v, %v\n%x\nwant\n%x", name, router, value, err, data, c.want)
		}
	}
}

func TestWidget_RouterCallsRefused(t *testing.T) {
	for name, c := range map[string]struct {
		change func(*router.Swap)
		want   error
	}{
		"another kind":        {func(s *router.Swap) { s.Kind = "v4" }, router.ErrKind},
		"nothing sold":        {func(s *router.Swap) { s.In = new(big.Int) }, router.ErrAmount},
		"nothing wanted":      {func(s *router.Swap) { s.MinOut = new(big.Int) }, router.ErrAmount},
		"no amount":           {func(s *router.Swap) { s.MinOut = nil }, router.ErrAmount},
		"over 256 bits":       {func(s *router.Swap) { s.In = new(big.Int).Lsh(big.NewInt(1), 256) }, router.ErrAmount},
		"nobody":              {func(s *router.Swap) { s.Receiver = evm.Address{} }, router.ErrReceiver},
		"the router's caller": {func(s *router.Swap) { s.Receiver = evm.Address{19: 1} }, router.ErrReceiver},
		"the router as 2":     {func(s *router.Swap) { s.Receiver = router.ThisRouter }, router.ErrReceiver},
		"the router":          {func(s *router.Swap) { s.Receiver = at }, router.ErrReceiver},
		"coin for coin":       {func(s *router.Swap) { s.NativeIn, s.NativeOut = true, true }, router.ErrNative},
		"one token":           {func(s *router.Swap) { s.Path = s.Path[:1] }, router.ErrPath},
		"a token for itself":  {func(s *router.Swap) { s.Path[1] = sold }, router.ErrPath},
		"no fee":              {func(s *router.Swap) { s.Fees = nil }, router.ErrPath},
		"a fee of 100 %":      {func(s *router.Swap) { s.Fees[0] = 1_000_000 }, router.ErrPath},
	} {
		s := swap(chain.MarketV3, sold, bought)
		c.change(&s)
		if _, _, data, err := s.Call(); !errors.Is(err, c.want) || data != nil {
			t.Errorf("%s: %x, %v", name, data, err)
		}
	}
}

// What a node answers may be anything: only an address, reserves and amounts of their sizes are taken.
func TestWidget_AnswersOfExchanges(t *testing.T) {
	words := func(n ...*big.Int) (all []byte) {
		for _, w := range n {
			all = append(all, w.FillBytes(make([]byte, 32))...)
		}
		return all
	}
	one, most := big.NewInt(1), new(big.Int).Lsh(big.NewInt(1), router.ReserveBits)
	for name, answer := range map[string][]byte{
		"nothing": nil, "none": words(new(big.Int)), "short": make([]byte, 20), "more than an address": words(
			new(big.Int).Lsh(one, 160)), "two words": words(one, one),
	} {
		if pair, ok := router.ReadPair(answer); ok {
			t.Errorf("%s is the pool %s", name, pair)
		}
	}
	if pair, ok := router.ReadPair(append(make([]byte, 12), at[:]...)); !ok || pair != at {
		t.Errorf("%s %v", pair, ok)
	}
	for name, answer := range map[string][]byte{
		"nothing": nil, "two words": words(one, one), "empty": words(one, new(big.Int), one),
		"too much": words(most, one, one),
	} {
		if a, b, ok := router.ReadReserves(answer); ok {
			t.Errorf("%s is %v and %v", name, a, b)
		}
	}
	a, b, ok := router.ReadReserves(words(one, new(big.Int).Sub(most, one), one))
	if !ok || a.Cmp(one) != 0 || b.Cmp(a) < 0 {
		t.Errorf("%v %v %v", a, b, ok)
	}
	for name, answer := range map[string][]byte{
		"nothing": nil, "three words": words(one, one, one), "gas without end": words(one, one, one, most),
	} {
		if out, _, ok := router.ReadQuote(answer); ok {
			t.Errorf("%s is %v", name, out)
		}
	}
	out, gas, ok := router.ReadQuote(words(big.NewInt(5), one, one, big.NewInt(7)))
	if !ok || out.Int64() != 5 || gas != 7 {
		t.Errorf("%v %d %v", out, gas, ok)
	}
}
