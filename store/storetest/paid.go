package storetest

import (
	"testing"
	"time"

	"github.com/railkit/railkit/kit/payout/account"
	"github.com/railkit/railkit/kit/payout/order"
	"github.com/railkit/railkit/money"
)

var paidTests = cases{"PaidTo": testPaidTo}

// What recipients were paid counts from an instant on, as long as it does not come
// back; the last is the last of all times.
func testPaidTo(t *testing.T, b *bench) {
	b.recipients(t, newRecipient(ours, "r-1"), newRecipient(ours, "r-2"), newRecipient(ours, "r-3"))
	paid := func(id, recipientID string, at time.Time) order.Order {
		o, e := Deposited(ours, id, "w-"+id, start)
		o.RecipientID = recipientID
		o = b.walk(t, o, e)
		return b.walk(t, o, Paid(o, at)...)
	}
	paid("o1", "r-1", start)
	paid("o2", "r-1", start.Add(2*time.Hour))
	paid("o3", "r-1", start.Add(-time.Hour))
	paid("o4", "r-2", start.Add(-2*time.Hour))
	back := paid("o5", "r-1", start.Add(3*time.Hour))
	b.walk(t, back, order.Event{
		Kind: order.PaymentReturned, By: order.Partner, At: start.Add(4 * time.Hour), Failure: &order.Failure{Code: "returned"},
		Refunded: money.Of(99_250_000, money.USDC), Refund: &order.Refund{ID: "f", Reference: "RFD-o5"},
	})
	waits, e := Deposited(ours, "o6", "w-o6", start)
	b.walk(t, waits, e)
	got, err := b.payout().PaidTo(t.Context(), ours, []string{"r-1", "r-2", "r-3"}, start)
	ok(t, err)
	equal(t, "paid", got, map[string]account.Paid{
		"r-1": {Payments: 2, Total: 200_000_000, Last: 100_000_000, LastAt: start.Add(2 * time.Hour)},
		"r-2": {Last: 100_000_000, LastAt: start.Add(-2 * time.Hour)},
	})
	for ws, ids := range map[string][]string{ours: nil, theirs: {"r-1", "r-2"}} {
		got, err := b.payout().PaidTo(t.Context(), ws, ids, start)
		ok(t, err)
		equal(t, "of nobody", len(got), 0)
	}
}
