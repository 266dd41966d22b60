package store_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/railkit/railkit/clock"
	"github.com/railkit/railkit/kit/agent/budget"
	"github.com/railkit/railkit/rest"
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
		storetest.Equal(t, "infra", v.Layers.Infra, rest.AgentBudgetLayer{
			Limit: "0.0013", Spent: "0.0013", Held: "0", Remaining: "0", Currency: "USD",
		})
	}
}
