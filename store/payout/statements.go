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
	q := scoped(s.db.Query(1), "t", of).Add(" AND +t.settled_at < ?", sqldb.Micros(before)).Add(
		" GROUP BY e.currency ORDER BY e.currency",
	)
	rows, err := db.New(q).StatementOpening(ctx, of.WorkspaceID)
	return sqldb.Many(rows, err, func(r db.StatementOpeningRow) (money.Amount, error) {
		return money.Of(r.Posted, money.Currency(r.Currency)), nil
	})
}

// scoped adds that a ledger transaction, as the query calls it, is of a recipient's orders or withdrawal addresses, or
// of a deposit account's orders. A plus before a column keeps an engine from reading all of a workspace's transactions
// in the order of that column: those of a recipient are few.
func scoped(q *sqldb.Query, transaction string, of statement.Scope) *sqldb.Query {
	q.Add(" AND " + transaction + ".ref IN (SELECT i.ref FROM ledger_transactions i")
	if of.DepositAccountID != "" {
		return q.Add(
			` WHERE i.workspace_id = ? AND i.order_id <> ''
			AND i.order_id IN (SELECT id FROM orders WHERE workspace_id = ? AND deposit_account_id = ?))`,
			of.WorkspaceID, of.WorkspaceID, of.DepositAccountID,
		)
	}
	return q.Add(
		` WHERE i.workspace_id = ? AND i.order_id <> ''
		AND i.order_id IN (SELECT id FROM orders WHERE workspace_id = ? AND recipient_id = ?)
		UNION SELECT h.ref FROM ledger_entries h WHERE h.workspace_id = ? AND h.account LIKE 'held:%'
		AND h.account IN (SELECT 'held:' || id FROM withdraw_addresses WHERE workspace_id = ? AND recipient_id = ?))`,
		of.WorkspaceID, of.WorkspaceID, of.RecipientID, of.WorkspaceID, of.WorkspaceID, of.RecipientID,
	)
}

// StatementMoves are the moves of a page of transactions: of those that were posted within a span, oldest first, after
// a cursor. The transactions are counted before their entries are summed up, so that a page costs the same wherever it
// is.
func (s orderReads) StatementMoves(
	ctx context.Context, of statement.Scope, in statement.Span, after *statement.Cursor, limit int,
) ([]statement.Move, error) {
	q, at := s.db.Query(1), "p.settled_at"
	q.Add(
		" AND t.ref IN (SELECT p.ref FROM ledger_transactions p WHERE p.workspace_id = ? AND p.state = 'posted'",
		of.WorkspaceID,
	)
	if of != (statement.Scope{WorkspaceID: of.WorkspaceID}) {
		scoped(q, "p", of)
		at = "+" + at
	}
	if after != nil {
		q.Add(" AND ("+at+", p.ref) > (?, ?)", sqldb.Micros(after.At), after.Ref)
	}
	q.Add(" AND "+at+" >= ? AND "+at+" < ?", sqldb.Micros(in.From), sqldb.Micros(in.To)).Add(
		" ORDER BY "+at+", p.ref LIMIT ?)", limit).Add(` GROUP BY t.settled_at, t.ref, t.kind, t.order_id, e.currency,
		o.reference ORDER BY t.settled_at, t.ref, e.currency`)
	rows, err := db.New(q).ListStatementMoves(ctx, of.WorkspaceID)
	return sqldb.Many(rows, err, func(r db.ListStatementMovesRow) (statement.Move, error) {
		c := money.Currency(r.Currency)
		return statement.Move{
			Cursor: statement.Cursor{At: sqldb.Instant(r.SettledAt), Ref: r.Ref}, Kind: r.Kind, OrderID: r.OrderID,
			Reference: r.Reference, Change: money.Of(r.Change, c), Fees: money.Of(r.Fees, c),
		}, nil
	})
}
