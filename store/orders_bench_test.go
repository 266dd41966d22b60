package store_test

import (
	"context"
	"fmt"
	"sync/atomic"
	"testing"
	"time"

	"github.com/railkit/railkit/kit/payout"
	"github.com/railkit/railkit/kit/payout/order"
	"github.com/railkit/railkit/platform/command"
	rows "github.com/railkit/railkit/store/payout"
	"github.com/railkit/railkit/store/storetest/payouttest"
)

// BenchmarkOrders is eight callers for each processor. Each takes an order from
// its deposit to the bank in five commits; deposits come to an address each, or
// all to one.
func BenchmarkOrders(b *testing.B) {
	for _, engine := range []string{"sqlite", "postgres"} {
		for _, addresses := range []string{"spread", "hot"} {
			b.Run(engine+"/"+addresses, func(b *testing.B) {
				s := openEngine(b, engine).Payout()
				var n atomic.Int64
				b.SetParallelism(8)
				b.ResetTimer()
				b.RunParallel(func(pb *testing.PB) {
					for pb.Next() {
						i := n.Add(1)
						address := "w"
						if addresses == "spread" {
							address = fmt.Sprint("w", i)
						}
						if err := wholeOrder(b.Context(), s, fmt.Sprint("o", i), address); err != nil {
							b.Fatal(err)
						}
					}
				})
				b.ReportMetric(5*float64(b.N)/b.Elapsed().Seconds(), "commits/s")
			})
		}
	}
}

func wholeOrder(ctx context.Context, s rows.Store, id, addressID string) error {
	now := time.Now()
	o, detected := payouttest.Deposited("ws-1", id, addressID, now)
	apply := func(e order.Event) error {
		next := o
		err := s.Work(ctx, "ws-1", func(ctx context.Context, tx payout.Tx) (_ command.Audit, err error) {
			next, err = payouttest.Walk(ctx, tx, o, e)
			return command.Audit{}, err
		})
		o = next
		return err
	}
	if err := apply(detected); err != nil {
		return err
	}
	for _, e := range payouttest.Paid(o, now) {
		if err := apply(e); err != nil {
			return err
		}
	}
	return nil
}
