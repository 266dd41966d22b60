package agents

import (
	"context"

	"github.com/railkit/railkit/api/edge"
	signed "github.com/railkit/railkit/kit/agent/life"
	"github.com/railkit/railkit/platform/auth"
	"github.com/railkit/railkit/platform/command"
	"github.com/railkit/railkit/rest"
)

func registerAgentWallets(s *edge.Server, kit *signed.Service) {
	edge.Write[rest.AgentMadeWallet](s, edge.Op{
		ID: "createAgentWallet", Path: agentsPath + "/wallets", Status: 201, Tag: agentsTag, Module: auth.Agents,
		Access: auth.AccessOwnAgentWrite, Callers: []auth.Kind{auth.ByAgent},
		Summary: "Make a wallet as an agent, as many as maxWallets of its limits allows",
		Description: "The wallet belongs to the agent's sub-organization: its passkeys pay from it, the agent does not. " +
			"The signer reads the body exactly as the agent signed it. An Idempotency-Key makes one wallet.",
	}, func(ctx context.Context, cmd *command.Command, _ *struct {
		Body rest.AgentWalletRequest
	}) (command.Answer, error) {
		return kit.OwnWallets().Create(ctx, cmd)
	})
}
