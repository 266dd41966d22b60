package storetest

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/railkit/railkit/kit/signing"
	"github.com/railkit/railkit/kit/signing/activity"
	"github.com/railkit/railkit/kit/signing/transaction"
	"github.com/railkit/railkit/kit/signing/wallet"
	"github.com/railkit/railkit/platform/page"
)

// wallets writes wallets with the names, each a second after the one before.
func (b *bench) wallets(t *testing.T, names ...string) {
	t.Helper()
	b.write(t, func(ctx context.Context, tx signing.Tx) error {
		for i, name := range names {
			w := aWallet(Ours, fmt.Sprintf("wallet-%d", i))
			w.Name, w.CreatedAt = name, Start.Add(time.Duration(i)*time.Second)
			if i%2 == 1 {
				w.SubOrganizationID = "sub-2"
			}
			if err := tx.InsertWallet(ctx, w); err != nil {
				return err
			}
		}
		return nil
	})
}

// listed wants the wallets of a filter.
func (b *bench) listed(t *testing.T, f wallet.Filter, total int, want ...string) {
	t.Helper()
	f.WorkspaceID = Ours
	if f.Page.Limit == 0 {
		f.Page.Limit = 10
	}
	rows, got, err := b.Wallets(t.Context(), f)
	OK(t, err)
	Equal(t, fmt.Sprintf("wallets of %+v", f), IDs(rows, walletID), want)
	Equal(t, fmt.Sprintf("total of %+v", f), got, total)
}

func testWalletPages(t *testing.T, b *bench) {
	b.wallets(t, "a", "b", "c", "d", "e")
	b.listed(t, wallet.Filter{Page: page.Page{Limit: 2}}, 5, "wallet-4", "wallet-3")
	b.listed(t, wallet.Filter{Page: page.Page{Limit: 2, Offset: 2}}, 5, "wallet-2", "wallet-1")
	b.listed(t, wallet.Filter{Page: page.Page{Limit: 2, Offset: 4}}, 5, "wallet-0")
	b.listed(t, wallet.Filter{Page: page.Page{Limit: 2, Offset: 6}}, 5, []string{}...)
	after := &page.Cursor{CreatedAt: Start.Add(2 * time.Second), ID: "wallet-2"}
	b.listed(t, wallet.Filter{Page: page.Page{Limit: 9, After: after}}, 5, "wallet-1", "wallet-0")
	b.listed(t, wallet.Filter{SubOrganizationID: "sub-2"}, 2, "wallet-3", "wallet-1")
}

