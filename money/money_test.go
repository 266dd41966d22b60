package money_test

import (
	"errors"
	"math"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/railkit/railkit/money"
)

func TestParse(t *testing.T) {
	for _, c := range []struct {
		text string
		in   money.Currency
		want int64
		err  error
	}{
		{"100", money.USDC, 100_000_000, nil},
		{"0.000001", money.USDC, 1, nil},
		{"0.01", money.MXN, 1, nil},
		{"9223372036854.775807", money.USDC, math.MaxInt64, nil},
		{"9223372036854.775808", money.USDC, 0, money.ErrRange},
		{"0.001", money.MXN, 0, money.ErrPlaces},
		{"0.0000010", money.USDC, 0, money.ErrPlaces},
		{"1e3", money.USD, 0, money.ErrForm},
		{"-1", money.USD, 0, money.ErrForm},
		{"01", money.USD, 0, money.ErrForm},
		{".5", money.USD, 0, money.ErrForm},
		{"NaN", money.USD, 0, money.ErrForm},
		{"", money.USD, 0, money.ErrForm},
		{"1", "xyz", 0, money.ErrCurrency},
	} {
		got, err := money.Parse(c.text, c.in)
		if !errors.Is(err, c.err) || got.Minor != c.want {
			t.Errorf("%q %s: %d, %v", c.text, c.in, got.Minor, err)
		}
	}
}

// Texts that other programs take for numbers are none here, in no currency.
func TestOddAmounts(t *testing.T) {
	odd := []string{
		"+1", "-0", " 1", "1 ", "1\n", "\t1", "1\x00", "\ufeff1", "1\u00a0", "1,000", "1,5", "1_000", "1'000", "1.",
		".", "0.", "00", "00.1", "1..2", "1.2.3", "1e0", "1E2", "1e-2", "0x10", "0b1", "0o7", "0x1p4", "Infinity",
		"-Inf", "inf", "nan", "null", "true", "1f", "1m", "$1", "1 USD", "1%", "1/2", "１", "١", "१", "Ⅷ", "²", "½",
		"−1", "1‑2", "\u202e1", "\u200b1", "{}", "[1]", "\"1\"", "(1)", "--1", "1-", "1+1", strings.Repeat("x", 1000),
	}
	for _, c := range append(slices.Clone(money.Fiat), money.Stablecoins...) {
		for _, text := range odd {
			if got, err := money.Parse(text, c); !errors.Is(err, money.ErrForm) {
				t.Errorf("%q is %v, %v", text, got, err)
			}
		}
		for _, text := range []string{strings.Repeat("9", 400), "1" + strings.Repeat("0", 18)} {
			if _, err := money.Parse(text, c); !errors.Is(err, money.ErrRange) {
				t.Errorf("%d digits of %s: %v", len(text), c, err)
			}
		}
		if _, err := money.Parse("0."+strings.Repeat("0", 400)+"1", c); !errors.Is(err, money.ErrPlaces) {
			t.Errorf("400 decimals: %v", err)
		}
	}
}

func TestTextComesBack(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		c := rapid.SampledFrom(append(money.Fiat, money.Stablecoins...)).Draw(t, "currency")
		a := money.Of(rapid.Int64Min(0).Draw(t, "minor"), c)
		if back, err := money.Parse(a.String(), c); err != nil || back != a {
			t.Fatalf("%s: %v, %v", a, back, err)
		}
	})
}

func TestSumsDoNotOverflow(t *testing.T) {
	most := money.Of(math.MaxInt64, money.USDC)
	if _, err := most.Add(money.Of(1, money.USDC)); !errors.Is(err, money.ErrRange) {
		t.Errorf("adding: %v", err)
	}
	if _, err := money.Of(math.MinInt64, money.USDC).Sub(money.Of(1, money.USDC)); !errors.Is(err, money.ErrRange) {
		t.Errorf("taking away: %v", err)
	}
	if _, err := most.Sub(money.Of(math.MinInt64, money.USDC)); !errors.Is(err, money.ErrRange) {
		t.Errorf("taking away the least: %v", err)
	}
	if _, err := most.Add(money.Of(1, money.USD)); !errors.Is(err, money.ErrMixed) {
		t.Errorf("mixing: %v", err)
	}
}

