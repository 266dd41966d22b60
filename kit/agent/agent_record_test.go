package agent_test

import (
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/railkit/railkit/enclave/wire"
	"github.com/railkit/railkit/internal/test/apptest"
	railkit "github.com/railkit/railkit/sdk/go"
)

// recordOf is all of an agent's record that the options select: the newest first.
func recordOf(t *testing.T, c *railkit.Client, id string, o railkit.AgentAuditOptions) (all []railkit.AgentAuditEntry) {
	t.Helper()
	for e, err := range c.Agents.AllAudit(ctx, id, o) {
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, e)
	}
	return all
}

func actions(all []railkit.AgentAuditEntry) (names []string) {
	for _, e := range all {
		names = append(names, e.Action)
	}
	return names
}

// An agent's record has all that was done with it, by type, outcome and time, and nothing of another agent.
func TestSigning_AgentAudit(t *testing.T) {
	t.Parallel()
	a := apptest.Shared(t)
	c := a.Client()
	alice := a.Fund(c, "alice@example.com")
	made, err := c.Agents.Create(ctx, alice.Passkey, agentOf(alice, "Recorded"))
	if err != nil {
		t.Fatal(err)
	}
	other, err := c.Agents.Create(ctx, alice.Passkey, agentOf(alice, "Other"))
	if err != nil {
		t.Fatal(err)
	}
	id := made.AgentID
	funded, err := c.Agents.Fund(ctx, alice.Passkey, id, railkit.FundAgentRequest{
		Amount: "1", From: alice.Address.Address, Network: "base"})
	if err != nil {
		t.Fatal(err)
	}
	confirmed(t, a, c, funded.TransactionID)
	less := railkit.AgentBudgetChange{AgentBudget: railkit.AgentBudget{PerTxUSDC: "0.9"}}
	if _, err := c.Agents.SetBudget(ctx, id, less); err != nil {
		t.Fatal(err)
	}
	more := railkit.AgentBudgetChange{AgentBudget: railkit.AgentBudget{PerTxUSDC: "2"}}
	_, err = c.Agents.SetBudget(ctx, id, more)
	if _, err := c.Approvals.Reject(ctx, wantQueued(t, err).ApprovalID, "no"); err != nil {
		t.Fatal(err)
	}
	payment := agentPays(t, a, alice, made, "600000")
	if _, err := c.Agents.Kill(ctx, id); err != nil {
		t.Fatal(err)
	}

	want := map[string][]string{
		"":           nil,
		"lifecycle":  {"agent.status", "agent.activate", "agent.create", "agent.prepare"},
		"budget":     {"agent.limits.queue", "agent.limits"},
		"credential": {},
		"approval":   {"approval.reject"},
		"payment":    {"agent.payment", "transaction.confirmed", "agent.fund", "agent.fund.prepare"},
	}
	total := 0
	for kind, names := range want {
		all := recordOf(t, c, id, railkit.AgentAuditOptions{Type: kind})
		for _, e := range all {
			if e.AgentID != id || kind != "" && e.Type != kind || e.Resource == "" || e.Hash == "" {
				t.Errorf("%s: %+v", kind, e)
			}
		}
		if kind == "" {
			total = len(all)
			continue
		}
		if got := actions(all); !slices.Equal(got, names) && len(got)+len(names) > 0 {
			t.Errorf("%s: %v, want %v", kind, got, names)
		}
	}
	if total != 11 {
		t.Errorf("%d entries in all: %v", total, actions(recordOf(t, c, id, railkit.AgentAuditOptions{})))
	}
	failed := recordOf(t, c, id, railkit.AgentAuditOptions{Status: "failed"})
	if len(failed) != 1 || failed[0].Action != "approval.reject" || failed[0].Status != "failed" {
		t.Errorf("failed: %v", actions(failed))
	}
	if good := recordOf(t, c, id, railkit.AgentAuditOptions{Status: "success", Period: "24h"}); len(good) != total-1 {
		t.Errorf("success: %v", actions(good))
	}
	if none := recordOf(t, c, id, railkit.AgentAuditOptions{Type: "approval", Status: "success"}); len(none) != 0 {
		t.Errorf("approved: %v", actions(none))
	}
	first, err := c.Agents.Audit(ctx, id, railkit.AgentAuditOptions{ListOptions: railkit.ListOptions{Limit: 2}})
	if err != nil || len(first.Items) != 2 || first.Meta.Total != total {
		t.Errorf("the first page: %+v, %v", first, err)
	}
	second, err := c.Agents.Audit(ctx, id,
		railkit.AgentAuditOptions{ListOptions: railkit.ListOptions{Limit: 2, Page: 2}})
	if err != nil || len(second.Items) != 2 || second.Items[0].Seq >= first.Items[1].Seq {
		t.Errorf("the second page: %+v, %v", second, err)
	}
	for _, e := range recordOf(t, c, other.AgentID, railkit.AgentAuditOptions{}) {
		if e.Type != "lifecycle" || e.Resource == id || e.Resource == payment {
			t.Errorf("the other agent's: %+v", e)
		}
	}
	stranger := apptest.Shared(t)
	_, err = stranger.Client().Agents.Audit(ctx, id, railkit.AgentAuditOptions{})
	if !railkit.IsNotFound(err) {
		t.Errorf("of another workspace: %v", err)
	}
}

