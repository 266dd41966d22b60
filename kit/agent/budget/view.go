package budget

import (
	"cmp"
	"context"

	"github.com/railkit/railkit/clock"
	"github.com/railkit/railkit/enclave/wire"
	"github.com/railkit/railkit/rest"
)

// AgentBudget is a budget as the API shows it, of the month that it is now.
type AgentBudget struct {
	AgentID     string            `json:"agentId" format:"uuid"`
	Period      string            `json:"period" enum:"monthly"`
	PeriodStart string            `json:"periodStart" format:"date-time" doc:"Begin of the UTC calendar month, by the clock of the database"`
	PeriodEnd   string            `json:"periodEnd" format:"date-time" doc:"When infra and tokens begin at zero again"`
	Layers      AgentBudgetLayers `json:"layers"`
	KillSwitch  bool              `json:"killSwitch" doc:"The agent was killed, or a kill switch is on: that of its sub-organization, or the operator's"`
}

// AgentBudgetLayers are its three layers.
type AgentBudgetLayers struct {
	Infra    AgentBudgetLayer    `json:"infra" doc:"Calls that do work"`
	Tokens   AgentBudgetLayer    `json:"tokens" doc:"LLM tokens, as the agent reports them"`
	Payments AgentPaymentsBudget `json:"payments" doc:"Payments, as the signer counts them, by its own clock"`
}

// AgentBudgetLayer is what is left of a layer.
type AgentBudgetLayer struct {
	Limit     rest.Number `json:"limit"`
	Spent     rest.Number `json:"spent" doc:"May be more than the limit: what an agent reports counts also beyond it, and then nothing more is admitted"`
	Held      rest.Number `json:"held" doc:"Of calls that are under way"`
	Remaining rest.Number `json:"remaining"`
	Currency  string      `json:"currency" enum:"USD,USDC"`
}

// AgentPaymentsBudget is the layer of payments.
type AgentPaymentsBudget struct {
	AgentBudgetLayer
	Unused            rest.Number `json:"unused" doc:"Of spent: signed for sellers who never took it; the next payments by x402 take it up again"`
	PerTx             rest.Number `json:"perTx" doc:"Most of one payment"`
	ApprovalThreshold rest.Number `json:"approvalThreshold" doc:"A payment of more waits for a passkey"`
}

// State tells what is left of an agent's budget. One without limits has nothing.
func (s *Service) State(ctx context.Context, a wire.AgentReply) (AgentBudget, error) {
	stopped, err := s.Stopped(ctx, a)
	if err != nil {
		return AgentBudget{}, err
	}
	now, err := s.c.Store.Now(ctx)
	if err != nil {
		return AgentBudget{}, err
	}
	month := MonthOf(now)
	sums, err := s.c.Store.Spending(ctx, a.WorkspaceID, a.AgentID, month)
	return View(a, month, sums, stopped), err
}

// View is a budget of a month with these sums.
func View(a wire.AgentReply, m Month, sums map[Layer]Sum, stopped bool) AgentBudget {
	most, _ := limitsOf(a) // none: nothing is left
	l := wire.AgentLimits{}
	if a.Limits != nil {
		l = *a.Limits
	}
	paid := Sum{limitOf(a.Payments.Spent), limitOf(a.Payments.Held)}
	start, end := m.Bounds()
	return AgentBudget{
		AgentID: a.AgentID, Period: "monthly", PeriodStart: clock.ISO(start), PeriodEnd: clock.ISO(end),
		KillSwitch: stopped,
		Layers: AgentBudgetLayers{
			Infra: layerView(most[Infra], sums[Infra], "USD"), Tokens: layerView(most[Tokens], sums[Tokens], "USD"),
			Payments: AgentPaymentsBudget{
				AgentBudgetLayer:  layerView(limitOf(l.PaymentsMonthlyUSDC), paid, "USDC"),
				Unused:            "0",
				PerTx:             numberOf(l.PerTxUSDC),
				ApprovalThreshold: numberOf(l.ApprovalThresholdUSDC),
			},
		},
	}
}

func layerView(limit Nano, is Sum, currency string) AgentBudgetLayer {
	return AgentBudgetLayer{
		Limit: limit.Number(), Spent: is.Spent.Number(), Held: is.Held.Number(),
		Remaining: max(limit-is.Spent-is.Held, 0).Number(), Currency: currency,
	}
}

func numberOf(limit string) rest.Number { return rest.Number(cmp.Or(limit, "0")) }
