package exchange

import (
	"context"
	"math/big"

	"github.com/railkit/railkit/chain/evm"
	"github.com/railkit/railkit/chain/evm/router"
	"github.com/railkit/railkit/chain/node"
)

// v3Gas is what a swap at SwapRouter02 takes beside its pools, about.
const v3Gas = 50_000

// searchV3 asks which pool of each two tokens pays best, one step of the path after the other: more of the token
// between buys no less of the last one.
type searchV3 struct {
	route
	path   []evm.Address
	amount *big.Int // of the token that the next pool takes
	over   bool
}

func (s *searchV3) ask() (all []router.Question) {
	if s.over {
		return nil
	}
	i := len(s.fees)
	for _, fee := range s.market.Fees {
		all = append(all, s.question(s.path[i:i+2], []int{fee}, s.amount))
	}
	return all
}

// question asks the exchange's quoter.
func (r route) question(path []evm.Address, fees []int, in *big.Int) router.Question {
	quoter, _ := evm.ParseAddress(r.market.Quoter) // listed addresses are well formed
	return router.Question{To: quoter, Data: router.QuoteCall(path, fees, in)}
}

func (s *searchV3) hear(answers [][]byte) {
	fee, best := 0, new(big.Int)
	for i, answer := range answers {
		if out, _, ok := router.ReadQuote(answer); ok && out.Cmp(best) > 0 {
			fee, best = s.market.Fees[i], out
		}
	}
	if best.Sign() == 0 {
		s.over = true // no pool, or too little in it
		return
	}
	s.fees, s.amount = append(s.fees, fee), best
	if len(s.fees) == len(s.path)-1 {
		s.out, s.over = best, true
	}
}

func (s *searchV3) found() route { return s.route }

// measureV3 asks for the whole route at once, and for a thousandth of the amount, which moves the price so little that
// the rest of the difference is the amount's.
func (r *route) measureV3(ctx context.Context, c node.Caller, in *big.Int) error {
	small := new(big.Int).Div(in, of)
	questions := []router.Question{r.question(r.contracts(), r.fees, in)}
	if small.Sign() > 0 {
		questions = append(questions, r.question(r.contracts(), r.fees, small))
	}
	answers, err := ask(ctx, c, questions)
	if err != nil {
		return err
	}
	out, gas, ok := router.ReadQuote(answers[0])
	if !ok || out.Sign() == 0 {
		return errNoRoute // since it was found
	}
	r.out, r.gas = out, gas+v3Gas
	if len(answers) == 1 {
		return nil
	}
	if fair, _, ok := router.ReadQuote(answers[1]); ok && fair.Sign() > 0 {
		r.impact = loss(new(big.Rat).SetFrac(new(big.Int).Mul(out, small), new(big.Int).Mul(fair, in)))
	}
	return nil
}
