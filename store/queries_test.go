package store_test

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/railkit/railkit/clock"
)

// The generated package must be what sqlc makes of the queries today.
func TestGeneratedCodeIsCurrent(t *testing.T) {
	work := t.TempDir()
	for _, name := range []string{"sqlc.yaml", "migrations", "postgres/migrations", "queries"} {
		copyTree(t, name, filepath.Join(work, name))
	}
	sqlc := exec.Command(
		"go", "tool", "-modfile=../tools/go.mod", "sqlc", "generate", "-f", filepath.Join(work, "sqlc.yaml"),
	)
	if out, err := sqlc.CombinedOutput(); err != nil {
		t.Fatalf("sqlc generate: %v\n%s", err, out)
	}
	want, got := read(t, filepath.Join(work, "db")), read(t, "db")
	for name := range want {
		if !bytes.Equal(want[name], got[name]) {
			t.Errorf("db/%s is not what the queries say: run go generate ./store", name)
		}
	}
	for name := range got {
		if _, ok := want[name]; !ok && name != "doc.go" {
			t.Errorf("db/%s comes from no query", name)
		}
	}
}

func copyTree(t *testing.T, from, to string) {
	t.Helper()
	info, err := os.Stat(from)
	if err == nil && info.IsDir() {
		err = os.CopyFS(to, os.DirFS(from))
	} else if err == nil {
		var text []byte
		if text, err = os.ReadFile(from); err == nil {
			err = os.WriteFile(to, text, 0o600)
		}
	}
	if err != nil {
		t.Fatal(err)
	}
}

// read is what the files of a folder hold.
func read(t *testing.T, folder string) map[string][]byte {
	t.Helper()
	paths, err := filepath.Glob(filepath.Join(folder, "*"))
	if err != nil || len(paths) == 0 {
		t.Fatalf("nothing in %s: %v", folder, err)
	}
	files := map[string][]byte{}
	for _, path := range paths {
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		files[filepath.Base(path)] = text
	}
	return files
}

var (
	postgresCast = regexp.MustCompile(`::`)
	auditChange  = regexp.MustCompile(`(?i)\b(update|delete\s+from)\s+audit\b`)
	tenantKey    = regexp.MustCompile(`(?is)(?:primary key|unique index \w+ on \w+) \(([^)]*)\)`)
)

func TestQueriesRunOnBothEngines(t *testing.T) {
	for name, text := range read(t, "queries") {
		if postgresCast.Match(text) {
			t.Errorf("%s: write CAST(x AS t): SQLite has no ::", name)
		}
		if auditChange.Match(text) {
			t.Errorf("%s: rows of audit are only ever added", name)
		}
	}
}

var generated = regexp.MustCompile("(?s)const \\w+ = `(-- name: .*?)\n`")

// sqlc checks the queries as PostgreSQL would; SQLite has to understand each too. Some end in their first condition, to
// which store adds others: they are whole as they are.
func TestSQLiteUnderstandsEveryQuery(t *testing.T) {
	s := openFile(t, filepath.Join(t.TempDir(), "railkit.db"), clock.System{})
	n := 0
	for name, text := range read(t, "db") {
		for _, query := range generated.FindAllSubmatch(text, -1) {
			n++
			stmt, err := s.Writer().PrepareContext(t.Context(), string(query[1]))
			if err != nil {
				t.Errorf("%s: %v\n%s", name, err, query[1])
				continue
			}
			if err := stmt.Close(); err != nil {
				t.Error(err)
			}
		}
	}
	if n < 200 {
		t.Errorf("only %d queries were found", n)
	}
}

// What each turn of an endpoint asks reads what is under way, and not the log of all that was ever sent; an address is
// found among those of a workspace, and an order's entries among those of all orders.
func TestSQLiteFindsByIndexes(t *testing.T) {
	s := openFile(t, filepath.Join(t.TempDir(), "railkit.db"), clock.System{})
	for name, index := range map[string]string{
		"RefreshPendingWebhooks": "deliveries_(due|pending)", "RefreshWaitingWebhooks": "deliveries_waiting",
		"ExpirePendingWebhooks": "deliveries_(due|pending)", "ExpireWaitingWebhooks": "deliveries_waiting",
		"CancelPendingWebhooks": "deliveries_(due|pending)", "CancelWaitingWebhooks": "deliveries_waiting",
		"DueWebhookDeliveries": "deliveries_due", "WebhookDelivery": "deliveries_event",
		"RecentWebhookNotice": "notices_recent", "GatherWebhookNotices": "notices_recent",
		"WebhookNoticesMailed": "notices_recent",
		"Address":              `sqlite_autoindex_addresses_1 \(workspace_id=\? AND id=\?\)`,
		"AddressSpelled":       `addresses_lookup \(workspace_id=\? AND lookup=\?\)`,
		"OwnAddresses":         `wallets_of_owner \(workspace_id=\? AND sub_organization_id=\?\)`,
		"ListHistory AND wallet_id = $2 ORDER BY created_at, id LIMIT $3": `COVERING transactions_of_wallet \(workspace_id=\? AND wallet_id=\?\)`,
		"PaidAddresses":    `COVERING transactions_of_wallet \(workspace_id=\? AND wallet_id=\?\)`,
		"OrderOfReference": `orders_of_reference \(workspace_id=\? AND reference=\?\)`,
		"OrderByReference": `sqlite_autoindex_orders_1 \(workspace_id=\? AND id=\?\)`,
		"OrdersWithBooks":  `sqlite_autoindex_ledger_entries_1 \(workspace_id=\? AND ref=\?\)`,
	} {
		name, more, _ := strings.Cut(name, " ") // what a list adds
		query := queryNamed(t, name) + " " + more
		none := make([]any, strings.Count(query, "$"))
		rows, err := s.Writer().QueryContext(t.Context(), "EXPLAIN QUERY PLAN "+query, none...)
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		defer rows.Close()
		plan := ""
		for rows.Next() {
			var id, parent, unused int
			var step string
			if err := rows.Scan(&id, &parent, &unused, &step); err != nil {
				t.Fatal(err)
			}
			plan += step + "\n"
		}
		only, index := "", index
		if strings.HasPrefix(index, "COVERING ") {
			only, index = "COVERING ", strings.TrimPrefix(index, "COVERING ")
		}
		if !regexp.MustCompile(only + "INDEX (webhook_)?" + index + `\s`).MatchString(plan) {
			t.Errorf("%s reads more than it needs:\n%s", name, plan)
		}
	}
}

// Tenant data is found by workspace first, so that a database can shard by it.
func TestKeysBeginWithTheWorkspace(t *testing.T) {
	// The address directory, what was read of chains and who issues their tokens, which are everybody's, and the
	// partner's notices, whose workspace nobody knows when they come; the other
	// directories have one column.
	directories := map[string]bool{
		"kind, lookup": true, "chain, number": true, "chain, token": true, "partner, event_id, object_id": true,
	}
	for name, text := range read(t, "migrations") {
		for _, key := range tenantKey.FindAllSubmatch(text, -1) {
			columns := string(key[1])
			if !strings.HasPrefix(columns, "workspace_id, ") && !directories[columns] {
				t.Errorf("%s: a key of (%s)", name, columns)
			}
		}
	}
}
