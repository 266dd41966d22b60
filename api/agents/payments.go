package agents

import (
	"context"

	"github.com/railkit/railkit/api/edge"
	"github.com/railkit/railkit/kit/agent/identity"
	"github.com/railkit/railkit/kit/agent/payment"
	"github.com/railkit/railkit/kit/signing/transaction"
	"github.com/railkit/railkit/platform/auth"
	"github.com/railkit/railkit/platform/command"
	"github.com/railkit/railkit/rest"
)

func registerAgentPayments(s *edge.Server, kit *identity.Service, payments *payment.Service) {
	edge.Write[transaction.TransactionView](s, edge.Op{
		ID: "signAgentTransaction", Path: agentsPath + "/{id}/sign-transaction", Tag: agentsTag, Module: auth.Agents,
		Access: auth.AccessOwnAgentWrite, Callers: []auth.Kind{auth.ByAgent}, Queued: true,
		Summary: "Pay USDC from the agent's wallet, within the limits that its owner stamped",
		Description: "Signed and sent at once, or 202 with approvalId where the amount is above the agent's threshold. " +
			"The signer reads the body exactly as the agent signed it. An Idempotency-Key pays once.",
	}, func(ctx context.Context, cmd *command.Command, in *struct {
		AgentPath
		Body rest.AgentPaymentRequest
	}) (command.Answer, error) {
		a, err := kit.Own(ctx, cmd.Principal, in.ID)
		if err != nil {
			return command.Answer{}, err
		}
		return payments.Pay(ctx, cmd, a)
	})
}
