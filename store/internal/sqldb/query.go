package sqldb

import (
	"context"
	"database/sql"
	"strconv"
	"strings"

	"github.com/railkit/railkit/platform/page"
	"github.com/railkit/railkit/store/db"
)

// Query adds conditions, order and page to a generated query that ends in its
// first condition. It is the only place that puts SQL together; values are
// placeholders, and everything else comes from literals of the callers.
type Query struct {
	db.DBTX
	given int // arguments of the generated query
	tail  strings.Builder
	args  []any
}

// Query is a generated query with so many arguments, to which conditions are added.
func (d *DB) Query(given int) *Query { return &Query{DBTX: d.Reader, given: given} }

// Bare reports whether nothing was added.
func (q *Query) Bare() bool { return len(q.args) == 0 }

// Add appends SQL, with a ? for each value.
func (q *Query) Add(sql string, values ...any) *Query {
	for _, v := range values {
		before, after, _ := strings.Cut(sql, "?")
		q.args = append(q.args, v)
		q.tail.WriteString(before + "$" + strconv.Itoa(q.given+len(q.args)))
		sql = after
	}
	q.tail.WriteString(sql)
	return q
}

// Equal adds a condition, unless the value is empty.
func (q *Query) Equal(column, value string) *Query {
	if value == "" {
		return q
	}
	return q.Add(" AND "+column+" = ?", value)
}

// In adds a condition, unless there are no values.
func (q *Query) In(column string, values []string) *Query {
	if len(values) == 0 {
		return q
	}
	list := make([]any, len(values))
	for i, v := range values {
		list[i] = v
	}
	return q.Add(" AND "+column+" IN (?"+strings.Repeat(", ?", len(values)-1)+")", list...)
}

// Part adds the condition that a folded column holds a text, unless that is empty.
func (q *Query) Part(column, text string) *Query {
	if text == "" {
		return q
	}
	return q.Add(" AND "+column+` LIKE ? ESCAPE '\'`, Like(text))
}

// Page adds order and page: "asc", or "desc", which is also what anything else means. The id makes the order total. A
// cursor is a place in the order of time, whichever way that is read.
func (q *Query) Page(column, direction string, p page.Page) *Query {
	order, beyond := " DESC", " < "
	if direction == "asc" {
		order, beyond = " ASC", " > "
	}
	if p.After != nil {
		q.After("created_at", beyond, *p.After)
	}
	q.Add(" ORDER BY "+column+order+", id"+order+" LIMIT ?", p.Limit)
	if p.After == nil {
		q.Add(" OFFSET ?", p.Offset)
	}
	return q
}

// Newest is Page with the newest first.
func (q *Query) Newest(p page.Page) *Query { return q.Page("created_at", "desc", p) }

// After adds the condition that a row lies beyond the cursor, in a form that makes
// both engines begin there in the index.
func (q *Query) After(column, beyond string, c page.Cursor) *Query {
	return q.Add(" AND ("+column+", id)"+beyond+"(?, ?)", Micros(c.CreatedAt), c.ID)
}

// QueryContext runs the query with what was added.
func (q *Query) QueryContext(ctx context.Context, sql string, args ...any) (*sql.Rows, error) {
	return q.DBTX.QueryContext(ctx, sql+q.tail.String(), append(args, q.args...)...)
}

// QueryRowContext runs the query with what was added.
func (q *Query) QueryRowContext(ctx context.Context, sql string, args ...any) *sql.Row {
	return q.DBTX.QueryRowContext(ctx, sql+q.tail.String(), append(args, q.args...)...)
}

// ExecContext runs the query with what was added.
func (q *Query) ExecContext(ctx context.Context, text string, args ...any) (sql.Result, error) {
	return q.DBTX.ExecContext(ctx, text+q.tail.String(), append(args, q.args...)...)
}

var escapeLike = strings.NewReplacer(`\`, `\\`, `%`, `\%`, `_`, `\_`)

// Like is what a folded column that holds a text is LIKE.
func Like(text string) string { return "%" + escapeLike.Replace(Fold(text)) + "%" }

// Fold is how names are searched and sorted, the same on every engine.
func Fold(name string) string { return strings.ToLower(name) }