// A target costs no more than what it was converted from, and what it costs
// gives it again.
func TestConvertAndCostAgree(t *testing.T) {
	all := append(append([]money.Currency{}, money.Fiat...), money.Stablecoins...)
	rapid.Check(t, func(t *rapid.T) {
		from, to := rapid.SampledFrom(all).Draw(t, "from"), rapid.SampledFrom(all).Draw(t, "to")
		a := money.Of(rapid.Int64Range(0, 1e15).Draw(t, "amount"), from)
		r, err := money.ParseRate(rapid.StringMatching(`[1-9][0-9]{0,2}(\.[0-9]{1,6})?`).Draw(t, "rate"))
		if err != nil {
			t.Fatal(err)
		}
		got, err := r.Convert(a, to)
		if errors.Is(err, money.ErrRange) {
			return
		}
		if err != nil {
			t.Fatal(err)
		}
		cost, err := r.Cost(got, from)
		if err != nil || cost.Minor > a.Minor {
			t.Fatalf("%s at %s gives %s, which costs %s (%v)", a, r, got, cost, err)
		}
		if again, err := r.Convert(cost, to); err != nil || again != got {
			t.Fatalf("%s costs %s, which gives %s (%v)", got, cost, again, err)
		}
	})
}

func TestRates(t *testing.T) {
	r, err := money.ParseRate("18.500")
	if err != nil || r.String() != "18.5" {
		t.Fatalf("%s, %v", r, err)
	}
	if less := r.Less(50); less.String() != "18.4075" {
		t.Errorf("less 50 basis points: %s", less)
	}
	net, _ := r.Less(50).Convert(money.Of(99_250_000, money.USDC), money.MXN)
	if net.Display() != "1826.94 MXN" {
		t.Errorf("99.25 USDC: %s", net.Display())
	}
	for _, text := range []string{"0", "0.0", "-1", "1e2", "", "1.0000000000001"} {
		if _, err := money.ParseRate(text); err == nil {
			t.Errorf("%q was taken", text)
		}
	}
}

func TestShareRoundsUp(t *testing.T) {
	fee, err := money.Of(1, money.USDC).Share(25)
	if err != nil || fee.Minor != 1 {
		t.Errorf("a quarter percent of the least: %v, %v", fee, err)
	}
}

func TestRatesChain(t *testing.T) {
	rate := func(text string) money.Rate {
		r, err := money.ParseRate(text)
		if err != nil {
			t.Fatal(err)
		}
		return r
	}
	for _, tc := range [][3]string{
		{"0.999", "18.5", "18.4815"}, {"1", "18.5", "18.5"}, {"0.333333333333", "0.333333333333", "0.11111111111"},
		{"0.000001", "0.0000001", ""},
	} {
		if got := rate(tc[0]).Times(rate(tc[1])); got.String() != tc[2] {
			t.Errorf("%s times %s is %s", tc[0], tc[1], got)
		}
	}
	if !(money.Rate{}).Times(rate("1")).IsZero() || rate("1").Cmp(rate("1.0")) != 0 ||
		rate("2").Cmp(rate("10")) != -1 || (money.Rate{}).Cmp(rate("1")) != -1 {
		t.Error("comparing rates")
	}
}

func TestRateBeside(t *testing.T) {
	for _, c := range []struct {
		r, of string
		want  int64
	}{{"18.4", "18.4", 0}, {"18.4", "20", 800}, {"20", "18.4", 870}, {"1.000000000001", "1", 1}, {"100000000000",
		"0.000000000001", math.MaxInt64}} {
		r, err := money.ParseRate(c.r)
		of, also := money.ParseRate(c.of)
		if err != nil || also != nil || r.Beside(of) != c.want {
			t.Errorf("%s beside %s: %d, want %d (%v, %v)", c.r, c.of, r.Beside(of), c.want, err, also)
		}
	}
	if (money.Rate{}).Beside(money.Rate{}) != math.MaxInt64 {
		t.Error("none beside none")
	}
}
