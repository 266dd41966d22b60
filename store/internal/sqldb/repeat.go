package sqldb

import (
	"context"
	"database/sql"
	"regexp"
	"strconv"
	"strings"
	"sync"

	"github.com/railkit/railkit/store/db"
)

// Repeated runs a generated INSERT of one row as one of several rows: its `VALUES ($1, $2)` becomes
// `VALUES ($1, $2), ($3, $4)`.
type Repeated struct {
	db.DBTX
	given int   // arguments of the generated query
	rows  int   // in addition to the generated one
	args  []any // of those
}

// Repeat makes one of a query with so many arguments. Each of more has the values for one row, in the order in which
// the generated row has its placeholders.
func Repeat(q db.DBTX, given int, more [][]any) *Repeated {
	r := &Repeated{DBTX: q, given: given, rows: len(more)}
	for _, row := range more {
		r.args = append(r.args, row...)
	}
	return r
}

var (
	rowOfValues = regexp.MustCompile(`VALUES\s*(\([^()]*\))`)
	placeholder = regexp.MustCompile(`\$\d+`)
)

// repeatedTexts are the texts of fewer than rowsAtOnce rows that were made so far, by the generated one and the number.
var repeatedTexts sync.Map

type repeatedText struct {
	text string
	rows int
}

func (r *Repeated) text(text string) string {
	if r.rows == 0 {
		return text
	}
	if r.rows >= rowsAtOnce { // how many there are is bounded by nothing
		return r.repeat(text)
	}
	key := repeatedText{text, r.rows}
	if made, is := repeatedTexts.Load(key); is {
		return made.(string)
	}
	made := r.repeat(text)
	repeatedTexts.Store(key, made)
	return made
}

func (r *Repeated) repeat(text string) string {
	at := rowOfValues.FindStringSubmatchIndex(text)
	row, next := text[at[2]:at[3]], r.given
	var b strings.Builder
	b.WriteString(text[:at[3]])
	for range r.rows {
		b.WriteString(", ")
		b.WriteString(placeholder.ReplaceAllStringFunc(row, func(string) string {
			next++
			return "$" + strconv.Itoa(next)
		}))
	}
	b.WriteString(text[at[3]:])
	return b.String()
}

// QueryContext runs the query with all rows.
func (r *Repeated) QueryContext(ctx context.Context, text string, args ...any) (*sql.Rows, error) {
	return r.DBTX.QueryContext(ctx, r.text(text), append(args, r.args...)...)
}

// ExecContext runs the query with all rows.
func (r *Repeated) ExecContext(ctx context.Context, text string, args ...any) (sql.Result, error) {
	return r.DBTX.ExecContext(ctx, r.text(text), append(args, r.args...)...)
}
