package walk_test

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/railkit/railkit/internal/test/apptest"
)

// effects are the rows of every table, but those of the queue, which come and go,
// those of the audit, the events and their deliveries, which the server's own work writes to in its own time, and
// alerts of bank accounts, which a sweep deletes where a workspace has no member
// to mail them to.
type effects map[string]int

func countRows(t *testing.T, a *apptest.App) effects {
	t.Helper()
	e := effects{}
	for _, table := range tables(t, a) {
		e[table] = count(t, a, "SELECT COUNT(*) FROM "+table)
	}
	// A count of orders is in several rows, of which each writer takes any: how many there are is chance, their sum is
	// not.
	e["order_counts"] = count(t, a, "SELECT CAST(COALESCE(SUM(orders), 0) AS BIGINT) FROM order_counts")
	return e
}

func tables(t *testing.T, a *apptest.App) (names []string) {
	t.Helper()
	query := "SELECT name FROM sqlite_master WHERE type = 'table'"
	if a.OnPostgres() {
		query = "SELECT tablename FROM pg_tables WHERE schemaname = 'public'"
	}
	rows, err := a.Store.Writer().QueryContext(t.Context(), query)
	if err != nil {
		t.Fatal(err)
	}
	defer rows.Close()
	for rows.Next() {
		var name string
		if err := rows.Scan(&name); err != nil {
			t.Fatal(err)
		}
		others := func(prefix string) bool { return strings.HasPrefix(name, prefix) }
		if !slices.ContainsFunc([]string{
			"river", "goose", "sqlite", "audit", "events", "watch", "transfers", "partner_notice", "account_alert",
			"webhook_deliveries",
		}, others) {
			names = append(names, name)
		}
	}
	if err := rows.Err(); err != nil {
		t.Fatal(err)
	}
	return names
}

func count(t *testing.T, a *apptest.App, query string, args ...any) (n int) {
	t.Helper()
	if err := a.Store.Writer().QueryRowContext(t.Context(), query, args...).Scan(&n); err != nil {
		t.Fatalf("%s: %v", query, err)
	}
	return n
}

// since is what came since then, table by table.
func (e effects) since(before effects) string {
	var came []string
	for _, table := range slices.Sorted(maps.Keys(e)) {
		if n := e[table] - before[table]; n != 0 {
			came = append(came, fmt.Sprintf("%s %+d", table, n))
		}
	}
	return strings.Join(came, ", ")
}

// audited counts the audit rows of an operation, which only its commits write.
func audited(t *testing.T, a *apptest.App, operation string) int {
	t.Helper()
	return count(t, a, "SELECT COUNT(*) FROM audit WHERE operation = $1", operation)
}
