package bench

import (
	"context"
	"database/sql"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"

	"github.com/railkit/railkit/kit/payout/order"
)

const (
	perRecipient = 20 // orders, however many there are in all
	copiesAtOnce = 50_000
)

func copyID(n int) string        { return fmt.Sprintf("00000000-0000-7000-8000-%012d", n) }
func copyReference(n int) string { return fmt.Sprintf("OFR-%012d", n) }

// The same in SQL; g.n is the number of a copy.
const (
	number      = "substr(CAST(1000000000000 + g.n AS TEXT), 2)"
	idOfCopy    = "'00000000-0000-7000-8000-' || " + number
	nameOfCopy  = "'OFR-' || " + number
	groupOfCopy = "'r-' || CAST(g.n % $4 AS TEXT)"
)

// madeAt is when a copy was made, as it says.
func (g grown) madeAt(n int) time.Time { return time.UnixMicro(int64(n) * 1_000_000) }

// recipient is one of those that the copies go to, but for the one whose orders
// are all in review.
func (g grown) recipient() string { return fmt.Sprint("r-", 1+rand.N(g.groups()-1)) }

func (g grown) groups() int { return g.size / perRecipient }

// copied is a table, which rows of it are the model's, and what a copy has of its own.
type copied struct {
	table, where string
	own          map[string]string
}

// The model's own id is $3.
var copies = []copied{
	{"orders", "id = $3", map[string]string{
		"id": idOfCopy, "reference": nameOfCopy, "recipient_id": groupOfCopy, "bank_account_id": groupOfCopy,
		"withdraw_address_id": groupOfCopy,
		"created_at":          "g.n * 1000000", "due_at": "0", "body": "replace(t.body, $3, " + idOfCopy + ")",
		"status": "CASE WHEN g.n % $4 = 0 THEN 'in_review' WHEN g.n / $4 % 10 = 1 THEN 'canceled' ELSE 'completed' END",
	}},
	{"order_events", "order_id = $3 AND CAST($4 AS BIGINT) > 0", map[string]string{"order_id": idOfCopy}},
	{"order_references", "order_id = $3 AND reference LIKE 'ofr-%' AND CAST($4 AS BIGINT) > 0", map[string]string{
		"order_id": idOfCopy, "reference": "lower(" + nameOfCopy + ")",
	}},
	{"order_directory", "order_id = $3 AND kind = 'reference' AND CAST($4 AS BIGINT) > 0",
		map[string]string{"order_id": idOfCopy, "lookup": nameOfCopy}},
	{"ledger_transactions", "order_id = $3 AND CAST($4 AS BIGINT) > 0", map[string]string{
		"order_id": idOfCopy, "ref": "replace(t.ref, $3, " + idOfCopy + ")",
	}},
	{"ledger_entries", "ref LIKE $3 || '%' AND CAST($4 AS BIGINT) > 0",
		map[string]string{"ref": "replace(t.ref, $3, " + idOfCopy + ")", "summed": "1"}},
}

// fill copies an order that was paid, so often.
func (g grown) fill(tb testing.TB, engine string) {
	tb.Helper()
	ctx, db := context.Background(), g.db.Writer()
	model := g.model(tb)
	for from := 1; from <= g.size; from += copiesAtOnce {
		for _, c := range copies {
			statement, err := c.statement(ctx, db)
			must(tb, err)
			if _, err := db.ExecContext(ctx, statement, from,
				min(g.size, from+copiesAtOnce-1), model, g.groups()); err != nil {
				tb.Fatalf("%s: %v", c.table, err)
			}
		}
	}
	_, err := db.ExecContext(ctx, "DELETE FROM order_counts")
	must(tb, err)
	_, err = db.ExecContext(ctx,
		"INSERT INTO order_counts SELECT workspace_id, status, 0, COUNT(*) FROM orders GROUP BY workspace_id, status")
	must(tb, err)
	if engine == "postgres" { // which does this by itself, but later
		_, err := db.ExecContext(ctx, "VACUUM ANALYZE")
		must(tb, err)
	}
}

// model is the order that is copied.
func (g grown) model(tb testing.TB) (id string) {
	tb.Helper()
	a := g.addresses[0]
	must(tb, g.payment(a))
	rows, err := g.store.Orders(context.Background(), g.all())
	must(tb, err)
	if len(rows) != 1 || rows[0].Status != order.Completed || uuid.Validate(rows[0].ID) != nil {
		tb.Fatalf("%+v", rows)
	}
	return rows[0].ID
}

func (c copied) statement(ctx context.Context, db *sql.DB) (string, error) {
	rows, err := db.QueryContext(ctx, "SELECT * FROM "+c.table+" WHERE 1 = 0")
	if err != nil {
		return "", err
	}
	defer rows.Close()
	columns, err := rows.Columns()
	if err != nil {
		return "", err
	}
	values := make([]string, len(columns))
	for i, name := range columns {
		if values[i] = "t." + name; c.own[name] != "" {
			values[i] = c.own[name]
		}
	}
	return fmt.Sprintf(`WITH RECURSIVE g(n) AS (SELECT CAST($1 AS BIGINT) UNION ALL SELECT n + 1 FROM g WHERE n < $2),
		t AS MATERIALIZED (SELECT * FROM %s WHERE %s)
		INSERT INTO %s (%s) SELECT %s FROM g CROSS JOIN t`,
		c.table, c.where, c.table, strings.Join(columns, ", "), strings.Join(values, ", ")), rows.Err()
}
