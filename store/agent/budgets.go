package agent

import (
	"context"
	"time"

	"github.com/railkit/railkit/kit/agent/budget"
	"github.com/railkit/railkit/platform/page"
	"github.com/railkit/railkit/store/db"
	"github.com/railkit/railkit/store/internal/sqldb"
)

// Spending is what an agent's accounts of a month say; a layer without one has nothing.
func (r reads) Spending(
	ctx context.Context, workspaceID, agentID string, m budget.Month,
) (map[budget.Layer]budget.Sum, error) {
	rows, err := r.db.Read.Spending(ctx, workspaceID, agentID, string(m))
	return sumsOf(rows), sqldb.Reading("reading an agent's budget", err)
}

func (t tx) Spending(
	ctx context.Context, workspaceID, agentID string, m budget.Month,
) (map[budget.Layer]budget.Sum, error) {
	rows, err := t.Q.Spending(ctx, workspaceID, agentID, string(m))
	return sumsOf(rows), sqldb.Doing("reading an agent's budget", err)
}

func sumsOf(rows []db.AgentSpending) map[budget.Layer]budget.Sum {
	sums := map[budget.Layer]budget.Sum{}
	for _, row := range rows {
		sums[budget.Layer(row.Layer)] = budget.Sum{Spent: budget.Nano(row.Spent), Held: budget.Nano(row.Held)}
	}
	return sums
}

// HoldsWaiting lists holds that are held since before an instant, oldest first.
func (r reads) HoldsWaiting(
	ctx context.Context, before time.Time, after page.Cursor, most int,
) ([]budget.Hold, error) {
	rows, err := r.db.Read.HoldsWaiting(ctx, db.HoldsWaitingParams{
		Before: sqldb.Micros(before), After: sqldb.Micros(after.CreatedAt), AfterID: after.ID, Most: int32(most),
	})
	return sqldb.Many(rows, err, holdRow)
}

func holdRow(r db.AgentHold) (budget.Hold, error) {
	return budget.Hold{
		WorkspaceID: r.WorkspaceID, ID: r.ID, AgentID: r.AgentID, Month: budget.Month(r.Month),
		Infra: budget.Nano(r.Infra), Tokens: budget.Nano(r.Tokens), Fingerprint: r.Fingerprint,
		State: budget.State(r.State), CreatedAt: sqldb.Instant(r.CreatedAt),
	}, nil
}

func (t tx) InsertHold(ctx context.Context, h budget.Hold) (bool, error) {
	n, err := t.Q.InsertHold(ctx, db.InsertHoldParams{
		WorkspaceID: h.WorkspaceID, ID: h.ID, AgentID: h.AgentID, Month: string(h.Month), Infra: int64(h.Infra),
		Tokens: int64(h.Tokens), Fingerprint: h.Fingerprint, State: string(h.State),
		CreatedAt: sqldb.Micros(h.CreatedAt),
	})
	return n == 1, sqldb.Doing("holding an agent's budget", err)
}

func (t tx) Hold(ctx context.Context, workspaceID, id string) (budget.Hold, error) {
	row, err := t.Q.Hold(ctx, workspaceID, id)
	return sqldb.One("Call", row, err, holdRow)
}

func (t tx) RenewHold(ctx context.Context, workspaceID, id, fingerprint string) error {
	n, err := t.Q.RenewHold(ctx, workspaceID, id, fingerprint)
	return sqldb.Swapped("renewing a hold", n, err)
}

func (t tx) RepeatHold(ctx context.Context, h budget.Hold) error {
	n, err := t.Q.RepeatHold(ctx, db.RepeatHoldParams{
		WorkspaceID: h.WorkspaceID, ID: h.ID, Month: string(h.Month), Infra: int64(h.Infra), Tokens: int64(h.Tokens),
		Fingerprint: h.Fingerprint, CreatedAt: sqldb.Micros(h.CreatedAt),
	})
	return sqldb.Swapped("repeating a hold", n, err)
}

func (t tx) EndHold(ctx context.Context, workspaceID, id string, to budget.State) (budget.Hold, bool, error) {
	row, err := t.Q.EndHold(ctx, workspaceID, id, string(to))
	if sqldb.None(err) {
		return budget.Hold{}, false, nil
	}
	if err != nil {
		return budget.Hold{}, false, sqldb.Doing("ending a hold", err)
	}
	h, err := holdRow(row)
	return h, true, err
}

func (t tx) TakeFromBudget(ctx context.Context, a budget.Account, amount, limit budget.Nano) (bool, error) {
	n, err := t.Q.TakeFromBudget(ctx, db.TakeFromBudgetParams{
		WorkspaceID: a.WorkspaceID, AgentID: a.AgentID, Month: string(a.Month), Layer: string(a.Layer),
		Amount: int64(amount), Most: int64(limit),
	})
	return n == 1, sqldb.Doing("taking from an agent's budget", err)
}

func (t tx) EndHeld(ctx context.Context, a budget.Account, held, spent budget.Nano) error {
	return sqldb.Doing("settling an agent's budget", t.Q.EndHeld(ctx, db.EndHeldParams{
		WorkspaceID: a.WorkspaceID, AgentID: a.AgentID, Month: string(a.Month), Layer: string(a.Layer),
		Held: int64(held), Spent: int64(spent),
	}))
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
