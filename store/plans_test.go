package store_test

import (
	"cmp"
	"database/sql"
	"regexp"
	"strings"
	"testing"

	"github.com/railkit/railkit/clock"
	"github.com/railkit/railkit/store"
)

// hotQuery is one that the calls that programs make most ask, what a list adds to it, and the index that it has to go
// by: what is asked of a table, in the words of PostgreSQL's plans.
type hotQuery struct{ name, more, by string }

var hotQueries = []hotQuery{
	{"Wallet", "", `wallets_pkey.* \(id = \$2\).* \(enclave_id = \$2\)`},
	{"Addresses", "", `addresses_path.* \(wallet_id = \$2\)`},
	{"Address", "", `addresses_pkey.* \(id = \$2\)`},
	{"AddressSpelled", "", `addresses_lookup.* \(lookup = \$2\)`},
	{"OwnAddresses", "", `wallets_of_owner.* \(sub_organization_id = \$2\).* addresses_path.* \(wallet_id = w.id\)`},
	{"PaidAddresses", "", `Index Only Scan \w+ using transactions_of_wallet.* \(wallet_id = \$2\)`},
	{
		"CountHistory", " AND wallet_id = $2",
		`Index Only Scan using transactions_of_wallet.* \(wallet_id = \$2\).* transfers_of_owner.* \(owner_id = \$2\)`,
	},
	{
		"ListHistory", " AND wallet_id = $2 ORDER BY created_at DESC, id DESC LIMIT $3 OFFSET $4",
		`Index Only Scan using transactions_of_wallet.* \(wallet_id = \$2\).* transfers_of_owner.* \(owner_id = \$2\)`,
	},
	{"Transaction", "", `transactions_pkey.* \(id = \$2\)`},
	{"TransactionSigned", "", `transactions_nonce.* \(from_address = \$3\)`},
	{"ListEvents", " ORDER BY seq LIMIT $3", `events_pkey.* \(seq > \$2\)`},
	{"Order", "", `orders_pkey.* \(id = \$2\)`},
	{"OrderOfReference", "", `orders_of_reference.* \(reference = \$2\)`},
	{"OrderByReference", "", `orders_pkey.* \(id = .*order_references_pkey.* \(reference = \$2\)`},
	{"OrderEvents", "", `order_events_pkey.* \(order_id = \$2\)`},
	{"ListOrders", " ORDER BY created_at DESC, id DESC LIMIT $2 OFFSET $3", `orders_newest.* \(workspace_id = \$1\)`},
	{"ListOrders", " AND status IN ($2) ORDER BY created_at DESC, id DESC LIMIT $3 OFFSET $4",
		`orders_of_status.* \(status = \$2\)`},
	{"ListOrders", " AND recipient_id = $2 ORDER BY created_at DESC, id DESC LIMIT $3 OFFSET $4",
		`orders_of_recipient.* \(recipient_id = \$2\)`},
	{"ListOrders", " AND bank_account_id = $2 AND status IN ($3) ORDER BY created_at DESC, id DESC LIMIT $4 OFFSET $5",
		`orders_of_account.* \(bank_account_id = \$2\)`},
	{"LookLater", "", `transactions_pkey.* \(id = \$\d\)`},
	{"Unsent", "", `transactions_nonce.* \(from_address = `},
}

// What programs ask most is found by an index that goes to the rows, in the plan that PostgreSQL keeps for a prepared
// statement, which knows no values.
func TestPostgresFindsByIndexes(t *testing.T) {
	s := openServer(t, migrated(t), clock.System{})
	for _, table := range []string{
		"wallets", "addresses", "transactions", "transfers", "events", "orders", "order_references", "order_events",
	} {
		fillTable(t, s, table)
	}
	conn, err := s.Writer().Conn(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	if _, err := conn.ExecContext(t.Context(), "SET plan_cache_mode = force_generic_plan"); err != nil {
		t.Fatal(err)
	}
	for _, q := range hotQueries {
		query := queryNamed(t, q.name) + q.more
		if _, err := conn.ExecContext(t.Context(), "PREPARE hot AS "+query); err != nil {
			t.Fatalf("%s: %v", q.name, err)
		}
		nothing := "NULL" + strings.Repeat(", NULL", len(parameters(query))-1)
		rows, err := conn.QueryContext(t.Context(), "EXPLAIN EXECUTE hot("+nothing+")")
		plan := planOf(t, rows, err)
		if !regexp.MustCompile("(?s)" + q.by).MatchString(plan) {
			t.Errorf("%s%s does not go by %s:\n%s", q.name, q.more, q.by, plan)
		}
		if _, err := conn.ExecContext(t.Context(), "DEALLOCATE hot"); err != nil {
			t.Fatal(err)
		}
	}
}

// fillTable fills a table with rows of one workspace and one kind that are else all different, and has PostgreSQL count
// them.
func fillTable(t *testing.T, s *store.Store, table string) {
	t.Helper()
	rows, err := s.Writer().QueryContext(t.Context(), `SELECT attname || ' ' || CASE
			WHEN attname IN ('workspace_id', 'owner_kind', 'state', 'type', 'chain') THEN '''wallet'''
			WHEN atttypid = 'text'::regtype THEN 'n::text' ELSE 'n' END
		FROM pg_attribute WHERE attrelid = $1::regclass AND attnum > 0 AND NOT attisdropped`, table)
	var names, values []string
	for column := range strings.Lines(planOf(t, rows, err)) {
		name, value, _ := strings.Cut(strings.TrimSpace(column), " ")
		names, values = append(names, name), append(values, value)
	}
	if _, err := s.Writer().ExecContext(t.Context(), "SET session_replication_role = replica; INSERT INTO "+table+
		" ("+strings.Join(names, ", ")+") SELECT "+strings.Join(values, ", ")+" FROM generate_series(1, 2000) n; "+
		"SET session_replication_role = DEFAULT; ANALYZE "+table); err != nil {
		t.Fatalf("%s: %v", table, err)
	}
}

var parameter = regexp.MustCompile(`\$\d+`)

// parameters are the parameters of a query, each once.
func parameters(query string) map[string]bool {
	all := map[string]bool{}
	for _, p := range parameter.FindAllString(query, -1) {
		all[p] = true
	}
	return all
}

// queryNamed is the text of a generated query.
func queryNamed(t *testing.T, name string) string {
	t.Helper()
	for _, file := range read(t, "db") {
		if _, query, found := strings.Cut(string(file), "`-- name: "+name+" "); found {
			query, _, _ = strings.Cut(query, "`")
			_, query, _ = strings.Cut(query, "\n")
			return query
		}
	}
	t.Fatalf("there is no query %s", name)
	return ""
}

// planOf is what EXPLAIN says in one column.
func planOf(t *testing.T, rows *sql.Rows, err error) (plan string) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
	defer rows.Close()
	for rows.Next() {
		var step string
		if err := rows.Scan(&step); err != nil {
			t.Fatal(err)
		}
		plan += step + "\n"
	}
	if err := cmp.Or(rows.Err(), rows.Close()); err != nil {
		t.Fatal(err)
	}
	return plan
}
