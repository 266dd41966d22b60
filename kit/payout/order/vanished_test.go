package order_test

import (
	"testing"

	"github.com/railkit/railkit/kit/payout/ledger"
	"github.com/railkit/railkit/kit/payout/order"
	"github.com/railkit/railkit/money"
)

func byOperator(kind order.Kind) order.Event { return order.Event{Kind: kind, By: order.Operator} }

// What has not left stays where it is while the deposit is gone, and goes on when
// it is there again, or on an operator's word.
func TestPayout_S6_VanishedBeforeItIsPaid(t *testing.T) {
	d := came("t1", 100_000_000)
	for what, c := range map[string]struct {
		then     []order.Event
		status   order.Status
		own      int64
		suspense int64
	}{
		"waits":       {nil, order.InReview, 100_000_000, 0},
		"comes again": {[]order.Event{seen(order.DepositRestored, d)}, order.FundsReceived, 100_000_000, 0},
		"covered": {
			[]order.Event{byOperator(order.DepositCovered)}, order.FundsReceived, 100_000_000, -100_000_000,
		},
		"covered too soon": {
			[]order.Event{byOperator(order.DepositCovered), seen(order.DepositRestored, d)}, order.FundsReceived,
			100_000_000, 0,
		},
		"ended": {[]order.Event{byOperator(order.DepositDropped)}, order.Expired, 0, 0},
		"ended too soon": {[]order.Event{
			byOperator(order.DepositDropped), seen(order.DepositDetected, d), seen(order.DepositConfirmed, d),
		}, order.FundsReceived, 100_000_000, 0},
	} {
		b, o := newBooks(), offRamp("0xback")
		apply(t, b, &o, seen(order.DepositDetected, d), seen(order.DepositConfirmed, d), seen(order.DepositVanished, d))
		if o.Status != order.InReview || o.Hold != order.HoldVanished || o.Next(noon) != order.Nothing {
			t.Fatalf("%s: %s, hold %q, next %q", what, o.Status, o.Hold, o.Next(noon))
		}
		paid := terms(t, "18.4075")
		for _, e := range []order.Event{
			{Kind: order.PayoutReserved, Terms: &paid}, {Kind: order.ReviewCleared}, {Kind: order.ReviewRefused},
			{Kind: order.ReviewOpened, Reason: "other"},
			seen(order.DepositCovered, d), seen(order.DepositDropped, d),
			seen(order.DepositRestored, came("t1", 99_999_999)),
		} {
			refuses(t, o, order.ErrIllegal, e)
		}
		refuses(t, o, order.ErrKnown, seen(order.DepositVanished, d))
		apply(t, b, &o, c.then...)
		if o.Status != c.status || b.of(ledger.Order("o1"), money.USDC) != c.own ||
			b.of(ledger.Suspense, money.USDC) != c.suspense || b.open() != 0 {
			t.Errorf(
				"%s: %s, %d its own, %d in suspense", what, o.Status, b.of(ledger.Order("o1"), money.USDC),
				b.of(ledger.Suspense, money.USDC),
			)
		}
		if o.Status == order.FundsReceived && o.Next(noon) != order.Pay {
			t.Errorf("%s: next %q", what, o.Next(noon))
		}
	}
}

// What the partner is being asked for may have left. Where it has not, nothing
// leaves after that.
func TestPayout_S6_VanishedWhileThePartnerIsAsked(t *testing.T) {
	d := came("t1", 100_000_000)
	paid := terms(t, "18.4075")
	asked := func() (*books, order.Order) {
		b, o := newBooks(), offRamp("0xback")
		apply(t, b, &o, seen(order.DepositDetected, d), seen(order.DepositConfirmed, d), order.Event{
			Kind: order.PayoutReserved, Terms: &paid,
		},
			seen(order.DepositVanished, d))
		if o.Next(noon) != order.AskPayout {
			t.Fatalf("next %q", o.Next(noon))
		}
		return b, o
	}
	for _, final := range []bool{false, true} {
		b, o := asked()
		apply(t, b, &o, order.Event{Kind: order.PayoutRefused, Final: final})
		if o.Hold != order.HoldVanished || o.Refund != nil || b.of(ledger.Order("o1"), money.USDC) != 100_000_000 {
			t.Errorf("refused: %+v", o)
		}
	}
	b, o := asked()
	apply(t, b, &o, order.Event{Kind: order.FiatSubmitted, Payout: &order.Payout{TransferID: "p1"}})
	apply(t, b, &o, order.Event{Kind: order.FiatReceived, Net: paid.Net, Rate: paid.Rate})
	if !o.Lost() || o.Status != order.Completed {
		t.Errorf("it was paid: %+v", o)
	}
	apply(t, b, &o, order.Event{
		Kind: order.PaymentReturned, Refunded: usdc(99_250_000), Refund: &order.Refund{ID: "r1", Reference: "R"},
	})
	if o.Status != order.Error || o.Refund.Status != order.RefundFailed || o.Next(noon) != order.Nothing {
		t.Errorf("it came back: %s, %+v", o.Status, o.Refund)
	}
	refuses(t, o, order.ErrIllegal, byOperator(order.DepositDropped)) // that much is there
	apply(t, b, &o, byOperator(order.DepositCovered))
	if o.Status != order.Returned || o.Next(noon) != order.SendRefund || o.Lost() {
		t.Errorf("covered: %s, %+v", o.Status, o.Refund)
	}
}

