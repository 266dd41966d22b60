package order_test

import (
	"errors"
	"testing"
	"time"

	"github.com/railkit/railkit/fiat"
	"github.com/railkit/railkit/kit/payout/ledger"
	"github.com/railkit/railkit/kit/payout/order"
)

func reviewGlobal() order.Order {
	return order.Order{
		ID: "o1", Reference: "PAY-1", Type: order.GlobalPayment, Origin: order.FromVirtual, Chain: "base",
		WithdrawAddressID: "w1", Source: "usdc", Destination: "mxn", Rail: fiat.SPEI,
	}
}

var reviewWays = []order.Kind{
	order.CoinsAccepted, order.CoinsWrittenOff, order.ReturnRequested, order.ReceivableSettled, order.OrderCanceled,
	order.OrderExpired, order.PayInRelease, order.DepositDropped, order.DepositCovered, order.ReviewRefused,
	order.PayoutGivenUp, order.RefundRetried,
}

// ways are the operator's events that an order takes.
func ways(o order.Order, now time.Time) (all []order.Kind) {
	for _, k := range reviewWays {
		if _, err := order.Apply(o, order.Event{Kind: k, By: order.Operator, At: now}); err == nil {
			all = append(all, k)
		}
	}
	return all
}

// The fiat goes back, and other coins than told come: nothing can book them.
func TestPayout_PayIn_OtherCoinsAfterAReturnCanBeAccepted(t *testing.T) {
	b, o := newBooks(), onRamp()
	news(t, b, &o, told(fiat.FundsReceived, fiat.PaymentSubmitted))
	news(t, b, &o, told(fiat.FundsReceived, fiat.PaymentSubmitted, fiat.Refunded))
	d := *delivered
	d.Amount, d.Confirmations = usdc(268_510_000), 2
	apply(t, b, &o, order.Event{Kind: order.CoinsDetected, Deposit: &d})
	_, err := order.Apply(o, order.Event{
		Kind: order.CoinsDelayed, By: order.OnChain, Reason: order.DelayAmount, At: noon,
	})
	_, accepted := order.Apply(o, order.Event{Kind: order.CoinsAccepted, By: order.Operator, At: noon})
	if err != nil && accepted != nil {
		t.Fatalf("Follow fails for ever (%v), and an operator cannot accept (%v)", err, accepted)
	}
}

// The partner corrects the amount while it reviews: its next words are refused for ever.
func TestPayout_PayIn_ACorrectedAmountStopsNoNews(t *testing.T) {
	for name, first := range map[string][]fiat.ActivityType{
		"held":    {fiat.FundsReceived, fiat.FundsInReview},
		"settled": {fiat.FundsReceived, fiat.PaymentProcessed},
	} {
		t.Run(name, func(t *testing.T) {
			b, o := newBooks(), onRamp()
			news(t, b, &o, told(first...))
			next := append(told(first...), told(fiat.PaymentProcessed)...)
			if name == "settled" {
				apply(t, b, &o, order.Event{Kind: order.CoinsDetected, Deposit: delivered},
					order.Event{Kind: order.CoinsConfirmed, Deposit: delivered})
				next = append(told(first...), told(fiat.Refunded)...)
			}
			next[0].Amount = mxn(499_900)
			for _, e := range o.PayInNews(clabe, next, noon.Add(time.Hour)) {
				c, err := order.Apply(o, e)
				if errors.Is(err, order.ErrKnown) {
					continue
				}
				if err != nil {
					t.Fatalf("%v: what comes after it in %v is never written",
						err, o.PayInNews(clabe, next, noon.Add(time.Hour)))
				}
				o = c.Order
			}
		})
	}
}

// A late return, of which only the last activity is read, of less than came.
func TestPayout_PayIn_ALateReturnNeedsNoEarlierNews(t *testing.T) {
	b, o := newBooks(), onRamp()
	news(t, b, &o, told(fiat.FundsReceived, fiat.PaymentProcessed))
	apply(t, b, &o, order.Event{Kind: order.CoinsDetected, Deposit: delivered},
		order.Event{Kind: order.CoinsConfirmed, Deposit: delivered})
	only := told(fiat.Refunded)
	only[0].Amount = mxn(494_500)
	for _, e := range o.PayInNews(clabe, only, noon.AddDate(0, 0, 20)) {
		c, err := order.Apply(o, e)
		if err != nil {
			t.Fatalf("the bank took 4,945.00 MXN, and there is no receivable: %v", err)
		}
		o = c.Order
	}
}

// An operator asks again after a return failed; the partner's old word of the failure ends the new attempt.
func TestPayout_PayIn_AnOldFailureDoesNotEndANewReturn(t *testing.T) {
	b, o := newBooks(), onRamp()
	all := told(fiat.FundsReceived, fiat.RefundInFlight, fiat.RefundFailed)
	all[1].At, all[2].At = noon.Add(-2*time.Hour), noon.Add(-time.Hour)
	news(t, b, &o, all)
	if o.PayIn.Status != order.PayInFailed {
		t.Fatal(o.PayIn.Status)
	}
	apply(t, b, &o, order.Event{Kind: order.ReturnRequested, By: order.Operator})
	if events := o.PayInNews(clabe, all, noon.Add(time.Minute)); len(events) > 0 {
		t.Errorf("asked again (%s), and before the partner was asked: %s", o.PayIn.Status, events[len(events)-1].Kind)
	}
	apply(t, b, &o, order.Event{Kind: order.ReturnStarted, By: order.System, Reason: "operator"})
	if events := o.PayInNews(clabe, all, noon.Add(time.Minute)); len(events) > 0 {
		t.Errorf("the partner took the new attempt, and the old failure ends it: %s", events[len(events)-1].Kind)
	}
}

