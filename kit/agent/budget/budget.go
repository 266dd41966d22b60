// Package budget counts two of the three layers of an agent's budget: infra, the price of its calls, and tokens, what
// it reports of its LLMs. The third, payments, is counted by the signer, by the same limits.
//
// The limits are the signer's. They come with each call and are in no table, so that whoever rewrites the database can
// make an agent's count smaller and never its limit higher; payments do not depend on these counts at all.
//
// A call that does work is held before the signer is asked, and captured or voided once it is known what became of it:
//
//	held      -> captured  the call did its work, or waits for a passkey that may let it
//	held      -> void      the signer refused it, or never heard of it
//	void      -> held      the same call is made again
//
// Months are UTC calendar months by the clock of the database, which all servers share. A hold belongs to the month
// that admitted it.
//
// Read budget.go for the words, usd.go for amounts and months, hold.go for the life of a hold, refusal.go for what a
// refused caller is told, sweep.go for holds that a crash left behind, and view.go for what the API shows.
package budget

import (
	"context"
	"fmt"
	"time"

	"github.com/railkit/railkit/enclave/client"
	"github.com/railkit/railkit/enclave/wire"
	"github.com/railkit/railkit/platform/auth"
	"github.com/railkit/railkit/platform/page"
	"github.com/railkit/railkit/platform/record"
)

// Layer is a part of a budget that is counted here.
type Layer string

// The layers, in the order in which their rows are locked.
const (
	Infra  Layer = "infra"
	Tokens Layer = "tokens"
)

// Account is what an agent has of a layer in a month.
type Account struct {
	WorkspaceID, AgentID string
	Month                Month
	Layer                Layer
}

// Sum is what an account says.
type Sum struct{ Spent, Held Nano }

// State is the state of a hold.
type State string

// The states of a hold.
const (
	Held     State = "held"
	Captured State = "captured"
	Void     State = "void"
)

// Hold is a call of an agent that was admitted.
type Hold struct {
	WorkspaceID, ID string
	AgentID         string
	Month           Month // that admitted it
	Infra, Tokens   Nano
	Fingerprint     string // of the body that the signer is asked about; "" where the call needs no signer
	State           State
	CreatedAt       time.Time // by the database's clock
}

// of is what the hold takes from a layer.
func (h Hold) of(l Layer) (Account, Nano) {
	amount := h.Infra
	if l == Tokens {
		amount = h.Tokens
	}
	return Account{h.WorkspaceID, h.AgentID, h.Month, l}, amount
}

func (h Hold) cursor() page.Cursor { return page.Cursor{CreatedAt: h.CreatedAt, ID: h.ID} }

// Counter is the part of a transaction of the database in which accounts are read and changed.
type Counter interface {
	Now(context.Context) (time.Time, error) // by the database's clock
	Spending(ctx context.Context, workspaceID, agentID string, m Month) (map[Layer]Sum, error)
	// AddSpent counts an amount whatever the limit is, up to a highest sum.
	AddSpent(ctx context.Context, a Account, amount, most Nano) error
}

// HoldTx is what holds need of a transaction of the database: their own, or that of what is held for.
type HoldTx interface {
	Now(context.Context) (time.Time, error)
	Spending(ctx context.Context, workspaceID, agentID string, m Month) (map[Layer]Sum, error)
	InsertHold(context.Context, Hold) (inserted bool, err error) // not where there is one with its id
	Hold(ctx context.Context, workspaceID, id string) (Hold, error)
	RenewHold(ctx context.Context, workspaceID, id, fingerprint string) error // record.ErrStale: it is not held
	RepeatHold(context.Context, Hold) error                                   // record.ErrStale: it is not void
	// EndHold ends a hold that is held, and tells what it was; no other hold is changed.
	EndHold(ctx context.Context, workspaceID, id string, to State) (h Hold, ended bool, err error)
	// TakeFromBudget holds an amount that is at most the limit, where it fits beside what is spent and held.
	TakeFromBudget(ctx context.Context, a Account, amount, limit Nano) (fits bool, err error)
	// EndHeld takes an amount from what is held, and counts another as spent.
	EndHeld(ctx context.Context, a Account, held, spent Nano) error
}

// Tx also counts what is refused.
type Tx interface {
	HoldTx
	CountRefusal(ctx context.Context, workspaceID, agentID string, at time.Time) error
}

// Store is what budgets need of a database.
type Store interface {
	Now(context.Context) (time.Time, error)
	Spending(ctx context.Context, workspaceID, agentID string, m Month) (map[Layer]Sum, error)
	HoldsWaiting(ctx context.Context, before time.Time, after page.Cursor, most int) ([]Hold, error)
	record.Writer[Tx]
}

// Signer tells what became of a body.
type Signer interface {
	Outcome(ctx context.Context, fingerprint string) (client.Outcome, error)
}

// Switch is the operator's kill switch.
type Switch interface {
	On(context.Context) (bool, error)
	Open(context.Context) error // kill_switch_active while it is on
}

// Tenants tells what a workspace may.
type Tenants interface {
	Tenant(ctx context.Context, workspaceID string) (auth.Tenant, error)
}

// Config wires a Service.
type Config struct {
	Store     Store
	Signer    Signer
	Switch    Switch
	Tenants   Tenants
	CallPrice Nano // of each call that does work
}

// Service admits calls of agents, and counts them.
type Service struct{ c Config }

// New makes a Service.
func New(c Config) *Service { return &Service{c} }

// Open refuses what agents of a workspace pay while the operator's kill switch is on, or the operator has stopped the
// workspace's agents.
func (s *Service) Open(ctx context.Context, workspaceID string) error {
	if err := s.c.Switch.Open(ctx); err != nil {
		return err
	}
	t, err := s.c.Tenants.Tenant(ctx, workspaceID)
	if err != nil {
		return fmt.Errorf("finding an agent's workspace: %w", err)
	}
	return t.AgentsMayPay()
}

// Stopped reports whether an agent may pay nothing whatever its budget is: it was killed, or a kill switch is on, that
// of its sub-organization or the operator's.
func (s *Service) Stopped(ctx context.Context, a wire.AgentReply) (bool, error) {
	if a.Status == wire.AgentKilled || a.KillSwitch {
		return true, nil
	}
	return s.c.Switch.On(ctx)
}
