package railkit

import (
	"context"
	"encoding/json"
	"net/http"
	"net/url"
)

// AgentBudgetStatus is what is left of an agent's budget this month. Numbers are exact, digit by digit.
type AgentBudgetStatus struct {
	AgentID     string            `json:"agentId"`
	Period      string            `json:"period"` // monthly
	PeriodStart string            `json:"periodStart"`
	PeriodEnd   string            `json:"periodEnd"`
	Layers      AgentBudgetLayers `json:"layers"`
	KillSwitch  bool              `json:"killSwitch"` // nothing is paid: the agent was killed, or a switch is on
}

// AgentBudgetLayers are its three layers.
type AgentBudgetLayers struct {
	Infra    AgentBudgetLayer    `json:"infra"`
	Tokens   AgentBudgetLayer    `json:"tokens"`
	Payments AgentPaymentsBudget `json:"payments"`
}

// AgentBudgetLayer is what is left of a layer.
type AgentBudgetLayer struct {
	Limit     json.Number `json:"limit"`
	Spent     json.Number `json:"spent"` // may be more than the limit
	Held      json.Number `json:"held"`
	Remaining json.Number `json:"remaining"`
	Currency  string      `json:"currency"`
}

// AgentPaymentsBudget is the layer that the signer counts.
type AgentPaymentsBudget struct {
	AgentBudgetLayer
	Unused            json.Number `json:"unused"` // of spent: never taken by its seller
	PerTx             json.Number `json:"perTx"`
	ApprovalThreshold json.Number `json:"approvalThreshold"` // a payment of more waits for a passkey
}

// AgentEvent is something that an agent did.
type AgentEvent struct {
	// The event's own name: reported again, it counts nothing. Report under one whatever may be reported twice.
	ID        string         `json:"id,omitempty"`
	Type      string         `json:"type"`             // llm_call and token_usage count in tokens, api_call in infra
	Amount    json.Number    `json:"amount,omitempty"` // USD, at most 9 places
	Recipient string         `json:"recipient,omitempty"`
	Metadata  map[string]any `json:"metadata,omitempty"`
}

// ReportedEvents says what became of a batch.
type ReportedEvents struct {
	Accepted     int               `json:"accepted"`
	Duplicates   int               `json:"duplicates"`
	Events       []ReportedEvent   `json:"events"` // in the order of the request
	BudgetStatus AgentBudgetStatus `json:"budget_status"`
}

// ReportedEvent says what became of one.
type ReportedEvent struct {
	ID     string `json:"id"`
	Status string `json:"status"` // accepted | duplicate
}

// AgentPeriod chooses what analytics tell of.
type AgentPeriod string

// The periods.
const (
	PeriodDay   AgentPeriod = "day"
	PeriodWeek  AgentPeriod = "week"  // today and the six days before
	PeriodMonth AgentPeriod = "month" // the calendar month so far, UTC
)

// AgentAnalytics is what an agent spent and did in a period.
type AgentAnalytics struct {
	AgentID    string     `json:"agentId"`
	Name       string     `json:"name"`
	Period     string     `json:"period"`
	From       string     `json:"from"`
	To         string     `json:"to"`
	Layers     AgentUsage `json:"layers"`
	Calls      int        `json:"calls"`
	Events     int        `json:"events"`
	Refusals   int        `json:"refusals"`
	Timeseries []AgentDay `json:"timeseries"`
}

// AgentActivity is what one agent of several spent and did.
type AgentActivity struct {
	AgentID  string     `json:"agentId"`
	Name     string     `json:"name"`
	Status   string     `json:"status"`
	Layers   AgentUsage `json:"layers"`
	Calls    int        `json:"calls"`
	Events   int        `json:"events"`
	Refusals int        `json:"refusals"`
}

// AgentUsage is what was spent, by layer.
type AgentUsage struct {
	Infra    AgentLayerUsage `json:"infra"`
	Tokens   AgentLayerUsage `json:"tokens"`
	Payments AgentLayerUsage `json:"payments"`
}

// AgentLayerUsage is what was spent of a layer, in how many parts.
type AgentLayerUsage struct {
	Spent    json.Number `json:"spent"`
	Count    int         `json:"count"`
	Currency string      `json:"currency"`
}

// AgentDay is a day of an agent.
type AgentDay struct {
	Date         string      `json:"date"`
	Infra        json.Number `json:"infra"`
	Tokens       json.Number `json:"tokens"`
	Payments     json.Number `json:"payments"`
	Calls        int         `json:"calls"`
	Events       int         `json:"events"`
	PaymentCount int         `json:"paymentCount"`
	Refusals     int         `json:"refusals"`
}

// Budget tells what is left of an agent's budget.
func (s *AgentsService) Budget(ctx context.Context, agentID string) (*AgentBudgetStatus, error) {
	return data[AgentBudgetStatus](ctx, s.c, http.MethodGet, agentPath(agentID, "/budget"), nil)
}

// Analytics tells what an agent spent and did, day by day.
func (s *AgentsService) Analytics(ctx context.Context, agentID string, p AgentPeriod) (*AgentAnalytics, error) {
	r, err := send[AgentAnalytics](ctx, s.c, request{
		method: http.MethodGet, path: agentPath(agentID, "/analytics"), query: url.Values{"period": {string(p)}},
	})
	return &r.Data, err
}

// Summary tells what each agent of the workspace spent and did, a page at a time.
func (s *AgentsService) Summary(ctx context.Context, p AgentPeriod, at ListOptions) (*Page[AgentActivity], error) {
	q := at.query()
	q.Set("period", string(p))
	return list[AgentActivity](ctx, s.c, agentsPath+"/analytics/summary", q, nil)
}

// Budget tells what is left of the agent's own budget.
func (a *AgentClient) Budget(ctx context.Context) (*AgentBudgetStatus, error) {
	return a.c.Agents.Budget(ctx, a.id)
}

// Analytics tells what the agent itself spent and did.
func (a *AgentClient) Analytics(ctx context.Context, p AgentPeriod) (*AgentAnalytics, error) {
	return a.c.Agents.Analytics(ctx, a.id, p)
}

// ReportEvents reports what the agent did, 100 events at most.
func (a *AgentClient) ReportEvents(ctx context.Context, events ...AgentEvent) (*ReportedEvents, error) {
	body := map[string]any{"events": events}
	return data[ReportedEvents](ctx, a.c, http.MethodPost, agentsPath+"/events/batch", body)
}
