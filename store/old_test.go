package store_test

import (
	"context"
	"database/sql"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/pressly/goose/v3"

	"github.com/railkit/railkit/clock"
	"github.com/railkit/railkit/internal/test/pgtest"
	"github.com/railkit/railkit/kit/payout"
	"github.com/railkit/railkit/kit/signing"
	"github.com/railkit/railkit/platform/audit"
	"github.com/railkit/railkit/platform/command"
	"github.com/railkit/railkit/store"
)

// beforeChains is the last migration of the version whose audit record was no chain.
const beforeChains = 6

// oldRows is what such a version left behind. Its ids are in order of time.
var oldRows = []string{
	`INSERT INTO workspaces (id, name, environment, kyb_status, modules, created_at) VALUES ('ws-1', 'Ours', 'sandbox', 'approved', '["signing"]', 1)`,
	`INSERT INTO audit (workspace_id, id, at, actor, actor_id, operation, action, resource, request_id, remote_ip, detail)
	VALUES ('ws-1', '01', 1, 'api_key', 'key-1', 'op', 'wallet.create', 'w-1', 'r-1', '192.0.2.1', '{}'),
		('ws-1', '02', 2, 'system', '', '', 'wallet.sweep', 'w-1', '', '', '{"n":"1"}'),
		('ws-2', '03', 3, 'system', '', '', 'wallet.sweep', 'w-2', '', '', '{}')`,
}

// A database of before there were chains keeps its rows: they are listed after
// those of the chain that begins, and verified as what nothing proves.
func TestDatabaseOfBefore(t *testing.T) { fromBefore(t, beforeChains, oldRows, continues) }

// fromBefore opens a database, of each engine, that an older version left behind.
func fromBefore(t *testing.T, last int64, rows []string, check func(*testing.T, *store.Store)) {
	t.Helper()
	file, url := filepath.Join(t.TempDir(), "railkit.db"), pgtest.New(t)
	for name, e := range map[string]struct {
		driver, address string
		dialect         goose.Dialect
		open            func() *store.Store
	}{
		"sqlite":   {"sqlite", file, goose.DialectSQLite3, func() *store.Store { return openFile(t, file, clock.System{}) }},
		"postgres": {"pgx", url, goose.DialectPostgres, func() *store.Store { return openServer(t, url, clock.System{}) }},
	} {
		t.Run(name, func(t *testing.T) {
			if testing.Short() && name == "sqlite" {
				t.Skip("one migration after the other: the race detector has nothing to see, and makes it 18 times slower")
			}
			makeOld(t, e.dialect, e.driver, e.address, migrations(t, name), last, rows)
			check(t, e.open())
		})
	}
}

// migrations are all of an engine: the common ones, and its own.
func migrations(t *testing.T, engine string) (folder string) {
	t.Helper()
	folder = t.TempDir()
	for _, from := range []string{"migrations", filepath.Join(engine, "migrations")} {
		if err := os.CopyFS(folder, os.DirFS(from)); err != nil {
			t.Fatal(err)
		}
	}
	return folder
}

// makeOld fills a database that has the migrations up to one.
func makeOld(t *testing.T, dialect goose.Dialect, driver, address, folder string, last int64, rows []string) {
	t.Helper()
	db, err := sql.Open(driver, address)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	old, err := goose.NewProvider(dialect, db, os.DirFS(folder), goose.WithDisableGlobalRegistry(true))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := old.UpTo(t.Context(), last); err != nil {
		t.Fatal(err)
	}
	for _, statement := range rows {
		if _, err := db.ExecContext(t.Context(), statement); err != nil {
			t.Fatal(err)
		}
	}
}

