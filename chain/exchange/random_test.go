package exchange_test

import (
	"math/big"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/ethereum/go-ethereum"
	"github.com/ethereum/go-ethereum/common"

	"github.com/railkit/railkit/chain/evm"
	"github.com/railkit/railkit/chain/evm/router"
	"github.com/railkit/railkit/chain/exchange"
)

// A thousand trades of any size, there and back, through one pool or two: what is computed here is what the router
// says, and of every fortieth what the chain pays.
func TestWidget_AmountsAreTheContracts(t *testing.T) {
	uniswap(t)
	coin := deployed(weth9)
	for _, v := range []venue{
		open(t, "arbitrum", ours, nil, traders[1]), open(t, "polygon", uniswapV2, &coin, traders[1]),
	} {
		t.Run(v.market.Protocol, func(t *testing.T) {
			v.t = t
			v.ready()
			seed := uint64(time.Now().UnixNano())
			t.Logf("seed %d", seed)
			r := rand.New(rand.NewPCG(seed, 0))
			const trades, sample = 1000, 40
			paid := 0
			for i := range trades {
				if v.random(r, i%sample == 0) {
					paid++
				}
			}
			if paid < trades/2 {
				t.Errorf("%d of %d trades buy something", paid, trades)
			}
		})
	}
}

// random makes one trade up, and reports whether the pools pay for it. What is sold is of any number of bits, up to
// more than a pool has.
func (v venue) random(r *rand.Rand, real bool) bool {
	v.t.Helper()
	usdc, usdt, coin := v.token("USDC"), v.token("USDT"), v.coin()
	path := [][]common.Address{{usdc, coin}, {usdc, usdt}, {usdt, usdc, coin}}[r.IntN(3)]
	if r.IntN(2) == 0 {
		path = reversed(path)
	}
	bits, decimals := 50, 6
	if path[0] == coin {
		bits, decimals = 95, 18
	}
	in := new(big.Int).Lsh(new(big.Int).SetUint64(r.Uint64()), 64)
	in.Add(in, new(big.Int).SetUint64(r.Uint64())).Rsh(in, uint(128-bits+r.IntN(bits)))
	if in.Add(in, big.NewInt(1)); real {
		in.Add(in.Mod(in, whole(1000, decimals)), whole(1, decimals))
	}
	out := v.computed(in, path)
	said, ok := v.said(in, path)
	if ok != (out.Sign() > 0) || ok && out.Cmp(said) != 0 {
		v.t.Fatalf("%v of %v: computed %v, the router says %v (%v)", in, path, out, said, ok)
	}
	if real {
		v.sells(in, out, path)
	}
	return ok
}

func reversed(path []common.Address) []common.Address {
	var back []common.Address
	for i := range path {
		back = append(back, path[len(path)-1-i])
	}
	return back
}

// computed is what the path buys by the reserves that its pools have now.
func (v venue) computed(in *big.Int, path []common.Address) *big.Int {
	v.t.Helper()
	for i := range path[1:] {
		pair := v.read(common.HexToAddress(v.market.Factory), "getPair", path[i], path[i+1])[0].(common.Address)
		reserves := v.read(pair, "getReserves")
		sold, bought := reserves[0].(*big.Int), reserves[1].(*big.Int)
		if path[i].Cmp(path[i+1]) > 0 {
			sold, bought = bought, sold
		}
		in = exchange.AmountOut(in, sold, bought)
	}
	return in
}

// said is what the router answers; false where it refuses, or pays nothing.
func (v venue) said(in *big.Int, path []common.Address) (*big.Int, bool) {
	v.t.Helper()
	at := common.HexToAddress(v.market.Router)
	asked := ethereum.CallMsg{To: &at, Data: v.pack("getAmountsOut", in, path)}
	answer, err := v.CallContract(v.t.Context(), asked, nil)
	if err != nil {
		return nil, false
	}
	values, err := calls.Unpack("getAmountsOut", answer)
	v.check(err)
	amounts := values[0].([]*big.Int)
	out := amounts[len(amounts)-1]
	return out, out.Sign() > 0
}

// sells makes the trade and wants exactly the amount for it.
func (v venue) sells(in, out *big.Int, path []common.Address) {
	v.t.Helper()
	swap := router.Swap{Kind: v.market.Kind, Router: evm.Address(common.HexToAddress(v.market.Router)), In: in,
		MinOut: out, Receiver: evm.Address(v.address), Deadline: soon().Uint64()}
	for _, token := range path {
		swap.Path = append(swap.Path, evm.Address(token))
	}
	to, value, data, err := swap.Call()
	v.check(err)
	at, last := common.Address(to), path[len(path)-1]
	before := v.read(last, "balanceOf", v.address)[0].(*big.Int)
	v.send(&at, value, data)
	if got := v.read(last, "balanceOf", v.address)[0].(*big.Int); got.Sub(got, before).Cmp(out) != 0 {
		v.t.Fatalf("%v of %v: got %v, computed %v", in, path, got, out)
	}
}
