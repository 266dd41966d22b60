package store_test

import (
	"fmt"
	"sync/atomic"
	"testing"
	"time"

	"github.com/railkit/railkit/clock"
	"github.com/railkit/railkit/kit/agent/budget"
	"github.com/railkit/railkit/store"
	"github.com/railkit/railkit/store/storetest"
	"github.com/railkit/railkit/store/storetest/agenttest"
)

// Two servers on one database admit together what one would, by the clock of the database and of neither of them.
func TestAgents_TwoServersOneBudget(t *testing.T) {
	url := migrated(t)
	behind := clock.Func(func() (now time.Time) { return clock.System{}.Now().AddDate(0, -2, 0) })
	stores := []*store.Store{openServer(t, url, clock.System{}), openServer(t, url, behind)}
	servers := []*budget.Service{agenttest.Server(stores[0]), agenttest.Server(stores[1])}
	a := agenttest.Agent("a", agenttest.Limits("0.0013", "1"))
	errs := agenttest.Together(64, func(i int) error {
		return servers[i%2].Hold(t.Context(), a, fmt.Sprint("call-", i), "")
	})
	storetest.Equal(t, "passed", agenttest.Passed(t, errs, "infra"), 13)
	ends := agenttest.Together(128, func(i int) error {
		return servers[i%2].Capture(t.Context(), storetest.Ours, fmt.Sprint("call-", i/2))
	})
	for _, err := range ends {
		storetest.OK(t, err)
	}
	for _, s := range servers {
		v, err := s.State(t.Context(), a)
		storetest.OK(t, err)
		storetest.Equal(t, "infra", v.Layers.Infra, budget.AgentBudgetLayer{
			Limit: "0.0013", Spent: "0.0013", Held: "0", Remaining: "0", Currency: "USD",
		})
	}
}

// BenchmarkAdmission is a call's way through the budget, of a thousand agents in turn, beside its floor: the commit of
// one row.
func BenchmarkAdmission(b *testing.B) {
	for _, engine := range []string{"sqlite", "postgres"} {
		b.Run(engine+"/hold-and-capture", func(b *testing.B) {
			s := agenttest.Server(openEngine(b, engine))
			benchmarkAgents(b, func(n int64) error {
				id := fmt.Sprint("call-", n)
				a := agenttest.Agent(fmt.Sprint("agent-", n%1000), agenttest.Limits("1000000", "1"))
				if err := s.Hold(b.Context(), a, id, "sha256:f"); err != nil {
					return err
				}
				return s.Capture(b.Context(), storetest.Ours, id)
			})
		})
		b.Run(engine+"/one-row", func(b *testing.B) {
			s := openEngine(b, engine)
			benchmarkAgents(b, func(n int64) error {
				return s.Signing().Work(b.Context(), "ws-1", newTransaction(fmt.Sprint("tx-", n)))
			})
		})
	}
}

func benchmarkAgents(b *testing.B, call func(n int64) error) {
	var n atomic.Int64
	b.SetParallelism(8)
	b.ResetTimer()
	b.RunParallel(func(pb *testing.PB) {
		for pb.Next() {
			if err := call(n.Add(1)); err != nil {
				b.Fatal(err)
			}
		}
	})
}
