package agent

import (
	"context"

	"github.com/railkit/railkit/kit/agent/tool"
	"github.com/railkit/railkit/store/db"
	"github.com/railkit/railkit/store/internal/sqldb"
)

// Tool finds one, also one that was taken off the list.
func (r reads) Tool(ctx context.Context, workspaceID, agentID, skillID string) (tool.Tool, error) {
	row, err := r.db.Read.Tool(ctx, workspaceID, agentID, skillID)
	return sqldb.One("Tool", db.ToolsRow(row), err, toolRow(workspaceID, agentID))
}

// Tools lists those on the list, newest first.
func (r reads) Tools(ctx context.Context, workspaceID, agentID string) ([]tool.Tool, error) {
	rows, err := r.db.Read.Tools(ctx, workspaceID, agentID)
	return sqldb.Many(rows, err, toolRow(workspaceID, agentID))
}

func (t tx) HoldTools(ctx context.Context, workspaceID, agentID string) (int, error) {
	if _, err := t.Q.HoldWorkspace(ctx, workspaceID); err != nil {
		return 0, sqldb.Doing("holding a workspace", err)
	}
	n, err := t.Q.CountTools(ctx, workspaceID, agentID)
	return int(n), sqldb.Doing("counting an agent's tools", err)
}

func (t tx) AddTool(ctx context.Context, of tool.Tool) (bool, error) {
	n, err := t.Q.AddTool(ctx, db.AddToolParams{
		WorkspaceID: of.WorkspaceID, AgentID: of.AgentID, SkillID: of.Skill.ID,
		SkillWorkspaceID: of.Skill.WorkspaceID, AddedAt: sqldb.Micros(of.AddedAt),
	})
	return n > 0, sqldb.Doing("adding a tool", err)
}

func (t tx) RemoveTool(ctx context.Context, of tool.Tool) error {
	return sqldb.Doing("removing a tool", t.Q.RemoveTool(ctx, db.RemoveToolParams{
		At: sqldb.Micros(of.RemovedAt), WorkspaceID: of.WorkspaceID, AgentID: of.AgentID, SkillID: of.Skill.ID,
	}))
}

func toolRow(workspaceID, agentID string) func(db.ToolsRow) (tool.Tool, error) {
	return func(r db.ToolsRow) (tool.Tool, error) {
		k, err := skillRow(r.Skill)
		return tool.Tool{
			WorkspaceID: workspaceID, AgentID: agentID, Skill: k, AddedAt: sqldb.Instant(r.AddedAt),
			RemovedAt: sqldb.Instant(r.RemovedAt),
		}, err
	}
}