// continues begins a chain beside the old rows.
func continues(t *testing.T, s *store.Store) {
	t.Helper()
	found(t, s, 0, 2, "02", "01")
	for _, action := range []string{"first", "second"} {
		err := s.Signing().Work(t.Context(), "ws-1", func(context.Context, signing.Tx) (command.Audit, error) {
			return command.Audit{Action: action}, nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	found(t, s, 2, 4, "second", "first", "02", "01")
	if _, err := s.Writer().ExecContext(t.Context(), "DELETE FROM audit WHERE id = '01'"); err == nil {
		t.Error("an old row was removed")
	}
	if w, err := s.Workspace(t.Context(), "ws-1"); err != nil || w.Name != "Ours" {
		t.Errorf("%+v %v", w, err)
	}
	if ids, err := s.AuditWorkspaces(t.Context()); err != nil || !slices.Equal(ids, []string{"ws-1", "ws-2"}) {
		t.Errorf("%v %v", ids, err)
	}
}

// found verifies the workspace and lists it page by page: chained rows by their
// action, old ones by their id.
func found(t *testing.T, s *store.Store, chained, rows int64, want ...string) {
	t.Helper()
	r, err := audit.Verify(t.Context(), s, "ws-1", nil, func(int) {})
	if err != nil || len(r.Faults) > 0 || r.Head.Seq != chained || r.Rows != rows || r.Outside != 2 {
		t.Errorf("%+v %v", r, err)
	}
	var got []string
	f := audit.Filter{WorkspaceID: "ws-1", Limit: 1}
	for {
		views, next, total, err := audit.Page(t.Context(), s, f)
		if err != nil || total != len(want) || len(views) != 1 {
			t.Fatalf("%+v, %d of all, %v", views, total, err)
		}
		if views[0].Seq == 0 {
			got = append(got, views[0].ID)
		} else {
			got = append(got, views[0].Action)
		}
		if next == nil {
			break
		}
		f.After = next
	}
	if !slices.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
}

// beforeOwnWallets is the last migration of the version whose withdrawal addresses
// of a chain shared a wallet at the partner.
const beforeOwnWallets = 23

var sharedWallet = []string{
	`INSERT INTO partner_wallets (workspace_id, chain, partner_key, keyed_at, wallet_id, address, created_at, updated_at)
	VALUES ('ws-1', 'base', 'key', 1, 'shared', '0x1', 1, 1)`,
	`INSERT INTO withdraw_addresses (workspace_id, id, reference, recipient_id, bank_account_id, chain, currency, destination, rail, wallet_id,
		return_address, status, partner_key, keyed_at, tried_at, customer_id, partner_wallet_id, partner_id, address, created_at, updated_at)
	VALUES ('ws-1', 'made', 'r-1', 'a', 'b-1', 'base', 'usdc', 'mxn', 'spei', '', '', 'active', 'k-1', 7, 7, 'c', 'shared', 'l', '0x2', 1, 1),
		('ws-1', 'asked', 'r-2', 'a', 'b-2', 'base', 'usdc', 'mxn', 'spei', '', '', 'provisioning', 'k-2', 7, 7, '', '', '', '', 1, 1)`,
}

// An address that is there keeps its wallet. One that was being made is asked for
// again, under a key that no request with another wallet had.
func TestSharedWalletsOfBefore(t *testing.T) {
	fromBefore(t, beforeOwnWallets, sharedWallet, func(t *testing.T, s *store.Store) {
		p := s.Payout()
		made, err := p.WithdrawAddress(t.Context(), "ws-1", "made")
		if err != nil || made.PartnerWalletID != "shared" || made.Status != payout.AddressActive || made.KeyedAt.IsZero() {
			t.Errorf("%+v %v", made, err)
		}
		asked, err := p.WithdrawAddress(t.Context(), "ws-1", "asked")
		if err != nil || asked.Key != "k-2" || !asked.KeyedAt.IsZero() || !asked.TriedAt.IsZero() {
			t.Errorf("%+v %v", asked, err)
		}
	})
}

// beforeCounts is the last migration of the version that counted orders one by one.
const beforeCounts = 25

var oldOrders = []string{
	`INSERT INTO orders (workspace_id, id, reference, type, status, rail, pair, recipient_id, folded_name, bank_account_id, withdraw_address_id,
		quote_id, search, gross, net, version, created_at, updated_at, due_at, body)
	SELECT 'ws-1', id, id, 'off_ramp', status, 'spei', 'USDC/MXN', 'r', '', 'b', 'w', '', '', 1, 1, 1, 1, 1, 0, '{}'
	FROM (SELECT 'o1' AS id, 'completed' AS status UNION ALL SELECT 'o2', 'completed' UNION ALL SELECT 'o3', 'canceled') o`,
}

// The orders of such a version are counted.
func TestOrdersOfBefore(t *testing.T) {
	fromBefore(t, beforeCounts, oldOrders, func(t *testing.T, s *store.Store) {
		_, counts, err := s.Payout().Orders(t.Context(), payout.OrderFilter{WorkspaceID: "ws-1"})
		if err != nil || len(counts) != 2 || counts["completed"] != 2 || counts["canceled"] != 1 {
			t.Errorf("%v, %v", counts, err)
		}
	})
}

// beforePaid is the last migration of the version that did not keep when an order's
// money was at the bank.
const beforePaid = 26

var oldPayments = append([]string{
	`INSERT INTO recipients (workspace_id, id, name, folded_name, email, owner_type, street, city, state, postal_code, country, is_self, status,
		pending_reason, created_at, updated_at)
	VALUES ('ws-1', 'r', '', '', '', '', '', '', '', '', '', 0, 'active', '', 1, 1)`,
	`INSERT INTO order_events (workspace_id, order_id, seq, kind, status, party, at, occurred_at, detail)
	VALUES ('ws-1', 'o1', 4, 'fiat.submitted', 'payment_submitted', 'partner', 40, 40, '{}'),
		('ws-1', 'o1', 5, 'fiat.received', 'completed', 'partner', 50, 45, '{}')`,
}, oldOrders...)

// What such a version paid is known by its timeline.
func TestPaymentsOfBefore(t *testing.T) {
	fromBefore(t, beforePaid, oldPayments, func(t *testing.T, s *store.Store) {
		got, err := s.Payout().PaidTo(t.Context(), "ws-1", []string{"r"}, time.UnixMicro(50))
		if err != nil || got["r"].Payments != 1 || got["r"].Total != 1 || !got["r"].LastAt.Equal(time.UnixMicro(50)) {
			t.Errorf("%+v, %v", got, err)
		}
	})
}
