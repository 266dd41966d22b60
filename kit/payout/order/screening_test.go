package order_test

import (
	"slices"
	"testing"

	"github.com/railkit/railkit/fiat"
	"github.com/railkit/railkit/kit/payout/ledger"
	"github.com/railkit/railkit/kit/payout/order"
	"github.com/railkit/railkit/money"
)

var (
	listed = order.Hit{Role: "sender", Kind: "address", Entry: "sdn-3", Of: "aa"}
	alias  = order.Hit{Role: "recipient", Kind: "name", Entry: "sdn-1", Of: "bb"}
)

func screened(hits ...order.Hit) order.Event {
	return order.Event{Kind: order.ReviewOpened, Reason: order.HoldScreening, Hits: hits}
}

func arrived(t *testing.T) (*books, order.Order) {
	b, o := newBooks(), offRamp("0xback")
	d := came("t1", 100_000_000)
	apply(t, b, &o, seen(order.DepositDetected, d), seen(order.DepositConfirmed, d))
	return b, o
}

// Nothing is paid while a hit waits for an operator, whatever else holds and clears the order meanwhile. A release
// counts for those hits alone.
func TestPayout_HitsWaitForAnOperator(t *testing.T) {
	b, o := arrived(t)
	paid := terms(t, "18.4075")
	refuses(t, o, order.ErrIllegal, screened())
	apply(t, b, &o, screened(listed))
	for range 2 {
		if o.Status != order.InReview || o.Hold != order.HoldScreening || len(o.Hits()) != 1 {
			t.Fatalf("%s, %q, %v", o.Status, o.Hold, o.Hits())
		}
		refuses(t, o, order.ErrKnown, screened(listed))
		refuses(t, o, order.ErrIllegal, order.Event{Kind: order.ReviewReleased, By: order.System})
		apply(t, b, &o, order.Event{Kind: order.ReviewCleared})
		refuses(t, o, order.ErrIllegal, order.Event{Kind: order.PayoutReserved, Terms: &paid})
		apply(t, b, &o, order.Event{Kind: order.ReviewOpened, Reason: "archived"},
			order.Event{Kind: order.ReviewCleared}, screened())
	}
	apply(t, b, &o, byOperator(order.ReviewReleased))
	if o.Status != order.FundsReceived || o.Next(noon) != order.Pay || len(o.Hits()) != 0 {
		t.Errorf("released: %s, next %q", o.Status, o.Next(noon))
	}
	refuses(t, o, order.ErrIllegal, byOperator(order.ReviewReleased))
	refuses(t, o, order.ErrIllegal, screened(listed))
	apply(t, b, &o, screened(listed, alias))
	if len(o.Hits()) != 1 || o.Hits()[0] != alias {
		t.Errorf("another hit: %v", o.Hits())
	}
	apply(t, b, &o, order.Event{Kind: order.ReviewCleared}, order.Event{Kind: order.ReviewOpened, Reason: "archived"},
		byOperator(order.ReviewReleased))
	if o.Status != order.InReview || o.Hold != "archived" || len(o.Cleared()) != 2 {
		t.Errorf("released while something else holds it: %s, %q, %v", o.Status, o.Hold, o.Cleared())
	}
	apply(t, b, &o, order.Event{Kind: order.ReviewCleared}, order.Event{Kind: order.PayoutReserved, Terms: &paid})
}

