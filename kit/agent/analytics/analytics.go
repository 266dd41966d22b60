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
)

// Of names an agent and a span of time: whole UTC days.
type Of struct {
	WorkspaceID, AgentID string
	WalletID             string // the enclave's, of its wallet
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
