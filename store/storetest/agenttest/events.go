package agenttest

import (
	"fmt"
	"testing"

	"github.com/railkit/railkit/fault"
	"github.com/railkit/railkit/kit/agent/analytics"
	"github.com/railkit/railkit/kit/agent/budget"
	"github.com/railkit/railkit/kit/agent/event"
	"github.com/railkit/railkit/kit/agent/killswitch"
	"github.com/railkit/railkit/platform/command"
	"github.com/railkit/railkit/rest"
	"github.com/railkit/railkit/store/storetest"
)

var eventTests = map[string]func(*testing.T, *Bench){
	"BatchOnce":    testBatchOnce,
	"LateOverage":  testLateOverage,
	"HighestSum":   testHighestSum,
	"EventsByType": testEventsByType,
	"ByDay":        testByDay,
}

var otherTests = map[string]func(*testing.T, *Bench){"KillSwitch": testKillSwitch}

// Batches with the same events, in whatever order, count once.
func testBatchOnce(t *testing.T, b *Bench) {
	const n = 12
	accepted := make([]int, n)
	Together(n, func(i int) error {
		var batch []event.AgentEvent
		for k := range 10 {
			batch = append(batch, event.AgentEvent{
				ID: fmt.Sprint("e", (k*7+i)%10), Type: "llm_call", Amount: []byte("0.000000001"),
			})
		}
		accepted[i] = b.report(t, "a", batch...).Accepted
		return nil
	})
	sum := 0
	for _, k := range accepted {
		sum += k
	}
	storetest.Equal(t, "accepted", sum, 10)
	_, tokens := b.sums(t, "a", b.month(t))
	storetest.Equal(t, "tokens", tokens, budget.Sum{Spent: 10})
	done := b.report(t, "a", event.AgentEvent{ID: "x", Type: "error"}, event.AgentEvent{ID: "x", Type: "error"},
		event.AgentEvent{ID: "e1", Type: "llm_call", Amount: []byte("5")})
	storetest.Equal(t, "statuses", done.Events, []rest.ReportedEvent{
		{ID: "x", Status: "accepted"}, {ID: "x", Status: "duplicate"}, {ID: "e1", Status: "duplicate"},
	})
	storetest.Equal(t, "another agent's", b.report(t, "b", event.AgentEvent{ID: "x", Type: "error"}).Accepted, 1)
}

// What is reported late counts beyond the limit, and nothing passes until the month ends.
func testLateOverage(t *testing.T, b *Bench) {
	b.Signer.limits = Limits("1", "0.5")
	a := Agent("a", b.Signer.limits)
	b.clock.set(t, "2026-11-30T23:59:59Z")
	done := b.report(t, "a", event.AgentEvent{Type: "llm_call", Amount: []byte("0.500000001")})
	storetest.Equal(t, "tokens", done.BudgetStatus.Layers.Tokens, rest.AgentBudgetLayer{
		Limit: "0.5", Spent: "0.500000001", Held: "0", Remaining: "0", Currency: "USD",
	})
	refused(t, b.Budgets.Hold(t.Context(), a, "call", ""), "tokens")
	b.report(t, "a", event.AgentEvent{Type: "api_call", Amount: []byte("2")})
	refused(t, b.Budgets.Hold(t.Context(), a, "call", ""), "infra", "tokens")
	b.clock.set(t, "2026-12-01T00:00:00Z")
	storetest.OK(t, b.Budgets.Hold(t.Context(), a, "call", ""))
}

// Sums stop at the highest one, and do not begin anew.
func testHighestSum(t *testing.T, b *Bench) {
	a := Agent("a", Limits("999999999999", "999999999999"))
	account := budget.Account{
		WorkspaceID: storetest.Ours, AgentID: "a", Month: b.month(t), Layer: budget.Tokens,
	}
	_, err := b.Store.Writer().ExecContext(t.Context(),
		"INSERT INTO agent_spending (workspace_id, agent_id, month, layer, spent, held) VALUES ($1, 'a', $2, 'tokens', $3, 0)",
		storetest.Ours, string(account.Month), int64(budget.Most)-1)
	storetest.OK(t, err)
	storetest.OK(t, b.Budgets.Hold(t.Context(), a, "call", ""))
	for range 3 {
		b.report(t, "a", event.AgentEvent{Type: "llm_call", Amount: []byte("1000000")})
	}
	_, tokens := b.sums(t, "a", account.Month)
	storetest.Equal(t, "tokens", tokens, budget.Sum{Spent: budget.Most})
	storetest.OK(t, b.Budgets.Hold(t.Context(), a, "the highest is not above the limit", ""))
}

