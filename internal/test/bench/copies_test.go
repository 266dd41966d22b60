package bench

import (
	"cmp"
	"context"
	"database/sql"
	"fmt"
	"math/rand/v2"
	"strings"
	"time"

	"github.com/railkit/railkit/internal/test/testwait"
	railkit "github.com/railkit/railkit/sdk/go"
	"github.com/railkit/railkit/store/storetest/agenttest"
)

const (
	perGroup     = 20        // orders of a recipient, transactions of a wallet, calls of an agent, however many in all
	afterModels  = 1_000_000 // numbers of audit entries and events of before it are the models'
	copiesAtOnce = 50_000
)

func copyID(n int) string        { return fmt.Sprintf("00000000-0000-7000-8000-%012d", n) }
func copyReference(n int) string { return fmt.Sprintf("OFR-%012d", n) }
func groupID(n int) string       { return fmt.Sprintf("00000000-0000-7000-9000-%012d", n) }

// The same in SQL; g.n is the number of a copy, $3 the model's id, and $4 how many groups there are.
const (
	number        = "substr(CAST(1000000000000 + g.n AS TEXT), 2)"
	groupNumber   = "substr(CAST(1000000000000 + g.n % $4 AS TEXT), 2)"
	idOfCopy      = "'00000000-0000-7000-8000-' || " + number
	nameOfCopy    = "'OFR-' || " + number
	groupOfCopy   = "'00000000-0000-7000-9000-' || " + groupNumber
	addressOfCopy = "'0x0000000000000000000000000000' || " + groupNumber
	hashOfCopy    = "'0x0000000000000000000000000000000000000000000000000000' || " + number
	placeOfCopy   = "1000000 + g.n"
	eachGroup     = "g.n <= $4"
)

// madeAt is when an order was made, as its copy says.
func (g *grown) madeAt(n int) time.Time { return time.UnixMicro(int64(n) * 1_000_000) }

func (g *grown) copy() int { return 1 + rand.N(g.size) }

// group is one of all but the first, whose orders are all in review.
func (g *grown) group() string { return groupID(1 + rand.N(g.groups()-1)) }

func (g *grown) groups() int { return g.size / perGroup }

// copied is a table, of which model, which rows of it are the model's, for which numbers, and what a copy has of
// its own.
type copied struct {
	model, table, where, numbers string
	own                          map[string]string
}

var copies = []copied{
	{"order", "orders", "id = $3", "", map[string]string{
		"id": idOfCopy, "reference": nameOfCopy, "recipient_id": groupOfCopy, "bank_account_id": groupOfCopy,
		"withdraw_address_id": groupOfCopy,
		"created_at":          "g.n * 1000000", "due_at": "0", "body": "replace(t.body, $3, " + idOfCopy + ")",
		"status": "CASE WHEN g.n % $4 = 0 THEN 'in_review' WHEN g.n / $4 % 10 = 1 THEN 'canceled' ELSE 'completed' END",
	}},
	{"order", "order_events", "order_id = $3", "", map[string]string{"order_id": idOfCopy}},
	{"order", "order_references", "order_id = $3 AND reference LIKE 'ofr-%'", "", map[string]string{
		"order_id": idOfCopy, "reference": "lower(" + nameOfCopy + ")",
	}},
	{"order", "order_directory", "order_id = $3 AND kind = 'reference'", "",
		map[string]string{"order_id": idOfCopy, "lookup": nameOfCopy}},
	{"order", "ledger_transactions", "order_id = $3", "", map[string]string{
		"order_id": idOfCopy, "ref": "replace(t.ref, $3, " + idOfCopy + ")",
	}},
	{"order", "ledger_entries", "ref LIKE $3 || '%'", "",
		map[string]string{"ref": "replace(t.ref, $3, " + idOfCopy + ")", "summed": "1"}},
	{"transaction", "transactions", "id = $3", "", map[string]string{
		"id": idOfCopy, "wallet_id": groupOfCopy, "sub_organization_id": groupOfCopy,
		"from_address": addressOfCopy, "nonce": "g.n", "tx_hash": hashOfCopy,
		"fingerprint": hashOfCopy, "state": "'confirmed'", "held": "0", "look_at": "0",
		"created_at": "t.created_at + g.n", "mined_at": "t.updated_at", "confirmed_at": "t.updated_at",
	}},
	{"wallet", "wallets", "id = $3", eachGroup, map[string]string{
		"id": groupOfCopy, "enclave_id": groupOfCopy, "sub_organization_id": groupOfCopy,
		"created_at": "t.created_at + g.n",
	}},
	{"wallet", "addresses", "wallet_id = $3", eachGroup, map[string]string{
		"id": groupOfCopy, "wallet_id": groupOfCopy, "address": addressOfCopy, "lookup": addressOfCopy,
	}},
	{"wallet", "address_directory", "address_id IN (SELECT id FROM addresses WHERE wallet_id = $3)", eachGroup,
		map[string]string{"address_id": groupOfCopy, "lookup": addressOfCopy}},
	{"event", "events", "id = $3", "", map[string]string{"id": idOfCopy, "object_id": idOfCopy, "seq": placeOfCopy}},
	{"entry", "audit", "id = $3", "", map[string]string{
		"id": idOfCopy, "resource": idOfCopy, "request_id": idOfCopy, "seq": placeOfCopy,
	}},
	{"answer", "idempotency", "key_hash = $3", "", map[string]string{"key_hash": hashOfCopy}},
	{"call", "agent_holds", "id = $3", "", map[string]string{"id": idOfCopy, "agent_id": groupOfCopy}},
	{"call", "agent_spending", "agent_id = $3", eachGroup, map[string]string{"agent_id": groupOfCopy}},
}

