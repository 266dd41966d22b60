package price_test

import (
	"errors"
	"testing"

	"pgregory.net/rapid"

	"github.com/railkit/railkit/kit/payout/order"
	"github.com/railkit/railkit/kit/payout/price"
	"github.com/railkit/railkit/money"
)

// The example of Transfer's comment, to the cent.
func TestPayout_TransferPrices(t *testing.T) {
	t.Parallel()
	terms := order.Terms{
		Gross: amount(t, "161.11", money.USDC), Network: amount(t, "0.81", money.USDC),
		Platform: amount(t, "0.40", money.USDC), Rate: rate(t, "1"), Net: amount(t, "159.90", money.USD),
	}
	x, err := price.OfTransfer(amount(t, "3000", money.MXN), amount(t, "33", money.MXN), terms)
	if err != nil || x.Fees.String() != "55.29" || x.Net.String() != "159.90" || x.Rate.String() != "0.054300763064" {
		t.Errorf("%+v, %v", x, err)
	}
	if _, err := price.OfTransfer(amount(t, "33", money.MXN), amount(t, "33", money.MXN), terms); !errors.Is(
		err, price.ErrNothing,
	) {
		t.Errorf("nothing but fees: %v", err)
	}
}

// Whatever the rates and fees are: the amount less the fees is worth the net amount at the rate, to the cent.
func TestPayout_TransferPricesAddUp(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		in, out := drawDeposit(t), draw(t)
		sent := money.Of(rapid.Int64Range(10_000, 1e9).Draw(t, "sent"), money.MXN)
		d, err := in.fees.OfDeposit(sent, in.sell, money.USDC)
		if err != nil {
			return
		}
		terms, err := out.fees.OfGross(d.Net, out.sell, money.USD)
		if err != nil {
			return
		}
		fee, err := d.Network.Add(d.Platform)
		if err != nil {
			t.Fatal(err)
		}
		x, err := price.OfTransfer(sent, fee, terms)
		if errors.Is(err, price.ErrNothing) || errors.Is(err, money.ErrCurrency) {
			return // nothing is left after fees that are rounded up
		}
		if err != nil {
			t.Fatal(err)
		}
		left, err := x.Amount.Sub(x.Fees)
		if err != nil {
			t.Fatal(err)
		}
		if worth, err := x.Rate.Convert(left, money.USD); err != nil || worth != x.Net || x.Net != terms.Net {
			t.Fatalf("%s less %s at %s is %s, not %s (%v)", x.Amount, x.Fees, x.Rate, worth, x.Net, err)
		}
	})
}