// Only LLMs and APIs count: a payment that an agent reports was counted by the signer.
func testEventsByType(t *testing.T, b *Bench) {
	done := b.report(t, "a",
		event.AgentEvent{Type: "token_usage", Amount: []byte("0.01")},
		event.AgentEvent{Type: "llm_call", CostUSD: []byte(`"0.002"`)},
		event.AgentEvent{Type: "api_call", Amount: []byte("0.0003")},
		event.AgentEvent{Type: "payment", Amount: []byte("400")},
		event.AgentEvent{Type: "what nobody knows", Amount: []byte("400")},
	)
	storetest.Equal(t, "accepted", done.Accepted, 5)
	infra, tokens := b.sums(t, "a", b.month(t))
	storetest.Equal(t, "infra", infra, budget.Sum{Spent: 300_000})
	storetest.Equal(t, "tokens", tokens, budget.Sum{Spent: 12_000_000})
	seen := map[string]bool{}
	for _, e := range done.Events {
		seen[e.ID] = true
	}
	storetest.Equal(t, "names that were made", len(seen), 5)
}

// What was counted is told by day, and no day has another's.
func testByDay(t *testing.T, b *Bench) {
	a := Agent("a", Limits("0.0003", "1"))
	b.clock.set(t, "2026-11-20T23:59:59.999999Z")
	for _, id := range []string{"1", "2", "3"} {
		storetest.OK(t, b.Budgets.Hold(t.Context(), a, id, ""))
	}
	storetest.OK(t, b.Budgets.Capture(t.Context(), storetest.Ours, "1"))
	storetest.OK(t, b.Budgets.Void(t.Context(), storetest.Ours, "2"))
	b.report(t, "a", event.AgentEvent{Type: "llm_call", Amount: []byte("0.25")}, event.AgentEvent{Type: "error"})
	b.clock.set(t, "2026-11-21T00:00:00Z")
	storetest.OK(t, b.Budgets.Hold(t.Context(), a, "4", ""))
	refused(t, b.Budgets.Hold(t.Context(), a, "5", ""), "infra")
	refused(t, b.Budgets.Hold(t.Context(), a, "5", ""), "infra")
	b.report(t, "a", event.AgentEvent{Type: "api_call", Amount: []byte("0.5")})
	first := storetest.Start.AddDate(0, 0, -1).Truncate(24 * 3600 * 1e9)
	of := analytics.Of{
		WorkspaceID: storetest.Ours, AgentID: "a", WalletID: "w", Since: first, Until: first.AddDate(0, 0, 1),
	}
	rows := b.Agents().Analytics()
	calls, err := rows.CallsByDay(t.Context(), of)
	storetest.OK(t, err)
	byState := map[budget.State]analytics.Calls{}
	for _, c := range calls {
		byState[c.State] = c
	}
	storetest.Equal(t, "calls", byState, map[budget.State]analytics.Calls{
		budget.Captured: {Day: first, State: budget.Captured, Count: 1, Infra: Price},
		budget.Void:     {Day: first, State: budget.Void, Count: 1, Infra: Price},
		budget.Held:     {Day: first, State: budget.Held, Count: 1, Infra: Price},
	})
	events, err := rows.EventsByDay(t.Context(), of)
	storetest.OK(t, err)
	storetest.Equal(t, "kinds of events", len(events), 2)
	refusals, err := rows.RefusalsByDay(t.Context(), of)
	storetest.OK(t, err)
	storetest.Equal(t, "refusals of the first day", len(refusals), 0)
	of.Since, of.Until = of.Until, of.Until.AddDate(0, 0, 1)
	refusals, err = rows.RefusalsByDay(t.Context(), of)
	storetest.OK(t, err)
	storetest.Equal(t, "refusals", refusals, []analytics.Counted{{Day: of.Since, Count: 2}})
	of.AgentID = "b"
	calls, err = rows.CallsByDay(t.Context(), of)
	storetest.OK(t, err)
	storetest.Equal(t, "another agent's calls", len(calls), 0)
}

// The operator's switch stands until it is turned, for every server, and each turn is in the record.
func testKillSwitch(t *testing.T, b *Bench) {
	s := killswitch.New(b.Agents().Switch())
	st, err := s.State(t.Context())
	storetest.OK(t, err)
	storetest.Equal(t, "never used", st, killswitch.State{})
	storetest.OK(t, s.Open(t.Context()))
	for _, on := range []bool{true, true, false} {
		cmd := storetest.Called("")
		cmd.Render = func(command.Reply) ([]byte, error) { return []byte("{}"), nil }
		_, err := s.Set(t.Context(), cmd, on, "a test")
		storetest.OK(t, err)
		st, err := s.State(t.Context())
		if storetest.OK(t, err); st.On != on || st.Since.IsZero() {
			t.Errorf("turned %v: %+v", on, st)
		}
		f, is := fault.As(s.Open(t.Context()))
		if is != on || on && (f.Code != "kill_switch_active" || f.Kind != fault.Unavailable) {
			t.Errorf("turned %v: %v", on, f)
		}
		v, err := b.Budgets.State(t.Context(), Agent("a", Limits("1", "1")))
		storetest.OK(t, err)
		storetest.Equal(t, "killSwitch", v.KillSwitch, on)
	}
	storetest.Equal(t, "entries", b.Count(t, "audit WHERE workspace_id = 'platform'"), 3)
}

func codeOf(err error) string {
	f, _ := fault.As(err)
	if f == nil {
		return ""
	}
	return f.Code
}
