package metrics

import (
	"context"
	"slices"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/railkit/railkit/kit/payout/order"
	"github.com/railkit/railkit/kit/payout/orderview"
	"github.com/railkit/railkit/kit/payout/payment"
	"github.com/railkit/railkit/kit/payout/reconcile"
)

var (
	orders      = gauge("railkit_orders", "Orders of all workspaces, by status.", "status")
	orderOldest = gauge("railkit_order_oldest_seconds",
		"Age of the oldest order of a status that is no end; 0 where there is none.", "status")
	holds = gauge("railkit_holds",
		"Orders in review, by why they are held, of the oldest 1000; other is a reason that has no name here.", "reason")
	holdOldest = gauge("railkit_hold_oldest_seconds",
		"How long ago the order in review that changed least recently did; 0 where there is none.", "reason")

	differences = gauge("railkit_reconcile_differences",
		"Differences that the last whole check found: of the books with themselves, or with partner and chains.", "with")
	notCompared = gauge("railkit_reconcile_not_compared",
		"Wallets and account numbers that the last whole check could not compare with all sides.", "with")
	lastRun = gauge("railkit_reconcile_last_run_timestamp_seconds", "When the last whole check ended.", "with")
)

// mostHolds is how many orders in review are read at once.
const mostHolds = 1000

// Books are the orders of all workspaces, and what the checks of the money found.
type Books interface {
	MeasureOrders(context.Context) ([]orderview.Measure, error)
	MeasureHolds(ctx context.Context, most int) ([]order.Order, error)
	MatchRun(context.Context) (reconcile.MatchRun, error)
}

// AskBooks tells of orders, holds and checks. Last is the check of the books with themselves.
func (m *Metrics) AskBooks(b Books, last func() (at time.Time, differences int), now func() time.Time) {
	m.ask("orders", func(ctx context.Context) ([]prometheus.Metric, error) {
		found, err := b.MeasureOrders(ctx)
		return ordersOf(found, now()), err
	}, orders, orderOldest)
	m.ask("holds", func(ctx context.Context) ([]prometheus.Metric, error) {
		found, err := b.MeasureHolds(ctx, mostHolds)
		return holdsOf(found, now()), err
	}, holds, holdOldest)
	m.ask("reconciliation", func(ctx context.Context) ([]prometheus.Metric, error) {
		run, err := b.MatchRun(ctx)
		at, differ := last()
		return checksOf(run, at, differ), err
	}, differences, notCompared, lastRun)
}

// moving are the statuses that are no ends.
var moving = []order.Status{order.Awaiting, order.FundsReceived, order.InReview, order.PaymentSubmitted}

func ordersOf(found []orderview.Measure, now time.Time) (all []prometheus.Metric) {
	oldest := map[order.Status]time.Duration{}
	for _, f := range found {
		all = append(all, orders.of(float64(f.Orders), string(f.Status)))
		if !f.Oldest.IsZero() {
			oldest[f.Status] = now.Sub(f.Oldest)
		}
	}
	for _, status := range moving {
		if !slices.ContainsFunc(found, func(m orderview.Measure) bool { return m.Status == status }) {
			all = append(all, orders.of(0, string(status)))
		}
		all = append(all, orderOldest.of(seconds(max(0, oldest[status])), string(status)))
	}
	return all
}

// reasons are the holds that have a name. Others are the partner's words.
var reasons = slices.Concat(payment.Holds, []string{
	order.HoldScreening, order.HoldUnscreened, order.HoldForgotten, order.HoldRecalled, order.HoldSentTwice,
	order.HoldVanished, order.HoldEarlier, order.HoldFunds,
})

func holdsOf(found []order.Order, now time.Time) (all []prometheus.Metric) {
	counts, oldest := map[string]int{order.HoldScreening: 0}, map[string]time.Duration{}
	for _, o := range found {
		reason := "other"
		if slices.Contains(reasons, o.Hold) {
			reason = o.Hold
		}
		counts[reason]++
		oldest[reason] = max(oldest[reason], now.Sub(o.UpdatedAt))
	}
	for reason, n := range counts {
		all = append(all, holds.of(float64(n), reason), holdOldest.of(seconds(oldest[reason]), reason))
	}
	return all
}

// checksOf leaves out a check that never ran to its end.
func checksOf(run reconcile.MatchRun, at time.Time, differ int) (all []prometheus.Metric) {
	if !at.IsZero() {
		all = append(all, differences.of(float64(differ), "itself"))
		all = append(all, lastRun.at(at, "itself")...)
	}
	if !run.EndedAt.IsZero() {
		all = append(all, differences.of(float64(run.Last.Differences), "partner"),
			notCompared.of(float64(run.Last.Failed), "partner"))
		all = append(all, lastRun.at(run.EndedAt, "partner")...)
	}
	return all
}
