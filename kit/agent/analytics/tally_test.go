package analytics

import (
	"testing"
	"time"

	"github.com/railkit/railkit/kit/agent/budget"
	"github.com/railkit/railkit/rest"
)

func instant(t *testing.T, text string) time.Time {
	t.Helper()
	at, err := time.Parse(time.RFC3339, text)
	if err != nil {
		t.Fatal(err)
	}
	return at
}

func TestAgents_AnalyticsPeriods(t *testing.T) {
	for _, c := range []struct {
		period, now, since, until string
		days                      int
	}{
		{"day", "2026-11-21T23:59:59Z", "2026-11-21", "2026-11-22", 1},
		{"week", "2027-01-02T00:00:00Z", "2026-12-27", "2027-01-03", 7},
		{"week", "2028-03-02T12:00:00Z", "2028-02-25", "2028-03-03", 7},
		{"month", "2026-11-01T00:00:00Z", "2026-11-01", "2026-11-02", 1},
		{"month", "2028-02-29T23:59:59Z", "2028-02-01", "2028-03-01", 29},
		{"month", "2026-12-31T23:59:59Z", "2026-12-01", "2027-01-01", 31},
		{"month", "2027-01-01T00:30:00+01:00", "2026-12-01", "2027-01-01", 31},
	} {
		since, until := spanOf(c.period, instant(t, c.now))
		days := newTally(Of{Since: since, Until: until})
		if since.Format(time.DateOnly) != c.since || until.Format(time.DateOnly) != c.until || len(days) != c.days {
			t.Errorf("%s at %s: %s to %s, %d days", c.period, c.now, since, until, len(days))
		}
	}
}

func TestAgents_AnalyticsTally(t *testing.T) {
	first := instant(t, "2026-11-20T00:00:00Z")
	second := first.AddDate(0, 0, 1)
	days := newTally(Of{Since: first, Until: second.AddDate(0, 0, 1)})
	days.addCalls([]Calls{
		{first, budget.Captured, 2, 200}, {second, budget.Void, 3, 300}, {second, budget.Held, 4, 400},
		{first.AddDate(0, 0, -1), budget.Captured, 9, 9}, {second.AddDate(0, 0, 1), budget.Captured, 9, 9},
	})
	days.addEvents([]Events{{first, budget.Infra, 1, 10}, {first, budget.Tokens, 2, 20}, {second, "", 5, 1000}})
	days.addRefusals([]Counted{{second, 6}})
	if err := days.addPayments([]Payments{{first, "0.01", 3}, {second, "1.000001", 2}}); err != nil {
		t.Fatal(err)
	}
	if err := days.addPayments([]Payments{{first, "much", 1}}); err == nil {
		t.Error("what is no amount was added")
	}
	for i, want := range []rest.AgentDay{
		{
			Date: "2026-11-20", Infra: "0.00000021", Tokens: "0.00000002", Payments: "0.03", Calls: 2, Events: 3,
			PaymentCount: 3,
		},
		{Date: "2026-11-21", Infra: "0", Tokens: "0", Payments: "2.000002", Events: 5, PaymentCount: 2, Refusals: 9},
	} {
		if got := days[i].view(); got != want {
			t.Errorf("%+v, want %+v", got, want)
		}
	}
	sum := days.sum()
	want := rest.AgentUsage{
		Infra:    rest.AgentLayerUsage{Spent: "0.00000021", Count: 3, Currency: "USD"},
		Tokens:   rest.AgentLayerUsage{Spent: "0.00000002", Count: 2, Currency: "USD"},
		Payments: rest.AgentLayerUsage{Spent: "2.030002", Count: 5, Currency: "USDC"},
	}
	if sum.usage() != want || sum.calls != 2 || sum.events != 8 || sum.refusals != 9 {
		t.Errorf("%+v", sum)
	}
}
