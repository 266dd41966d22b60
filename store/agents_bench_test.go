package store_test

import (
	"fmt"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/railkit/railkit/store"
	"github.com/railkit/railkit/store/storetest"
	"github.com/railkit/railkit/store/storetest/agenttest"
)

// BenchmarkAdmission is a call's way through the budget, a hold and its capture, by a thousand agents in turn. Rounds
// of it alternate with rounds of its floor, the commit of one row in another database of the same engine.
func BenchmarkAdmission(b *testing.B) {
	for _, engine := range []string{"sqlite", "postgres"} {
		for _, callers := range []int{1, 8} {
			b.Run(fmt.Sprintf("%s/callers=%d", engine, callers), func(b *testing.B) {
				call, floor := admission(b, openEngine(b, engine)), oneRow(b, openEngine(b, engine))
				timed(b, 1000, callers, call) // the first call of an agent makes its row
				var calls, floors []time.Duration
				b.ResetTimer()
				for left := b.N; left > 0; left -= 100 {
					calls = append(calls, timed(b, min(left, 100), callers, call)...)
					floors = append(floors, timed(b, min(left, 100), callers, floor)...)
				}
				for _, p := range []int{50, 99} {
					ours, least := percentile(calls, p), percentile(floors, p)
					b.ReportMetric(ours, fmt.Sprintf("p%d-ms", p))
					b.ReportMetric(least, fmt.Sprintf("floor-p%d-ms", p))
					b.ReportMetric(ours/least, fmt.Sprintf("p%d-by-floor", p))
				}
			})
		}
	}
}

// admission holds and captures a call of the next agent.
func admission(b *testing.B, s *store.Store) func() error {
	b.Helper()
	budgets, limits, calls := agenttest.Server(s), agenttest.Limits("1000000", "1"), atomic.Int64{}
	return func() error {
		n := calls.Add(1)
		a, id := agenttest.Agent(fmt.Sprint("agent-", n%1000), limits), fmt.Sprint("call-", n)
		if err := budgets.Hold(b.Context(), a, id, "sha256:f"); err != nil {
			return err
		}
		return budgets.Capture(b.Context(), storetest.Ours, id)
	}
}

// oneRow commits the next row.
func oneRow(b *testing.B, s *store.Store) func() error {
	b.Helper()
	rows := atomic.Int64{}
	return func() error {
		return s.Signing().Work(b.Context(), "ws-1", newTransaction(fmt.Sprint("tx-", rows.Add(1))))
	}
}

// timed makes n calls, so many at once, and tells what each of them took.
func timed(b *testing.B, n, callers int, call func() error) []time.Duration {
	b.Helper()
	took := make([]time.Duration, n)
	var next atomic.Int64
	var group sync.WaitGroup
	for range callers {
		group.Go(func() {
			for i := int(next.Add(1)) - 1; i < n; i = int(next.Add(1)) - 1 {
				from := time.Now()
				if err := call(); err != nil {
					b.Error(err)
				}
				took[i] = time.Since(from)
			}
		})
	}
	group.Wait()
	return took
}

// percentile is in milliseconds.
func percentile(took []time.Duration, p int) float64 {
	slices.Sort(took)
	return float64(took[(len(took)-1)*p/100].Microseconds()) / 1000
}
