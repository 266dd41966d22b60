package agents

import (
	"context"
	"time"

	"github.com/railkit/railkit/api/edge"
	"github.com/railkit/railkit/enclave/wire"
	signed "github.com/railkit/railkit/kit/agent/life"
	"github.com/railkit/railkit/kit/signing"
	"github.com/railkit/railkit/kit/signing/approval"
	"github.com/railkit/railkit/kit/signing/vote"
	"github.com/railkit/railkit/platform/auth"
	"github.com/railkit/railkit/platform/page"
	"github.com/railkit/railkit/rest"
)

type agentAuditQuery struct {
	AgentPath
	edge.Paging
	Type   string `query:"type" enum:"budget,lifecycle,credential,approval,payment" doc:"Absent: all"`
	Period string `query:"period" enum:"24h,7d,30d" doc:"Only what happened since; absent: all"`
	Status string `query:"status" enum:"success,failed" doc:"Absent: all"`
}

var auditPeriods = map[string]time.Duration{"24h": 24 * time.Hour, "7d": 7 * 24 * time.Hour, "30d": 30 * 24 * time.Hour}

func registerAgentRecord(s *edge.Server, kit *signed.Service) {
	edge.List(s, edge.Op{
		ID: "listAgentAudit", Path: agentsPath + "/{id}/audit", Tag: agentsTag, Module: auth.Agents,
		Access: auth.AccessAgentRead, Summary: "List what happened to an agent and what it did, newest first",
		Description: "The entries of the workspace's audit record whose resource is the agent, a change of it, " +
			"or a transaction to or from its wallet.",
	}, func(ctx context.Context, p auth.Principal, in *agentAuditQuery) (edge.Page[rest.AgentAuditEntry], error) {
		f := signed.RecordFilter{
			Type: in.Type, Status: in.Status, Since: auditPeriods[in.Period], Limit: in.Limit, Offset: in.Offset(),
		}
		after, err := edge.AuditPlace(in.Paging)
		if err != nil {
			return edge.Page[rest.AgentAuditEntry]{}, err
		}
		f.After = after
		entries, next, total, err := kit.Record(ctx, p, in.ID, f)
		return edge.PageOf(in.Paging, entries, total, edge.AuditCursor(next)), err
	})
}

type agentApprovalsQuery struct {
	edge.Paging
	Status string `query:"status" enum:"pending,approved,rejected,expired,all" default:"pending"`
}

func registerAgentApprovals(s *edge.Server, kit *signing.Kit) {
	edge.List(s, edge.Op{
		ID: "listAgentApprovals", Path: agentsPath + "/approvals", Tag: agentsTag, Module: auth.Agents,
		Access:  auth.AccessAgentRead,
		Summary: "List payments of agents that wait for a passkey, newest first, or what became of them",
	}, func(ctx context.Context, p auth.Principal, in *agentApprovalsQuery) (edge.Page[vote.ApprovalView], error) {
		f := approval.Filter{
			WorkspaceID: p.WorkspaceID, Activities: []string{string(wire.AgentPayment), string(wire.AgentX402)},
		}
		if in.Status != "all" {
			f.States = []approval.State{approval.State(in.Status)}
		}
		return edge.PageFrom(in.Paging, func(at page.Page) ([]vote.ApprovalView, *page.Cursor, int, error) {
			f.Page = at
			return kit.Votes.List(ctx, f)
		})
	})
}
