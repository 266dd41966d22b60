package app

import (
	"fmt"

	"github.com/railkit/railkit/chain"
	"github.com/railkit/railkit/internal/config"
	"github.com/railkit/railkit/kit/agent"
	"github.com/railkit/railkit/kit/agent/budget"
	"github.com/railkit/railkit/kit/agent/killswitch"
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
func (a *App) newAgents(workspaces *workspace.Service) error {
	c := a.config
	facilitator, err := newFacilitator(c)
	if err != nil {
		return err
	}
	env := chain.Environment(c.Environment)
	a.Agents = agent.New(agent.Config{
		Stores: a.Store.Agents().Stores(), Signing: a.Signing, Budgets: a.Budgets, Enclave: a.signer,
		Tenants: workspaces, Environment: env, Networks: chain.Networks(env), Client: a.strangers, Vault: a.vault,
		Audit: a.Store, Facilitator: facilitator, Origin: c.APIOrigin, Clock: c.Clock, Log: c.Log,
	})
	return nil
}
