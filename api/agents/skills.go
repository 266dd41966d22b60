package agents

import (
	"context"

	"github.com/railkit/railkit/api/edge"
	"github.com/railkit/railkit/kit/agent/execution"
	"github.com/railkit/railkit/kit/agent/skill"
	"github.com/railkit/railkit/kit/agent/tool"
	"github.com/railkit/railkit/platform/auth"
	"github.com/railkit/railkit/platform/command"
	"github.com/railkit/railkit/platform/page"
	"github.com/railkit/railkit/rest"
)

const (
	skillsTag  = "Skills"
	skillsPath = "/v1/action/skills"
)

// SkillPath names a skill.
type SkillPath struct {
	ID string `path:"id" maxLength:"64"`
}

// skillAliases are the other names under which the API's guides write a skill's fields.
var skillAliases = edge.Aliases{
	"endpoint": "url", "inputSchema": "schema_input", "outputSchema": "schema_output", "schemaInput": "schema_input",
	"schemaOutput": "schema_output", "authType": "auth_type", "authConfig": "auth_config", "isPublic": "is_public",
	"costUsdc": "cost_usdc", "pay_to": "payTo", "auth_config.apiKey": "auth_config.key",
	"auth_config.headerName": "auth_config.header",
}

// skillOp completes an operation of the skills.
func skillOp(op edge.Op, access auth.Access) edge.Op {
	op.Tag, op.Module, op.Access = skillsTag, auth.Agents, access
	if access == auth.AccessOwnAgentRead {
		op.Callers = edge.AlsoAgents
	}
	return op
}

func registerSkills(s *edge.Server, kit *skill.Service) {
	registerSkillReads(s, kit)
	edge.Write[rest.Skill](s, skillOp(edge.Op{
		ID: "createSkill", Path: skillsPath, Status: 201, Aliases: skillAliases, Summary: "Register a skill",
		Description: "A public skill is checked at once and then every five minutes. auth_config is sealed, and no answer has it.",
	}, auth.AccessAgentWrite), func(ctx context.Context, cmd *command.Command, in *struct {
		Body rest.SkillRequest
	}) (command.Answer, error) {
		return kit.Create(ctx, cmd, in.Body)
	})
	edge.Write[rest.Skill](s, skillOp(edge.Op{
		ID: "updateSkill", Method: "PATCH", Path: skillsPath + "/{id}", Aliases: skillAliases,
		Summary: "Change a skill; what is not named stays",
	}, auth.AccessAgentWrite), func(ctx context.Context, cmd *command.Command, in *struct {
		SkillPath
		Body rest.SkillChange
	}) (command.Answer, error) {
		return kit.Update(ctx, cmd, in.ID, in.Body)
	})
	edge.Write[rest.SkillDeleted](s, skillOp(edge.Op{
		ID: "deleteSkill", Method: "DELETE", Path: skillsPath + "/{id}",
		Summary: "Delete a skill; no agent can call it any more",
	}, auth.AccessAgentWrite), func(ctx context.Context, cmd *command.Command, in *SkillPath) (command.Answer, error) {
		return kit.Delete(ctx, cmd, in.ID)
	})
	edge.Call(s, skillOp(edge.Op{
		ID: "testSkill", Path: skillsPath + "/{id}/test", MostBody: 1 << 20,
		Summary: "Call an own skill once without paying, and see what its server answers",
		Description: "The server is shown auth_config. It is called once for each request: there is no Idempotency-Key. " +
			"The answer's own status is in the data.",
	}, auth.AccessAgentWrite), func(ctx context.Context, p auth.Principal, in *struct {
		SkillPath
		Body *rest.SkillTest
	}) (rest.SkillTested, error) {
		body := rest.SkillTest{}
		if in.Body != nil {
			body = *in.Body
		}
		return kit.Test(ctx, p, in.ID, body)
	})
}

func registerSkillCalls(s *edge.Server, kit *execution.Service) {
	edge.Write[rest.SkillAnswer](s, skillOp(edge.Op{
		ID: "executeSkill", Path: skillsPath + "/{id}/execute", Pays: true, Callers: edge.AlsoAgents, MostBody: 1 << 20,
		Summary: "Call a skill, and pay for it by x402 where it costs something",
		Description: "An agent calls the skills on its list. Without a payment a skill that costs something answers 402 with " +
			"the offers, in details and in the header PAYMENT-REQUIRED; the same request with a payment in PAYMENT-SIGNATURE " +
			"or X-PAYMENT calls it. One payment buys one call: sent again with the same request, it gets the same answer. " +
			"An answer of 400 and more of the skill's server is in data.status, and nothing is paid for it.",
	}, auth.AccessSkillCall), func(ctx context.Context, cmd *command.Command, in *struct {
		SkillPath
		Body *rest.SkillCall
	}) (command.Answer, error) {
		body := rest.SkillCall{}
		if in.Body != nil {
			body = *in.Body
		}
		return kit.Execute(ctx, cmd, in.ID, body, execution.HTTPHeaders(*edge.TillOf(ctx)))
	})
}

