package payout_test

import (
	"slices"
	"testing"

	"github.com/railkit/railkit/fiat"
	"github.com/railkit/railkit/kit/payout/ledger"
	"github.com/railkit/railkit/kit/payout/order"
	"github.com/railkit/railkit/money"
	"github.com/railkit/railkit/platform/watch"
)

// A hundred dollars come to a withdrawal address and go to the bank.
func TestPayout_DepositToBank(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	a := r.address("wallet")
	r.arrive(a, "t1", "100000000", watch.Seen)
	r.take("t1")
	o := r.orderOf("t1")
	r.want("seen", o, order.FundsReceived)
	if d := r.drain(a, "t1"); d.Status != "detected" ||
		d.State != "pending" || d.Amount != "100" || d.OrderReference != o.Reference {
		t.Errorf("%+v", d)
	}
	if o, _ := r.advance(o.ID); o.Paying || r.desk.paid() != 0 {
		t.Error("paid before the deposit is final")
	}
	r.arrive(a, "t1", "100000000", watch.Final)
	r.take("t1")
	o, again := r.advance(o.ID)
	if o.Status != order.FundsReceived || again <= 0 || r.desk.paid() != 0 {
		t.Errorf("%s, again in %v: the partner has nothing yet", o.Status, again)
	}
	r.desk.receives(100_000_000)
	o, _ = r.advance(o.ID)
	r.want("submitted", o, order.PaymentSubmitted)
	r.desk.moves(fiat.TransferProcessed, 0)
	o, _ = r.advance(o.ID)
	r.want("done", o, order.Completed)
	if o.Terms.Net.String() != "1826.94" || o.Payout.TrackingKey == "" {
		t.Errorf("%+v, %+v", o.Terms, o.Payout)
	}
	want := []order.Kind{
		order.DepositDetected, order.DepositConfirmed, order.PayoutReserved, order.FiatSubmitted, order.FiatReceived,
	}
	if got := r.kinds(o.ID); !slices.Equal(got, want) {
		t.Errorf("the timeline is %v", got)
	}
	d := r.drain(a, "t1")
	if d.Status != "payment_processed" ||
		d.State != "completed" || d.Destination.Amount != "1826.94" || d.ExchangeRate != "18.4075" || len(d.Fees) != 2 {
		t.Errorf("%+v", d)
	}
	r.has(ledger.Bank("spei"), money.MXN, 182_694)
	r.has(ledger.Chain("base"), money.USDC, -100_000_000)
	r.has(ledger.FeesNetwork, money.USDC, 500_000)
	r.has(ledger.FeesPlatform, money.USDC, 250_000)
	r.has(ledger.Held(a.ID), money.USDC, 0)
	r.has(ledger.Order(o.ID), money.USDC, 0)
	r.has(ledger.Partner, money.USDC, 0)
	r.sums()
	for range 3 { // a doubled job, and a lost one found
		r.take("t1")
		r.advance(o.ID)
	}
	if got := r.kinds(o.ID); len(got) != 5 || r.desk.paid() != 1 {
		t.Errorf("again: %v, %d payouts", got, r.desk.paid())
	}
}
