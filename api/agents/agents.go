// Package agents is the operations of agents, of what they pay and buy, and of skills.
package agents

import (
	"context"

	"github.com/railkit/railkit/api/edge"
	"github.com/railkit/railkit/api/edge/stamp"
	"github.com/railkit/railkit/enclave/wire"
	"github.com/railkit/railkit/kit/agent"
	"github.com/railkit/railkit/kit/agent/identity"
	signed "github.com/railkit/railkit/kit/agent/life"
	"github.com/railkit/railkit/kit/signing"
	"github.com/railkit/railkit/kit/signing/activity"
	"github.com/railkit/railkit/platform/auth"
	"github.com/railkit/railkit/platform/command"
	"github.com/railkit/railkit/rest"
)

const (
	agentsTag  = "Agents"
	agentsPath = "/v1/agents"
)

// Register lists the operations.
func Register(s *edge.Server, kit *agent.Kit, signing *signing.Kit) {
	registerAgents(s, kit, signing)
	registerAgentCounts(s, kit)
	registerAgentTools(s, kit.Tools)
	registerSkills(s, kit.Skills)
	registerSkillCalls(s, kit.Executions)
}

func registerAgents(s *edge.Server, kit *agent.Kit, signing *signing.Kit) {
	registerProvisioning(s, kit.Agents)
	registerAgentReads(s, kit.Identity, kit.Agents)
	registerAgentLimits(s, kit.Agents)
	registerAgentStates(s, kit.Agents)
	registerAgentPayments(s, kit.Identity, kit.Payments)
	registerAgentX402(s, kit.Identity, kit.X402Payments)
	registerAgentFunding(s, kit.Agents)
	registerAgentHoldings(s, kit.Agents)
	registerAgentRecord(s, kit.Agents)
	registerAgentApprovals(s, signing)
	registerAgentWallets(s, kit.Agents)
}

// budgetAliases are the two forms in which the API's guides write a budget, under a prefix.
func budgetAliases(prefix string) edge.Aliases {
	all := edge.Aliases{}
	for old, name := range map[string]string{
		"infra": "infraMonthlyUsd", "infrastructure.monthlyUSD": "infraMonthlyUsd", "tokens": "tokensMonthlyUsd",
		"tokens.monthlyUSD": "tokensMonthlyUsd", "payments": "paymentsMonthlyUsdc",
		"payments.monthlyUSDC": "paymentsMonthlyUsdc", "payments.perTxUSDC": "perTxUsdc",
		"payments.approvalThresholdUSDC": "approvalThresholdUsdc",
	} {
		all[prefix+old] = prefix + name
	}
	all["stampedActivity"] = "signedActivity"
	return all
}

// agentOp completes an operation of the agent kit.
func agentOp(op edge.Op) edge.Op {
	op.Tag, op.Module, op.Access = agentsTag, auth.Agents, auth.AccessAgentWrite
	return op
}

// stampableAgentOp completes one that has the three forms.
func stampableAgentOp(op edge.Op) edge.Op { return agentOp(stamp.ThreeForms(op)) }

