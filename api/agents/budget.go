package agents

import (
	"context"

	"github.com/railkit/railkit/api/edge"
	"github.com/railkit/railkit/kit/agent"
	"github.com/railkit/railkit/kit/agent/analytics"
	"github.com/railkit/railkit/kit/agent/budget"
	"github.com/railkit/railkit/kit/agent/event"
	"github.com/railkit/railkit/platform/auth"
	"github.com/railkit/railkit/platform/command"
	"github.com/railkit/railkit/platform/page"
	"github.com/railkit/railkit/rest"
)

// AgentPeriod chooses what analytics tell of.
type AgentPeriod struct {
	Period string `query:"period" enum:"day,week,month" default:"month" doc:"day: today; week: today and the six days before; month: the calendar month so far. Days are UTC"`
}

func registerAgentCounts(s *edge.Server, kit *agent.Kit) {
	edge.Get(s, edge.Op{
		ID: "getAgentBudget", Path: agentsPath + "/{id}/budget", Tag: agentsTag,
		Summary: "Get what is left of an agent's budget this month", Module: auth.Agents,
		Access: auth.AccessOwnAgentRead, Callers: edge.AlsoAgents,
	}, func(ctx context.Context, p auth.Principal, in *AgentPath) (rest.AgentBudget, error) {
		a, err := kit.Identity.Own(ctx, p, in.ID)
		if err != nil {
			return rest.AgentBudget{}, err
		}
		b, err := kit.Budgets.State(ctx, a)
		if err != nil {
			return b, err
		}
		unused, err := kit.X402Payments.Reusable(ctx, a.WorkspaceID, a.AgentID)
		b.Layers.Payments.Unused = budget.OfMicro(unused).Number()
		return b, err
	})
	edge.Write[rest.ReportedEvents](s, edge.Op{
		ID: "reportAgentEvents", Path: agentsPath + "/events/batch", Tag: agentsTag,
		Summary: "Report what an agent did and what it cost", Module: auth.Agents,
		Description: "Costs of LLMs and APIs count in the layers tokens and infra, once for each event id, " +
			"also beyond the limit: then the agent's next call is refused.",
		Access: auth.AccessOwnAgentWrite, Callers: []auth.Kind{auth.ByAgent},
	}, func(ctx context.Context, cmd *command.Command, in *struct {
		Signature string `header:"X-Agent-Auth" hidden:"true"`
		Body      event.ReportEventsInput
	}) (command.Answer, error) {
		return kit.Events.Report(ctx, cmd, in.Signature, in.Body)
	})
	registerAgentAnalytics(s, kit.Analytics)
}

func registerAgentAnalytics(s *edge.Server, kit *analytics.Service) {
	edge.Get(s, edge.Op{
		ID: "getAgentAnalytics", Path: agentsPath + "/{id}/analytics", Tag: agentsTag,
		Summary: "Get what an agent spent and did, day by day", Module: auth.Agents,
		Access: auth.AccessOwnAgentRead, Callers: edge.AlsoAgents,
	}, func(ctx context.Context, p auth.Principal, in *struct {
		AgentPath
		AgentPeriod
	}) (rest.AgentAnalytics, error) {
		return kit.Agent(ctx, p, in.ID, in.Period)
	})
	edge.List(s, edge.Op{
		ID: "getAgentsSummary", Path: agentsPath + "/analytics/summary", Tag: agentsTag,
		Summary: "Get what each agent of the workspace spent and did, newest agent first", Module: auth.Agents,
		Access: auth.AccessAgentRead,
	}, func(ctx context.Context, p auth.Principal, in *struct {
		edge.Paging
		AgentPeriod
	}) (edge.Page[rest.AgentActivity], error) {
		return edge.PageFrom(in.Paging, func(at page.Page) ([]rest.AgentActivity, *page.Cursor, int, error) {
			return kit.Summary(ctx, p, in.Period, at)
		})
	})
}
