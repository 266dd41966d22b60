package bench

import (
	"cmp"
	"context"
	"database/sql"
	"fmt"
	"net/http"
	"path/filepath"
	"slices"
	"strings"

	"golang.org/x/sync/errgroup"

	"github.com/railkit/railkit/internal/test/testwait"
	railkit "github.com/railkit/railkit/sdk/go"
)

// filling is the database while copies are put into it. No server runs meanwhile, and a crash would leave nothing that
// anybody wants: SQLite writes no journal, PostgreSQL no log.
type filling struct {
	*sql.DB
	lanes int // tables at once
}

// open opens the database of the programs, as the server has it.
func (g *grown) open(pragmas ...string) filling {
	g.tb.Helper()
	driver, at, lanes := "pgx", g.database, 2
	if g.databasePID == 0 {
		driver, lanes = "sqlite", 1
		at = "file:" + filepath.Join(g.database, "railkit.db") + "?_busy_timeout=5000"
		for _, p := range pragmas {
			at += "&_pragma=" + p
		}
	}
	db, err := sql.Open(driver, at)
	must(g.tb, err)
	db.SetMaxOpenConns(lanes)
	return filling{db, lanes}
}

// fill copies a row of each kind, so often.
func (g *grown) fill() {
	g.tb.Helper()
	ctx, db := context.Background(), g.open("journal_mode(OFF)", "synchronous(OFF)", "cache_size(-32000)")
	defer db.Close()
	models, tables := g.models(db), map[string][]copied{}
	for _, c := range copies {
		tables[c.model] = append(tables[c.model], c)
	}
	var group errgroup.Group
	group.SetLimit(db.lanes)
	for model, all := range tables {
		group.Go(func() error {
			for _, c := range all {
				if err := db.copy(ctx, c, 1, g.size, models[model], g.groups()); err != nil {
					return fmt.Errorf("copies of %s: %w", c.table, err)
				}
			}
			return nil
		})
	}
	must(g.tb, group.Wait())
	g.sum(db)
}

// sum makes what the server keeps of sums and counts, and on PostgreSQL the statistics that it makes by itself, but
// later.
func (g *grown) sum(db filling) {
	g.tb.Helper()
	run := func(statement string, args ...any) {
		g.tb.Helper()
		_, err := db.Exec(statement, args...)
		must(g.tb, err)
	}
	run("DELETE FROM order_counts")
	run("INSERT INTO order_counts SELECT workspace_id, status, 0, COUNT(*) FROM orders GROUP BY workspace_id, status")
	run("DELETE FROM ledger_checkpoints")
	run(`INSERT INTO ledger_checkpoints
		SELECT workspace_id, account, currency, SUM(amount), COUNT(*), 0 FROM ledger_entries
		WHERE summed = 1 AND account NOT LIKE 'held:%' AND account NOT LIKE 'order:%'
		GROUP BY workspace_id, account, currency`)
	run("UPDATE audit_heads SET seq = $1, events = $1 WHERE workspace_id = $2", afterModels+g.size, g.keys.WorkspaceID)
	if g.databasePID != 0 {
		run("VACUUM ANALYZE")
		run("CHECKPOINT")
	}
}

// copy fills a table in one transaction.
func (f filling) copy(ctx context.Context, c copied, args ...any) error {
	statement, err := c.statement(ctx, f.DB)
	if err != nil {
		return err
	}
	before, after, err := f.around(ctx, c.table)
	if err != nil {
		return err
	}
	tx, err := f.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	defer tx.Rollback()
	for _, s := range slices.Concat(before, []string{statement}, after) {
		var these []any
		if s == statement {
			these = args
		}
		done, err := tx.ExecContext(ctx, s, these...)
		if err != nil {
			return fmt.Errorf("%s: %w", s, err)
		}
		if n, err := done.RowsAffected(); s == statement && (err != nil || n == 0) {
			return fmt.Errorf("%d rows, %w", n, err)
		}
	}
	return tx.Commit()
}

