package signing_test

import (
	"errors"
	"fmt"
	"net/http"
	"slices"
	"testing"

	"github.com/railkit/railkit/fault"
	"github.com/railkit/railkit/internal/test/apptest"
	railkit "github.com/railkit/railkit/sdk/go"
)

// Whichever layer of the budget refuses, and whichever call: 403 budget_exhausted, with all layers that lack something.
// The 422 that the words "Agent has insufficient budget" would have is no error of this platform.
func TestAgents_EveryLayerRefusesAlike(t *testing.T) {
	t.Parallel()
	a := apptest.Shared(t)
	c := a.Client()
	alice := a.Fund(c, "alice@example.com")
	p := newPayer(t, a, c, alice, "Poor")
	widen(t, c, alice, p.made.AgentID, []string{ana})
	pay := func(micro railkit.SmallestUnits) error { _, err := p.Pay(ctx, toAna(micro)); return err }
	wallet := func() error { _, err := p.CreateWallet(ctx, railkit.AgentWalletRequest{}); return err }
	lower := func(b railkit.AgentBudget) {
		t.Helper()
		if _, err := c.Agents.SetBudget(ctx, p.made.AgentID, railkit.AgentBudgetChange{AgentBudget: b}); err != nil {
			t.Fatal(err)
		}
	}
	lacks := func(err error, layers ...string) {
		t.Helper()
		var e *railkit.Error
		if !errors.As(err, &e) || e.Status != http.StatusForbidden || e.Code != "budget_exhausted" ||
			fmt.Sprint(e.Details["failedLayers"]) != fmt.Sprint(layers) {
			t.Errorf("%v, want that %v lack something", err, layers)
		}
	}
	lower(railkit.AgentBudget{PaymentsMonthlyUSDC: "0.02", PerTxUSDC: "0.02"})
	lacks(pay("20001"), "payments")
	lower(railkit.AgentBudget{TokensMonthlyUSD: "0.5"})
	if _, err := p.ReportEvents(ctx, railkit.AgentEvent{Type: "llm_call", Amount: "0.500000001"}); err != nil {
		t.Fatal(err)
	}
	lacks(pay("1"), "tokens")
	lacks(wallet(), "tokens")
	lower(railkit.AgentBudget{InfraMonthlyUSD: "0.00005"})
	lacks(pay("1"), "infra", "tokens")
	lacks(wallet(), "infra", "tokens")
	if slices.ContainsFunc(fault.Catalog(), func(e fault.Entry) bool {
		return e.Message == "Agent has insufficient budget"
	}) {
		t.Error("a second error says that a budget is used up")
	}
}
