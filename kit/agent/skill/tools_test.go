package skill_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/uuid"

	"github.com/railkit/railkit/clock"
	"github.com/railkit/railkit/kit/agent/tool"
	railkit "github.com/railkit/railkit/sdk/go"
)

// Which skills an agent may call is a list of its own, empty at first.
func TestAgents_Tools(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	ctx, other := t.Context(), w.elsewhere()
	agent := w.agent(w.c)
	a := w.Do(w.Keys.BenchKey, "GET", "/v1/agents/"+agent+"/tools", "")
	if a.Status != 200 || !strings.Contains(a.Body, `"data":{"x402":[],"mcp":[],"http":[],"internal":[]}`) {
		t.Errorf("an empty list: %d %s", a.Status, a.Body)
	}
	own := w.create(w.c, func(r *railkit.SkillRequest) { r.Subtype, r.Description = "http", "Own" })
	foreign := w.create(other, func(r *railkit.SkillRequest) { r.Name, r.IsPublic = "Foreign", true })
	hidden := w.create(other, nil)

	add := func(body string) (int, railkit.AgentTool) {
		t.Helper()
		var made struct{ Data railkit.AgentTool }
		a := w.Do(w.Keys.BenchKey, "POST", "/v1/agents/"+agent+"/tools", body)
		if err := json.Unmarshal([]byte(a.Body), &made); err != nil {
			t.Fatal(err)
		}
		return a.Status, made.Data
	}
	status, first := add(`{"skill_id":"` + own.ID + `"}`)
	if status != 201 || first.ToolID != own.ID || !first.Available || first.Description != "Own" {
		t.Errorf("added: %d %+v", status, first)
	}
	status, again := add(`{"toolType":"skill","toolId":"` + strings.ToUpper(own.ID) + `"}`)
	if status != 200 || again != first {
		t.Errorf("added again: %d %+v", status, again)
	}
	if status, _ := add(`{"toolType":"mcp","toolId":"` + own.ID + `"}`); status != 400 {
		t.Errorf("another type of tool: %d", status)
	}
	if _, err := w.c.Agents.AddTool(ctx, agent, foreign.ID); err != nil {
		t.Error(err)
	}
	_, err := w.c.Agents.AddTool(ctx, agent, hidden.ID)
	wantError(t, "another's private skill", err, 404, "not_found")
	_, err = w.c.Agents.AddTool(ctx, agent, uuid.NewString())
	wantError(t, "no skill", err, 404, "not_found")
	for what, try := range map[string]func(c *railkit.Client, id string) error{
		"list": func(c *railkit.Client, id string) error { _, err := c.Agents.Tools(ctx, id); return err },
		"add": func(c *railkit.Client, id string) error {
			_, err := c.Agents.AddTool(ctx, id, foreign.ID)
			return err
		},
		"remove": func(c *railkit.Client, id string) error {
			_, err := c.Agents.RemoveTool(ctx, id, foreign.ID)
			return err
		},
	} {
		wantError(t, what+": another's agent", try(other, agent), 404, "not_found")
		wantError(t, what+": no agent", try(w.c, uuid.NewString()), 404, "not_found")
	}
	list := func() *railkit.AgentTools {
		t.Helper()
		all, err := w.c.Agents.Tools(ctx, agent)
		if err != nil {
			t.Fatal(err)
		}
		return all
	}
	if all := list(); len(all.HTTP) != 1 || len(all.X402) != 1 || all.X402[0].Name != "Foreign" || len(all.MCP) != 0 {
		t.Errorf("%+v", all)
	}
	w.allowed(t, agent, map[string]bool{own.ID: true, foreign.ID: true, hidden.ID: false, uuid.NewString(): false})

	// Its owner takes it back: it is named no more, and not callable.
	secret := railkit.SkillUpdate{IsPublic: to(false), Name: to("Private plans")}
	if _, err := other.Skills.Update(ctx, foreign.ID, secret); err != nil {
		t.Fatal(err)
	}
	if got := list().X402[0]; got.Available || got.Name != "" || got.ToolID != foreign.ID {
		t.Errorf("no longer public: %+v", got)
	}
	w.allowed(t, agent, map[string]bool{own.ID: true, foreign.ID: false})
	if _, err := other.Skills.Update(ctx, foreign.ID, railkit.SkillUpdate{IsPublic: to(true)}); err != nil {
		t.Fatal(err)
	}
	w.allowed(t, agent, map[string]bool{foreign.ID: true})

	gone, err := w.c.Agents.RemoveTool(ctx, agent, own.ID)
	if err != nil {
		t.Fatal(err)
	}
	if again, err := w.c.Agents.RemoveTool(ctx, agent, own.ID); err != nil || *again != *gone {
		t.Errorf("removed again: %+v, %v", again, err)
	}
	_, err = w.c.Agents.RemoveTool(ctx, agent, hidden.ID)
	wantError(t, "what was never on it", err, 404, "not_found")
	w.allowed(t, agent, map[string]bool{own.ID: false, foreign.ID: true})
	if status, back := add(`{"skill_id":"` + own.ID + `"}`); status != 201 || !back.Available {
		t.Errorf("back: %d %+v", status, back)
	}
	if _, err := w.c.Skills.Delete(ctx, own.ID); err != nil {
		t.Fatal(err)
	}
	if got := list().HTTP; len(got) != 1 || got[0].Available {
		t.Errorf("deleted: %+v", got)
	}
	w.allowed(t, agent, map[string]bool{own.ID: false})
}

// allowed asks what a payment will ask.
func (w *world) allowed(t *testing.T, agentID string, want map[string]bool) {
	t.Helper()
	tools := tool.New(w.Store.Agents().Tools(), nil, nil, clock.System{})
	for id, want := range want {
		got, err := tools.Allowed(t.Context(), w.Keys.WorkspaceID, agentID, id)
		if err != nil || got != want {
			t.Errorf("skill %s: allowed %v, %v", id, got, err)
		}
		if got, err := tools.Allowed(t.Context(), uuid.NewString(), agentID, id); err != nil || got {
			t.Errorf("skill %s, in another workspace: allowed %v, %v", id, got, err)
		}
	}
}
