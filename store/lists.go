package store

import (
	"context"
	"database/sql"
	"strconv"
	"strings"

	"github.com/railkit/railkit/platform/page"
	"github.com/railkit/railkit/store/db"
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

func texts[T ~string](values []T) []string {
	all := make([]string, len(values))
	for i, v := range values {
		all[i] = string(v)
	}
	return all
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

var escapeLike = strings.NewReplacer(`\`, `\\`, `%`, `\%`, `_`, `\_`)

func sorted(by map[string]string, name string) string {
	if sql, ok := by[name]; ok {
		return sql
	}
	return by[""]
}
