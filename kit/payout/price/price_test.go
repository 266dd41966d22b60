package price_test

import (
	"errors"
	"os"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/railkit/railkit/kit/payout/order"
	"github.com/railkit/railkit/kit/payout/price"
	"github.com/railkit/railkit/money"
)

func rate(t interface{ Fatal(...any) }, text string) money.Rate {
	r, err := money.ParseRate(text)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func amount(t *testing.T, text string, c money.Currency) money.Amount {
	t.Helper()
	a, err := money.Parse(text, c)
	if err != nil {
		t.Fatal(err)
	}
	return a
}

// To the cent: what is taken, converted, delivered and left over.
func TestPayout_Prices(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		what, gross, net, network, platform, converted, residue string
		sell                                                    string
		from, to                                                money.Currency
		target                                                  bool
	}{
		{
			"the guide's hundred", "100.000000", "1826.94", "0.500000", "0.250000", "99.249763", "0.000237", "18.4075",
			money.USDC, money.MXN, false,
		},
		{
			"the same, the other way round", "100.012351", "1827.17", "0.500062", "0.250031", "99.262258", "0.000000",
			"18.4075", money.USDC, money.MXN, true,
		},
		{
			"a dollar for a dollar", "100.000000", "99.25", "0.500000", "0.250000", "99.250000", "0.000000", "1",
			money.USDT, money.USD, false,
		},
		{
			"a dollar of a dollar", "1.007557", "1.00", "0.005038", "0.002519", "1.000000", "0.000000", "1", money.USDT,
			money.USD, true,
		},
		{"the least", "0.000001", "", "", "", "", "", "18.4075", money.USDC, money.MXN, false},
		{"less than a cent", "0.000545", "", "", "", "", "", "18.4075", money.USDC, money.MXN, false},
		{
			"the first cent", "0.000550", "0.01", "0.000003", "0.000002", "0.000544", "0.000001", "18.4075", money.USDC,
			money.MXN, false,
		},
	} {
		terms, err := price.Stock.OfGross(amount(t, c.gross, c.from), rate(t, c.sell), c.to)
		if c.net == "" {
			if !errors.Is(err, price.ErrNothing) {
				t.Errorf("%s: %+v, %v", c.what, terms, err)
			}
			continue
		}
		if c.target {
			terms, err = price.Stock.ForNet(amount(t, c.net, c.to), rate(t, c.sell), c.from)
		}
		if err != nil {
			t.Fatal(err)
		}
		e, err := price.Explain(terms)
		got := []string{
			e.Gross.String(), e.Net.String(), e.Network.String(), e.Platform.String(), e.Converted.String(),
			e.Residue.String(),
		}
		want := []string{c.gross, c.net, c.network, c.platform, c.converted, c.residue}
		for i := range want {
			if got[i] != want[i] || err != nil {
				t.Errorf("%s: %v, want %v (%v)", c.what, got, want, err)
				break
			}
		}
	}
}

type drawn struct {
	fees     price.Fees
	from, to money.Currency
	sell     money.Rate
}

func draw(t *rapid.T) drawn {
	d := drawn{
		fees: price.Fees{
			Network:  rapid.Int64Range(0, 300).Draw(t, "network"),
			Platform: rapid.Int64Range(0, 4000).Draw(t, "platform"),
		},
		from: rapid.SampledFrom(money.Stablecoins).Draw(t, "from"), to: rapid.SampledFrom(money.Fiat).Draw(t, "to"),
	}
	d.sell = rate(t, rapid.StringMatching(`(0\.[0-9]{0,5}[1-9]|[1-9][0-9]{0,2}(\.[0-9]{1,6})?)`).Draw(t, "rate"))
	return d
}

// L6: gross = fees + converted + residue, and the residue buys nothing.
func TestPayout_L6_PricesExplain(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		d := draw(t)
		gross := money.Of(rapid.Int64Range(1, 1e15).Draw(t, "gross"), d.from)
		terms, err := d.fees.OfGross(gross, d.sell, d.to)
		if errors.Is(err, price.ErrNothing) || errors.Is(err, money.ErrRange) {
			return
		}
		if err != nil {
			t.Fatal(err)
		}
		e := sums(t, terms)
		more, err := e.Converted.Add(e.Residue)
		if err != nil {
			t.Fatal(err)
		}
		if net, err := d.sell.Convert(more, d.to); err != nil || net != e.Net {
			t.Fatalf("with the residue the bank would get %s instead of %s (%v)", net, e.Net, err)
		}
	})
}

