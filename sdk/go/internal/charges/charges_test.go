package charges

import (
	"errors"
	"math/big"
	"math/rand/v2"
	"testing"

	"github.com/railkit/railkit/enclave/wire"
	"github.com/railkit/railkit/internal/test/testenv"
)

// At whatever price, the dollars that a signer rounds up are never refused; dollars that are off by a tenth are, where
// the amounts are large enough to tell.
func TestSamePrice(t *testing.T) {
	r := rand.New(rand.NewPCG(testenv.Seed(t), 0))
	n := func(most int64) *big.Int { return big.NewInt(1 + r.Int64N(most)) }
	for range 20_000 {
		price := new(big.Rat).SetFrac(n(1_000_000_000), n(1_000_000_000)) // micro-USD for the smallest unit
		worth := func(amount *big.Int) *big.Int {
			exact := new(big.Rat).Mul(price, new(big.Rat).SetInt(amount))
			up := new(big.Int).Add(exact.Num(), new(big.Int).Sub(exact.Denom(), big.NewInt(1)))
			return up.Quo(up, exact.Denom())
		}
		a, b, c := n(1_000_000_000), n(1_000_000_000), n(1_000_000)
		one := share{a, worth(a), 1}
		two := share{new(big.Int).Add(b, c), new(big.Int).Add(worth(b), worth(c)), 2}
		if !samePrice(one, two) || !samePrice(two, one) {
			t.Fatalf("%+v and %+v are at the price %s", one, two, price)
		}
		if two.micro.Cmp(big.NewInt(100)) < 0 || one.micro.Cmp(big.NewInt(100)) < 0 {
			continue
		}
		two.micro = new(big.Int).Quo(new(big.Int).Mul(two.micro, big.NewInt(9)), big.NewInt(10))
		if samePrice(one, two) {
			t.Fatalf("%+v and %+v pass for one price", one, two)
		}
	}
	nothing := share{new(big.Int), new(big.Int), 1}
	if !samePrice(nothing, share{big.NewInt(5), big.NewInt(7), 1}) ||
		samePrice(share{new(big.Int), big.NewInt(9), 1}, share{big.NewInt(5), big.NewInt(7), 1}) {
		t.Error("nothing that costs something, or the other way round")
	}
}

// On EVM the parts are held against each other where they are shown, and enclaves of before show none.
func TestCheck(t *testing.T) {
	eth := new(big.Int).SetUint64(1e15)
	shown := wire.Preview{
		MaxTotalFee: "2000000000000000", FeeUSD: "6", DataFee: "1", DataUSD: "0.000001", CostUSD: "9.000001",
	}
	for name, c := range map[string]struct {
		change func(*wire.Preview)
		want   error
	}{
		"as it is":                     {func(*wire.Preview) {}, nil},
		"gas and data rounded at once": {func(p *wire.Preview) { p.CostUSD = "9" }, nil},
		"of an older enclave":          {func(p *wire.Preview) { p.FeeUSD, p.DataUSD = "", "" }, nil},
		"too little for what is paid":  {func(p *wire.Preview) { p.CostUSD = "8.1" }, errPaid},
		"less than the fee":            {func(p *wire.Preview) { p.CostUSD = "5.9" }, errTooMuch},
		"rent, where there is none":    {func(p *wire.Preview) { p.MaxRent = "5" }, errRent},
		"dollars of no rent":           {func(p *wire.Preview) { p.RentUSD = "1" }, errOneOnly},
		"no number":                    {func(p *wire.Preview) { p.FeeUSD = "-1" }, errNumber},
		"no fee":                       {func(p *wire.Preview) { p.MaxTotalFee = "" }, errNumber},
	} {
		p := shown
		c.change(&p)
		if err := Check(&p, Transaction{Paid: eth}); !errors.Is(err, c.want) || c.want == nil && err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}
