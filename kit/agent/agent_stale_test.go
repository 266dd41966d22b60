package agent_test

import (
	"testing"

	"github.com/railkit/railkit/internal/test/apptest"
	"github.com/railkit/railkit/internal/test/signingtest"
	railkit "github.com/railkit/railkit/sdk/go"
)

// What was stamped or voted for before an agent was changed raises nothing afterwards. Its approval ends, and says why.
func TestAgents_RaisedFromBeforeTheLatestChange(t *testing.T) {
	t.Parallel()
	a := apptest.Shared(t)
	c := a.Client()
	alice := a.Fund(c, "alice@example.com")
	made, err := c.Agents.Create(ctx, alice.Passkey, agentOf(alice, "Stale"))
	if err != nil {
		t.Fatal(err)
	}
	more := railkit.AgentBudgetChange{AgentBudget: railkit.AgentBudget{PerTxUSDC: "2"}}
	stamped := more
	stamped.SignedActivity = stampedBy(t, alice)(c.Agents.PrepareBudget(ctx, made.AgentID, more))
	_, err = c.Agents.SetBudget(ctx, made.AgentID, more)
	id := wantQueued(t, err).ApprovalID
	ballot := vote(t, a, id, alice)
	less := railkit.AgentBudgetChange{AgentBudget: railkit.AgentBudget{PerTxUSDC: "0.9"}}
	if _, err := c.Agents.SetBudget(ctx, made.AgentID, less); err != nil {
		t.Fatal(err)
	}
	if _, err := c.Agents.SetBudget(ctx, made.AgentID, stamped); code(err) != "agent_changed" {
		t.Errorf("a stamp from before: %v", err)
	}
	path := signingtest.ApprovalsPath + "/" + id + "/approve"
	wantError(t, a.Do(a.Keys.BenchKey, "POST", path+"?prepare=true", ""), 409, "agent_changed")
	got := a.Do(a.Keys.BenchKey, "POST", path, ballot)
	var seen struct{ Status, Comment string }
	if err := got.Into(&seen); err != nil || got.Status != 201 || seen.Status != "expired" || seen.Comment == "" {
		t.Errorf("a vote: %d %s", got.Status, got.Body)
	}
	if now, err := c.Agents.Get(ctx, made.AgentID); err != nil || now.Limits.PerTxUSDC != "0.9" {
		t.Errorf("%+v, %v", now.Limits, err)
	}
}
