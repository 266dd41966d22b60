package policy

import (
	"math/big"
	"testing"
	"time"

	"github.com/railkit/railkit/chain"
	"github.com/railkit/railkit/enclave/wire"
)

// sale sells 10 USDC for at least so much WETH.
func sale(t testing.TB, receiver string, least int64) Signing {
	t.Helper()
	x, _ := exchange(t, receiver, now.Add(20*time.Minute))
	x.Effects[1].Amount = big.NewInt(least).String()
	return x
}

// 10 USDC are worth 0.005 WETH where one ETH is 2000 USD.
const even = 5e15

// The gap between what is sold and the stamped minimum is exact, and rounded up.
func TestWidget_SlippageOfSwaps(t *testing.T) {
	for name, c := range map[string]struct {
		x    Signing
		want Slippage
	}{
		"what it is worth":        {sale(t, alice, even), Slippage{Swap: true}},
		"more than it is worth":   {sale(t, alice, 2*even), Slippage{Swap: true}},
		"a wei less":              {sale(t, alice, even-1), Slippage{Swap: true, Bps: 1}},
		"three percent":           {sale(t, alice, even*97/100), Slippage{Swap: true, Bps: 300}},
		"three percent and a wei": {sale(t, alice, even*97/100-1), Slippage{Swap: true, Bps: 301}},
		"half":                    {sale(t, alice, even/2), Slippage{Swap: true, Bps: 5000}},
		"next to nothing":         {sale(t, alice, 1), Slippage{Swap: true, Bps: 10_000}},
		"for somebody else":       {sale(t, bob, even), Slippage{Swap: true, Bps: 10_000}},
		"a transfer":              {transfer(t, bob, 1), Slippage{}},
		"an allowance":            {approve(t, router, big.NewInt(1)), Slippage{}},
		"a contract":              {deploy(t), Slippage{}},
	} {
		if got := Value(c.x, usd2000).Slippage; got != c.want {
			t.Errorf("%s: %+v, want %+v", name, got, c.want)
		}
	}
}

// Where one of the two has no price, or is of no listed token, nobody can tell.
func TestWidget_SlippageWithoutPrices(t *testing.T) {
	only := func(symbol string) Prices {
		return func(s string) (Price, bool) {
			p, ok := usd2000(s)
			return p, ok && s == symbol
		}
	}
	x, stranger := sale(t, alice, even), sale(t, alice, even)
	stranger.Effects[1].Asset, stranger.Effects[1].Symbol, stranger.Effects[1].Selector = unlisted, "", swap
	for name, c := range map[string]struct {
		x      Signing
		prices Prices
		want   string
	}{
		"bought": {x, only("USDC"), "no price of WETH"}, "sold": {x, only("ETH"), "no price of USDC"},
		"unlisted": {stranger, usd2000, "unlisted token " + unlisted},
	} {
		if got := Value(c.x, c.prices).Slippage; got != (Slippage{Swap: true, Unknown: c.want}) {
			t.Errorf("%s: %+v, want %q", name, got, c.want)
		}
	}
}

