// Package analytics tells what agents spent and did, day by day: calls and events as this kit counted them, and
// payments as the signing kit sent them. Days and months are UTC, by the clock of the database.
//
// Read analytics.go for the words, tally.go for the sums, and service.go for the calls.
package analytics

import (
	"context"
	"time"

	"github.com/railkit/railkit/enclave/wire"
	"github.com/railkit/railkit/kit/agent/budget"
	"github.com/railkit/railkit/platform/auth"
	"github.com/railkit/railkit/platform/page"
	"github.com/railkit/railkit/rest"
)

// AgentAnalytics is what an agent spent and did in a period.
type AgentAnalytics struct {
	AgentID    string     `json:"agentId" format:"uuid"`
	Name       string     `json:"name"`
	Period     string     `json:"period" enum:"day,week,month" doc:"day: today; week: today and the six days before; month: the calendar month so far"`
	From       string     `json:"from" format:"date-time"`
	To         string     `json:"to" format:"date-time" doc:"The end of today, which is not part of it"`
	Layers     AgentUsage `json:"layers"`
	Calls      int        `json:"calls" doc:"Calls that did work"`
	Events     int        `json:"events" doc:"Events that the agent reported"`
	Refusals   int        `json:"refusals" doc:"Calls that the layers infra and tokens refused, and those that came to nothing since the signer refused them"`
	Timeseries []AgentDay `json:"timeseries" doc:"Each day of the period, also those without anything"`
}

// AgentActivity is the same of one agent among others, without its days.
type AgentActivity struct {
	AgentID  string           `json:"agentId" format:"uuid"`
	Name     string           `json:"name"`
	Status   wire.AgentStatus `json:"status" enum:"pending_policies,active,draining,suspended,killed"`
	Layers   AgentUsage       `json:"layers"`
	Calls    int              `json:"calls"`
	Events   int              `json:"events"`
	Refusals int              `json:"refusals"`
}

// AgentUsage is what was spent, by layer.
type AgentUsage struct {
	Infra    AgentLayerUsage `json:"infra"`
	Tokens   AgentLayerUsage `json:"tokens"`
	Payments AgentLayerUsage `json:"payments"`
}

// AgentLayerUsage is what was spent of a layer, in how many parts.
type AgentLayerUsage struct {
	Spent    rest.Number `json:"spent"`
	Count    int         `json:"count"`
	Currency string      `json:"currency" enum:"USD,USDC"`
}

// AgentDay is a day of an agent.
type AgentDay struct {
	Date         string      `json:"date" format:"date"`
	Infra        rest.Number `json:"infra"`
	Tokens       rest.Number `json:"tokens"`
	Payments     rest.Number `json:"payments"`
	Calls        int         `json:"calls"`
	Events       int         `json:"events"`
	PaymentCount int         `json:"paymentCount"`
	Refusals     int         `json:"refusals"`
}

// Of names an agent and a span of time: whole UTC days.
type Of struct {
	WorkspaceID, AgentID string
	Address              string // of its wallet
	Since, Until         time.Time
}

// Calls are those of a day that are in one state.
type Calls struct {
	Day   time.Time
	State budget.State
	Count int
	Infra budget.Nano
}

// Events are those of a day that count in one layer.
type Events struct {
	Day    time.Time
	Layer  budget.Layer
	Count  int
	Amount budget.Nano
}

// Counted are so many of a day.
type Counted struct {
	Day   time.Time
	Count int
}

// Payments are those of a day of one amount.
type Payments struct {
	Day    time.Time
	Amount string // decimal, of USDC
	Count  int
}

// Store is what was counted, and what agents' wallets paid.
type Store interface {
	Now(context.Context) (time.Time, error)
	CallsByDay(context.Context, Of) ([]Calls, error)
	EventsByDay(context.Context, Of) ([]Events, error)
	RefusalsByDay(context.Context, Of) ([]Counted, error)
	PaymentsByDay(context.Context, Of) ([]Payments, error) // that the signer signed, whatever the chain made of them
}

// Agents finds agents.
type Agents interface {
	Own(ctx context.Context, p auth.Principal, id string) (wire.AgentReply, error)
}

// Directory lists the agents of a workspace, newest first.
type Directory interface {
	AgentsOf(ctx context.Context, p auth.Principal, at page.Page) ([]wire.AgentReply, *page.Cursor, int, error)
}
