package exchange

import (
	"bytes"
	"context"
	"math/big"

	"github.com/railkit/railkit/chain/evm"
	"github.com/railkit/railkit/chain/evm/router"
)

// What a swap at a v2 router takes, about: as measured on the public contracts, with tokens that are not costly.
const (
	v2Gas    = 60_000
	v2HopGas = 70_000
)

// A v2 pool keeps 3 of 1000 of what is sold.
var (
	kept  = big.NewInt(997)
	of    = big.NewInt(1000)
	wider = new(big.Int).Lsh(big.NewInt(1), router.ReserveBits)
)

// AmountOut is what a v2 pool pays for an amount, as the contracts compute it; zero where it pays nothing: the pool is
// empty, or would have more than it can count.
func AmountOut(in, reserveIn, reserveOut *big.Int) *big.Int {
	if in.Sign() <= 0 || reserveIn.Sign() <= 0 || reserveOut.Sign() <= 0 ||
		new(big.Int).Add(in, reserveIn).Cmp(wider) >= 0 {
		return new(big.Int)
	}
	charged := new(big.Int).Mul(in, kept)
	above := new(big.Int).Mul(charged, reserveOut)
	below := new(big.Int).Mul(reserveIn, of)
	return above.Div(above, below.Add(below, charged))
}

// reserves are what a v2 pool has of the token that is sold and of the one that is bought.
type reserves struct{ in, out *big.Int }

// impact is how much worse v2 pools pay an amount than a very small one, in basis points, rounded up.
func impact(in *big.Int, pools []reserves) int {
	amount, share := in, big.NewRat(1, 1)
	for _, p := range pools {
		charged := new(big.Int).Mul(amount, kept)
		before := new(big.Int).Mul(p.in, of)
		share.Mul(share, new(big.Rat).SetFrac(before, new(big.Int).Add(before, charged)))
		amount = AmountOut(amount, p.in, p.out)
	}
	return loss(share)
}

// loss is what is missing to the whole, in basis points, rounded up.
func loss(share *big.Rat) int {
	missing := new(big.Rat).Sub(big.NewRat(1, 1), share)
	missing.Mul(missing, big.NewRat(whole, 1))
	if missing.Sign() <= 0 {
		return 0
	}
	above := new(big.Int).Add(missing.Num(), missing.Denom())
	above.Sub(above, big.NewInt(1))
	return int(above.Div(above, missing.Denom()).Int64())
}

// v2 finds what a path buys, if each two of its tokens have a pool.
func (a asker) v2(ctx context.Context, r *route, in *big.Int) error {
	path, amount := r.contracts(), in
	for i := range path[1:] {
		pool, err := a.pool(ctx, path[i], path[i+1])
		if err != nil || pool.in == nil {
			return err
		}
		r.pools = append(r.pools, pool)
		amount = AmountOut(amount, pool.in, pool.out)
	}
	r.out = amount
	return nil
}

// pool asks for the pool of two tokens; without reserves there is none.
func (a asker) pool(ctx context.Context, sell, buy evm.Address) (r reserves, err error) {
	answer, err := a.ask(ctx, a.market.Factory, router.PairCall(sell, buy))
	if err != nil {
		return r, err
	}
	pair, ok := router.ReadPair(answer)
	if !ok {
		return r, nil
	}
	if answer, err = a.ask(ctx, pair.String(), router.ReservesCall()); err != nil {
		return r, err
	}
	lower, higher, ok := router.ReadReserves(answer)
	switch {
	case !ok:
		return r, nil
	case bytes.Compare(sell[:], buy[:]) < 0:
		return reserves{lower, higher}, nil
	}
	return reserves{higher, lower}, nil
}