// Payments of agents that wait for a passkey are listed with the agent and whom it pays, and no other approval is.
func TestSigning_AgentApprovals(t *testing.T) {
	t.Parallel()
	a := apptest.Shared(t)
	c := a.Client()
	alice := a.Fund(c, "alice@example.com")
	page := func(o railkit.ListOptions, status string) *railkit.Page[railkit.Approval] {
		t.Helper()
		p, err := c.Agents.Approvals(ctx, o, status)
		if err != nil {
			t.Fatal(err)
		}
		return p
	}
	if p := page(railkit.ListOptions{}, ""); len(p.Items) != 0 || p.Meta.Total != 0 {
		t.Errorf("before: %+v", p)
	}
	made, err := c.Agents.Create(ctx, alice.Passkey, agentOf(alice, "Asking"))
	if err != nil {
		t.Fatal(err)
	}
	more := railkit.AgentBudgetChange{AgentBudget: railkit.AgentBudget{PerTxUSDC: "2"}}
	_, err = c.Agents.SetBudget(ctx, made.AgentID, more)
	wantQueued(t, err)
	first := agentPays(t, a, alice, made, "600000")
	second := agentPays(t, a, alice, made, "700000")
	p := page(railkit.ListOptions{Limit: 1}, "pending")
	if p.Meta.Total != 2 || len(p.Items) != 1 {
		t.Fatalf("%+v", p)
	}
	if got := p.Items[0]; got.AgentID != made.AgentID || got.AgentName != "Asking" || got.Destination != ana ||
		got.TransactionID != second || got.Amount == "" || got.ExpiresAt == "" || got.Status != "pending" {
		t.Errorf("%+v", got)
	}
	if p := page(railkit.ListOptions{Limit: 1, Page: 2}, ""); len(p.Items) != 1 || p.Items[0].TransactionID != first {
		t.Errorf("the second page: %+v", p)
	}
	if _, err := c.Approvals.Reject(ctx, p.Items[0].ID, "no"); err != nil {
		t.Fatal(err)
	}
	for status, want := range map[string]int{"pending": 1, "rejected": 1, "approved": 0, "expired": 0, "all": 2} {
		if got := page(railkit.ListOptions{}, status).Meta.Total; got != want {
			t.Errorf("%s: %d, want %d", status, got, want)
		}
	}
}

// An agent reads what happened to itself, by its signature, and nothing else of the workspace.
func TestSigning_AgentReadsItsEvents(t *testing.T) {
	t.Parallel()
	a := apptest.Shared(t)
	c := a.Client()
	alice := a.Register(c, "alice@example.com")
	var agents []*railkit.AgentChange
	for _, name := range []string{"Reader", "Other"} {
		made, err := c.Agents.Create(ctx, alice.Passkey, agentOf(alice, name))
		if err != nil {
			t.Fatal(err)
		}
		if _, err := c.Agents.Pause(ctx, made.AgentID); err != nil {
			t.Fatal(err)
		}
		agents = append(agents, made)
	}
	reader, other := agents[0], agents[1]
	read := func(query string) (types []string) {
		t.Helper()
		at := strconv.FormatInt(time.Now().Unix(), 10)
		mac := wire.AgentMAC(reader.AgentSecret, wire.AgentMessage("GET", "/v1/events", at, wire.Digest("")))
		got := a.Do("", "GET", "/v1/events"+query, "",
			"x-agent-id", reader.AgentID, "x-request-timestamp", at, "x-agent-auth", mac)
		var list railkit.EventList
		if err := got.Into(&list); err != nil || got.Status != 200 {
			t.Fatalf("%d %s", got.Status, got.Body)
		}
		for _, e := range list.Events {
			types = append(types, e.Type)
			if e.Object.ID != reader.AgentID || strings.Contains(string(e.Data), other.AgentID) {
				t.Errorf("%s is about %s: %s", e.Type, e.Object.ID, e.Data)
			}
		}
		return types
	}
	want := []string{"agent.created", "agent.activated", "agent.status_changed"}
	if got := read(""); !slices.Equal(got, want) {
		t.Errorf("%v, want %v", got, want)
	}
	for _, query := range []string{"?object=" + other.AgentID, "?types=wallet.*,passkey.*,api_key.*"} {
		if got := read(query); len(got) > 0 {
			t.Errorf("%s: %v", query, got)
		}
	}
	all, err := c.Events.List(ctx, railkit.EventOptions{Object: other.AgentID})
	if err != nil || len(all.Events) != len(want) {
		t.Errorf("the workspace's key reads of the other agent: %+v, %v", all, err)
	}
}
