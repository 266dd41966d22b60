package exchange

import (
	"bytes"
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

// searchV2 asks for the pools of a path, and then for what they have.
type searchV2 struct {
	route
	path  []evm.Address
	in    *big.Int
	pairs []evm.Address
	asked bool
}

func (s *searchV2) ask() (all []router.Question) {
	for i := range s.path[1:] {
		switch {
		case !s.asked:
			all = append(all, router.Question{To: s.factory(), Data: router.PairCall(s.path[i], s.path[i+1])})
		case len(s.pairs) == len(s.path)-1 && s.pools == nil:
			all = append(all, router.Question{To: s.pairs[i], Data: router.ReservesCall()})
		}
	}
	return all
}

// factory is that of the exchange. Listed addresses are well formed.
func (s *searchV2) factory() evm.Address {
	a, _ := evm.ParseAddress(s.market.Factory)
	return a
}

func (s *searchV2) hear(answers [][]byte) {
	if !s.asked {
		s.asked = true
		for _, answer := range answers {
			if pair, ok := router.ReadPair(answer); ok {
				s.pairs = append(s.pairs, pair)
			}
		}
		return
	}
	amount := s.in
	for i, answer := range answers {
		pool, ok := readReserves(answer, s.path[i], s.path[i+1])
		s.pools = append(s.pools, pool)
		if !ok {
			return
		}
		amount = AmountOut(amount, pool.in, pool.out)
	}
	s.out = amount
}

func readReserves(answer []byte, sell, buy evm.Address) (r reserves, ok bool) {
	r.in, r.out, ok = router.ReadReserves(answer)
	if bytes.Compare(sell[:], buy[:]) > 0 {
		r.in, r.out = r.out, r.in
	}
	return r, ok
}

func (s *searchV2) found() route { return s.route }
