package store

import (
	"context"
	"database/sql"
	"strconv"
	"strings"
	"time"

	"github.com/railkit/railkit/kit/signing/approval"
	"github.com/railkit/railkit/kit/signing/transaction"
	"github.com/railkit/railkit/kit/signing/wallet"
	"github.com/railkit/railkit/platform/page"
	"github.com/railkit/railkit/store/db"
	"github.com/railkit/railkit/store/postgres"
)

// query adds conditions, order and page to a generated query that ends in its
// first condition. It is the only place that puts SQL together; values are
// placeholders, and everything else comes from literals of this file.
type query struct {
	db.DBTX
	given int // arguments of the generated query
	tail  strings.Builder
	args  []any
}

func (s *Store) query(given int) *query { return &query{DBTX: s.reader, given: given} }

// add appends SQL, with a ? for each value.
func (q *query) add(sql string, values ...any) *query {
	for _, v := range values {
		before, after, _ := strings.Cut(sql, "?")
		q.args = append(q.args, v)
		q.tail.WriteString(before + "$" + strconv.Itoa(q.given+len(q.args)))
		sql = after
	}
	q.tail.WriteString(sql)
	return q
}

// equal adds a condition, unless the value is empty.
func (q *query) equal(column, value string) *query {
	if value == "" {
		return q
	}
	return q.add(" AND "+column+" = ?", value)
}

// among adds a condition, unless there are no states.
func (q *query) among(states []transaction.State) *query {
	values := make([]string, len(states))
	for i, s := range states {
		values[i] = string(s)
	}
	return q.in("state", values)
}

// in adds a condition, unless there are no values.
func (q *query) in(column string, values []string) *query {
	if len(values) == 0 {
		return q
	}
	list := make([]any, len(values))
	for i, v := range values {
		list[i] = v
	}
	return q.add(" AND "+column+" IN (?"+strings.Repeat(", ?", len(values)-1)+")", list...)
}

// part adds the condition that a folded column holds a text, unless that is empty.
func (q *query) part(column, text string) *query {
	if text == "" {
		return q
	}
	return q.add(" AND "+column+` LIKE ? ESCAPE '\'`, "%"+escapeLike.Replace(fold(text))+"%")
}

// page adds order and page. The id makes the order total. A cursor is a place in
// the order of time, whichever way that is read.
func (q *query) page(column, direction string, p page.Page) *query {
	if p.After != nil {
		q.after("created_at", beyond[direction], *p.After)
	}
	q.add(" ORDER BY "+column+direction+", id"+direction+" LIMIT ?", p.Limit)
	if p.After == nil {
		q.add(" OFFSET ?", p.Offset)
	}
	return q
}

// after adds the condition that a row lies beyond the cursor, in a form that makes
// both engines begin there in the index.
func (q *query) after(column, beyond string, c page.Cursor) *query {
	return q.add(" AND ("+column+", id)"+beyond+"(?, ?)", micros(c.CreatedAt), c.ID)
}

func (q *query) QueryContext(ctx context.Context, sql string, args ...any) (*sql.Rows, error) {
	return q.DBTX.QueryContext(ctx, sql+q.tail.String(), append(args, q.args...)...)
}

func (q *query) QueryRowContext(ctx context.Context, sql string, args ...any) *sql.Row {
	return q.DBTX.QueryRowContext(ctx, sql+q.tail.String(), append(args, q.args...)...)
}

func (q *query) ExecContext(ctx context.Context, text string, args ...any) (sql.Result, error) {
	return q.DBTX.ExecContext(ctx, text+q.tail.String(), append(args, q.args...)...)
}

// What lists are sorted by; anything else is the default, newest first.
var (
	walletSort      = map[string]string{"": "created_at", "created_at": "created_at", "name": "folded_name"}
	transactionSort = map[string]string{
		"": "created_at", "created_at": "created_at",
		// SQLite compares what has more than 15 digits approximately.
		"amount": "COALESCE(CAST(NULLIF(amount, '') AS NUMERIC), 0)",
	}
	directions = map[string]string{"": " DESC", "desc": " DESC", "asc": " ASC"}
	beyond     = map[string]string{" DESC": " < ", " ASC": " > "}
)

