package payout_test

import (
	"errors"
	"testing"
	"time"

	"github.com/railkit/railkit/fiat"
	"github.com/railkit/railkit/kit/payout/ledger"
	"github.com/railkit/railkit/kit/payout/operator"
	"github.com/railkit/railkit/kit/payout/order"
	"github.com/railkit/railkit/kit/payout/withdraw"
	"github.com/railkit/railkit/money"
)

// unreturnable is an order without a return address whose payout is stalled.
func (r *rig) unreturnable() (withdraw.Address, order.Order) {
	r.t.Helper()
	a, o := r.ready("")
	o, _ = r.advance(o.ID)
	r.want("submitted", o, order.PaymentSubmitted)
	r.desk.moves(fiat.TransferCanceled, 0)
	o, _ = r.advance(o.ID)
	return a, o
}

// Money that is given back without a return address is available to the next quote. So it is given back only once the
// wallet has it again, besides all other money that the ledger has there.
func TestPayout_GivenBackWithoutReturnAddress(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	a, o := r.unreturnable()
	r.come(a, "t2", "100000000")
	r.desk.receives(100_000_000) // the second's
	if _, err := r.Operator.GiveBack(t.Context(), byOperator(), o.ID); err != nil {
		t.Fatal(err)
	}
	o, again := r.advance(o.ID)
	r.want("while the money is away", o, order.PaymentSubmitted)
	r.has(ledger.Held(a.ID), money.USDC, 0)
	r.lists(o.ID)
	if again <= 0 || o.Wish != order.GiveBack {
		t.Errorf("again in %v, wish %q", again, o.Wish)
	}
	r.desk.receives(100_000_000)
	o, _ = r.advance(o.ID)
	r.want("once it is there", o, order.Error)
	r.has(ledger.Held(a.ID), money.USDC, 100_000_000)
	r.sums()
}

// The partner continues an earlier payout: the order is not given back to the next quote, also if it has another hold.
func TestPayout_EarlierIsNotGivenBack(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	a, o := r.unreturnable()
	if _, err := r.Operator.RetryPayout(t.Context(), byOperator(), o.ID); err != nil {
		t.Fatal(err)
	}
	r.advance(o.ID)
	r.desk.moves(fiat.TransferProcessed, 0)
	r.desk.receives(100_000_000)
	r.desk.sell, r.desk.middle = "1000", "18.4" // a hold of its own
	r.clock.move(time.Hour)
	o, _ = r.advance(o.ID)
	if o.Status != order.InReview || o.Hold != order.HoldEarlier {
		t.Errorf("%s, held by %q", o.Status, o.Hold)
	}
	if _, err := r.Operator.GiveBack(t.Context(), byOperator(), o.ID); !errors.Is(err, operator.ErrNotStuck) {
		t.Errorf("given back: %v", err)
	}
	r.has(ledger.Held(a.ID), money.USDC, 0)
	r.sums()
}