// The coins of a global payment are dropped by a reorg, and its fiat goes back.
func TestPayout_PayIn_AReturnEndsAPaymentWithoutCoins(t *testing.T) {
	b, o := newBooks(), reviewGlobal()
	news(t, b, &o, told(fiat.FundsReceived, fiat.PaymentProcessed))
	apply(t, b, &o, order.Event{Kind: order.DepositDetected, Deposit: delivered},
		order.Event{Kind: order.DepositDropped, Deposit: delivered, By: order.OnChain})
	apply(t, b, &o, o.PayInNews(clabe, told(fiat.FundsReceived, fiat.PaymentProcessed, fiat.Refunded), noon)...)
	if o.Status != order.Returned {
		t.Errorf("the fiat is back (%s), and the order is %s, next %q", o.PayIn.Status, o.Status, o.Next(noon))
	}
}

// The fiat of a global payment goes back, and its coins come.
func TestPayout_PayIn_APaymentTakesCoinsAfterAReturn(t *testing.T) {
	b, o := newBooks(), reviewGlobal()
	news(t, b, &o, told(fiat.FundsReceived, fiat.PaymentProcessed))
	news(t, b, &o, told(fiat.FundsReceived, fiat.PaymentProcessed, fiat.Refunded))
	_, err := order.Apply(o, order.Event{Kind: order.DepositDetected, Deposit: delivered, At: noon})
	if o.AwaitsCoins() && err != nil {
		t.Errorf("the order says that it awaits the coins, and refuses them: %v", err)
	}
}

// The bank takes the fiat back in two parts.
func TestPayout_PayIn_PartsOfAReturnAddUp(t *testing.T) {
	b, o := newBooks(), onRamp()
	news(t, b, &o, told(fiat.FundsReceived, fiat.PaymentProcessed))
	first := told(fiat.FundsReceived, fiat.PaymentProcessed, fiat.Refunded)
	first[2].Amount = mxn(200_000)
	apply(t, b, &o, o.PayInNews(clabe, first, noon)...)
	second := first[2]
	second.ID, second.Amount, second.At = "again", mxn(300_000), noon.Add(time.Hour)
	apply(t, b, &o, o.PayInNews(clabe, append(first, second), noon.Add(2*time.Hour))...)
	if got := b.of(ledger.Bank("spei"), "mxn"); got != 0 {
		t.Errorf("the bank took back all 5,000.00 MXN; the books say that it still has %d", -got)
	}
}

// An operator ends a global payment whose final coins a reorg removed.
func TestPayout_PayIn_AForgoneDepositLeavesNothingOnTheChain(t *testing.T) {
	b, o := newBooks(), reviewGlobal()
	news(t, b, &o, told(fiat.FundsReceived, fiat.PaymentProcessed))
	apply(t, b, &o, order.Event{Kind: order.DepositDetected, Deposit: delivered},
		order.Event{Kind: order.DepositConfirmed, Deposit: delivered},
		order.Event{Kind: order.DepositVanished, Deposit: delivered},
		order.Event{Kind: order.DepositDropped, Deposit: delivered, By: order.Operator})
	if chain, owed := b.of(ledger.Chain("base"), "usdc"), b.of(ledger.Partner, "usdc"); chain != 0 {
		t.Errorf("no coins moved on the chain; the books have %d there, and the partner owes %d; %s %s", chain, owed,
			o.Status, o.PayIn.Status)
	}
}

// A screening list that was silent finds something while the partner reviews.
func TestPayout_PayIn_AHitHoldsDuringThePartnersReview(t *testing.T) {
	b, o := newBooks(), onRamp()
	events := o.PayInNews(clabe, told(fiat.FundsReceived), noon)
	events[0].Reason = order.HoldUnscreened
	apply(t, b, &o, events...)
	apply(t, b, &o, o.PayInNews(clabe, told(fiat.FundsReceived, fiat.FundsInReview), noon)...)
	_, err := order.Apply(o, order.Event{
		Kind: order.PayInHold, By: order.System, Reason: order.HoldScreening, At: noon,
		Hits: []order.Hit{{Role: "sender", Kind: "name", Entry: "sdn-1", Of: "x"}},
	})
	if err != nil {
		t.Errorf("Follow fails at each look, and the hit is not kept: %v", err)
	}
}

// The partner takes the operator's request to return the fiat, and never says a word again.
func TestPayout_PayIn_AReturnWithoutNewsHasAWayOut(t *testing.T) {
	b, o := newBooks(), onRamp()
	news(t, b, &o, told(fiat.FundsReceived))
	apply(t, b, &o, order.Event{Kind: order.ReturnRequested, By: order.Operator},
		order.Event{Kind: order.ReturnStarted, By: order.System, Reason: "operator"})
	if later := noon.AddDate(1, 0, 0); len(ways(o, later)) == 0 {
		t.Errorf("%s %s a year later: an operator can do nothing", o.Status, o.PayIn.Status)
	}
}

// The partner returns the fiat, and sends the coins too.
func TestPayout_PayIn_CoinsAfterAReturnAreSeen(t *testing.T) {
	b, o := newBooks(), onRamp()
	news(t, b, &o, told(fiat.FundsReceived, fiat.Refunded))
	events := o.PayInNews(clabe, told(fiat.FundsReceived, fiat.Refunded, fiat.PaymentProcessed), noon)
	if len(events) == 0 && o.Next(noon) == order.Nothing {
		t.Errorf("the depositor has 5,000.00 MXN and 268.52 USDC; the order is %s, labels %v, and nobody looks", o.Status,
			o.Labels)
	}
}
