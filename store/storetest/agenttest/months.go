package agenttest

import (
	"testing"

	"github.com/railkit/railkit/enclave/wire"
	"github.com/railkit/railkit/kit/agent/budget"
	"github.com/railkit/railkit/kit/agent/event"
	"github.com/railkit/railkit/rest"
	"github.com/railkit/railkit/store/storetest"
)

var monthTests = map[string]func(*testing.T, *Bench){
	"MonthEnds":        testMonthEnds,
	"OlderDatabase":    testOlderDatabase,
	"RefusalNamesEdge": testRefusalNamesEdge,
}

// monthEnds are last instants of months, and first ones of the next: a long month before a short one, a leap day, a
// year's end.
var monthEnds = []struct {
	before, after string
	old, next     budget.Month
}{
	{"2026-01-31T23:59:59.999999Z", "2026-02-01T00:00:00Z", "2026-01", "2026-02"},
	{"2028-02-29T23:59:59.999999Z", "2028-03-01T00:00:00Z", "2028-02", "2028-03"},
	{"2026-12-31T23:59:59.999999Z", "2027-01-01T00:00:00Z", "2026-12", "2027-01"},
}

// A hold stays in the month that admitted it, also where it ends in the next; that one begins at zero.
func testMonthEnds(t *testing.T, b *Bench) {
	a := Agent("a", Limits("0.0002", "1"))
	for _, m := range monthEnds {
		b.clock.set(t, m.before)
		storetest.OK(t, b.Budgets.Hold(t.Context(), a, "captured "+m.before, ""))
		storetest.OK(t, b.Budgets.Hold(t.Context(), a, "void "+m.before, ""))
		refused(t, b.Budgets.Hold(t.Context(), a, "third "+m.before, ""), "infra")
		b.report(t, "a", event.AgentEvent{Type: "llm_call", Amount: []byte("0.25")})
		b.clock.set(t, m.after)
		storetest.OK(t, b.Budgets.Capture(t.Context(), storetest.Ours, "captured "+m.before))
		storetest.OK(t, b.Budgets.Void(t.Context(), storetest.Ours, "void "+m.before))
		b.report(t, "a", event.AgentEvent{Type: "llm_call", Amount: []byte("0.5")})
		storetest.OK(t, b.Budgets.Hold(t.Context(), a, "next "+m.before, ""))
		infra, tokens := b.sums(t, "a", m.old)
		storetest.Equal(t, "old infra", infra, budget.Sum{Spent: Price})
		storetest.Equal(t, "old tokens", tokens, budget.Sum{Spent: 250_000_000})
		infra, tokens = b.sums(t, "a", m.next)
		storetest.Equal(t, "next infra", infra, budget.Sum{Held: Price})
		storetest.Equal(t, "next tokens", tokens, budget.Sum{Spent: 500_000_000})
	}
}

// A refusal in the last instant of a month names the one after it.
func testRefusalNamesEdge(t *testing.T, b *Bench) {
	a := Agent("a", Limits("0.0001", "1"))
	for _, m := range monthEnds {
		b.clock.set(t, m.before)
		storetest.OK(t, b.Budgets.Hold(t.Context(), a, m.before, ""))
		lacks := refused(t, b.Budgets.Hold(t.Context(), a, "next", ""), "infra")
		storetest.Equal(t, "resetsAt", lacks[0].ResetsAt, m.after[:len(m.after)-1]+".000Z")
		b.clock.set(t, m.after)
		storetest.OK(t, b.Budgets.Hold(t.Context(), a, "next "+m.before, ""))
	}
}

// A database that is put back forgets what was spent of infra and tokens since the copy, and no more: that much fits
// once again. It counts what the copy had under way by the signer's word, and shows what the signer counts of payments.
func testOlderDatabase(t *testing.T, b *Bench) {
	b.clock.set(t, "2026-11-10T10:00:00Z")
	a := Agent("a", Limits("0.0003", "1"))
	a.Payments.Spent = "0.01"
	spent := func(when string, infra, tokens, payments rest.Number) {
		t.Helper()
		v, err := b.Budgets.State(t.Context(), a)
		storetest.OK(t, err)
		storetest.Equal(t, when, []rest.Number{
			v.Layers.Infra.Spent, v.Layers.Tokens.Spent, v.Layers.Payments.Spent,
		}, []rest.Number{infra, tokens, payments})
	}
	call := func(id string) {
		t.Helper()
		storetest.OK(t, b.Budgets.Hold(t.Context(), a, id, ""))
		storetest.OK(t, b.Budgets.Capture(t.Context(), storetest.Ours, id))
	}
	call("before")
	storetest.OK(t, b.Budgets.Hold(t.Context(), a, "under way", "sha256:paid"))
	tables := []string{"agent_spending", "agent_holds", "agent_events"}
	write := func(statement string) {
		t.Helper()
		_, err := b.Store.Writer().ExecContext(t.Context(), statement)
		storetest.OK(t, err)
	}
	for _, table := range tables {
		write("CREATE TABLE yesterday_" + table + " AS SELECT * FROM " + table)
	}
	storetest.OK(t, b.Budgets.Capture(t.Context(), storetest.Ours, "under way"))
	call("after")
	report := event.AgentEvent{ID: "llm", Type: "llm_call", Amount: []byte("0.6")}
	b.report(t, "a", report)
	a.Payments.Spent = "0.03"
	spent("before it is put back", "0.0003", "0.6", "0.03")

	for _, table := range tables {
		write("DELETE FROM " + table)
		write("INSERT INTO " + table + " SELECT * FROM yesterday_" + table)
	}
	spent("put back", "0.0001", "0", "0.03")
	b.Signer.outcomes = map[string]wire.OutcomeState{"sha256:paid": wire.Done}
	b.clock.set(t, "2026-11-10T10:03:00Z")
	storetest.OK(t, b.Budgets.Sweep(t.Context()))
	spent("swept", "0.0002", "0", "0.03")
	call("once more")
	refused(t, b.Budgets.Hold(t.Context(), a, "beyond", ""), "infra")
	storetest.Equal(t, "the same report", b.report(t, "a", report).Accepted, 1)
	spent("spent again", "0.0003", "0.6", "0.03")
}
