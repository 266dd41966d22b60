package skilltest

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/railkit/railkit/kit/agent/skill"
	"github.com/railkit/railkit/kit/agent/tool"
	"github.com/railkit/railkit/platform/workspace"
	"github.com/railkit/railkit/store/storetest"
)

var toolTests = map[string]func(*testing.T, *bench){"Tools": testTools}

func aTool(agentID string, k skill.Skill, at time.Time) tool.Tool {
	return tool.Tool{WorkspaceID: storetest.Ours, AgentID: agentID, Skill: k, AddedAt: at}
}

// add puts a tool on its list, and tells whether it was new there and how many there were before.
func (b *bench) add(t *testing.T, of tool.Tool) (added bool, before int) {
	t.Helper()
	write(t, b.tools, func(ctx context.Context, tx tool.Tx) (err error) {
		if before, err = tx.HoldTools(ctx, of.WorkspaceID, of.AgentID); err != nil {
			return err
		}
		added, err = tx.AddTool(ctx, of)
		return err
	})
	return added, before
}

func testTools(t *testing.T, b *bench) {
	storetest.OK(t, b.EnsureWorkspace(t.Context(), workspace.Workspace{
		ID: storetest.Ours, Name: "Ours", Email: "a@example.com", Environment: "sandbox", KYBStatus: "approved",
		CreatedAt: storetest.Start,
	}))
	own, foreign := aSkill(storetest.Ours, "s-1"), aSkill(storetest.Theirs, "s-2")
	b.insert(t, own, foreign)
	list := func(ws, agentID string, want ...tool.Tool) {
		t.Helper()
		got, err := b.tools.Tools(t.Context(), ws, agentID)
		storetest.OK(t, err)
		storetest.Equal(t, "tools", got, append([]tool.Tool{}, want...))
	}
	list(storetest.Ours, "agent-1")
	_, err := b.tools.Tool(t.Context(), storetest.Ours, "agent-1", "s-1")
	storetest.Missing(t, "Tool", err)

	first := aTool("agent-1", own, storetest.Start)
	second := aTool("agent-1", foreign, storetest.Start.Add(time.Second))
	for i, c := range []struct {
		of     tool.Tool
		added  bool
		before int
	}{
		{first, true, 0}, {second, true, 1}, {aTool("agent-1", own, storetest.Start.Add(time.Hour)), false, 2},
		{aTool("agent-2", own, storetest.Start), true, 0},
	} {
		added, before := b.add(t, c.of)
		if added != c.added || before != c.before {
			t.Errorf("%d: added %v, before it %d", i, added, before)
		}
	}
	list(storetest.Ours, "agent-1", second, first)
	list(storetest.Theirs, "agent-1")

	gone := first
	gone.RemovedAt = storetest.Start.Add(2 * time.Second)
	later := gone
	later.RemovedAt = storetest.Start.Add(time.Hour)
	write(t, b.tools, func(ctx context.Context, tx tool.Tx) error {
		return errors.Join(tx.RemoveTool(ctx, gone), tx.RemoveTool(ctx, later))
	})
	got, err := b.tools.Tool(t.Context(), storetest.Ours, "agent-1", "s-1")
	storetest.OK(t, err)
	storetest.Equal(t, "removed", got, gone)
	list(storetest.Ours, "agent-1", second)

	back := aTool("agent-1", own, storetest.Start.Add(time.Minute))
	if added, before := b.add(t, back); !added || before != 1 {
		t.Errorf("added again: %v, before it %d", added, before)
	}
	list(storetest.Ours, "agent-1", back, second)
}