// around has PostgreSQL write the table anew, so that what is added to it in that transaction is not logged, and make
// the indexes once the rows are there. SQLite has its memory for that.
func (f filling) around(ctx context.Context, table string) (before, after []string, err error) {
	if f.lanes == 1 {
		return nil, nil, nil
	}
	rows, err := f.QueryContext(ctx, `SELECT i.indexrelid::regclass::text, pg_get_indexdef(i.indexrelid)
		FROM pg_index i WHERE i.indrelid = $1::regclass
		AND NOT EXISTS (SELECT 1 FROM pg_constraint c WHERE c.conindid = i.indexrelid) ORDER BY i.indexrelid`, table)
	if err != nil {
		return nil, nil, err
	}
	defer rows.Close()
	before = []string{"SET LOCAL maintenance_work_mem = '256MB'", "CLUSTER " + table + " USING " + table + "_pkey"}
	for rows.Next() {
		var name, definition string
		if err := rows.Scan(&name, &definition); err != nil {
			return nil, nil, err
		}
		before, after = append(before, "DROP INDEX "+name), append(after, definition)
	}
	return before, after, rows.Err()
}

// models are the ids of what is copied: an order that was paid, a transaction that was signed, and what came of them.
func (g *grown) models(db filling) map[string]string {
	g.tb.Helper()
	all := map[string]string{
		"wallet":      "SELECT MIN(id) FROM wallets WHERE workspace_id = $1",
		"order":       "SELECT id FROM orders WHERE workspace_id = $1 AND status = 'completed'",
		"transaction": "SELECT MIN(id) FROM transactions WHERE workspace_id = $1 AND state = 'pending'",
		"event":       "SELECT MAX(id) FROM events WHERE workspace_id = $1 AND type = 'order.completed'",
		"entry":       "SELECT MIN(id) FROM audit WHERE workspace_id = $1",
		"answer": `SELECT key_hash FROM idempotency WHERE workspace_id = $1 ORDER BY ABS(LENGTH(sealed) -
			(SELECT AVG(LENGTH(sealed)) FROM idempotency WHERE workspace_id = $1)), key_hash LIMIT 1`, // a usual one
		"call": "SELECT id FROM agent_holds WHERE workspace_id = $1 AND state = 'captured'",
	}
	for model, query := range all {
		var id string
		must(g.tb, db.QueryRow(query, g.keys.WorkspaceID).Scan(&id))
		all[model] = id
	}
	return all
}

// use makes what is copied: a deposit that is paid out, a signature, and an agent's payment.
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
	must(g.tb, g.provision())
	pays, err := g.payments(1)
	must(g.tb, err)
	must(g.tb, pays[0]())
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

// provision makes the agent that pays, with money, as often as it likes.
func (g *grown) provision() error {
	ctx, o := context.Background(), g.all[0]
	err := request(http.MethodPatch, g.url()+"/v1/integrators/"+g.keys.WorkspaceID+"/agent-limits", g.keys.AdminKey,
		[]byte(`{"rateLimits":{"standard":1000000,"financial":1000000}}`), nil, http.StatusOK)()
	if err != nil {
		return err
	}
	made, err := g.client.Agents.Create(ctx, o.passkey, railkit.AgentRequest{
		Name: "Bench", SubOrganizationID: o.sub.SubOrganizationID, ChainID: base().ChainID,
		Budget: railkit.AgentBudget{
			InfraMonthlyUSD: "1000", TokensMonthlyUSD: "1000", PaymentsMonthlyUSDC: "1000", PerTxUSDC: "1",
		},
		AgentReach: railkit.AgentReach{AllowedRecipients: []string{receiver}},
	})
	if err != nil {
		return err
	}
	got, err := g.client.Agents.Get(ctx, made.AgentID)
	if err != nil {
		return err
	}
	g.agent = made
	return g.fund(got.WalletAddress)
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
