package payouttest

import (
	"testing"
	"time"

	"github.com/railkit/railkit/kit/payout/account"
	"github.com/railkit/railkit/kit/payout/order"
	"github.com/railkit/railkit/money"
	"github.com/railkit/railkit/store/storetest"
)

var paidTests = map[string]func(*testing.T, *bench){"PaidTo": testPaidTo}

// What recipients were paid counts from an instant on, as long as it does not come
// back; the last is the last of all times.
func testPaidTo(t *testing.T, b *bench) {
	b.recipients(
		t, newRecipient(storetest.Ours, "r-1"), newRecipient(storetest.Ours, "r-2"),
		newRecipient(storetest.Ours, "r-3"),
	)
	paid := func(id, recipientID string, at time.Time) order.Order {
		o, e := Deposited(storetest.Ours, id, "w-"+id, storetest.Start)
		o.RecipientID = recipientID
		o = b.walk(t, o, e)
		return b.walk(t, o, Paid(o, at)...)
	}
	paid("o1", "r-1", storetest.Start)
	paid("o2", "r-1", storetest.Start.Add(2*time.Hour))
	paid("o3", "r-1", storetest.Start.Add(-time.Hour))
	paid("o4", "r-2", storetest.Start.Add(-2*time.Hour))
	back := paid("o5", "r-1", storetest.Start.Add(3*time.Hour))
	b.walk(t, back, order.Event{
		Kind: order.PaymentReturned, By: order.Partner, At: storetest.Start.Add(4 * time.Hour),
		Failure:  &order.Failure{Code: "returned"},
		Refunded: money.Of(99_250_000, money.USDC), Refund: &order.Refund{ID: "f", Reference: "RFD-o5"},
	})
	waits, e := Deposited(storetest.Ours, "o6", "w-o6", storetest.Start)
	b.walk(t, waits, e)
	got, err := b.payout().PaidTo(t.Context(), storetest.Ours, []string{"r-1", "r-2", "r-3"}, storetest.Start)
	storetest.OK(t, err)
	storetest.Equal(t, "paid", got, map[string]account.Paid{
		"r-1": {Payments: 2, Total: 200_000_000, Last: 100_000_000, LastAt: storetest.Start.Add(2 * time.Hour)},
		"r-2": {Last: 100_000_000, LastAt: storetest.Start.Add(-2 * time.Hour)},
	})
	for ws, ids := range map[string][]string{storetest.Ours: nil, storetest.Theirs: {"r-1", "r-2"}} {
		got, err := b.payout().PaidTo(t.Context(), ws, ids, storetest.Start)
		storetest.OK(t, err)
		storetest.Equal(t, "of nobody", len(got), 0)
	}
}