func registerSkillReads(s *edge.Server, kit *skill.Service) {
	edge.List(s, skillOp(edge.Op{
		ID: "listSkills", Path: skillsPath, Summary: "List own skills and all public ones, newest first",
	}, auth.AccessOwnAgentRead), func(ctx context.Context, p auth.Principal, in *struct {
		edge.Paging
		Subtype string `query:"subtype" enum:"x402,mcp,http,internal"`
	}) (edge.Page[rest.Skill], error) {
		return edge.PageFrom(in.Paging, func(at page.Page) ([]rest.Skill, *page.Cursor, int, error) {
			return kit.List(ctx, p, skill.Filter{Subtype: skill.Subtype(in.Subtype), Page: at})
		})
	})
	edge.Get(s, skillOp(edge.Op{
		ID: "listBazaar", Path: skillsPath + "/bazaar",
		Summary: "List public, healthy and paid skills in the discovery format of x402",
	}, auth.AccessOwnAgentRead), func(ctx context.Context, p auth.Principal, in *struct {
		Type   string `query:"type" enum:"http,mcp"`
		Limit  int    `query:"limit" minimum:"1" maximum:"100" default:"20"`
		Offset int    `query:"offset" minimum:"0" maximum:"1000000" default:"0"`
	}) (rest.Bazaar, error) {
		return kit.Bazaar(ctx, p, skill.Offers{
			Origin: edge.OriginOf(ctx), Type: in.Type, Page: page.Page{Limit: in.Limit, Offset: in.Offset},
		})
	})
	edge.Get(s, skillOp(edge.Op{
		ID: "getSkill", Path: skillsPath + "/{id}", Summary: "Get an own or a public skill",
	}, auth.AccessOwnAgentRead), func(ctx context.Context, p auth.Principal, in *SkillPath) (rest.Skill, error) {
		return kit.Get(ctx, p, in.ID)
	})
	edge.Get(s, skillOp(edge.Op{
		ID: "getSkillHealth", Path: skillsPath + "/{id}/health",
		Summary: "Get what came of the last check of a skill",
	}, auth.AccessOwnAgentRead), func(ctx context.Context, p auth.Principal, in *SkillPath) (rest.SkillHealth, error) {
		return kit.Health(ctx, p, in.ID)
	})
}

func registerAgentTools(s *edge.Server, kit *tool.Service) {
	edge.Get(s, edge.Op{
		ID: "listAgentTools", Path: agentsPath + "/{id}/tools", Tag: agentsTag, Module: auth.Agents,
		Access: auth.AccessAgentRead, Summary: "List the skills that an agent may call, by subtype",
	}, func(ctx context.Context, p auth.Principal, in *AgentPath) (rest.AgentTools, error) {
		return kit.List(ctx, p, in.ID)
	})
	edge.Write[rest.AgentTool](s, agentOp(edge.Op{
		ID: "addAgentTool", Path: agentsPath + "/{id}/tools", Status: 201, Known: true,
		Aliases: edge.Aliases{"toolId": "skill_id", "skillId": "skill_id"},
		Summary: "Let an agent call a skill",
	}), func(ctx context.Context, cmd *command.Command, in *struct {
		AgentPath
		Body rest.AgentToolRequest
	}) (command.Answer, error) {
		return kit.Add(ctx, cmd, in.ID, in.Body)
	})
	edge.Write[rest.AgentToolRemoved](s, agentOp(edge.Op{
		ID: "removeAgentTool", Method: "DELETE", Path: agentsPath + "/{id}/tools/{toolId}",
		Summary: "Let an agent no longer call a skill",
	}), func(ctx context.Context, cmd *command.Command, in *struct {
		AgentPath
		ToolID string `path:"toolId" maxLength:"64"`
	}) (command.Answer, error) {
		return kit.Remove(ctx, cmd, in.ID, in.ToolID)
	})
}
