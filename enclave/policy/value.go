package policy

import (
	"math/big"

	"github.com/railkit/railkit/chain"
)

// Value is what a signing may cost: what leaves, what others may take, and the
// highest fees. It counts all that is moved or allowed, whoever owns it and
// whoever gets it: nothing that an attacker names makes a signing cheaper. What a
// swap brings back is not taken off, since only the chain knows how much it is.
func Value(x Signing, prices Prices) Cost {
	s := sum{prices: prices, micro: new(big.Int)}
	if x.RawDigest {
		s.unknown("a digest that cannot be read")
	}
	for _, e := range x.Effects {
		s.effect(x, e)
	}
	if x.MaxFee != nil {
		s.fee(x)
	}
	c := s.cost()
	c.Slippage = slippage(x, prices)
	return c
}

// fee counts what the chain takes: gas, and on some networks data. A host that keeps the
// data fee from the signer makes the signing dearer than every limit, not cheaper.
func (s *sum) fee(x Signing) {
	fee := new(big.Int).Set(x.MaxFee)
	switch {
	case x.Network.DataFee && x.DataFee == nil:
		s.unknown("no data fee of " + x.Network.Slug)
	case x.Network.DataFee:
		fee.Add(fee, x.DataFee)
	}
	s.add(fee, x.Network.Native)
}

// sum adds up exactly: one of its summands may have 256 bits.
type sum struct {
	prices Prices
	micro  *big.Int
	reason string // of the first that is unknown
}

func (s *sum) unknown(reason string) {
	if s.reason == "" {
		s.reason = reason
	}
}

func (s *sum) effect(x Signing, e chain.Effect) {
	if e.Kind == chain.Receive {
		return
	}
	if e.Kind != chain.Transfer && e.Kind != chain.Approve {
		s.unknown(describe(e))
		return
	}
	usd, unknown := x.worth(e, s.prices)
	s.count(usd, unknown)
}

// add counts an amount of a listed asset.
func (s *sum) add(amount *big.Int, t chain.Token) {
	s.count(s.prices.worth(amount, t))
}

// count adds what something is worth, rounded up to a millionth of a USD.
func (s *sum) count(usd *big.Rat, unknown string) {
	if unknown != "" {
		s.unknown(unknown)
		return
	}
	micro := new(big.Rat).Mul(usd, big.NewRat(1_000_000, 1))
	s.micro.Add(s.micro, ceil(micro.Num(), micro.Denom()))
}

func ceil(over, under *big.Int) *big.Int {
	q, rest := new(big.Int).QuoRem(over, under, new(big.Int))
	if rest.Sign() > 0 {
		q.Add(q, big.NewInt(1))
	}
	return q
}

func (s *sum) cost() Cost {
	c := Cost{Micro: unlimited, Unknown: s.reason}
	if s.micro.IsInt64() {
		c.Micro = s.micro.Int64()
	}
	return c
}

// describe names an effect that has no price.
func describe(e chain.Effect) string {
	switch {
	case e.Kind == chain.UnknownCall && e.Selector == "":
		return "unknown call of " + e.Contract
	case e.Kind == chain.UnknownCall:
		return "unknown call " + e.Selector + " of " + e.Contract
	case e.Contract != "":
		return string(e.Kind) + " of " + e.Contract
	}
	return string(e.Kind)
}
