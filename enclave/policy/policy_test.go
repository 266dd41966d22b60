package policy

import (
	"math"
	"math/big"
	"strings"
	"testing"
	"time"

	"github.com/railkit/railkit/chain"
	"github.com/railkit/railkit/chain/evm"
)

const (
	alice    = "0xFCAd0B19bB29D4674531d6f115237E16AfCE377c"
	bob      = "0x70997970C51812dc3A010C7d01b50e0d17dc79C8"
	carol    = "0x3C44CdDdB6a900fa2b585dd299e03d12FA4293BC"
	usdc     = "0x036CbD53842c5426634e7929541eC2318f3dCF7e"
	router   = "0x5FbDB2315678afecb367f032d93F642f64180aa3"
	unlisted = "0xe7f1725E7734CE288F8367e1Bb143E90bb3F0512"
	swap     = "0x12345678"
)

var now = time.Date(2026, 11, 21, 12, 0, 0, 0, time.UTC)

// usd are the prices that tests go by.
func usd2000(symbol string) (Price, bool) {
	r, ok := map[string]*big.Rat{"ETH": big.NewRat(2000, 1), "USDC": big.NewRat(1, 1)}[symbol]
	return Price{r}, ok
}

func base(t testing.TB) chain.Network {
	t.Helper()
	n, ok := chain.BySlug(chain.Sandbox, "base")
	if !ok {
		t.Fatal("no base")
	}
	return n
}

// call is a transaction of alice as decide describes it.
func call(t testing.TB, to, wei string, data []byte) Signing {
	t.Helper()
	from, target := parsed(t, alice), parsed(t, to)
	value, ok := new(big.Int).SetString(wei, 10)
	if !ok {
		t.Fatal(wei)
	}
	return Signing{Network: base(t), Effects: evm.Effects(from, &target, value, data, base(t))}
}

func parsed(t testing.TB, text string) evm.Address {
	t.Helper()
	a, err := evm.ParseAddress(text)
	if err != nil {
		t.Fatal(err)
	}
	return a
}

// transfer moves millionths of a USDC.
func transfer(t testing.TB, to string, amount int64) Signing {
	t.Helper()
	data, err := evm.EncodeTransfer(parsed(t, to), big.NewInt(amount))
	if err != nil {
		t.Fatal(err)
	}
	return call(t, usdc, "0", data)
}

func approve(t testing.TB, spender string, amount *big.Int) Signing {
	t.Helper()
	word := parsed(t, spender)
	data := append([]byte{0x09, 0x5e, 0xa7, 0xb3}, make([]byte, 12)...)
	data = append(append(data, word[:]...), amount.FillBytes(make([]byte, 32))...)
	return call(t, usdc, "0", data)
}

func deploy(t testing.TB) Signing {
	return Signing{Network: base(t), Effects: evm.Effects(parsed(t, alice), nil, nil, []byte{1}, base(t))}
}

func typed(t testing.TB, effects ...chain.Effect) Signing {
	return Signing{Network: base(t), Effects: effects}
}

func (x Signing) on(t testing.TB, slug string) Signing {
	t.Helper()
	x.Network, _ = chain.BySlug(chain.Sandbox, slug)
	return x
}

// fee is for gas alone.
func fee(x Signing, wei int64) Signing {
	x.MaxFee, x.DataFee = big.NewInt(wei), new(big.Int)
	return x
}

// data is what a network takes for the bytes; nil: nobody can tell.
func (x Signing) data(wei *big.Int) Signing {
	x.DataFee = wei
	return x
}

var everything = new(big.Int).Sub(new(big.Int).Lsh(big.NewInt(1), 256), big.NewInt(1))

var zero = new(big.Int)

func TestParseUSD(t *testing.T) {
	for text, want := range map[string]int64{
		"0": 0, "1": 1_000_000, "0.000001": 1, "100.5": 100_500_000, "100.50": 100_500_000,
		"1000000000000": 1_000_000_000_000_000_000,
	} {
		if n, err := ParseUSD(text); err != nil || n != want {
			t.Errorf("%s: %d, %v", text, n, err)
		}
	}
	for _, text := range []string{
		"", "-1", "+1", "01", "1.", ".5", "1e3", "1e400", "NaN", "Inf", "0x1", " 1", "1 ", "1,5", "0.0000001",
		"1000000000000.000001", "1000000000001", strings.Repeat("9", 79), "٣", "1_000",
	} {
		if n, err := ParseUSD(text); err == nil {
			t.Errorf("%q was read as %d", text, n)
		}
	}
}

func TestCostString(t *testing.T) {
	for want, c := range map[string]Cost{"0": {}, "25.5": {Micro: 25_500_000}, "0.000001": {Micro: 1}} {
		if c.String() != want {
			t.Errorf("%+v: %q", c, c.String())
		}
	}
	for _, c := range []Cost{{Micro: math.MaxInt64}, {Micro: 5, Unknown: "no price of ETH"}} {
		if c.String() != "" || !c.Over("1000000000000") {
			t.Errorf("%+v: %q", c, c.String())
		}
	}
	if (Cost{Micro: 1_000_000}).Over("1") || !(Cost{Micro: 1_000_001}).Over("1") || !(Cost{}).Over("nonsense") {
		t.Error("the threshold is what is more than it")
	}
}

