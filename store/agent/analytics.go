package agent

import (
	"context"
	"time"

	"github.com/railkit/railkit/kit/agent/analytics"
	"github.com/railkit/railkit/kit/agent/budget"
	"github.com/railkit/railkit/store/db"
	"github.com/railkit/railkit/store/internal/sqldb"
)

// CallsByDay counts an agent's calls by day and state.
func (r reads) CallsByDay(ctx context.Context, of analytics.Of) ([]analytics.Calls, error) {
	rows, err := r.db.Read.CallsByDay(ctx, db.CallsByDayParams{
		WorkspaceID: of.WorkspaceID, AgentID: of.AgentID, Since: sqldb.Micros(of.Since), Until: sqldb.Micros(of.Until),
	})
	return sqldb.Many(rows, err, func(r db.CallsByDayRow) (analytics.Calls, error) {
		return analytics.Calls{
			Day: beginOf(r.Day), State: budget.State(r.State), Count: int(r.Calls), Infra: budget.Nano(r.Infra),
		}, nil
	})
}

// EventsByDay counts an agent's events by day and layer.
func (r reads) EventsByDay(ctx context.Context, of analytics.Of) ([]analytics.Events, error) {
	rows, err := r.db.Read.EventsByDay(ctx, db.EventsByDayParams{
		WorkspaceID: of.WorkspaceID, AgentID: of.AgentID, Since: sqldb.Micros(of.Since), Until: sqldb.Micros(of.Until),
	})
	return sqldb.Many(rows, err, func(r db.EventsByDayRow) (analytics.Events, error) {
		return analytics.Events{
			Day: beginOf(r.Day), Layer: budget.Layer(r.Layer), Count: int(r.Events), Amount: budget.Nano(r.Amount),
		}, nil
	})
}

// RefusalsByDay counts an agent's refused calls by day.
func (r reads) RefusalsByDay(ctx context.Context, of analytics.Of) ([]analytics.Counted, error) {
	rows, err := r.db.Read.RefusalsByDay(ctx, db.RefusalsByDayParams{
		WorkspaceID: of.WorkspaceID, AgentID: of.AgentID, Since: dayOf(of.Since), Until: dayOf(of.Until),
	})
	return sqldb.Many(rows, err, func(r db.RefusalsByDayRow) (analytics.Counted, error) {
		return analytics.Counted{Day: beginOf(r.Day), Count: int(r.Refused)}, nil
	})
}

// PaymentsByDay counts the payments of an agent's wallet that are signed, by day and amount.
func (r reads) PaymentsByDay(ctx context.Context, of analytics.Of) ([]analytics.Payments, error) {
	rows, err := r.db.Read.AgentPaymentsByDay(ctx, db.AgentPaymentsByDayParams{
		WorkspaceID: of.WorkspaceID, Wallet: of.WalletID, Since: sqldb.Micros(of.Since),
		Until: sqldb.Micros(of.Until),
	})
	return sqldb.Many(rows, err, func(r db.AgentPaymentsByDayRow) (analytics.Payments, error) {
		return analytics.Payments{Day: beginOf(r.Day), Amount: r.Amount, Count: int(r.Payments)}, nil
	})
}

// beginOf is when the day began that dayOf counts.
func beginOf(day int64) time.Time { return time.Unix(day*86400, 0).UTC() }
