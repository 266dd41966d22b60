// Package tool keeps which skills an agent may call: a list that the agent's owner makes, and that is empty at first.
//
// A skill is on the list or was taken off. One on the list can be called only while its workspace sees it: a skill that
// was deleted, or that its owner made private, stays on the list and is not available.
package tool

import (
	"context"
	"errors"
	"strings"
	"time"

	"github.com/railkit/railkit/clock"
	"github.com/railkit/railkit/fault"
	"github.com/railkit/railkit/kit/agent/skill"
	"github.com/railkit/railkit/platform/auth"
	"github.com/railkit/railkit/platform/command"
	"github.com/railkit/railkit/platform/record"
	"github.com/railkit/railkit/rest"
)

const mostTools = 200 // of an agent

var errTooMany = fault.Define(fault.Unprocessable, "too_many_tools", "Too many tools",
	"An agent has at most 200 tools: remove one that is not needed")

// Tool is a skill on an agent's list.
type Tool struct {
	WorkspaceID, AgentID string
	Skill                skill.Skill
	AddedAt, RemovedAt   time.Time // RemovedAt is zero of one on the list
}

// Store keeps tools.
type Store interface {
	record.Writer[Tx]
	Tool(ctx context.Context, workspaceID, agentID, skillID string) (Tool, error) // also one that was taken off
	Tools(ctx context.Context, workspaceID, agentID string) ([]Tool, error)       // newest first
}

// Tx writes them.
type Tx interface {
	// HoldTools keeps other writers of the workspace waiting until the transaction ends, and counts an agent's tools.
	HoldTools(ctx context.Context, workspaceID, agentID string) (int, error)
	// AddTool puts a skill on the list, and tells whether it was not there.
	AddTool(context.Context, Tool) (added bool, err error)
	RemoveTool(context.Context, Tool) error // at its RemovedAt, unless it was taken off before
}

// Agents tells which agents there are.
type Agents interface {
	Status(ctx context.Context, p auth.Principal, id string) (rest.AgentState, error)
}

// Skills tells which skills a caller sees.
type Skills interface {
	Find(ctx context.Context, p auth.Principal, id string) (skill.Skill, error)
}

// Service is the tools of every agent.
type Service struct {
	store  Store
	agents Agents
	skills Skills
	clock  clock.Clock
}

// New makes it.
func New(s Store, agents Agents, skills Skills, clk clock.Clock) *Service {
	return &Service{s, agents, skills, clk}
}

// Allowed tells whether an agent may call a skill now.
func (s *Service) Allowed(ctx context.Context, workspaceID, agentID, skillID string) (bool, error) {
	t, err := s.store.Tool(ctx, workspaceID, strings.ToLower(agentID), strings.ToLower(skillID))
	if errors.Is(err, fault.ErrNotFound) {
		return false, nil
	}
	return err == nil && t.RemovedAt.IsZero() && t.Skill.SeenBy(workspaceID), err
}

// List lists an agent's tools by subtype, newest first.
func (s *Service) List(ctx context.Context, p auth.Principal, agentID string) (rest.AgentTools, error) {
	a, err := s.agents.Status(ctx, p, agentID)
	if err != nil {
		return rest.AgentTools{}, err
	}
	rows, err := s.store.Tools(ctx, p.WorkspaceID, a.AgentID)
	if err != nil {
		return rest.AgentTools{}, err
	}
	groups := map[skill.Subtype][]rest.AgentTool{skill.X402: {}, skill.MCP: {}, skill.HTTP: {}, skill.Internal: {}}
	for _, t := range rows {
		groups[t.Skill.Subtype] = append(groups[t.Skill.Subtype], t.view())
	}
	return rest.AgentTools{
		X402: groups[skill.X402], MCP: groups[skill.MCP], HTTP: groups[skill.HTTP], Internal: groups[skill.Internal],
	}, nil
}

func (t Tool) view() rest.AgentTool {
	v := rest.AgentTool{
		ToolID: t.Skill.ID, ToolType: "skill", Subtype: string(t.Skill.Subtype), Health: string(skill.Unknown),
		AddedAt: clock.ISO(t.AddedAt),
	}
	if t.Skill.SeenBy(t.WorkspaceID) {
		v.Available, v.Name, v.Description, v.CostUSDC = true, t.Skill.Name, t.Skill.Description, t.Skill.CostUSDC
		v.Health = string(t.Skill.Health.Status)
	}
	return v
}

// Add puts a skill on an agent's list. One that is there already stays as it is.
func (s *Service) Add(
	ctx context.Context, cmd *command.Command, agentID string, in rest.AgentToolRequest,
) (command.Answer, error) {
	a, err := s.agents.Status(ctx, cmd.Principal, agentID)
	if err != nil {
		return command.Answer{}, err
	}
	k, err := s.skills.Find(ctx, cmd.Principal, in.SkillID)
	if err != nil {
		return command.Answer{}, err
	}
	t := Tool{WorkspaceID: cmd.Principal.WorkspaceID, AgentID: a.AgentID, Skill: k, AddedAt: s.clock.Now()}
	had, err := s.store.Tool(ctx, t.WorkspaceID, t.AgentID, k.ID)
	if err != nil && !errors.Is(err, fault.ErrNotFound) {
		return command.Answer{}, err
	}
	if err == nil && had.RemovedAt.IsZero() {
		t.AddedAt = had.AddedAt
	}
	return s.store.Commit(ctx, cmd, func(ctx context.Context, tx Tx) (command.Reply, error) {
		tools, err := tx.HoldTools(ctx, t.WorkspaceID, t.AgentID)
		if err != nil {
			return command.Reply{}, err
		}
		added, err := tx.AddTool(ctx, t)
		if err == nil && added && tools >= mostTools {
			err = errTooMany
		}
		reply := command.Reply{Status: 200, Message: "Tool was there", Data: t.view(), Audit: t.audit("agent.tool_add")}
		if added {
			reply.Status, reply.Message = 201, "Tool added"
		}
		return reply, err
	})
}

// Remove takes a skill off an agent's list. The same again says the same.
func (s *Service) Remove(ctx context.Context, cmd *command.Command, agentID, toolID string) (command.Answer, error) {
	a, err := s.agents.Status(ctx, cmd.Principal, agentID)
	if err != nil {
		return command.Answer{}, err
	}
	t, err := s.store.Tool(ctx, cmd.Principal.WorkspaceID, a.AgentID, strings.ToLower(toolID))
	if err != nil {
		return command.Answer{}, err
	}
	if t.RemovedAt.IsZero() {
		t.RemovedAt = s.clock.Now()
	}
	return s.store.Commit(ctx, cmd, func(ctx context.Context, tx Tx) (command.Reply, error) {
		gone := rest.AgentToolRemoved{AgentID: t.AgentID, ToolID: t.Skill.ID, RemovedAt: clock.ISO(t.RemovedAt)}
		return command.Reply{
			Status: 200, Message: "Tool removed", Data: gone, Audit: t.audit("agent.tool_remove"),
		}, tx.RemoveTool(ctx, t)
	})
}

func (t Tool) audit(action string) command.Audit {
	return command.Audit{Action: action, Resource: t.AgentID, Detail: map[string]string{"skill": t.Skill.ID}}
}
