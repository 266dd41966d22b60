package exchange

import (
	"context"
	"math/big"
	"sync"

	"github.com/railkit/railkit/chain/evm"
	"github.com/railkit/railkit/chain/evm/router"
)

// v3Gas is what a swap at SwapRouter02 takes beside its pools, about.
const v3Gas = 50_000

// v3 finds what a path buys. Which pool of each two tokens pays best is asked one step after the other: more of the
// token between buys no less of the last one.
func (a asker) v3(ctx context.Context, r *route, in *big.Int) error {
	path, amount := r.contracts(), in
	for i := range path[1:] {
		fee, out, err := a.bestFee(ctx, path[i:i+2], amount)
		if err != nil || out == nil || out.Sign() == 0 {
			return err
		}
		r.fees, amount = append(r.fees, fee), out
	}
	r.out = amount
	return nil
}

// bestFee asks for the pools of two tokens, one for each fee, at once.
func (a asker) bestFee(ctx context.Context, two []evm.Address, in *big.Int) (fee int, best *big.Int, err error) {
	outs, errs := make([]*big.Int, len(a.market.Fees)), make([]error, len(a.market.Fees))
	var all sync.WaitGroup
	for i, fee := range a.market.Fees {
		all.Go(func() { outs[i], _, errs[i] = a.quoted(ctx, two, []int{fee}, in) })
	}
	all.Wait()
	for i, out := range outs {
		if errs[i] != nil {
			return 0, nil, errs[i]
		}
		if out != nil && (best == nil || out.Cmp(best) > 0) {
			fee, best = a.market.Fees[i], out
		}
	}
	return fee, best, nil
}

// quoted asks the quoter; nil where there is no pool or too little in it.
func (a asker) quoted(ctx context.Context, path []evm.Address, fees []int, in *big.Int) (*big.Int, uint64, error) {
	answer, err := a.ask(ctx, a.market.Quoter, router.QuoteCall(path, fees, in))
	if err != nil {
		return nil, 0, err
	}
	out, gas, ok := router.ReadQuote(answer)
	if !ok {
		return nil, 0, nil
	}
	return out, gas, nil
}

// measure asks for the whole route at once, and for a thousandth of the amount, which moves the price so little that
// the rest of the difference is the amount's.
func (a asker) measure(ctx context.Context, r *route, in *big.Int) error {
	out, gas, err := a.quoted(ctx, r.contracts(), r.fees, in)
	if err != nil {
		return err
	}
	if out == nil || out.Sign() == 0 {
		return errNoRoute // since it was found
	}
	r.out, r.gas = out, gas+v3Gas
	small := new(big.Int).Div(in, of)
	if small.Sign() == 0 {
		return nil
	}
	fair, _, err := a.quoted(ctx, r.contracts(), r.fees, small)
	if err != nil || fair == nil || fair.Sign() == 0 {
		return err
	}
	r.impact = loss(new(big.Rat).SetFrac(new(big.Int).Mul(out, small), new(big.Int).Mul(fair, in)))
	return nil
}
