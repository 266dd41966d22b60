package agent

import (
	"context"
	"time"

	"github.com/railkit/railkit/kit/agent/budget"
	"github.com/railkit/railkit/platform/page"
	"github.com/railkit/railkit/store/db"
	"github.com/railkit/railkit/store/internal/sqldb"
	"github.com/railkit/railkit/store/signing"
)

// Spending is what an agent's accounts of a month say; a layer without one has nothing.
func (r reads) Spending(
	ctx context.Context, workspaceID, agentID string, m budget.Month,
) (map[budget.Layer]budget.Sum, error) {
	rows, err := r.db.Read.Spending(ctx, workspaceID, agentID, string(m))
	return signing.SumsOf(rows), sqldb.Reading("reading an agent's budget", err)
}

// HoldsWaiting lists holds that are held since before an instant, oldest first.
func (r reads) HoldsWaiting(
	ctx context.Context, before time.Time, after page.Cursor, most int,
) ([]budget.Hold, error) {
	rows, err := r.db.Read.HoldsWaiting(ctx, db.HoldsWaitingParams{
		Before: sqldb.Micros(before), After: sqldb.Micros(after.CreatedAt), AfterID: after.ID, Most: int32(most),
	})
	return sqldb.Many(rows, err, signing.HoldRow)
}

func (t tx) AddSpent(ctx context.Context, a budget.Account, amount, most budget.Nano) error {
	return sqldb.Doing("counting what an agent spent", t.Q.AddSpent(ctx, db.AddSpentParams{
		WorkspaceID: a.WorkspaceID, AgentID: a.AgentID, Month: string(a.Month), Layer: string(a.Layer),
		Amount: int64(amount), Most: int64(most),
	}))
}

func (t tx) CountRefusal(ctx context.Context, workspaceID, agentID string, at time.Time) error {
	return sqldb.Doing("counting a refusal", t.Q.CountRefusal(ctx, workspaceID, agentID, dayOf(at)))
}

// dayOf is the UTC day of an instant, counted from 1970.
func dayOf(at time.Time) int64 { return at.Unix() / 86400 }
