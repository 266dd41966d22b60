package signing

import (
	"context"

	"github.com/railkit/railkit/kit/agent/budget"
	"github.com/railkit/railkit/store/db"
	"github.com/railkit/railkit/store/internal/sqldb"
)

// HoldTx is the part of a transaction that writes agents' budgets: a call is held with the body that it is, and
// captured with what came of it.
type HoldTx struct{ in *sqldb.Tx }

// HoldsIn makes it, for the transactions of the agent kit's own store.
func HoldsIn(t *sqldb.Tx) HoldTx { return HoldTx{t} }

func (t HoldTx) Spending(
	ctx context.Context, workspaceID, agentID string, m budget.Month,
) (map[budget.Layer]budget.Sum, error) {
	rows, err := t.in.Q.Spending(ctx, workspaceID, agentID, string(m))
	return SumsOf(rows), sqldb.Doing("reading an agent's budget", err)
}

// SumsOf reads the accounts of a month.
func SumsOf(rows []db.AgentSpending) map[budget.Layer]budget.Sum {
	sums := map[budget.Layer]budget.Sum{}
	for _, row := range rows {
		sums[budget.Layer(row.Layer)] = budget.Sum{Spent: budget.Nano(row.Spent), Held: budget.Nano(row.Held)}
	}
	return sums
}

func (t HoldTx) InsertHold(ctx context.Context, h budget.Hold) (bool, error) {
	n, err := t.in.Q.InsertHold(ctx, db.InsertHoldParams{
		WorkspaceID: h.WorkspaceID, ID: h.ID, AgentID: h.AgentID, Month: string(h.Month), Infra: int64(h.Infra),
		Tokens: int64(h.Tokens), Fingerprint: h.Fingerprint, State: string(h.State),
		CreatedAt: sqldb.Micros(h.CreatedAt),
	})
	return n == 1, sqldb.Doing("holding an agent's budget", err)
}

func (t HoldTx) Hold(ctx context.Context, workspaceID, id string) (budget.Hold, error) {
	row, err := t.in.Q.Hold(ctx, workspaceID, id)
	return sqldb.One("Call", row, err, HoldRow)
}

func (t HoldTx) RenewHold(ctx context.Context, workspaceID, id, fingerprint string) error {
	n, err := t.in.Q.RenewHold(ctx, workspaceID, id, fingerprint)
	return sqldb.Swapped("renewing a hold", n, err)
}

func (t HoldTx) RepeatHold(ctx context.Context, h budget.Hold) error {
	n, err := t.in.Q.RepeatHold(ctx, db.RepeatHoldParams{
		WorkspaceID: h.WorkspaceID, ID: h.ID, Month: string(h.Month), Infra: int64(h.Infra), Tokens: int64(h.Tokens),
		Fingerprint: h.Fingerprint, CreatedAt: sqldb.Micros(h.CreatedAt),
	})
	return sqldb.Swapped("repeating a hold", n, err)
}

func (t HoldTx) EndHold(ctx context.Context, workspaceID, id string, to budget.State) (budget.Hold, bool, error) {
	row, err := t.in.Q.EndHold(ctx, workspaceID, id, string(to))
	if sqldb.None(err) {
		return budget.Hold{}, false, nil
	}
	if err != nil {
		return budget.Hold{}, false, sqldb.Doing("ending a hold", err)
	}
	h, err := HoldRow(row)
	return h, true, err
}

func (t HoldTx) TakeFromBudget(ctx context.Context, a budget.Account, amount, limit budget.Nano) (bool, error) {
	n, err := t.in.Q.TakeFromBudget(ctx, db.TakeFromBudgetParams{
		WorkspaceID: a.WorkspaceID, AgentID: a.AgentID, Month: string(a.Month), Layer: string(a.Layer),
		Amount: int64(amount), Most: int64(limit),
	})
	return n == 1, sqldb.Doing("taking from an agent's budget", err)
}

func (t HoldTx) EndHeld(ctx context.Context, a budget.Account, held, spent budget.Nano) error {
	return sqldb.Doing("settling an agent's budget", t.in.Q.EndHeld(ctx, db.EndHeldParams{
		WorkspaceID: a.WorkspaceID, AgentID: a.AgentID, Month: string(a.Month), Layer: string(a.Layer),
		Held: int64(held), Spent: int64(spent),
	}))
}

// HoldRow reads one.
func HoldRow(r db.AgentHold) (budget.Hold, error) {
	return budget.Hold{
		WorkspaceID: r.WorkspaceID, ID: r.ID, AgentID: r.AgentID, Month: budget.Month(r.Month),
		Infra: budget.Nano(r.Infra), Tokens: budget.Nano(r.Tokens), Fingerprint: r.Fingerprint,
		State: budget.State(r.State), CreatedAt: sqldb.Instant(r.CreatedAt),
	}, nil
}
