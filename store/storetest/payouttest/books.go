package payouttest

import (
	"context"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/railkit/railkit/kit/payout/ledger"
	"github.com/railkit/railkit/kit/payout/order"
	"github.com/railkit/railkit/kit/payout/reconcile"
	"github.com/railkit/railkit/money"
	"github.com/railkit/railkit/store/storetest"
)

var bookTests = map[string]func(*testing.T, *bench){
	"TestPayout_L2_RowsAreTheirEntries": testRowsAreTheirEntries,
	"Books":                             testBooks,
	"Checkpoint":                        testCheckpoint,
	"CheckpointBesideWriters":           testCheckpointBesideWriters,
	"CheckpointLateCommit":              testCheckpointLateCommit,
	"CheckpointOfAGrownAccount":         testCheckpointOfAGrownAccount,
}

// differences are what a check of the books says, as lines.
func (b *bench) differences(t *testing.T) []string {
	t.Helper()
	books := reconcile.NewBooks(b.payout(), b.Clock, slog.New(slog.DiscardHandler))
	all, err := books.Reconcile(t.Context(), "")
	storetest.OK(t, err)
	lines := []string{}
	for _, r := range all {
		for _, d := range r.Differences {
			lines = append(lines, strings.Join([]string{d.Check, d.About, d.Want, d.Got}, " | "))
		}
	}
	return lines
}

// Many writers book at random; whatever was refused, the rows are the sum of the rest.
func testRowsAreTheirEntries(t *testing.T, b *bench) {
	storetest.OK(t, b.book(t.Context(), move(ledger.Record, "in", chain, held, 40)))
	var wg sync.WaitGroup
	for i := range 8 {
		wg.Go(func() {
			r := rand.New(rand.NewPCG(2, uint64(i)))
			accounts := []ledger.Account{held, "held:w2", "order:o1", ledger.Partner, ledger.FX}
			for n := range 20 {
				from, to := accounts[r.IntN(5)], accounts[r.IntN(5)]
				op := move(ledger.Pend, fmt.Sprint(i, "-", n), from, to, 1+r.Int64N(9))
				if b.book(t.Context(), op) != nil {
					continue // short
				}
				if op.Do = []ledger.Do{ledger.Pend, ledger.Post, ledger.Void}[r.IntN(3)]; op.Do != ledger.Pend {
					storetest.OK(t, b.book(t.Context(), op))
				}
			}
		})
	}
	wg.Wait()
	storetest.Equal(t, "differences", b.differences(t), []string{})
	if n := b.Count(t, "ledger_transactions"); n < 50 {
		t.Errorf("only %d transactions were booked", n)
	}
}

// What somebody changed is found, and where.
func testBooks(t *testing.T, b *bench) {
	b.paid(t, "o1", "w1")
	b.detected(t, "o2", "w2")
	_, err := b.payout().Checkpoint(t.Context(), 1, 100)
	storetest.OK(t, err)
	storetest.Equal(t, "untouched", b.differences(t), []string{})
	for _, c := range []struct{ change, back, want string }{
		{
			"UPDATE ledger_balances SET pending_in = 5 WHERE account = 'held:w1'",
			"UPDATE ledger_balances SET pending_in = 0 WHERE account = 'held:w1'",
			"balance | held:w1 | as its entries | 0.000000 more, 0.000005 more pending in, 0.000000 more pending out",
		},
		{
			"UPDATE ledger_checkpoints SET posted = posted + 1 WHERE account = 'rounding'",
			"UPDATE ledger_checkpoints SET posted = posted - 1 WHERE account = 'rounding'",
			"checkpoint | rounding | as its entries | 0.000001 more, of 0 entries more",
		},
		{
			"UPDATE ledger_entries SET ref = 'x' WHERE account = 'fees:network'",
			"UPDATE ledger_entries SET ref = 'o1:payout:1' WHERE account = 'fees:network'",
			"entries | x | a transaction and its entries | one without the other",
		},
		{
			"UPDATE ledger_entries SET amount = amount - 1 WHERE account = 'bank:spei'",
			"UPDATE ledger_entries SET amount = amount + 1 WHERE account = 'bank:spei'",
			"order | OFR-20261121-o1, completed, paid | 1826.94 MXN | 1826.93 MXN",
		},
		{
			"UPDATE ledger_entries SET amount = amount - 1 WHERE account = 'suspense' OR account = 'fees:platform'",
			"UPDATE ledger_entries SET amount = amount + 1 WHERE account = 'fees:platform'",
			"sum | all accounts, posted | 0.00 USDC | -0.000001 USDC",
		},
		{
			"UPDATE ledger_transactions SET state = 'voided' WHERE order_id = 'o2'",
			"UPDATE ledger_transactions SET state = 'pending' WHERE order_id = 'o2'",
			"order | OFR-20261121-o2, funds_received, pending | 1 | 0",
		},
		{
			"UPDATE order_events SET order_id = 'o3' WHERE order_id = 'o1' AND seq = 2",
			"UPDATE order_events SET order_id = 'o1' WHERE order_id = 'o3'",
			"order | OFR-20261121-o1, events | 5 | 4",
		},
	} {
		b.exec(t, c.change)
		if got := b.differences(t); !strings.Contains(strings.Join(got, "\n"), c.want) {
			t.Errorf("%s:\n got %q\nwant %q", c.change, got, c.want)
		}
		b.exec(t, c.back)
		storetest.Equal(t, "put back", b.differences(t), []string{})
	}
}