// A policy holds a swap's gap to its limit, and denies what has no price. It says nothing of anything else.
func TestWidget_RuleOfSlippage(t *testing.T) {
	most := func(percent string) wire.Rules { return wire.Rules{MaxSlippagePercent: percent} }
	rule, digests := most("3"), wire.Rules{MaxSlippagePercent: "3", AllowRawDigests: true}
	no := func(string) (Price, bool) { return Price{}, false }
	for name, c := range map[string]struct {
		r      wire.Rules
		x      Signing
		prices Prices
		rule   string
	}{
		"within":                {rule, sale(t, alice, even*97/100), usd2000, ""},
		"a wei more":            {rule, sale(t, alice, even*97/100-1), usd2000, MaxSlippagePercent},
		"a lying quote":         {rule, sale(t, alice, even/2), usd2000, MaxSlippagePercent},
		"nothing may be lost":   {most("0"), sale(t, alice, even-1), usd2000, MaxSlippagePercent},
		"nothing is lost":       {most("0"), sale(t, alice, even), usd2000, ""},
		"a half percent":        {most("0.50"), sale(t, alice, even*995/1000), usd2000, ""},
		"for somebody else":     {rule, sale(t, bob, even), usd2000, MaxSlippagePercent},
		"without prices":        {rule, sale(t, alice, even), no, UnknownPrice},
		"a limit that is none":  {most("x"), sale(t, alice, even), usd2000, MaxSlippagePercent},
		"no such rule":          {wire.Rules{MaxValueUSD: "10"}, sale(t, alice, even/2), usd2000, ""},
		"a transfer":            {rule, transfer(t, bob, 1), no, ""},
		"an allowance":          {rule, approve(t, router, big.NewInt(1)), no, ""},
		"a call nobody reads":   {rule, call(t, router, "0", []byte{1, 2, 3, 4}), usd2000, UnknownCall},
		"a digest":              {rule, Signing{RawDigest: true}, usd2000, RawDigest},
		"a digest, let through": {digests, Signing{RawDigest: true}, usd2000, RawDigest},
	} {
		if d := Check(c.r, c.x, Value(c.x, c.prices), Totals{}); ruleOf(d) != c.rule {
			t.Errorf("%s: %+v, want %q", name, d, c.rule)
		}
	}
	lying, blind := sale(t, alice, even/2), sale(t, alice, even)
	for _, c := range []struct {
		d    *wire.Denial
		want wire.Denial
	}{
		{Check(rule, lying, Value(lying, usd2000), Totals{}),
			wire.Denial{Rule: MaxSlippagePercent, Field: "minimum", Observed: "50 %", Limit: "3 %"}},
		{Check(rule, blind, Value(blind, no), Totals{}), wire.Denial{Rule: UnknownPrice, Field: "minimum",
			Observed: "no price of USDC", Limit: "maxSlippagePercent 3"}},
	} {
		if c.d == nil || *c.d != c.want {
			t.Errorf("%+v, want %+v", c.d, c.want)
		}
	}
}

func TestWidget_SlippageValidates(t *testing.T) {
	for text, good := range map[string]bool{
		"0": true, "0.01": true, "3": true, "3.50": true, "50": true,
		"50.01": false, "0.001": false, "-1": false, "01": false, "1e1": false, "3%": false, " 3": false, "NaN": false,
	} {
		err := Validate(wire.Rules{MaxSlippagePercent: text}, chain.Networks(chain.Sandbox), now)
		if (err == nil) != good {
			t.Errorf("%s: %v", text, err)
		}
	}
	both := wire.Rules{MaxSlippagePercent: "3", AllowRawDigests: true}
	if Validate(both, chain.Networks(chain.Sandbox), now) == nil {
		t.Error("a digest cannot be held against a gap, and passes beside one")
	}
}

func TestWidget_SlippageLoosens(t *testing.T) {
	with := func(percent string) wire.Rules { return wire.Rules{MaxValueUSD: "10", MaxSlippagePercent: percent} }
	for name, c := range map[string]struct {
		old, next string
		want      bool
	}{
		"first": {"", "3", false}, "lower": {"3", "2.99", false}, "the same, written longer": {"3", "3.00", false},
		"higher": {"3", "3.01", true}, "gone": {"3", "", true}, "none that is read": {"3", "x", true},
	} {
		if got := Loosens(with(c.old), with(c.next)); got != c.want {
			t.Errorf("%s: %t", name, got)
		}
	}
}

// A gap within a policy's limit makes no delegation cover a swap.
func TestWidget_SlippageCoversNothing(t *testing.T) {
	x, at := exchange(t, alice, now.Add(20*time.Minute))
	x.Effects[1].Amount = big.NewInt(even).String()
	d := delegated(func(d *wire.Delegation) { d.AllowedDestinations = []string{at} })
	if Covers(d, x, Value(x, usd2000), Totals{}, now) {
		t.Error("a delegation covers a swap that nobody looked at")
	}
}
