package price_test

import (
	"errors"
	"testing"

	"pgregory.net/rapid"

	"github.com/railkit/railkit/kit/payout/price"
	"github.com/railkit/railkit/money"
)

// To the smallest unit: what is taken of a deposit, converted and delivered.
func TestPayout_DepositPrices(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		what, sell                                               string
		gross, network, platform, converted, net, beyond, target string
		from, to                                                 money.Currency
	}{
		{
			"five thousand pesos", "0.053783779750",
			"5000.00", "30.00", "25.00", "4945.00", "265.960790", "0.000000", "", money.MXN, money.USDC,
		},
		{
			"a hundred for pesos", "0.053783779750",
			"1879.98", "11.28", "9.40", "1859.30", "100.000181", "0.000181", "100", money.MXN, money.USDC,
		},
		{
			"a dollar for a dollar", "1",
			"100.00", "0.60", "0.50", "98.90", "98.900000", "0.000000", "", money.USD, money.USDT,
		},
		{
			"a part of a cent", "1",
			"1.03", "0.01", "0.01", "1.01", "1.010000", "0.009999", "1.000001", money.USD, money.USDC,
		},
	} {
		d, err := price.StockOnRamp.OfDeposit(amount(t, c.gross, c.from), rate(t, c.sell), c.to)
		if c.target != "" {
			d, err = price.StockOnRamp.ForTarget(amount(t, c.target, c.to), rate(t, c.sell), c.from)
		}
		got := [6]string{
			d.Gross.String(), d.Network.String(), d.Platform.String(), d.Converted.String(), d.Net.String(),
			d.Beyond.String(),
		}
		want := [6]string{c.gross, c.network, c.platform, c.converted, c.net, c.beyond}
		if err != nil || got != want {
			t.Errorf("%s: %v, want %v (%v)", c.what, got, want, err)
		}
	}
}

// drawDeposit draws a pair of every kind with fees and a rate.
func drawDeposit(t *rapid.T) drawn {
	d := draw(t)
	d.from, d.to = rapid.SampledFrom(money.Fiat).Draw(t, "deposit"), rapid.SampledFrom(money.Stablecoins).Draw(t, "to")
	return d
}

func divides(t *rapid.T, d price.Deposit) {
	if d.Network.Minor+d.Platform.Minor+d.Converted.Minor != d.Gross.Minor || d.Converted.Minor <= 0 ||
		d.Network.Minor < 0 || d.Platform.Minor < 0 || d.Net.Minor <= 0 || d.Beyond.Minor < 0 {
		t.Fatalf("%+v does not divide %s", d, d.Gross)
	}
}

// For every pair, deposit, rate and fees: what is paid is fees and what is converted, and asking for what a deposit
// gives never costs more than the deposit.
func TestPayout_DepositsDivide(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		c := drawDeposit(t)
		gross := money.Of(rapid.Int64Range(1, 1e11).Draw(t, "gross"), c.from)
		d, err := c.fees.OfDeposit(gross, c.sell, c.to)
		if errors.Is(err, price.ErrNothing) {
			return
		}
		if err != nil {
			t.Fatal(err)
		}
		divides(t, d)
		if worth, err := c.sell.Convert(d.Converted, c.to); err != nil || worth != d.Net {
			t.Fatalf("%s is worth %s, not %s (%v)", d.Converted, worth, d.Net, err)
		}
		back, err := c.fees.ForTarget(d.Net, c.sell, c.from)
		if err != nil || back.Gross.Minor > gross.Minor {
			t.Fatalf("%s gives %s, for which %s is asked (%v)", gross, d.Net, back.Gross, err)
		}
	})
}

// A target costs the smallest deposit that gives it, and what comes in addition to it is told.
func TestPayout_DepositsForTargets(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		c := drawDeposit(t)
		target := money.Of(rapid.Int64Range(1, 1e12).Draw(t, "target"), c.to)
		d, err := c.fees.ForTarget(target, c.sell, c.from)
		if err != nil {
			t.Fatal(err)
		}
		divides(t, d)
		if d.Net.Minor-d.Beyond.Minor != target.Minor {
			t.Fatalf("%s less %s is not %s", d.Net, d.Beyond, target)
		}
		if again, err := c.fees.OfDeposit(d.Gross, c.sell, c.to); err != nil || again.Net != d.Net {
			t.Fatalf("%s gives %s, and was said to give %s (%v)", d.Gross, again.Net, d.Net, err)
		}
		if same, err := c.fees.ForTarget(target, c.sell, c.from); err != nil || same.Gross != d.Gross {
			t.Fatalf("the same costs %s and %s (%v)", d.Gross, same.Gross, err)
		}
		for less := d.Gross.Minor - 1; less > 0 && less > d.Gross.Minor-9; less-- {
			paid, err := c.fees.OfDeposit(money.Of(less, c.from), c.sell, c.to)
			if err == nil && paid.Net.Minor >= target.Minor {
				t.Fatalf("%d would give %s already, and %s was asked", less, paid.Net, d.Gross)
			}
		}
	})
}

func TestPayout_DepositLimits(t *testing.T) {
	t.Parallel()
	all := price.DepositsOf(price.StockOnRamp, map[string]int64{"usd": 7}, map[string]int64{"mxn": 100})
	if err := all.Check(); err != nil || len(all) != len(money.Fiat) {
		t.Fatalf("%d limits, %v", len(all), err)
	}
	for _, c := range []struct {
		text string
		c    money.Currency
		want error
	}{
		{"6.99", money.USD, price.ErrLess}, {"7.00", money.USD, nil}, {"1000000", money.USD, nil},
		{"1000000.01", money.USD, price.ErrMore}, {"100", money.MXN, nil}, {"99.99", money.MXN, price.ErrLess},
		{"100.01", money.MXN, price.ErrMore}, {"25", money.BRL, nil}, {"5", money.EUR, nil},
		{"4.99", money.GBP, price.ErrLess},
	} {
		if err := all[c.c].Check(amount(t, c.text, c.c)); !errors.Is(err, c.want) {
			t.Errorf("%s %s: %v, want %v", c.text, c.c, err, c.want)
		}
	}
	if err := all[money.USD].Check(money.Of(1, money.EUR)); !errors.Is(err, money.ErrMixed) {
		t.Errorf("another currency: %v", err)
	}
	if err := price.DepositsOf(price.StockOnRamp, map[string]int64{"eur": 2_000_000}, nil).Check(); !errors.Is(
		err, price.ErrLimits,
	) {
		t.Errorf("a least above the most: %v", err)
	}
	if err := price.DepositsOf(price.Fees{Network: -1}, nil, nil).Check(); !errors.Is(err, price.ErrFees) {
		t.Errorf("fees below zero: %v", err)
	}
}