func sums(t *rapid.T, terms order.Terms) price.Explained {
	e, err := price.Explain(terms)
	if err != nil {
		t.Fatal(err)
	}
	if e.Network.Minor+e.Platform.Minor+e.Converted.Minor+e.Residue.Minor != e.Gross.Minor ||
		e.Residue.Minor < 0 || e.Converted.Minor <= 0 {
		t.Fatalf("%+v does not explain %s", e, e.Gross)
	}
	return e
}

// A target is paid for by the smallest gross that is enough, and by no more.
func TestPayout_PricesOfTargets(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		d := draw(t)
		net := money.Of(rapid.Int64Range(1, 1e10).Draw(t, "net"), d.to)
		terms, err := d.fees.ForNet(net, d.sell, d.from)
		if err != nil {
			t.Fatal(err)
		}
		if sums(t, terms).Net != net {
			t.Fatalf("%s is delivered, not %s", terms.Net, net)
		}
		for less := terms.Gross.Minor - 1; less > 0 && less > terms.Gross.Minor-9; less-- {
			paid, err := d.fees.OfGross(money.Of(less, d.from), d.sell, d.to)
			if err == nil && paid.Net.Minor >= net.Minor {
				t.Fatalf("%d would give %s already, and %s was asked", less, paid.Net, terms.Gross)
			}
		}
		if paid, err := d.fees.OfGross(terms.Gross, d.sell, d.to); err != nil || paid.Net.Minor < net.Minor {
			t.Fatalf("%s gives %s only (%v)", terms.Gross, paid.Net, err)
		}
	})
}

func TestPayout_PricesRefused(t *testing.T) {
	t.Parallel()
	most := money.Of(1<<62, money.MXN)
	if _, err := price.Stock.ForNet(most, rate(t, "0.000001"), money.USDC); !errors.Is(err, money.ErrRange) {
		t.Errorf("more than can be counted: %v", err)
	}
	if _, err := price.Stock.ForNet(
		money.Of(0, money.MXN), rate(t, "18"), money.USDC,
	); !errors.Is(err, price.ErrNothing) {
		t.Errorf("nothing: %v", err)
	}
	for _, f := range []price.Fees{{-1, 0}, {0, -1}, {5001, 0}, {2501, 2500}, {1 << 62, 1 << 62}} {
		if !errors.Is(f.Check(), price.ErrFees) {
			t.Errorf("%+v is taken", f)
		}
	}
	if err := errors.Join(price.Stock.Check(), (price.Fees{}).Check()); err != nil {
		t.Error(err)
	}
}

// The table of docs/quotes.md is what comes out.
func TestPayout_PricesOfTheDocument(t *testing.T) {
	t.Parallel()
	raw, err := os.ReadFile("../../../docs/quotes.md")
	if err != nil {
		t.Fatal(err)
	}
	mid := rate(t, "18.5")
	terms, err := price.Stock.OfGross(amount(t, "100", money.USDC), mid.Less(50), money.MXN)
	if err != nil {
		t.Fatal(err)
	}
	e, err := price.Explain(terms)
	if err != nil {
		t.Fatal(err)
	}
	for name, value := range map[string]string{
		"Source amount": e.Gross.String() + " USDC", "Network fee": e.Network.String() + " USDC",
		"Platform fee": e.Platform.String() + " USDC",
		"Converted":    e.Converted.String() + " USDC", "Residue": e.Residue.String() + " USDC",
		"Rate": e.Rate.String(), "Net amount": e.Net.String() + " MXN",
	} {
		if line := "| " + name + " | " + value + " |\n"; !strings.Contains(string(raw), line) {
			t.Errorf("docs/quotes.md has no line %s", line)
		}
	}
}
