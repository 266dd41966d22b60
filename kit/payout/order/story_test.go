package order_test

import (
	"testing"
	"time"

	"github.com/railkit/railkit/fiat"
	"github.com/railkit/railkit/kit/payout/ledger"
	"github.com/railkit/railkit/kit/payout/order"
	"github.com/railkit/railkit/money"
)

var noon = time.Date(2026, 11, 21, 12, 0, 0, 0, time.UTC)

// fataler is a test, or a run of one.
type fataler interface{ Fatal(...any) }

func rate(t fataler, text string) money.Rate {
	r, err := money.ParseRate(text)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func apply(t *testing.T, b *books, o *order.Order, events ...order.Event) {
	t.Helper()
	for _, e := range events {
		if e.At.IsZero() {
			e.At = noon
		}
		c, err := order.Apply(*o, e)
		if err != nil {
			t.Fatal(err)
		}
		if err := b.take(c); err != nil {
			t.Fatal(err)
		}
		*o = c.Order
	}
}

// A hundred dollars come, go to a bank in Mexico, come back, and are refunded.
func TestPayout_S4_ReturnedAfterItWasCompleted(t *testing.T) {
	b := newBooks()
	o := order.Order{
		ID: "o1", Type: order.OffRamp, Origin: order.FromDeposit, WithdrawAddressID: "w1", ReturnAddress: "0xback",
		Chain: "base", Source: money.USDC, Destination: money.MXN, Rail: fiat.SPEI,
	}
	d := &order.Deposit{TransferID: "t1", Hash: "0x1", Amount: money.Of(100_000_000, money.USDC), Required: 1}
	sell := rate(t, "18.4075")
	apply(
		t, b, &o, order.Event{Kind: order.DepositDetected, Deposit: d},
		order.Event{Kind: order.DepositConfirmed, Deposit: d},
	)
	if o.Next(noon) != order.Pay || o.Status != order.FundsReceived {
		t.Fatalf("%s, next %q", o.Status, o.Next(noon))
	}
	terms := order.Terms{
		Gross: d.Amount, Platform: money.Of(250_000, money.USDC), Network: money.Of(500_000, money.USDC), Rate: sell,
		Net: money.Of(182_694, money.MXN),
	}
	apply(t, b, &o, order.Event{Kind: order.PayoutReserved, Terms: &terms})
	if o.Next(noon) != order.AskPayout {
		t.Fatalf("next %q", o.Next(noon))
	}
	done := fiat.Transfer{
		ID: "p1", State: fiat.TransferProcessed, Destination: terms.Net, Rate: sell, TrackingKey: "K1",
	}
	apply(t, b, &o, o.News(done, noon)...)
	if o.Status != order.Completed || o.Payout.TrackingKey != "K1" || o.Version != 5 {
		t.Fatalf("%s, %+v, version %d", o.Status, o.Payout, o.Version)
	}
	if b.of(ledger.Bank("spei"), money.MXN) != 182_694 ||
		b.of(ledger.Partner, money.USDC) != 0 || b.of(ledger.FeesPlatform, money.USDC) != 250_000 {
		t.Errorf("the ledger: %v", b.posted)
	}
	if len(o.News(done, noon)) != 0 {
		t.Errorf("the same again is news: %v", o.News(done, noon))
	}

	back := fiat.Transfer{
		ID: "p1", State: fiat.TransferRefunded, Refunded: money.Of(99_250_000, money.USDC), ReturnCode: "03",
	}
	news := o.News(back, noon)
	news[0].Refund = &order.Refund{ID: "r1", Reference: "RFD-1"}
	apply(t, b, &o, news...)
	apply(t, b, &o, order.Event{Kind: order.RefundReserved})
	apply(t, b, &o, o.RefundNews(fiat.Transfer{ID: "p2", State: fiat.TransferProcessed, Hash: "0x2"}, noon)...)
	if o.Status != order.Returned || o.Refund.Status != order.RefundCompleted || b.open() != 0 {
		t.Fatalf("%s, %+v, open %d", o.Status, o.Refund, b.open())
	}
	if b.of(ledger.Chain("base"), money.USDC) != -750_000 ||
		b.of(ledger.Order("o1"), money.USDC) != 0 || b.of(ledger.Bank("spei"), money.MXN) != 0 {
		t.Errorf("the ledger: %v", b.posted)
	}
}
