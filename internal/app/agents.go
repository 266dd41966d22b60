package app

import (
	"context"
	"fmt"

	"github.com/railkit/railkit/api/agents"
	"github.com/railkit/railkit/enclave/wire"
	"github.com/railkit/railkit/internal/config"
	"github.com/railkit/railkit/kit/agent"
	"github.com/railkit/railkit/kit/agent/analytics"
	"github.com/railkit/railkit/kit/agent/budget"
	"github.com/railkit/railkit/kit/agent/event"
	"github.com/railkit/railkit/kit/agent/killswitch"
	signed "github.com/railkit/railkit/kit/signing/agent"
	"github.com/railkit/railkit/platform/auth"
	"github.com/railkit/railkit/platform/page"
	"github.com/railkit/railkit/platform/workspace"
)

// callPrice is what a call of an agent takes from its infra budget, where no setting says it.
const callPrice = "0.0001"

// newBudgets makes what every payment of an agent asks: the operator's switch, and the budget that is counted here.
func (a *App) newBudgets(workspaces *workspace.Service) error {
	rows := a.Store.Agents()
	text := a.config.AgentCallPrice
	if text == "" {
		text = callPrice
	}
	price, err := budget.ParseUSD(text)
	if err != nil {
		return fmt.Errorf("%s: %w", config.Called("agent-call-price"), err)
	}
	a.KillSwitch = killswitch.New(rows.Switch())
	a.Budgets = budget.New(budget.Config{
		Store: rows.Budgets(), Signer: a.signer, Switch: a.KillSwitch, Tenants: workspaces, CallPrice: price,
	})
	return nil
}

// newAgents puts the agent kit together.
func (a *App) newAgents(workspaces *workspace.Service) {
	rows := a.Store.Agents()
	a.agents = agent.New(a.signer, workspaces, a.Budgets, a.config.Environment)
	a.counts = agents.Counts{
		Budgets: a.Budgets, Events: event.New(rows.Events(), a.signer, a.Budgets),
		Analytics: analytics.New(analytics.Config{
			Store: rows.Analytics(), Agents: a.agents, Directory: directory{a.Signing.Agents},
		}),
	}
}

// directory is the signing kit's list of agents, in the words of the agent kit.
type directory struct{ agents *signed.Service }

func (d directory) AgentsOf(
	ctx context.Context, p auth.Principal, at page.Page,
) ([]wire.AgentReply, *page.Cursor, int, error) {
	views, next, total, err := d.agents.List(ctx, p, signed.Filter{Page: at})
	all := make([]wire.AgentReply, len(views))
	for i, v := range views {
		all[i] = wire.AgentReply{
			WorkspaceID: p.WorkspaceID, AgentID: v.ID, Name: v.Name, Status: v.Status, Address: v.WalletAddress,
		}
	}
	return all, next, total, err
}
