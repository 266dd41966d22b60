package payout

import (
	"context"
	"time"

	"github.com/railkit/railkit/kit/payout/statement"
	"github.com/railkit/railkit/money"
	"github.com/railkit/railkit/store/db"
	"github.com/railkit/railkit/store/internal/sqldb"
)

// StatementOpening is the balance of every currency that the scope has used, by what was posted before an instant.
func (s orderReads) StatementOpening(
	ctx context.Context, of statement.Scope, before time.Time,
) ([]money.Amount, error) {
	if of == (statement.Scope{WorkspaceID: of.WorkspaceID}) {
		rows, err := s.db.Read.WorkspaceOpening(ctx, of.WorkspaceID, sqldb.Micros(before))
		return sqldb.Many(rows, err, func(r db.WorkspaceOpeningRow) (money.Amount, error) {
			return money.Of(r.Posted, money.Currency(r.Currency)), nil
		})
	}
	q := s.scoped(of).Add(" AND t.settled_at < ?", sqldb.Micros(before)).Add(
		" GROUP BY e.currency ORDER BY e.currency",
	)
	rows, err := db.New(q).StatementOpening(ctx, of.WorkspaceID)
	return sqldb.Many(rows, err, func(r db.StatementOpeningRow) (money.Amount, error) {
		return money.Of(r.Posted, money.Currency(r.Currency)), nil
	})
}

// scoped is a query for the ledger transactions of a scope: those of its orders, and those that booked a deposit at its
// withdrawal addresses for no order.
func (s orderReads) scoped(of statement.Scope) *sqldb.Query {
	q := s.db.Query(1)
	switch {
	case of.DepositAccountID != "":
		return q.Add(
			` AND t.order_id <> ''
			AND t.order_id IN (SELECT id FROM orders WHERE workspace_id = ? AND deposit_account_id = ?)`,
			of.WorkspaceID, of.DepositAccountID,
		)
	case of.RecipientID == "":
		return q
	}
	return q.Add(
		` AND t.ref IN (
		SELECT i.ref FROM ledger_transactions i
		WHERE i.workspace_id = ? AND i.order_id <> ''
		  AND i.order_id IN (SELECT id FROM orders WHERE workspace_id = ? AND recipient_id = ?)
		UNION
		SELECT i.ref FROM ledger_transactions i
		JOIN ledger_entries h ON h.workspace_id = i.workspace_id AND h.ref = i.ref
		WHERE i.workspace_id = ? AND i.order_id = ''
		  AND h.account IN (SELECT 'held:' || id FROM withdraw_addresses WHERE workspace_id = ? AND recipient_id = ?))`,
		of.WorkspaceID, of.WorkspaceID, of.RecipientID, of.WorkspaceID, of.WorkspaceID, of.RecipientID,
	)
}

// StatementMoves are what changed the balance from an instant on and before another one, oldest first, after a move.
func (s orderReads) StatementMoves(
	ctx context.Context, of statement.Scope, in statement.Span, after *statement.Move, limit int,
) ([]statement.Move, error) {
	q := s.scoped(of).Add(
		" AND t.settled_at >= ? AND t.settled_at < ?", sqldb.Micros(in.From), sqldb.Micros(in.To),
	)
	if after != nil {
		q.Add(" AND (t.settled_at, t.ref, e.currency) > (?, ?, ?)", sqldb.Micros(after.At), after.Ref,
			string(after.Change.Currency))
	}
	q.Add(` GROUP BY t.ref, t.kind, t.order_id, t.settled_at, e.currency, o.reference
		HAVING SUM(CASE WHEN e.account LIKE 'held:%' OR e.account LIKE 'order:%' THEN e.amount ELSE 0 END) <> 0
		ORDER BY t.settled_at, t.ref, e.currency LIMIT ?`, limit)
	rows, err := db.New(q).ListStatementMoves(ctx, of.WorkspaceID)
	return sqldb.Many(rows, err, func(r db.ListStatementMovesRow) (statement.Move, error) {
		c := money.Currency(r.Currency)
		return statement.Move{
			Ref: r.Ref, Kind: r.Kind, OrderID: r.OrderID, Reference: r.Reference, At: sqldb.Instant(r.SettledAt),
			Change: money.Of(r.Change, c), Fees: money.Of(r.Fees, c),
		}, nil
	})
}