// E02, E09, E10 and E13: what is counted, and what cannot be.
func TestSigning_E02_Value(t *testing.T) {
	huge := new(big.Int).Lsh(big.NewInt(1), 128)
	for name, c := range map[string]struct {
		x       Signing
		micro   int64
		unknown string
	}{
		"transfer":                 {transfer(t, bob, 25_500_000), 25_500_000, ""},
		"transfer of nothing":      {transfer(t, bob, 0), 0, ""},
		"coin":                     {call(t, bob, "1000000000000000000", nil), 2_000_000_000, ""},
		"a wei is rounded up":      {call(t, bob, "1", nil), 1, ""},
		"E10 2^53+1 wei":           {call(t, bob, "9007199254740993", nil), 18_014_399, ""},
		"E09 fee":                  {fee(transfer(t, bob, 1), 500_000_000_000_000), 1_000_001, ""},
		"E09 data fee":             {fee(transfer(t, bob, 1), 500_000_000_000_000).data(big.NewInt(1)), 1_000_002, ""},
		"E09 data fee alone":       {fee(transfer(t, bob, 1), 0).data(big.NewInt(500_000_000_000_000)), 1_000_001, ""},
		"E09 data fee, not known":  {fee(transfer(t, bob, 1), 0).data(nil), 1, "no data fee of base"},
		"E09 data fee of no chain": {fee(typed(t), 0).data(nil).on(t, "polygon"), 0, ""},
		"approval":                 {approve(t, bob, big.NewInt(7)), 7, ""},
		"allowance without limit":  {approve(t, bob, everything), math.MaxInt64, ""},
		"E10 more than 128 bits":   {approve(t, bob, huge), math.MaxInt64, ""},
		"one more than 63 bits":    {approve(t, bob, new(big.Int).Lsh(big.NewInt(1), 63)), math.MaxInt64, ""},
		"unlisted token":           {call(t, unlisted, "0", transferData(t, bob, 1)), 0, "unlisted token " + unlisted},
		"unlisted, of nothing":     {call(t, unlisted, "0", transferData(t, bob, 0)), 0, "unlisted token " + unlisted},
		"unknown call": {call(t, router, "1000000", []byte{0x12, 0x34, 0x56, 0x78, 9}), 1,
			"unknown call 0x12345678 of " + router},
		"E06 deploy":            {deploy(t), 0, "deploy"},
		"no price":              {fee(transfer(t, bob, 3), 1).on(t, "polygon"), 0, "unlisted token " + usdc},
		"no price of the fee":   {fee(typed(t), 1).on(t, "polygon"), 0, "no price of POL"},
		"no fee needs no price": {fee(typed(t), 0).on(t, "polygon"), 0, ""},
		"digest":                {Signing{RawDigest: true}, 0, "a digest that cannot be read"},
		"unknown kind": {typed(t, chain.Effect{Kind: "approve_all", Contract: unlisted}), 0,
			"approve_all of " + unlisted},
		"amount that is none": {typed(t, chain.Effect{
			Kind: chain.Transfer, Asset: "native", Amount: "x",
		}), 0, "amount of ETH"},
		"negative amount": {typed(t, chain.Effect{
			Kind: chain.Transfer, Asset: "native", Amount: "-1",
		}), 0, "amount of ETH"},
		"listed, but not as an ERC": {typed(t, chain.Effect{
			Kind: chain.Transfer, Asset: usdc, Contract: usdc, Amount: "1",
		}), 0, "unlisted token " + usdc},
	} {
		if got := Value(c.x, usd2000); got.Micro != c.micro || got.Unknown != c.unknown {
			t.Errorf("%s: %+v", name, got)
		}
	}
}

// E13: a price that is none is no price.
func TestSigning_E13_PricesThatAreNone(t *testing.T) {
	for name, p := range map[string]Price{"nil": {}, "zero": {new(big.Rat)}, "negative": {big.NewRat(-1, 1)}} {
		got := Value(transfer(t, bob, 1), func(string) (Price, bool) { return p, true })
		if got.Unknown != "no price of USDC" || got.Micro != 0 {
			t.Errorf("%s: %+v", name, got)
		}
	}
	third := Value(transfer(t, bob, 1), func(string) (Price, bool) { return Price{big.NewRat(1, 3)}, true })
	if third != (Cost{Micro: 1}) {
		t.Errorf("a third of a millionth is %+v", third)
	}
}

func transferData(t testing.TB, to string, amount int64) []byte {
	t.Helper()
	data, err := evm.EncodeTransfer(parsed(t, to), big.NewInt(amount))
	if err != nil {
		t.Fatal(err)
	}
	return data
}
