package budget

import (
	"cmp"
	"context"

	"github.com/railkit/railkit/clock"
	"github.com/railkit/railkit/enclave/wire"
	"github.com/railkit/railkit/rest"
)

// State tells what is left of an agent's budget. One without limits has nothing.
func (s *Service) State(ctx context.Context, a wire.AgentReply) (rest.AgentBudget, error) {
	stopped, err := s.Stopped(ctx, a)
	if err != nil {
		return rest.AgentBudget{}, err
	}
	now, err := s.c.Store.Now(ctx)
	if err != nil {
		return rest.AgentBudget{}, err
	}
	month := MonthOf(now)
	sums, err := s.c.Store.Spending(ctx, a.WorkspaceID, a.AgentID, month)
	return View(a, month, sums, stopped), err
}

// View is a budget of a month with these sums.
func View(a wire.AgentReply, m Month, sums map[Layer]Sum, stopped bool) rest.AgentBudget {
	most, _ := limitsOf(a) // none: nothing is left
	l := wire.AgentLimits{}
	if a.Limits != nil {
		l = *a.Limits
	}
	paid := Sum{limitOf(a.Payments.Spent), limitOf(a.Payments.Held)}
	start, end := m.Bounds()
	return rest.AgentBudget{
		AgentID: a.AgentID, Period: "monthly", PeriodStart: clock.ISO(start), PeriodEnd: clock.ISO(end),
		KillSwitch: stopped,
		Layers: rest.AgentBudgetLayers{
			Infra: layerView(most[Infra], sums[Infra], "USD"), Tokens: layerView(most[Tokens], sums[Tokens], "USD"),
			Payments: rest.AgentPaymentsBudget{
				AgentBudgetLayer:  layerView(limitOf(l.PaymentsMonthlyUSDC), paid, "USDC"),
				Unused:            "0",
				PerTx:             numberOf(l.PerTxUSDC),
				ApprovalThreshold: numberOf(l.ApprovalThresholdUSDC),
			},
		},
	}
}

func layerView(limit Nano, is Sum, currency string) rest.AgentBudgetLayer {
	return rest.AgentBudgetLayer{
		Limit: limit.Number(), Spent: is.Spent.Number(), Held: is.Held.Number(),
		Remaining: max(limit-is.Spent-is.Held, 0).Number(), Currency: currency,
	}
}

func numberOf(limit string) rest.Number { return rest.Number(cmp.Or(limit, "0")) }
