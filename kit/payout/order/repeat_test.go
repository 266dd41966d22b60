package order_test

import (
	"errors"
	"testing"

	"github.com/railkit/railkit/kit/payout/order"
)

// Nothing of coins that came twice is reserved for a payout before an operator releases them.
func TestPayout_CoinsSentTwiceAreNotReserved(t *testing.T) {
	b, o := newBooks(), offRamp("0xback")
	d := came("t1", 100_000_000)
	apply(t, b, &o, order.Event{Kind: order.DepositDetected, Deposit: d, Repeats: "PAY-1"},
		order.Event{Kind: order.DepositConfirmed, Deposit: d})
	paid := terms(t, "18.4075")
	reserve := order.Event{Kind: order.PayoutReserved, At: noon, Terms: &paid}
	if _, err := order.Apply(o, reserve); !errors.Is(err, order.ErrIllegal) {
		t.Fatalf("before a decision: %v", err)
	}
	apply(t, b, &o, order.Event{Kind: order.ReviewOpened, Reason: order.HoldSentTwice})
	release := order.Event{Kind: order.ReviewReleased, At: noon, By: order.System}
	if _, err := order.Apply(o, release); !errors.Is(err, order.ErrIllegal) {
		t.Errorf("released by the server itself: %v", err)
	}
	release.By = order.Operator
	apply(t, b, &o, release, reserve)
}
