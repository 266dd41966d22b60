package agents

import (
	"context"

	"github.com/railkit/railkit/api/edge"
	"github.com/railkit/railkit/api/edge/stamp"
	signed "github.com/railkit/railkit/kit/agent/life"
	"github.com/railkit/railkit/platform/auth"
	"github.com/railkit/railkit/platform/command"
	"github.com/railkit/railkit/rest"
)

func registerAgentFunding(s *edge.Server, kit *signed.Service) {
	edge.Write[signed.PreparedFunding](s, agentOp(edge.Op{
		ID: "prepareAgentFunding", Path: agentsPath + "/{id}/fund/prepare",
		Summary: "Prepare a transfer of USDC from the owner's wallet to an agent's",
		Description: "The request is a transaction of type transfer_token: fundRequestId is its transactionId. " +
			"Stamped by the owner's passkey, its body goes to fund/confirm within 15 minutes.",
	}), func(ctx context.Context, cmd *command.Command, in *struct {
		AgentPath
		Body signed.PrepareFundingInput
	}) (command.Answer, error) {
		return kit.PrepareFunding(ctx, cmd, in.ID, in.Body)
	})
	edge.Write[signed.Funded](s, agentOp(edge.Op{
		ID: "confirmAgentFunding", Path: agentsPath + "/{id}/fund/confirm", Aliases: stamp.Alias, Queued: true,
		Summary: "Sign and send a prepared transfer to an agent; where it needs approval it waits for votes",
	}), func(ctx context.Context, cmd *command.Command, in *struct {
		AgentPath
		Body signed.ConfirmFundingInput
	}) (command.Answer, error) {
		return kit.ConfirmFunding(ctx, cmd, in.ID, in.Body)
	})
}

func registerAgentHoldings(s *edge.Server, kit *signed.Service) {
	edge.Get(s, edge.Op{
		ID: "getAgentExposure", Path: agentsPath + "/{id}/exposure", Tag: agentsTag, Module: auth.Agents,
		Access:  auth.AccessAgentRead,
		Summary: "List what was signed for an agent and may still leave its wallet",
		Description: "Also of an agent that was killed: what was signed before outlives it. The signer's journal is the source. " +
			"Each entry says how its owner's passkey makes it worthless.",
	}, func(ctx context.Context, p auth.Principal, in *AgentPath) (signed.AgentExposure, error) {
		return kit.Exposure(ctx, p, in.ID)
	})
	edge.Get(s, edge.Op{
		ID: "getAgentWallet", Path: agentsPath + "/{id}/wallet", Tag: agentsTag, Module: auth.Agents,
		Access: auth.AccessAgentRead, Summary: "Get an agent's wallet: its address, and the networks on which it pays",
	}, func(ctx context.Context, p auth.Principal, in *AgentPath) (rest.AgentWallet, error) {
		return kit.Wallet(ctx, p, in.ID)
	})
	edge.Get(s, edge.Op{
		ID: "getAgentWalletBalance", Path: agentsPath + "/{id}/wallet-balance", Tag: agentsTag, Module: auth.Agents,
		Access: auth.AccessOwnAgentRead, Callers: edge.AlsoAgents,
		Summary:     "Get the USDC in an agent's wallet, as the networks' nodes say it now",
		Description: "Where a node does not answer this is 502, and 503 where there is none: never a sum without it.",
	}, func(ctx context.Context, p auth.Principal, in *struct {
		AgentPath
		Network string `query:"network" maxLength:"64" doc:"Only there. Absent: on all networks on which the agent pays"`
	}) (rest.AgentBalance, error) {
		return kit.Balance(ctx, p, in.ID, in.Network)
	})
}