// Wallets lists a page of wallets and counts all that the filter selects.
func (s Signing) Wallets(ctx context.Context, f wallet.Filter) ([]wallet.Wallet, int, error) {
	selected := func() *query {
		q := s.query(1).equal("sub_organization_id", f.SubOrganizationID)
		if f.Search != "" {
			q.add(` AND folded_name LIKE ? ESCAPE '\'`, "%"+escapeLike.Replace(fold(f.Search))+"%")
		}
		return q
	}
	total, err := db.New(selected()).CountWallets(ctx, f.WorkspaceID)
	if err != nil {
		return nil, 0, doing("counting wallets", postgres.Tell(err))
	}
	paged := selected().page(sorted(walletSort, f.SortBy), sorted(directions, f.SortDir), f.Page)
	rows, err := db.New(paged).ListWallets(ctx, f.WorkspaceID)
	wallets, err := many(rows, err, walletRow)
	return wallets, int(total), err
}

// Transactions lists a page of transactions and counts all that the filter selects.
func (s Signing) Transactions(ctx context.Context, f transaction.Filter) ([]transaction.Transaction, int, error) {
	selected := func() *query {
		return s.query(1).equal("wallet_id", f.WalletID).equal("from_address", f.From).equal("token_symbol", f.TokenSymbol).among(f.States)
	}
	total, err := db.New(selected()).CountTransactions(ctx, f.WorkspaceID)
	if err != nil {
		return nil, 0, doing("counting transactions", postgres.Tell(err))
	}
	paged := selected().page(sorted(transactionSort, f.SortBy), sorted(directions, f.SortDir), f.Page)
	rows, err := db.New(paged).ListTransactions(ctx, f.WorkspaceID)
	transactions, err := many(rows, err, transactionRow)
	return transactions, int(total), err
}

// Approvals lists a page of approvals and counts all that the filter selects.
func (s Signing) Approvals(ctx context.Context, f approval.Filter) ([]approval.Approval, int, error) {
	states := make([]string, len(f.States))
	for i, state := range f.States {
		states[i] = string(state)
	}
	selected := func() *query {
		return s.query(1).equal("sub_organization_id", f.SubOrganizationID).equal("wallet_id", f.WalletID).in("state", states)
	}
	total, err := db.New(selected()).CountApprovals(ctx, f.WorkspaceID)
	if err != nil {
		return nil, 0, doing("counting approvals", postgres.Tell(err))
	}
	rows, err := db.New(selected().page("created_at", " DESC", f.Page)).ListApprovals(ctx, f.WorkspaceID)
	approvals, err := many(rows, err, approvalRow)
	return approvals, int(total), err
}

// WaitingTransactions lists transactions of every workspace that have been in
// one of the states since before the instant, longest first, and from after a
// row on. Those that are signed and held, or replaced, are not among them.
func (s Signing) WaitingTransactions(ctx context.Context, states []transaction.State, before time.Time, after page.Cursor, limit int) ([]transaction.Transaction, error) {
	q := s.query(1).among(states).after("updated_at", " > ", after).add(" ORDER BY updated_at, id LIMIT ?", limit)
	rows, err := db.New(q).ListWaiting(ctx, micros(before))
	return many(rows, err, transactionRow)
}

// UnsentDue lists what is signed, was not sent, and is to be looked for by now.
func (s Signing) UnsentDue(ctx context.Context, now time.Time, limit int) ([]transaction.Transaction, error) {
	rows, err := s.read.UnsentDue(ctx, micros(now), int64(limit))
	return many(rows, err, transactionRow)
}

var escapeLike = strings.NewReplacer(`\`, `\\`, `%`, `\%`, `_`, `\_`)

func sorted(by map[string]string, name string) string {
	if sql, ok := by[name]; ok {
		return sql
	}
	return by[""]
}