func registerProvisioning(s *edge.Server, kit *signed.Service) {
	aliases := budgetAliases("budget.")
	aliases["wallet_address"], aliases["chain_id"] = "walletAddress", "chainId"
	edge.Write[signed.PreparedAgent](s, agentOp(edge.Op{
		ID: "prepareAgent", Path: agentsPath + "/prepare", Aliases: aliases,
		Summary: "Prepare an agent: first of two rounds that its owner stamps",
		Description: "The stamped body goes to confirm-user, which makes the agent and its wallet and answers the body of the second round. " +
			"Stamped, that one goes to confirm-policies, which gives the agent these limits and its secret.",
	}), func(ctx context.Context, cmd *command.Command, in *struct {
		Body rest.PrepareAgentRequest
	}) (command.Answer, error) {
		return kit.Prepare(ctx, cmd, in.Body)
	})
	edge.Write[signed.PreparedAgentPolicies](s, agentOp(edge.Op{
		ID: "confirmAgentUser", Path: agentsPath + "/confirm-user", Queued: true,
		Aliases: edge.Aliases{"stampedActivity": "signedActivity", "agentDraftId": "agentRequestId"},
		Summary: "Make a prepared agent and its wallet; answers what to stamp for its limits",
	}), func(ctx context.Context, cmd *command.Command, in *struct {
		Body signed.ConfirmAgentInput
	}) (command.Answer, error) {
		return kit.ConfirmUser(ctx, cmd, in.Body)
	})
	edge.Write[signed.AgentWithSecret](s, agentOp(edge.Op{
		ID: "confirmAgentPolicies", Path: agentsPath + "/confirm-policies", Aliases: stamp.Alias, Queued: true,
		Summary: "Activate an agent: it gets its limits and its secret, which is shown once",
	}), func(ctx context.Context, cmd *command.Command, in *struct {
		Body signed.ConfirmAgentPoliciesInput
	}) (command.Answer, error) {
		return kit.ConfirmPolicies(ctx, cmd, in.Body)
	})
	edge.Write[signed.PreparedAgentPolicies](s, agentOp(edge.Op{
		ID: "prepareAgentPolicies", Path: agentsPath + "/{id}/prepare-policies",
		Summary: "Prepare an agent's second round again",
	}), func(ctx context.Context, cmd *command.Command, in *struct {
		AgentPath
		Body *rest.ReturnTo
	}) (command.Answer, error) {
		return kit.PreparePolicies(ctx, cmd, in.ID)
	})
	edge.Write[signed.AgentChanged](s, agentOp(edge.Op{
		ID: "deleteAgent", Method: "DELETE", Path: agentsPath + "/{id}", Queued: true, Stops: true,
		Summary:     "Delete an agent that was never activated",
		Description: "Its wallet stays its owner's. An agent that was activated is killed instead.",
	}), func(ctx context.Context, cmd *command.Command, in *AgentPath) (command.Answer, error) {
		return kit.Delete(ctx, cmd, in.ID)
	})
}

// AgentPath names an agent.
type AgentPath struct {
	ID string `path:"id" maxLength:"64"`
}

func registerAgentReads(s *edge.Server, kit *identity.Service, agents *signed.Service) {
	edge.List(s, edge.Op{
		ID: "listAgents", Path: agentsPath, Tag: agentsTag, Summary: "List agents, newest first",
		Module: auth.Agents, Access: auth.AccessAgentRead,
	}, func(ctx context.Context, p auth.Principal, in *struct {
		edge.Paging
		SubOrganizationID string `query:"subOrganizationId" maxLength:"64"`
		Search            string `query:"search" maxLength:"100" doc:"Part of the name"`
	}) (edge.Page[signed.AgentView], error) {
		at, err := edge.PageAt(in.Paging)
		if err != nil {
			return edge.Page[signed.AgentView]{}, err
		}
		items, next, total, err := agents.List(ctx, p, signed.Filter{
			SubOrganizationID: in.SubOrganizationID, Search: in.Search, Page: at,
		})
		return edge.PageOf(in.Paging, items, total, edge.Cursor(next)), err
	})
	edge.Get(s, edge.Op{
		ID: "getAgent", Path: agentsPath + "/{id}", Tag: agentsTag, Module: auth.Agents,
		Access: auth.AccessAgentRead, Summary: "Get an agent: its state, wallet and limits",
	}, func(ctx context.Context, p auth.Principal, in *AgentPath) (signed.AgentView, error) {
		return agents.Get(ctx, p, in.ID)
	})
	edge.Get(s, edge.Op{
		ID: "getAgentStatus", Path: agentsPath + "/{id}/status", Tag: agentsTag, Summary: "Get an agent's status",
		Module: auth.Agents, Access: auth.AccessOwnAgentRead, Callers: edge.AlsoAgents,
	}, func(ctx context.Context, p auth.Principal, in *AgentPath) (rest.AgentState, error) {
		return kit.Status(ctx, p, in.ID)
	})
}