func (b *bench) exec(t *testing.T, sql string) {
	t.Helper()
	_, err := b.Store.Writer().ExecContext(t.Context(), sql)
	storetest.OK(t, err)
}

// A checkpoint changes no balance, and counts what is posted and nothing else.
func testCheckpoint(t *testing.T, b *bench) {
	b.paid(t, "o1", "w1")
	o := b.detected(t, "o2", "w1")
	equalSums := func(what string, out int64) {
		t.Helper()
		b.holds(t, chain, money.USDC, -100_000_000, 0, out)
		b.holds(t, ledger.FX, money.USDC, 99_249_763, 0, 0)
		storetest.Equal(t, what, b.differences(t), []string{})
	}
	counted, err := b.payout().Checkpoint(t.Context(), 3, 100)
	storetest.OK(t, err)
	storetest.Equal(t, "counted of accounts with few entries", counted, 0)
	counted, err = b.payout().Checkpoint(t.Context(), 1, 100)
	storetest.OK(t, err)
	storetest.Equal(t, "counted", counted, 9) // all but the deposit that is not final
	equalSums("after it", 100_000_000)
	b.walk(t, o, order.Event{Kind: order.DepositDropped, At: storetest.Start, Deposit: o.Deposit})
	counted, err = b.payout().Checkpoint(t.Context(), 1, 100)
	storetest.OK(t, err)
	storetest.Equal(t, "counted of what was voided", counted, 0)
	equalSums("after a void", 0)
}

// Checkpoints beside writers lose no entry and count none twice.
func testCheckpointBesideWriters(t *testing.T, b *bench) {
	const writers, each = 6, 25
	var wg sync.WaitGroup
	for i := range writers {
		wg.Go(func() {
			for n := range each {
				storetest.OK(
					t, b.book(t.Context(), move(ledger.Record, fmt.Sprint(i, "-", n), chain, ledger.Suspense, 3)),
				)
			}
		})
	}
	written, stopped := make(chan struct{}), sync.WaitGroup{}
	for range 2 { // servers
		stopped.Go(func() {
			for {
				_, err := b.payout().Checkpoint(t.Context(), 1, 7)
				storetest.OK(t, err)
				select {
				case <-written:
					return
				default:
				}
			}
		})
	}
	wg.Wait()
	close(written)
	stopped.Wait()
	b.holds(t, ledger.Suspense, money.USDC, 3*writers*each, 0, 0)
	b.holds(t, chain, money.USDC, -3*writers*each, 0, 0)
	storetest.Equal(t, "differences", b.differences(t), []string{})
}

// A transaction that began before a checkpoint and commits after it is counted
// by the next one.
func testCheckpointLateCommit(t *testing.T, b *bench) {
	storetest.OK(t, b.book(t.Context(), move(ledger.Pend, "late", chain, ledger.Suspense, 5)))
	storetest.OK(t, b.book(t.Context(), move(ledger.Record, "early", chain, ledger.Suspense, 2)))
	counted, err := b.payout().Checkpoint(t.Context(), 1, 100)
	storetest.OK(t, err)
	storetest.Equal(t, "counted", counted, 2)
	storetest.OK(t, b.book(t.Context(), move(ledger.Post, "late", chain, ledger.Suspense, 5)))
	b.holds(t, ledger.Suspense, money.USDC, 7, 0, 0)
	counted, err = b.payout().Checkpoint(t.Context(), 1, 100)
	storetest.OK(t, err)
	storetest.Equal(t, "counted then", counted, 2)
	b.holds(t, ledger.Suspense, money.USDC, 7, 0, 0)
	storetest.Equal(
		t, "rows of checkpoints", b.Count(t, "ledger_checkpoints WHERE workspace_id = $1", storetest.Ours), 2,
	)
}

// An account may grow by thousands of entries while the database's statistics are still those of a small table.
// Counting a batch takes milliseconds; a plan that makes the list of the batch anew for each entry takes minutes, in
// which no dead row of any table can be cleared away.
func testCheckpointOfAGrownAccount(t *testing.T, b *bench) {
	const grown = 4000
	add := func(account string, from, to int) {
		t.Helper()
		numbers := fmt.Sprintf("WITH RECURSIVE g(i) AS (SELECT %d UNION ALL SELECT i+1 FROM g WHERE i < %d) ", from, to)
		b.exec(t, "INSERT INTO ledger_transactions "+
			"(workspace_id, ref, kind, order_id, state, digest, created_at, settled_at) "+numbers+
			"SELECT '"+storetest.Ours+"', 'r' || i, 'k', '', 'posted', '', 0, 0 FROM g")
		b.exec(t, "INSERT INTO ledger_entries (workspace_id, ref, n, account, currency, amount, summed) "+
			numbers+"SELECT '"+storetest.Ours+"', 'r' || i, 0, "+account+", 'usdc', 1, 0 FROM g")
	}
	add("'held:w' || i", grown+1, grown+50)
	b.exec(t, "ANALYZE")
	add("'suspense'", 1, grown)
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	for left := grown; left > 0; left -= 1000 {
		counted, err := b.payout().Checkpoint(ctx, 2, 1000)
		storetest.OK(t, err)
		storetest.Equal(t, "counted", counted, 1000)
	}
	b.holds(t, ledger.Suspense, money.USDC, grown, 0, 0)
}
