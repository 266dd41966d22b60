package payout

import (
	"context"
	"math/rand/v2"
	"slices"
	"strings"

	"github.com/railkit/railkit/kit/payout/order"
	"github.com/railkit/railkit/kit/payout/orderview"
	"github.com/railkit/railkit/store/db"
	"github.com/railkit/railkit/store/internal/sqldb"
)

// stripes is in how many rows the orders of a status are counted.
const stripes = 16

// counted is whose orders of which status a transaction has changed the number of.
type counted struct{ workspaceID, status string }

// count remembers what a change does to the numbers of orders.
func (t *orderTx) count(c order.Change) {
	if t.counts == nil {
		t.counts = map[counted]int64{}
		t.Last(t.putCounts)
	}
	t.counts[counted{c.Order.WorkspaceID, string(c.Order.Status)}]++
	if c.Order.Version > 1 {
		t.counts[counted{c.Order.WorkspaceID, string(c.Was)}]--
	}
}

// putCounts writes the numbers when all else of the transaction is written, in one
// order: so of two transactions that meet at a row neither holds what the other
// waits for.
func (t *orderTx) putCounts(ctx context.Context) error {
	var all []counted
	for key, n := range t.counts {
		if n != 0 {
			all = append(all, key)
		}
	}
	if len(all) == 0 {
		return nil
	}
	slices.SortFunc(all, func(a, b counted) int {
		return strings.Compare(a.workspaceID+" "+a.status, b.workspaceID+" "+b.status)
	})
	q, stripe := t.Query(4), rand.Int64N(stripes)
	for _, key := range all[1:] {
		q.Add(", (?, ?, ?, ?)", key.workspaceID, key.status, stripe, t.counts[key])
	}
	q.Add(" ON CONFLICT (workspace_id, status, stripe) DO UPDATE SET orders = order_counts.orders + excluded.orders")
	return sqldb.Doing("counting orders", db.New(q).AddToOrderCounts(ctx, db.AddToOrderCountsParams{
		WorkspaceID: all[0].workspaceID, Status: all[0].status, Stripe: stripe, Orders: t.counts[all[0]],
	}))
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