func testWalletSearch(t *testing.T, b *bench) {
	b.wallets(t, "Main", "ÁRBOL 100%", "under_score", `back\slash`, "remainder")
	for search, want := range map[string][]string{
		"MAIN": {"wallet-4", "wallet-0"},
		"árb":  {"wallet-1"},
		"%":    {"wallet-1"},
		"_":    {"wallet-2"},
		`\`:    {"wallet-3"},
		"'":    {},
		"zzz":  {},
	} {
		b.listed(t, wallet.Filter{Search: search}, len(want), want...)
	}
}

func testWalletSort(t *testing.T, b *bench) {
	b.wallets(t, "beta", "Alpha", "Gamma", "alpha")
	byName := []string{"wallet-1", "wallet-3", "wallet-0", "wallet-2"}
	b.listed(t, wallet.Filter{SortBy: "name", SortDir: "asc"}, 4, byName...)
	b.listed(t, wallet.Filter{SortBy: "name", SortDir: "desc"}, 4, byName[3], byName[2], byName[1], byName[0])
	b.listed(t, wallet.Filter{SortBy: "created_at", SortDir: "asc"}, 4, "wallet-0", "wallet-1", "wallet-2", "wallet-3")
	b.listed(
		t, wallet.Filter{SortBy: "name; DROP TABLE wallets", SortDir: "; --"}, 4, "wallet-3", "wallet-2", "wallet-1",
		"wallet-0",
	)
}

// selected wants the transactions of a filter.
func (b *bench) selected(t *testing.T, f transaction.Filter, total int, want ...string) {
	t.Helper()
	f.WorkspaceID = Ours
	if f.Page.Limit == 0 {
		f.Page.Limit = 10
	}
	rows, got, err := b.Transactions(t.Context(), f)
	OK(t, err)
	Equal(t, fmt.Sprintf("transactions of %+v", f), IDs(rows, txID), want)
	Equal(t, fmt.Sprintf("total of %+v", f), got, total)
}

func testTransactionPages(t *testing.T, b *bench) {
	// Three of one instant: the id decides, and no page repeats or loses one.
	b.transactions(t, 5, func(i int, x *transaction.Transaction) {
		if i < 3 {
			x.CreatedAt = Start
		}
	})
	b.selected(t, transaction.Filter{Page: page.Page{Limit: 2}}, 5, "tx-04", "tx-03")
	b.selected(t, transaction.Filter{Page: page.Page{Limit: 2, Offset: 2}}, 5, "tx-02", "tx-01")
	b.selected(t, transaction.Filter{Page: page.Page{Limit: 2, Offset: 4}}, 5, "tx-00")
	after := &page.Cursor{CreatedAt: Start, ID: "tx-01"}
	b.selected(t, transaction.Filter{Page: page.Page{Limit: 2, After: after}}, 5, "tx-00")
}

func testTransactionFilters(t *testing.T, b *bench) {
	b.transactions(t, 4, func(i int, x *transaction.Transaction) {
		x.State = []transaction.State{
			transaction.Awaiting, transaction.Pending, transaction.Broadcast, transaction.Awaiting,
		}[i]
		if i == 1 || i == 3 {
			x.SignedTransaction = "0x02"
		} else {
			x.SignedTransaction = ""
		}
		if i == 3 {
			x.WalletID, x.TokenSymbol, x.From = "wallet-2", "USDT", "0xother"
		}
	})
	b.selected(t, transaction.Filter{States: []transaction.State{transaction.Awaiting}}, 2, "tx-03", "tx-00")
	b.selected(
		t, transaction.Filter{States: []transaction.State{transaction.Pending, transaction.Broadcast}}, 2, "tx-02",
		"tx-01",
	)
	b.selected(t, transaction.Filter{States: []transaction.State{transaction.Failed}}, 0, []string{}...)
	b.selected(t, transaction.Filter{Signed: true}, 2, "tx-03", "tx-01")
	b.selected(t, transaction.Filter{WalletID: "wallet-2"}, 1, "tx-03")
	b.selected(t, transaction.Filter{From: "0xother"}, 1, "tx-03")
	b.selected(t, transaction.Filter{
		TokenSymbol: "USDT", States: []transaction.State{transaction.Awaiting}, WalletID: "wallet-2",
	}, 1, "tx-03")
	b.selected(t, transaction.Filter{TokenSymbol: "USDC", WalletID: "wallet-2"}, 0, []string{}...)
}

func testTransactionSort(t *testing.T, b *bench) {
	amounts := []string{"9", "10.25", "", "0.000000000000000001", "10.3"}
	b.transactions(t, len(amounts), func(i int, x *transaction.Transaction) { x.Amount = amounts[i] })
	b.selected(t, transaction.Filter{SortBy: "amount", SortDir: "asc"}, 5, "tx-02", "tx-03", "tx-00", "tx-01", "tx-04")
	b.selected(t, transaction.Filter{SortBy: "amount"}, 5, "tx-04", "tx-01", "tx-00", "tx-03", "tx-02")
	b.selected(t, transaction.Filter{SortDir: "asc"}, 5, "tx-00", "tx-01", "tx-02", "tx-03", "tx-04")
}

func testWaiting(t *testing.T, b *bench) {
	b.seed(t, Theirs)
	b.transactions(t, 4, func(i int, x *transaction.Transaction) {
		x.State = []transaction.State{
			transaction.Pending, transaction.Broadcast, transaction.Confirmed, transaction.Pending,
		}[i]
	})
	waiting := func(before time.Time, limit int, states ...transaction.State) []string {
		rows, err := b.WaitingTransactions(t.Context(), states, before, page.Cursor{}, limit)
		OK(t, err)
		return IDs(rows, func(x transaction.Transaction) string { return x.WorkspaceID[len(Ours)-1:] + " " + x.ID })
	}
	late := Start.Add(time.Minute)
	Equal(
		t, "of two states", waiting(late, 10, transaction.Pending, transaction.Broadcast),
		[]string{"1 tx-00", "1 tx-01", "1 tx-03"},
	)
	Equal(
		t, "at most two", waiting(late, 2, transaction.Pending, transaction.Broadcast), []string{"1 tx-00", "1 tx-01"},
	)
	Equal(t, "before the last", waiting(Start.Add(3*time.Second), 10, transaction.Pending), []string{"1 tx-00"})
	Equal(t, "of every workspace", waiting(late, 10, transaction.Awaiting), []string{"2 tx-1"})
	b.waitingActivities(t)
}

func (b *bench) waitingActivities(t *testing.T) {
	t.Helper()
	b.write(t, func(ctx context.Context, tx signing.Tx) error {
		first, done := anActivity(Ours, "activity-2"), anActivity(Ours, "activity-3")
		first.CreatedAt = Start.Add(-time.Hour)
		done.State = activity.Done
		return errors.Join(tx.InsertActivity(ctx, first), tx.InsertActivity(ctx, done))
	})
	waiting := func(before time.Time, limit int) []string {
		rows, err := b.WaitingActivities(t.Context(), before, page.Cursor{}, limit)
		OK(t, err)
		return IDs(rows, func(a activity.Activity) string { return a.ID })
	}
	Equal(t, "activities", waiting(Start.Add(time.Minute), 10), []string{"activity-2", "activity-1"})
	Equal(t, "one activity", waiting(Start.Add(time.Minute), 1), []string{"activity-2"})
	Equal(t, "old activities", waiting(Start, 10), []string{"activity-2"})
}

func testPendingPaths(t *testing.T, b *bench) {
	b.seed(t, Ours)
	b.write(t, func(ctx context.Context, tx signing.Tx) error {
		second, other, done := anActivity(Ours,
			"activity-2"), anActivity(Ours, "activity-3"), anActivity(Ours, "activity-4")
		second.Paths, second.CreatedAt = []string{"m/2", "m/3"}, Start.Add(time.Second)
		second.ExpiresAt = Start.Add(time.Hour)
		other.WalletID, other.Paths = "wallet-2", []string{"m/4"}
		done.State, done.Paths = activity.Done, []string{"m/5"}
		return errors.Join(tx.InsertActivity(ctx, second), tx.InsertActivity(ctx, other), tx.InsertActivity(ctx, done))
	})
	pending := func(now time.Time) []string {
		paths, err := b.PendingPaths(t.Context(), Ours, "wallet-1", now)
		OK(t, err)
		return paths
	}
	Equal(t, "now", pending(Start), []string{"m/44'/60'/0'/0/1", "m/2", "m/3"})
	Equal(t, "when the first expires", pending(Start.Add(15*time.Minute)), []string{"m/2", "m/3"})
	Equal(t, "tomorrow", pending(Start.Add(24*time.Hour)), []string{})
}