// fill copies a row of each kind, so often. No server runs meanwhile.
func (g *grown) fill(engine string) {
	g.tb.Helper()
	models, db := g.models(), g.store.Writer()
	run := func(what, statement string, args ...any) {
		g.tb.Helper()
		done, err := db.ExecContext(context.Background(), statement, args...)
		must(g.tb, err)
		if rows, err := done.RowsAffected(); err != nil || rows == 0 && args != nil && args[0] == 1 {
			g.tb.Fatalf("%s: %d rows, %v", what, rows, err)
		}
	}
	for from := 1; from <= g.size; from += copiesAtOnce {
		for _, c := range copies {
			statement, err := c.statement(context.Background(), db)
			must(g.tb, err)
			run("copies of "+c.table, statement, from, min(g.size, from+copiesAtOnce-1), models[c.model], g.groups())
		}
	}
	run("counts", "DELETE FROM order_counts")
	run("counts",
		"INSERT INTO order_counts SELECT workspace_id, status, 0, COUNT(*) FROM orders GROUP BY workspace_id, status")
	run("checkpoints", "DELETE FROM ledger_checkpoints")
	run("checkpoints", `INSERT INTO ledger_checkpoints
		SELECT workspace_id, account, currency, SUM(amount), COUNT(*), 0 FROM ledger_entries
		WHERE summed = 1 AND account NOT LIKE 'held:%' AND account NOT LIKE 'order:%'
		GROUP BY workspace_id, account, currency`)
	run("heads", "UPDATE audit_heads SET seq = $1, events = $1 WHERE workspace_id = $2", afterModels+g.size,
		g.keys.WorkspaceID)
	if engine == "postgres" { // which does this by itself, but later
		run("statistics", "VACUUM ANALYZE")
	}
}

// models are the ids of what is copied: an order that was paid, a transaction that was signed, and what came of them.
func (g *grown) models() map[string]string {
	g.tb.Helper()
	id := func(query string) (id string) {
		g.tb.Helper()
		must(g.tb, g.store.Writer().QueryRowContext(context.Background(), query, g.keys.WorkspaceID).Scan(&id))
		return id
	}
	must(g.tb, g.admitted("call", "call"))
	all := map[string]string{
		"wallet":      id("SELECT MIN(id) FROM wallets WHERE workspace_id = $1"),
		"order":       id("SELECT id FROM orders WHERE workspace_id = $1 AND status = 'completed'"),
		"transaction": id("SELECT MIN(id) FROM transactions WHERE workspace_id = $1 AND state = 'pending'"),
		"event":       id("SELECT MAX(id) FROM events WHERE workspace_id = $1 AND type = 'order.completed'"),
		"entry":       id("SELECT MIN(id) FROM audit WHERE workspace_id = $1"),
		"answer":      id("SELECT MIN(key_hash) FROM idempotency WHERE workspace_id = $1"),
		"call":        "call",
	}
	return all
}

// use makes what is copied: a deposit that is paid out, and a signature.
func (g *grown) use() {
	g.tb.Helper()
	ctx := context.Background()
	_, err := g.spread()
	must(g.tb, err)
	_, err = g.devnet.Faucet(ctx, "base", g.payees[0].address, "USDC", "150")
	must(g.tb, err)
	signs, err := g.signs(1)
	must(g.tb, err)
	must(g.tb, signs[0]())
	_, err = g.sends(0) // makes who sends, by the client that knows the owners
	must(g.tb, err)
	testwait.Until(g.tb, "a deposit is paid out", func() bool {
		page, err := g.client.Orders.List(ctx, railkit.OrderListOptions{Statuses: []string{railkit.OrderCompleted}})
		return err == nil && len(page.Items) == 1
	})
}

// checked waits until the server has checked the books, as it does first, and wants no difference.
func (g *grown) checked() {
	g.tb.Helper()
	testwait.Within(g.tb, 10*testwait.Bound, "the books are checked", func() bool {
		found, err := g.client.Statements.Reconciliation(context.Background())
		must(g.tb, err)
		if found.Total > 0 {
			g.tb.Fatalf("the copies are not as what is copied: %+v", found)
		}
		return found.CheckedAt != nil
	})
}

// admitted is a call of an agent that is held and then counted.
func (g *grown) admitted(agent, id string) error {
	ctx, a := context.Background(), agenttest.Agent(agent, agenttest.Limits("1000000", "1"))
	if err := g.budgets.Hold(ctx, a, id, "sha256:f"); err != nil {
		return err
	}
	return g.budgets.Capture(ctx, a.WorkspaceID, id)
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
		t AS MATERIALIZED (SELECT * FROM %s WHERE (%s) AND CAST($4 AS BIGINT) > 0)
		INSERT INTO %s (%s) SELECT %s FROM g CROSS JOIN t WHERE %s`,
		c.table, c.where, c.table, strings.Join(columns, ", "), strings.Join(values, ", "),
		cmp.Or(c.numbers, "1 = 1")), rows.Err()
}