// What an operator gives back is not held by the hit of the payout. Its refund can be held by its own, and is sent on
// an operator's word or stays with the order.
func TestPayout_HitsHoldRefunds(t *testing.T) {
	b, o := arrived(t)
	apply(t, b, &o, screened(listed), order.Event{
		Kind: order.ReviewRefused, By: order.Operator, Refund: &order.Refund{ID: "r1", Reference: "RFD-1"},
	})
	if o.Status != order.Returned || len(o.Hits()) != 0 || o.Failure.Code != order.HoldScreening {
		t.Fatalf("given back: %s, %v, %+v", o.Status, o.Hits(), o.Failure)
	}
	back := order.Hit{Role: "return_address", Kind: "address", Entry: "sdn-3", Of: "cc"}
	apply(t, b, &o, order.Event{Kind: order.ReviewOpened, Reason: order.HoldUnscreened})
	for _, open := range []order.Event{screened(back), byOperator(order.ReviewReleased)} {
		if o.Status != order.InReview || o.Next(noon) != order.SendRefund ||
			b.of(ledger.Order("o1"), money.USDC) != 100_000_000 {
			t.Errorf("held: %s, next %q", o.Status, o.Next(noon))
		}
		for _, kind := range []order.Kind{order.RefundReserved, order.ReviewRefused, order.RefundRetried} {
			refuses(t, o, order.ErrIllegal, byOperator(kind))
		}
		if open.Kind == order.ReviewOpened {
			apply(t, b, &o, order.Event{Kind: order.ReviewCleared})
		}
		apply(t, b, &o, open)
	}
	if o.Status != order.Returned || o.Next(noon) != order.SendRefund {
		t.Errorf("released: %s, next %q", o.Status, o.Next(noon))
	}
	apply(t, b, &o, order.Event{Kind: order.RefundReserved})
	refuses(t, o, order.ErrIllegal, screened(alias))
}

// A deposit that vanishes while its refund is held, and one that an operator covers while the payout is held.
func TestPayout_S6_VanishesInReview(t *testing.T) {
	d := came("t1", 100_000_000)
	b, o := arrived(t)
	apply(t, b, &o, screened(listed), order.Event{
		Kind: order.ReviewRefused, By: order.Operator, Refund: &order.Refund{ID: "r1", Reference: "RFD-1"},
	}, screened(alias), seen(order.DepositVanished, d))
	if o.Status != order.Error || o.Refund.Reason != order.HoldVanished || o.Hold != "" {
		t.Errorf("vanished: %s, hold %q, %+v", o.Status, o.Hold, o.Refund)
	}
	apply(t, b, &o, seen(order.DepositRestored, d))
	if o.Status != order.Returned || o.Next(noon) != order.SendRefund {
		t.Errorf("restored: %s, next %q", o.Status, o.Next(noon))
	}
	refuses(t, o, order.ErrIllegal, order.Event{Kind: order.RefundReserved})

	b, o = arrived(t)
	apply(t, b, &o, seen(order.DepositVanished, d), byOperator(order.DepositCovered), screened(listed),
		seen(order.DepositRestored, d))
	if o.Status != order.InReview || o.Hold != order.HoldScreening || b.of(ledger.Suspense, money.USDC) != 0 {
		t.Errorf("covered, held and restored: %s, hold %q", o.Status, o.Hold)
	}
}

// A hit holds an on-ramp order too, and is released in the same way.
func TestPayout_HitsHoldPayIns(t *testing.T) {
	b, o := newBooks(), onRamp()
	news(t, b, &o, told(fiat.FundsReceived))
	sender := order.Hit{Role: "sender", Kind: "name", Entry: "sdn-1", Of: "aa"}
	hold := order.Event{Kind: order.PayInHold, Reason: order.HoldScreening, Hits: []order.Hit{sender}}
	apply(t, b, &o, hold)
	if o.Status != order.InReview || len(o.Hits()) != 1 || o.Hits()[0] != sender {
		t.Errorf("%s, %v", o.Status, o.Hits())
	}
	apply(t, b, &o, byOperator(order.PayInRelease))
	if o.Status != order.FundsReceived || len(o.Hits()) != 0 || !slices.Equal(o.Cleared(), []string{sender.Key()}) {
		t.Errorf("%s, %v, %v", o.Status, o.Hits(), o.Cleared())
	}
	refuses(t, o, order.ErrIllegal, hold)
}