// A refund of a deposit that is gone is not sent.
func TestPayout_S6_VanishedBeforeItIsRefunded(t *testing.T) {
	d := came("t1", 100_000_000)
	for what, c := range map[string]struct {
		before []order.Event
		then   order.Event
		status order.Status
		next   order.Step
	}{
		"comes again": {nil, seen(order.DepositRestored, d), order.Returned, order.SendRefund},
		"covered":     {nil, byOperator(order.DepositCovered), order.Returned, order.SendRefund},
		"ended":       {nil, byOperator(order.DepositDropped), order.Expired, order.Nothing},
		"asked for": {
			[]order.Event{{Kind: order.RefundReserved}}, order.Event{Kind: order.RefundRefused}, order.Error,
			order.Nothing,
		},
	} {
		b, o := newBooks(), offRamp("0xback")
		refund := &order.Refund{ID: "r1", Reference: "RFD-1"}
		apply(t, b, &o, seen(order.DepositDetected, d), seen(order.DepositConfirmed, d), order.Event{
			Kind: order.ReviewOpened, Reason: "archived",
		},
			order.Event{Kind: order.ReviewRefused, By: order.Operator, Refund: refund})
		apply(t, b, &o, c.before...)
		apply(t, b, &o, seen(order.DepositVanished, d))
		if c.before == nil {
			refuses(t, o, order.ErrIllegal, order.Event{Kind: order.RefundReserved})
			refuses(t, o, order.ErrIllegal, order.Event{Kind: order.RefundRetried})
		}
		apply(t, b, &o, c.then)
		if o.Status != c.status || o.Next(noon) != c.next || b.open() != 0 {
			t.Errorf("%s: %s, next %q, %+v", what, o.Status, o.Next(noon), o.Refund)
		}
		if posted, _ := o.Owns(); b.of(ledger.Order("o1"), money.USDC) != posted {
			t.Errorf("%s: %d its own", what, b.of(ledger.Order("o1"), money.USDC))
		}
	}
}

// A deposit that an operator dropped, and that is mined again, is refunded by another
// attempt than before: the ledger and the partner know the first.
func TestPayout_S6_RefundedAfterItWasDropped(t *testing.T) {
	d, b, o := came("t1", 100_000_000), newBooks(), offRamp("0xback")
	refunds := func() {
		apply(t, b, &o, seen(order.DepositDetected, d), seen(order.DepositConfirmed, d), order.Event{
			Kind: order.ReviewOpened, Reason: "archived",
		},
			order.Event{
				Kind: order.ReviewRefused, By: order.Operator, Refund: &order.Refund{ID: "r1", Reference: "RFD-1"},
			}, order.Event{Kind: order.RefundReserved})
	}
	keys := map[string]bool{}
	for range 3 {
		refunds()
		keys[o.RefundKey()] = true
		apply(
			t, b, &o, seen(order.DepositVanished, d), order.Event{Kind: order.RefundRefused},
			byOperator(order.DepositDropped),
		)
	}
	if len(keys) != 3 || o.Status != order.Expired || b.open() != 0 {
		t.Errorf("%d keys, %s, %d open", len(keys), o.Status, b.open())
	}
}

// What an operator gives back of a payout that stands is not the next quote's where
// the deposit is gone: it stays the order's.
func TestPayout_S6_GivenBackWhileItIsGone(t *testing.T) {
	b, o := newBooks(), offRamp("")
	submitted(t, b, &o)
	apply(t, b, &o, order.Event{
		Kind: order.Delayed, Reason: "canceled",
	}, seen(order.DepositVanished, came("t1", 100_000_000)),
		order.Event{Kind: order.PayoutGivenUp, By: order.Operator, Wish: order.GiveBack},
		order.Event{Kind: order.PayoutCanceled, Failure: &order.Failure{Code: "canceled"}})
	if o.Status != order.InReview || o.Hold != order.HoldVanished ||
		b.of(ledger.Held("w1"), money.USDC) != 0 || b.of(ledger.Order("o1"), money.USDC) != 100_000_000 {
		t.Errorf("%s, hold %q, %d at the address", o.Status, o.Hold, b.of(ledger.Held("w1"), money.USDC))
	}
	apply(t, b, &o, byOperator(order.DepositDropped))
	if o.Status != order.Expired || b.of(ledger.Chain("base"), money.USDC) != 0 {
		t.Errorf("%s", o.Status)
	}
}
