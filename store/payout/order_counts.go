package payout

import (
	"cmp"
	"context"
	"math/rand/v2"
	"slices"

	"github.com/railkit/railkit/kit/payout/order"
	"github.com/railkit/railkit/kit/payout/orderview"
	"github.com/railkit/railkit/store/db"
	"github.com/railkit/railkit/store/internal/sqldb"
)

// stripes is in how many rows the orders of a status are counted.
const stripes = 16

// counts are written last, in one order: so of two transactions that meet at a row neither holds what the other waits
// for.
var counts = &sqldb.Set[db.AddToOrderCountsParams]{
	What: "counting orders", Insert: (*db.Queries).AddToOrderCounts, Merge: summed, Last: true,
}

// count puts down what a change does to the numbers of orders.
func (t *orderTx) count(c order.Change) {
	counts.Put(t.Tx, db.AddToOrderCountsParams{
		WorkspaceID: c.Order.WorkspaceID, Status: string(c.Order.Status), Orders: 1,
	})
	if c.Order.Version > 1 {
		counts.Put(t.Tx, db.AddToOrderCountsParams{
			WorkspaceID: c.Order.WorkspaceID, Status: string(c.Was), Orders: -1,
		})
	}
}

// summed has one row for each status of which the number changes.
func summed(all []db.AddToOrderCountsParams) []db.AddToOrderCountsParams {
	sums := map[[2]string]int64{}
	for _, one := range all {
		sums[[2]string{one.WorkspaceID, one.Status}] += one.Orders
	}
	stripe := rand.Int64N(stripes)
	rows := make([]db.AddToOrderCountsParams, 0, len(sums))
	for key, n := range sums {
		if n != 0 {
			rows = append(rows, db.AddToOrderCountsParams{
				WorkspaceID: key[0], Status: key[1], Stripe: stripe, Orders: n,
			})
		}
	}
	slices.SortFunc(rows, func(a, b db.AddToOrderCountsParams) int {
		return cmp.Or(cmp.Compare(a.WorkspaceID, b.WorkspaceID), cmp.Compare(a.Status, b.Status))
	})
	return rows
}

// OrderCounts counts the orders of each status that the rest of a filter selects.
// All of a workspace's are counted already.
func (s orderReads) OrderCounts(ctx context.Context, f orderview.Filter) (orderview.Counts, error) {
	counts, q := orderview.Counts{}, s.selectOrders(f)
	if q.Bare() {
		rows, err := s.db.Read.OrderCounts(ctx, f.WorkspaceID)
		for _, row := range rows {
			counts[order.Status(row.Status)] = int(row.Orders)
		}
		return counts, sqldb.Reading("counting orders", err)
	}
	rows, err := db.New(q.Add(" GROUP BY 1")).CountOrders(ctx, f.WorkspaceID)
	for _, row := range rows {
		counts[order.Status(row.Status)] = int(row.Orders)
	}
	return counts, sqldb.Reading("counting orders", err)
}
