package agent_test

import (
	"errors"
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/railkit/railkit/internal/test/apptest"
	railkit "github.com/railkit/railkit/sdk/go"
)

// Whichever layer of the budget refuses, and whichever call: 403 budget_exhausted, with all layers that lack something.
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
			e.Message != "Agent has insufficient budget" ||
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
}

// An agent that may not pay is told so, and not that its wallet is empty, which filling it would not mend.
func TestAgents_HaltedBeforeEmpty(t *testing.T) {
	t.Parallel()
	a := apptest.Shared(t)
	c := a.Client()
	alice := a.Fund(c, "alice@example.com")
	made, err := c.Agents.Create(ctx, alice.Passkey, agentOf(alice, "Empty"))
	if err != nil {
		t.Fatal(err)
	}
	p, err := railkit.NewAgentClient(railkit.AgentConfig{
		BaseURL: a.BaseURL, AgentID: made.AgentID, Secret: made.AgentSecret,
	})
	if err != nil {
		t.Fatal(err)
	}
	wants := func(what, want string) {
		t.Helper()
		if _, err := p.Pay(ctx, toAna("1")); code(err) != want {
			t.Errorf("%s: %v, want %s", what, err, want)
		}
	}
	_, err = p.Pay(ctx, toAna("1"))
	if code(err) != "insufficient_balance" || !strings.Contains(err.Error(), `{"asset":"ETH","have":"0","need":"0.`) {
		t.Errorf("an empty wallet: %v", err)
	}
	do := func(_ *railkit.AgentChange, err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	do(c.Agents.Pause(ctx, made.AgentID))
	wants("paused", "agent_not_active")
	stop := railkit.KillSwitchChange{SubOrganizationID: alice.Sub.SubOrganizationID, On: true}
	if _, err := c.Agents.SetKillSwitch(ctx, stop); err != nil {
		t.Fatal(err)
	}
	wants("switched off", "kill_switch_active")
	do(c.Agents.Kill(ctx, made.AgentID))
	wants("killed", "agent_killed")
}

// Agents pay in USDC: a network that lists none is refused by the field that names it, whatever family it is of.
func TestAgents_NetworksListUSDC(t *testing.T) {
	t.Parallel()
	a := apptest.Shared(t)
	c := a.Client()
	alice := a.Fund(c, "alice@example.com")
	p := newPayer(t, a, c, alice, "Ada")
	reach := railkit.AgentReach{AllowedChains: []string{"base", "tron"}}
	made := agentOf(alice, "Poor")
	made.ChainID, made.AgentReach = 0, reach
	id := "/v1/agents/" + p.made.AgentID
	for path, body := range map[string]any{
		"POST /v1/agents/prepare":             made,
		"POST " + id + "/budget?prepare=true": railkit.AgentBudgetChange{AgentReach: reach},
	} {
		method, path, _ := strings.Cut(path, " ")
		got := a.Do(a.Keys.BenchKey, method, path, apptest.JSON(t, body))
		if got.Status != http.StatusBadRequest || !strings.Contains(got.Body, `"field":"allowedChains[1]"`) ||
			!strings.Contains(got.Body, "is tron, where no USDC is listed") {
			t.Errorf("%s %s: %d %s", method, path, got.Status, got.Body)
		}
	}
}
