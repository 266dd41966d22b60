package api

import (
	"context"

	"github.com/railkit/railkit/api/edge"
	"github.com/railkit/railkit/kit/agent"
	"github.com/railkit/railkit/platform/auth"
	"github.com/railkit/railkit/rest"
)

// alsoAgents are the callers of what an agent may do for itself.
var alsoAgents = []auth.Kind{auth.ByKey, auth.BySession, auth.ByAgent}

func registerAgents(s *edge.Server, kit *agent.Service) {
	edge.Get(s, edge.Op{
		ID: "getAgentStatus", Path: "/v1/agents/{id}/status", Tag: "Agents", Summary: "Get an agent's status",
		Module: auth.Agents, Access: auth.AccessOwnAgentRead, Callers: alsoAgents,
	}, func(ctx context.Context, p auth.Principal, in *struct {
		ID string `path:"id" maxLength:"64"`
	}) (rest.AgentStatus, error) {
		return kit.Status(ctx, p, in.ID)
	})
}