func registerAgentLimits(s *edge.Server, kit *signed.Service) {
	edge.Write[signed.AgentChanged](s, stampableAgentOp(edge.Op{
		ID: "setAgentBudget", Path: agentsPath + "/{id}/budget", Aliases: budgetAliases(""),
		Summary: "Change an agent's budget, networks and recipients; what is not named stays",
	}), func(ctx context.Context, cmd *command.Command, in *struct {
		AgentPath
		stamp.Query
		Body signed.AgentBudgetInput
	}) (command.Answer, error) {
		return kit.SetLimits(ctx, cmd, in.ID, in.Body, in.Prepare)
	})
	edge.Write[signed.AgentWithSecret](s, stampableAgentOp(edge.Op{
		ID: "rotateAgentSecret", Path: agentsPath + "/{id}/rotate",
		Summary: "Give an agent a new secret; the old one is worth nothing at once",
	}), func(ctx context.Context, cmd *command.Command, in *struct {
		AgentPath
		stamp.Query
		Body *signed.RotateAgentInput
	}) (command.Answer, error) {
		body := signed.RotateAgentInput{}
		if in.Body != nil {
			body = *in.Body
		}
		return kit.Rotate(ctx, cmd, in.ID, body, in.Prepare)
	})
}

func registerAgentStates(s *edge.Server, kit *signed.Service) {
	for _, op := range []struct {
		id, word, summary string
		to                wire.AgentStatus
	}{
		{"pauseAgent", "pause", "Pause an agent: it pays nothing until it is resumed", wire.AgentSuspended},
		{"resumeAgent", "resume", "Let a paused agent pay again", wire.AgentActive},
		{"killAgent", "kill", "Kill an agent, for good; its wallet keeps its funds", wire.AgentKilled},
	} {
		edge.Write[signed.AgentChanged](s, stampableAgentOp(edge.Op{
			ID: op.id, Path: agentsPath + "/{id}/" + op.word, Summary: op.summary, Stops: true,
		}), func(ctx context.Context, cmd *command.Command, in *stampedAgent) (command.Answer, error) {
			how := activity.Stamping{Prepare: in.Prepare, SignedActivity: stamp.Of(in.Body).SignedActivity}
			return kit.SetStatus(ctx, cmd, in.ID, op.to, how, "/"+op.word)
		})
	}
	edge.Write[signed.AgentChanged](s, stampableAgentOp(edge.Op{
		ID: "setAgentStatus", Method: "PATCH", Path: agentsPath + "/{id}/status", Summary: "Set an agent's status",
		Stops: true,
	}), func(ctx context.Context, cmd *command.Command, in *struct {
		AgentPath
		stamp.Query
		Body struct {
			Status         wire.AgentStatus  `json:"status" enum:"active,suspended,paused,draining,killed" doc:"paused means suspended. killed is for good. A draining agent begins nothing new"`
			SignedActivity *activity.Stamped `json:"signedActivity,omitempty" doc:"What prepare=true answered, stamped"`
			rest.ReturnTo
		}
	}) (command.Answer, error) {
		to := in.Body.Status
		if to == "paused" {
			to = wire.AgentSuspended
		}
		how := activity.Stamping{Prepare: in.Prepare, SignedActivity: in.Body.SignedActivity}
		return kit.SetStatus(ctx, cmd, in.ID, to, how, "/status")
	})
	edge.Write[signed.KillSwitchView](s, stampableAgentOp(edge.Op{
		ID: "setKillSwitch", Path: agentsPath + "/kill-switch", Stops: true,
		Summary: "Stop the payments of all agents of a sub-organization, or allow them again",
	}), func(ctx context.Context, cmd *command.Command, in *struct {
		stamp.Query
		Body signed.KillSwitchInput
	}) (command.Answer, error) {
		return kit.SetKillSwitch(ctx, cmd, in.Body, in.Prepare)
	})
}

// stampedAgent is a call about an agent that carries nothing but a stamp.
type stampedAgent struct {
	AgentPath
	stamp.Query
	Body *activity.StampInput
}
