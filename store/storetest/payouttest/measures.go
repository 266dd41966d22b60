package payouttest

import (
	"context"
	"testing"
	"time"

	"github.com/railkit/railkit/kit/payout"
	"github.com/railkit/railkit/kit/payout/order"
	"github.com/railkit/railkit/kit/payout/orderview"
	"github.com/railkit/railkit/store/storetest"
)

var measureTests = map[string]func(*testing.T, *bench){
	"Measures": testMeasures,
}

// What monitoring is told is of all workspaces, and says of no order that has ended how old it is.
func testMeasures(t *testing.T, b *bench) {
	none, err := b.payout().MeasureOrders(t.Context())
	storetest.OK(t, err)
	storetest.Equal(t, "of an empty database", len(none), 0)
	b.paid(t, "o1", "w1")
	for i, at := range []time.Time{storetest.Start, storetest.Start.Add(-time.Hour), storetest.Start.Add(time.Hour)} {
		ws := []string{storetest.Ours, storetest.Theirs, storetest.Ours}[i]
		id := []string{"o2", "o3", "o4"}[i]
		o, e := Deposited(ws, id, "w"+id, at)
		events := []order.Event{e}
		if id == "o4" {
			events = append(events, order.Event{Kind: order.DepositConfirmed, By: order.OnChain, At: at,
				Deposit: e.Deposit},
				order.Event{Kind: order.ReviewOpened, By: order.System, At: at.Add(time.Minute),
					Reason: order.HoldUnscreened})
		}
		storetest.OK(t, b.payout().Work(t.Context(), ws, quiet(func(ctx context.Context, tx payout.Tx) error {
			_, err := Walk(ctx, tx, o, events...)
			return err
		})))
	}
	found, err := b.payout().MeasureOrders(t.Context())
	storetest.OK(t, err)
	got := map[order.Status]orderview.Measure{}
	for _, m := range found {
		m.Oldest = m.Oldest.UTC()
		got[m.Status] = m
	}
	storetest.Equal(t, "orders", got, map[order.Status]orderview.Measure{
		order.Completed: {Status: order.Completed, Orders: 1},
		order.FundsReceived: {
			Status: order.FundsReceived, Orders: 2, Oldest: storetest.Start.Add(-time.Hour),
		},
		order.InReview: {Status: order.InReview, Orders: 1, Oldest: storetest.Start.Add(time.Hour)},
	})
	held, err := b.payout().MeasureHolds(t.Context(), 10)
	storetest.OK(t, err)
	if len(held) != 1 || held[0].ID != "o4" || held[0].Hold != order.HoldUnscreened {
		t.Errorf("holds: %+v", held)
	}
	held, err = b.payout().MeasureHolds(t.Context(), 0)
	storetest.OK(t, err)
	storetest.Equal(t, "more than the most", len(held), 0)
}
