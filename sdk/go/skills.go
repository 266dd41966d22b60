package railkit

import (
	"context"
	"iter"
	"net/http"
	"net/url"
	"strconv"

	"github.com/railkit/railkit/rest"
)

// SkillsService keeps skills: functions of somebody's server that agents call.
type SkillsService struct{ c *Client }

const skillsPath = "/v1/action/skills"

// What the calls send and answer: see package rest for the fields.
type (
	Skill        = rest.Skill
	SkillUpdate  = rest.SkillChange
	SkillAuth    = rest.SkillAuth
	SkillHealth  = rest.SkillHealth
	DeletedSkill = rest.SkillDeleted
	TestedSkill  = rest.SkillTested
	Bazaar       = rest.Bazaar
	AgentTool    = rest.AgentTool
	AgentTools   = rest.AgentTools
	RemovedTool  = rest.AgentToolRemoved
)

// SkillRequest registers a skill. What is empty has the server's default.
type SkillRequest struct {
	Name         string         `json:"name"`
	URL          string         `json:"url"` // https
	Description  string         `json:"description,omitempty"`
	Method       string         `json:"method,omitempty"`    // GET | POST (default) | PUT | DELETE
	AuthType     string         `json:"auth_type,omitempty"` // none (default) | api_key | bearer
	AuthConfig   *SkillAuth     `json:"auth_config,omitempty"`
	IsPublic     bool           `json:"is_public,omitempty"`
	Subtype      string         `json:"subtype,omitempty"`   // x402 (default) | mcp | http | internal
	CostUSDC     int64          `json:"cost_usdc,omitempty"` // micro-USD for each call
	PayTo        string         `json:"payTo,omitempty"`     // an address of a wallet of the workspace
	Network      string         `json:"network,omitempty"`   // slug
	SchemaInput  map[string]any `json:"schema_input,omitempty"`
	SchemaOutput map[string]any `json:"schema_output,omitempty"`
}

// SkillListOptions select skills.
type SkillListOptions struct {
	ListOptions
	Subtype string // "": any
}

// BazaarOptions select a page of the bazaar.
type BazaarOptions struct {
	Type          string // http | mcp; "": both
	Limit, Offset int    // Limit is 20 unless given, and 100 at most
}

func ofSkill(id string) string { return skillsPath + "/" + url.PathEscape(id) }

// Create registers a skill.
func (s *SkillsService) Create(ctx context.Context, req SkillRequest) (*Skill, error) {
	return data[Skill](ctx, s.c, http.MethodPost, skillsPath, req)
}

// Get reads an own or a public skill.
func (s *SkillsService) Get(ctx context.Context, id string) (*Skill, error) {
	return data[Skill](ctx, s.c, http.MethodGet, ofSkill(id), nil)
}

// List reads one page of own and public skills, newest first.
func (s *SkillsService) List(ctx context.Context, o SkillListOptions) (*Page[Skill], error) {
	q := o.ListOptions.query()
	if o.Subtype != "" {
		q.Set("subtype", o.Subtype)
	}
	return list[Skill](ctx, s.c, skillsPath, q, nil)
}

// All walks the skills of all pages.
func (s *SkillsService) All(ctx context.Context, o SkillListOptions) iter.Seq2[Skill, error] {
	return each(o.ListOptions, func(at ListOptions) (*Page[Skill], error) {
		o.ListOptions = at
		return s.List(ctx, o)
	})
}

// Update changes what is given.
func (s *SkillsService) Update(ctx context.Context, id string, req SkillUpdate) (*Skill, error) {
	return data[Skill](ctx, s.c, http.MethodPatch, ofSkill(id), req)
}

// Delete takes a skill away.
func (s *SkillsService) Delete(ctx context.Context, id string) (*DeletedSkill, error) {
	return data[DeletedSkill](ctx, s.c, http.MethodDelete, ofSkill(id), nil)
}

// Test calls an own skill without paying. It is tried once, whatever Config.Retry says: a skill may do something each
// time that it is called.
func (s *SkillsService) Test(ctx context.Context, id string, input map[string]any) (*TestedSkill, error) {
	once := *s.c
	once.retry.Attempts = 1
	return data[TestedSkill](ctx, &once, http.MethodPost, ofSkill(id)+"/test", rest.SkillTest{Input: input})
}

// Health reads what came of the last check of a public skill.
func (s *SkillsService) Health(ctx context.Context, id string) (*SkillHealth, error) {
	return data[SkillHealth](ctx, s.c, http.MethodGet, ofSkill(id)+"/health", nil)
}

// Bazaar reads a page of the skills that are on offer.
func (s *SkillsService) Bazaar(ctx context.Context, o BazaarOptions) (*Bazaar, error) {
	q := url.Values{}
	if o.Type != "" {
		q.Set("type", o.Type)
	}
	if o.Limit > 0 {
		q.Set("limit", strconv.Itoa(o.Limit))
	}
	if o.Offset > 0 {
		q.Set("offset", strconv.Itoa(o.Offset))
	}
	r, err := send[Bazaar](ctx, s.c, request{method: http.MethodGet, path: skillsPath + "/bazaar", query: q})
	if err != nil {
		return nil, err
	}
	return &r.Data, nil
}

// Tools lists the skills that an agent may call.
func (s *AgentsService) Tools(ctx context.Context, agentID string) (*AgentTools, error) {
	return data[AgentTools](ctx, s.c, http.MethodGet, agentPath(agentID, "/tools"), nil)
}

// AddTool lets an agent call a skill.
func (s *AgentsService) AddTool(ctx context.Context, agentID, skillID string) (*AgentTool, error) {
	body := rest.AgentToolRequest{SkillID: skillID}
	return data[AgentTool](ctx, s.c, http.MethodPost, agentPath(agentID, "/tools"), body)
}

// RemoveTool lets an agent no longer call a skill.
func (s *AgentsService) RemoveTool(ctx context.Context, agentID, skillID string) (*RemovedTool, error) {
	return data[RemovedTool](ctx, s.c, http.MethodDelete, agentPath(agentID, "/tools")+"/"+url.PathEscape(skillID), nil)
}
