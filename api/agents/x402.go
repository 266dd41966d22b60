package agents

import (
	"context"

	"github.com/railkit/railkit/api/edge"
	"github.com/railkit/railkit/fault"
	"github.com/railkit/railkit/kit/agent/budget"
	"github.com/railkit/railkit/kit/agent/identity"
	"github.com/railkit/railkit/kit/agent/x402pay"
	"github.com/railkit/railkit/platform/auth"
	"github.com/railkit/railkit/platform/command"
	"github.com/railkit/railkit/platform/page"
	"github.com/railkit/railkit/rest"
)

func registerAgentX402(s *edge.Server, kit *identity.Service, payments *x402pay.Service) {
	edge.Write[rest.X402Answer](s, edge.Op{
		ID: "payX402", Path: agentsPath + "/{id}/x402-pay", Tag: agentsTag, Module: auth.Agents,
		Access: auth.AccessOwnAgentWrite, Callers: []auth.Kind{auth.ByAgent}, Queued: true, MostBody: 1 << 20,
		Summary: "Pay a server that asks for money by x402, and answer what it then answers",
		Description: "With url the server asks and pays in the agent's place. With resource_url or paymentRequirement the " +
			"answer has the header that pays, and the agent asks by itself. 202 with approvalId and paymentId where the " +
			"amount is above the agent's threshold; once approved, paymentId goes on. An Idempotency-Key pays once.",
	}, func(ctx context.Context, cmd *command.Command, in *struct {
		AgentPath
		Body rest.X402PayRequest
	}) (command.Answer, error) {
		a, err := kit.Own(ctx, cmd.Principal, in.ID)
		if err != nil {
			return command.Answer{}, err
		}
		answer, err := payments.Pay(ctx, cmd, a, in.Body)
		return answer, budget.OfKind(err, fault.PaymentRequired)
	})
	registerX402Reads(s, kit, payments)
}

type x402Query struct {
	AgentPath
	edge.Paging
	State string `query:"state" enum:"prepared,signed,settled,unused,void" doc:"Absent: all"`
}

func registerX402Reads(s *edge.Server, kit *identity.Service, payments *x402pay.Service) {
	edge.List(s, edge.Op{
		ID: "listX402Payments", Path: agentsPath + "/{id}/x402-payments", Tag: agentsTag, Module: auth.Agents,
		Access: auth.AccessOwnAgentRead, Callers: edge.AlsoAgents,
		Summary: "List payments of an agent by x402, newest first",
	}, func(ctx context.Context, p auth.Principal, in *x402Query) (edge.Page[rest.X402Payment], error) {
		a, err := kit.Own(ctx, p, in.ID)
		if err != nil {
			return edge.Page[rest.X402Payment]{}, err
		}
		f := x402pay.Filter{WorkspaceID: a.WorkspaceID, AgentID: a.AgentID, State: x402pay.State(in.State)}
		return edge.PageFrom(in.Paging, func(at page.Page) ([]rest.X402Payment, *page.Cursor, int, error) {
			f.Page = at
			return payments.List(ctx, f)
		})
	})
	edge.Get(s, edge.Op{
		ID: "getX402Payment", Path: agentsPath + "/{id}/x402-payments/{paymentId}", Tag: agentsTag, Module: auth.Agents,
		Access: auth.AccessOwnAgentRead, Callers: edge.AlsoAgents,
		Summary: "Read what became of a payment by x402",
	}, func(ctx context.Context, p auth.Principal, in *struct {
		AgentPath
		PaymentID string `path:"paymentId" maxLength:"64"`
	}) (rest.X402Payment, error) {
		a, err := kit.Own(ctx, p, in.ID)
		if err != nil {
			return rest.X402Payment{}, err
		}
		found, err := payments.Find(ctx, a.WorkspaceID, a.AgentID, in.PaymentID)
		return found.View(), err
	})
}
