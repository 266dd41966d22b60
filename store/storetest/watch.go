package storetest

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"testing"
	"time"

	"github.com/railkit/railkit/chain/node"
	"github.com/railkit/railkit/internal/test/toychain"
	"github.com/railkit/railkit/job"
	"github.com/railkit/railkit/kit/signing"
	"github.com/railkit/railkit/kit/signing/transaction"
	"github.com/railkit/railkit/kit/signing/wallet"
	"github.com/railkit/railkit/platform/page"
	"github.com/railkit/railkit/platform/watch"
	"github.com/railkit/railkit/store/platform"
)

var watchTests = map[string]func(*testing.T, *bench){
	"WatchCursor":    testWatchCursor,
	"WatchRace":      testWatchRace,
	"WatchBlocks":    testWatchBlocks,
	"WatchOwners":    testWatchOwners,
	"WatchRescans":   testWatchRescans,
	"WatchSee":       testWatchSee,
	"WatchStates":    testWatchStates,
	"WatchReads":     testWatchReads,
	"WatchUndone":    testWatchUndone,
	"WithdrawListed": testWithdrawListed,
	"WalletHistory":  testHistory,
}

func (b *bench) watch() platform.Watch { return b.Store.Watch() }

// watching writes as the watcher does, and must succeed.
func (b *bench) watching(t *testing.T, fn func(context.Context, watch.Tx) error) {
	t.Helper()
	OK(t, b.watch().Write(t.Context(), fn))
}

// follow makes the cursor of a chain.
func (b *bench) follow(t *testing.T, chain string, number int64) watch.Cursor {
	t.Helper()
	b.watching(t, func(ctx context.Context, tx watch.Tx) error {
		return tx.Begin(ctx, watch.Cursor{Chain: chain, Number: number, Hash: "0xb0"})
	})
	c, found, err := b.watch().Cursor(t.Context(), chain)
	OK(t, err)
	Equal(t, "found", found, true)
	return c
}

func testWatchCursor(t *testing.T, b *bench) {
	_, found, err := b.watch().Cursor(t.Context(), "base")
	OK(t, err)
	Equal(t, "a cursor before the first look", found, false)
	c := b.follow(t, "base", 7)
	Equal(t, "the cursor", c, watch.Cursor{Chain: "base", Number: 7, Hash: "0xb0", Version: 1})
	b.watching(t, func(ctx context.Context, tx watch.Tx) error { return tx.Move(ctx, c, 9, "0xb9") })
	from := func(old watch.Cursor) func(context.Context, watch.Tx) error {
		return func(ctx context.Context, tx watch.Tx) error { return tx.Move(ctx, old, 31, "0xb31") }
	}
	for what, fn := range map[string]func(context.Context, watch.Tx) error{
		"a second beginning": func(ctx context.Context, tx watch.Tx) error { return tx.Begin(ctx, c) },
		"a late move":        from(c),
		// A database that was put back, or whose replica took over, has come to the same version by another way.
		"a move from another block":  from(watch.Cursor{Chain: "base", Number: 30, Hash: "0xb30", Version: 2}),
		"a move from another branch": from(watch.Cursor{Chain: "base", Number: 9, Hash: "0xother", Version: 2}),
	} {
		if err := b.watch().Write(t.Context(), fn); !errors.Is(err, watch.ErrStale) {
			t.Errorf("%s: %v", what, err)
		}
	}
	now, _, err := b.watch().Head(t.Context(), "base")
	OK(t, err)
	Equal(t, "the moved cursor", now, watch.Cursor{Chain: "base", Number: 9, Hash: "0xb9", Version: 2})
}

// Of servers that read the same range at once, one writes it.
func testWatchRace(t *testing.T, b *bench) {
	c := b.follow(t, "base", 7)
	var all sync.WaitGroup
	won := make(chan int, 8)
	for i := range cap(won) {
		all.Go(func() {
			err := b.watch().Write(t.Context(), func(ctx context.Context, tx watch.Tx) error {
				if err := tx.Move(ctx, c, 8, "0xb8"); err != nil {
					return err
				}
				_, err := tx.See(ctx, arrived(Ours, fmt.Sprint("transfer-", i), "0xd1", 8))
				return err
			})
			if err == nil {
				won <- i
			} else if !errors.Is(err, watch.ErrStale) {
				t.Error(err)
			}
		})
	}
	all.Wait()
	Equal(t, "winners", len(won), 1)
	Equal(t, "rows", b.Count(t, "transfers"), 1)
}

func testWatchBlocks(t *testing.T, b *bench) {
	keep := func(below int64, numbers ...int64) {
		t.Helper()
		b.watching(t, func(ctx context.Context, tx watch.Tx) error {
			var all []node.Header
			for _, n := range numbers {
				all = append(all, node.Header{Number: n, Hash: fmt.Sprintf("0xb%d-%d", n, below)})
			}
			return tx.Remember(ctx, "base", all, below)
		})
	}
	want := func(what string, hashes ...string) {
		t.Helper()
		all, err := b.watch().Blocks(t.Context(), "base")
		OK(t, err)
		Equal(t, what, IDs(all, func(h node.Header) string { return h.Hash }), hashes)
	}
	keep(0, 1, 2, 3)
	keep(2, 3, 4)
	want("the newest first, without the old", "0xb4-2", "0xb3-2", "0xb2-0")
	b.watching(t, func(ctx context.Context, tx watch.Tx) error {
		return errors.Join(tx.Forget(ctx, "base", 2), tx.Forget(ctx, "polygon", 0))
	})
	want("up to the ancestor", "0xb2-0")
}

func testWatchOwners(t *testing.T, b *bench) {
	b.seed(t, Ours)
	b.withdraw(t, "0x00000000000000000000000000000000000000A1", Ours, "withdraw-1")
	b.withdraw(t, "0x00000000000000000000000000000000000000a2", Theirs, "withdraw-2")
	b.otherFamily(t)
	asked := []string{
		"0x5aaeb6053f3e94c9b9a09f33669435e7ef1beaed", "0x00000000000000000000000000000000000000a1",
		"0x00000000000000000000000000000000000000a2", toychain.AddressOf("ann"), "0xee",
	}
	for i := range 1200 {
		asked = append(asked, fmt.Sprintf("0xf%d", i))
	}
	owners, err := b.watch().Owners(t.Context(), asked)
	OK(t, err)
	Equal(t, "owners", owners, map[string]watch.Owner{
		asked[0]: {Kind: watch.Wallet, WorkspaceID: Ours, ID: "wallet-1"},
		asked[1]: {Kind: watch.Withdraw, WorkspaceID: Ours, ID: "withdraw-1"},
		asked[2]: {Kind: watch.Withdraw, WorkspaceID: Theirs, ID: "withdraw-2"},
		asked[3]: {Kind: watch.Wallet, WorkspaceID: Ours, ID: "wallet-1"},
	})
	none, err := b.watch().Owners(t.Context(), nil)
	OK(t, err)
	Equal(t, "of none", len(none), 0)
}

// otherFamily adds an address of a network that is not EVM to the wallet.
func (b *bench) otherFamily(t *testing.T) {
	t.Helper()
	a := anAddress(Ours, "address-2")
	a.Address, a.Kind, a.Path = toychain.AddressOf("ann"), string(toychain.Kind), "m/44'/9999'/0'/0'"
	b.write(t, func(ctx context.Context, tx signing.Tx) error { return tx.InsertAddress(ctx, a) })
}

// withdrawals is what the payout kit's transaction has.
type withdrawals interface {
	ListWithdrawAddress(ctx context.Context, address, workspaceID, withdrawAddressID string) error
}

func (b *bench) withdraw(t *testing.T, address, workspaceID, id string) {
	t.Helper()
	b.write(t, func(ctx context.Context, tx signing.Tx) error {
		return tx.(withdrawals).ListWithdrawAddress(ctx, address, workspaceID, id)
	})
}

func testWithdrawListed(t *testing.T, b *bench) {
	b.withdraw(t, checksummed, Ours, "withdraw-1")
	b.withdraw(t, checksummed, Ours, "withdraw-1") // again
	for _, other := range [][2]string{{Ours, "withdraw-2"}, {Theirs, "withdraw-1"}} {
		err := b.try(t, func(ctx context.Context, tx signing.Tx) error {
			return tx.(withdrawals).ListWithdrawAddress(ctx, checksummed, other[0], other[1])
		})
		if err == nil {
			t.Errorf("the address was given to %v too", other)
		}
	}
	Equal(t, "rows", b.Count(t, "withdraw_directory"), 1)
}

// A new address has every chain that is watched looked back on, once.
func testWatchRescans(t *testing.T, b *bench) {
	b.withdraw(t, "0x00000000000000000000000000000000000000a0", Ours, "withdraw-0")
	Equal(t, "with no chain", b.Count(t, "watch_rescans"), 0)
	b.follow(t, "base", 1)
	b.follow(t, "polygon", 1)
	b.withdraw(t, "0x00000000000000000000000000000000000000A1", Ours, "withdraw-1")
	b.withdraw(t, "0x00000000000000000000000000000000000000A1", Ours, "withdraw-1")
	b.seed(t, Ours)
	b.otherFamily(t)
	all, err := b.watch().Rescans(t.Context(), "base", 10)
	OK(t, err)
	Equal(t, "asked for", IDs(all, func(r watch.Rescan) string { return r.Address }),
		[]string{"0x00000000000000000000000000000000000000a1", "0x5aaeb6053f3e94c9b9a09f33669435e7ef1beaed",
			toychain.AddressOf("ann")})
	b.watching(t, func(ctx context.Context, tx watch.Tx) error {
		return tx.EndRescans(ctx, IDs(all, func(r watch.Rescan) string { return r.ID }))
	})
	left, err := b.watch().Rescans(t.Context(), "base", 10)
	OK(t, err)
	Equal(t, "left", len(left), 0)
	Equal(t, "of the other chain", b.Count(t, "watch_rescans"), 3)
}

// arrived is a transfer in a block.
func arrived(ws, id, tx string, in int64) watch.Transfer {
	return watch.Transfer{
		WorkspaceID: ws, ID: id, Owner: watch.Withdraw, OwnerID: "withdraw-1", Chain: "base", Tx: tx, LogIndex: 3,
		Token: "0xc1", Symbol: "USDC", Decimals: 6, From: "0xee", To: "0xa1", Amount: "25500000", State: watch.Seen,
		BlockNumber: in, BlockHash: fmt.Sprintf("0xb%d", in), SeenAt: Start, UpdatedAt: Start,
	}
}

// see writes transfers and tells what changed.
func (b *bench) see(t *testing.T, xs ...watch.Transfer) (changed []watch.Transfer) {
	t.Helper()
	b.watching(t, func(ctx context.Context, tx watch.Tx) error {
		changed = nil
		for _, x := range xs {
			changes, err := tx.See(ctx, x)
			if err != nil {
				return err
			}
			changed = append(changed, changes...)
		}
		return nil
	})
	return changed
}

func testWatchSee(t *testing.T, b *bench) {
	x := arrived(Ours, "transfer-1", "0xd1", 7)
	Equal(t, "seen", b.see(t, x), []watch.Transfer{x})
	again := x
	again.ID, again.SeenAt, again.UpdatedAt = "transfer-2", Start.Add(time.Hour), Start.Add(time.Hour)
	Equal(t, "seen once more", len(b.see(t, again)), 0)
	second := x
	second.ID, second.Ordinal, second.LogIndex = "transfer-3", 1, 4
	other := x
	other.ID, other.Token, other.LogIndex = "transfer-4", "0xc2", 5
	Equal(t, "others of the transaction", len(b.see(t, second, other)), 2)
	moved := again
	moved.BlockNumber, moved.BlockHash, moved.Amount = 5, "0xb5", "7000000"
	left, there := x, moved
	left.State, left.UpdatedAt = watch.Dropped, moved.SeenAt
	there.ID, there.SeenAt = x.ID, x.SeenAt
	Equal(t, "in another block", b.see(t, moved), []watch.Transfer{left, there})
	x = moved
	twin := x
	twin.ID, twin.Tx = "transfer-5", "0xd5"
	err := b.watch().Write(t.Context(), func(ctx context.Context, tx watch.Tx) error {
		_, err := tx.See(ctx, twin)
		return err
	})
	if err == nil {
		t.Error("one log of a block is two transfers")
	}
}

func testWatchStates(t *testing.T, b *bench) {
	x, y := arrived(Ours, "transfer-1", "0xd1", 7), arrived(Ours, "transfer-2", "0xd2", 9)
	b.see(t, x, y)
	at := Start.Add(time.Minute)
	step := func(
		what string, fn func(context.Context, watch.Tx, string, int64, time.Time) ([]watch.Transfer, error),
		number int64, want ...watch.Transfer,
	) {
		t.Helper()
		at = at.Add(time.Minute)
		var got []watch.Transfer
		b.watching(t, func(ctx context.Context, tx watch.Tx) (err error) {
			if none, err := fn(ctx, tx, "polygon", number, at); err != nil || len(none) > 0 {
				return errors.Join(err, fmt.Errorf("%d of another chain", len(none)))
			}
			got, err = fn(ctx, tx, "base", number, at)
			return err
		})
		for i := range want {
			want[i].UpdatedAt = at
		}
		Equal(t, what, got, want)
	}
	settle, undo := settling, undoing
	step("too early", settle, 6, []watch.Transfer{}...)
	x.State, x.FinalAt = watch.Final, at.Add(time.Minute)
	b.holds(t, "held", 7, []string{"0xc0", "0xc1"}, "0xc1")
	b.holds(t, "too early", 6, nil)
	step("deep enough", settle, 7, x)
	b.holds(t, "settled", 7, nil)
	step("again", settle, 8, []watch.Transfer{}...)
	x.State, y.State = watch.Dropped, watch.Dropped
	step("a reorg", undo, 6, x, y)
	step("is over", undo, 6, []watch.Transfer{}...)
	x.BlockNumber, x.BlockHash, x.LogIndex, x.State, x.UpdatedAt = 8, "0xb8'", 9, watch.Seen, at
	back := x
	back.ID = "transfer-9"
	Equal(t, "mined again", b.see(t, back), []watch.Transfer{wrote(x)})
	x.State = watch.Final
	step("final again, since its first time", settle, 9, x)
}

// holds settles with tokens that are held, where they are all that is there: nothing changes. It compares the tokens of
// which there are seen transfers.
func (b *bench) holds(t *testing.T, what string, upTo int64, held []string, want ...string) {
	t.Helper()
	tokens, err := b.watch().Unsettled(t.Context(), "base", upTo)
	OK(t, err)
	Equal(t, what, append([]string{}, tokens...), append([]string{}, want...))
	if len(held) == 0 {
		return
	}
	b.watching(t, func(ctx context.Context, tx watch.Tx) error {
		final, err := tx.Settle(ctx, "base", upTo, held, Start)
		Equal(t, what, len(final), 0)
		return err
	})
}

// wrote is a transfer that See made of another one: it is changed when that was seen.
func wrote(x watch.Transfer) watch.Transfer {
	x.UpdatedAt = Start
	return x
}

func settling(ctx context.Context, tx watch.Tx, chain string, n int64, now time.Time) ([]watch.Transfer, error) {
	return tx.Settle(ctx, chain, n, nil, now)
}

func undoing(ctx context.Context, tx watch.Tx, chain string, n int64, now time.Time) ([]watch.Transfer, error) {
	return tx.Undo(ctx, chain, n, now)
}

func testWatchReads(t *testing.T, b *bench) {
	var xs []watch.Transfer
	for i := range 5 {
		x := arrived(Ours, fmt.Sprintf("transfer-%d", i), fmt.Sprintf("0xd%d", i), int64(i))
		x.SeenAt = Start.Add(time.Duration(i) * time.Second)
		x.UpdatedAt = x.SeenAt
		xs = append(xs, x)
	}
	xs[2].From, xs[2].Senders = "", []string{"0xee", "0xef"} // several paid together
	foreign := arrived(Theirs, "transfer-9", "0xd9", 9)
	wallets := arrived(Ours, "transfer-8", "0xd8", 8)
	wallets.Owner, wallets.OwnerID = watch.Wallet, "wallet-1"
	b.see(t, append(xs, foreign, wallets)...)
	id := func(x watch.Transfer) string { return x.ID }
	page1, total, err := b.watch().TransfersOf(t.Context(), Ours, "withdraw-1", page.Page{Limit: 2})
	OK(t, err)
	Equal(t, "total", total, 5)
	Equal(t, "newest first", IDs(page1, id), []string{"transfer-4", "transfer-3"})
	page2, _, err := b.watch().TransfersOf(
		t.Context(), Ours, "withdraw-1",
		page.Page{Limit: 2, After: &page.Cursor{CreatedAt: page1[1].SeenAt, ID: page1[1].ID}},
	)
	OK(t, err)
	Equal(t, "and on", IDs(page2, id), []string{"transfer-2", "transfer-1"})
	since, err := b.watch().TransfersSince(
		t.Context(), watch.Withdraw, page.Cursor{CreatedAt: xs[1].UpdatedAt, ID: xs[1].ID}, 2,
	)
	OK(t, err)
	Equal(t, "changed since", IDs(since, id), []string{"transfer-2", "transfer-3"})
	everybody, err := b.watch().TransfersSince(t.Context(), watch.Withdraw, page.Cursor{}, 10)
	OK(t, err)
	Equal(t, "of all workspaces, without wallets", len(everybody), 6)
	one, err := b.watch().Transfer(t.Context(), Ours, "transfer-2")
	OK(t, err)
	Equal(t, "one", one, xs[2])
	_, err = b.watch().Transfer(t.Context(), Theirs, "transfer-2")
	Missing(t, "Transfer", err)
	standing, err := b.watch().Standing(t.Context(), "base", 1, 3)
	OK(t, err)
	Equal(t, "standing", IDs(standing, id), []string{"transfer-1", "transfer-2", "transfer-3"})
}

// What fails leaves nothing, and no job.
func testWatchUndone(t *testing.T, b *bench) {
	failure := errors.New("no")
	err := b.watch().Write(t.Context(), func(ctx context.Context, tx watch.Tx) error {
		_, err := tx.See(ctx, arrived(Ours, "transfer-1", "0xd1", 7))
		return errors.Join(
			err, tx.Enqueue(ctx, job.Job{Kind: transaction.JobConfirm, WorkspaceID: Ours, ID: "transfer-1"}), failure,
		)
	})
	if !errors.Is(err, failure) {
		t.Error(err)
	}
	Equal(t, "rows", b.Count(t, "transfers")+b.Count(t, "river_job"), 0)
	b.see(t, arrived(Ours, "transfer-1", "0xd1", 7))
	x := arrived(Ours, "transfer-1", "0xd1", 7)
	b.watching(t, func(ctx context.Context, tx watch.Tx) error {
		_, err := tx.Drop(ctx, x, Start)
		return errors.Join(
			err, tx.Enqueue(ctx, job.Job{Kind: transaction.JobConfirm, WorkspaceID: Ours, ID: "transfer-1"}),
		)
	})
	Equal(t, "jobs", b.Count(t, "river_job"), 1)
	err = b.watch().Write(t.Context(), func(ctx context.Context, tx watch.Tx) error {
		_, err := tx.Drop(ctx, x, Start)
		return err
	})
	if !errors.Is(err, watch.ErrStale) {
		t.Errorf("dropped twice: %v", err)
	}
}

// A wallet's history is one list of what it sent and what came to it.
func testHistory(t *testing.T, b *bench) {
	b.seed(t, Ours)
	b.transactions(t, 4, func(i int, x *transaction.Transaction) {
		x.State = []transaction.State{
			transaction.Broadcast, transaction.Confirmed, transaction.Failed, transaction.Awaiting,
		}[i]
		x.CreatedAt = Start.Add(time.Duration(10*i) * time.Second)
	})
	var xs []watch.Transfer
	for i, state := range []watch.State{watch.Final, watch.Seen, watch.Dropped, watch.Seen} {
		x := arrived(Ours, fmt.Sprintf("transfer-%d", i), fmt.Sprintf("0xd%d", i), int64(7-i))
		x.Owner, x.OwnerID, x.State, x.SeenAt = watch.Wallet, "wallet-1", state, Start.Add(
			time.Duration(10*i+5)*time.Second,
		)
		xs = append(xs, x)
	}
	xs[3].From = "0x5aaeb6053f3e94c9b9a09f33669435e7ef1beaed" // the wallet's own
	foreign, withdraw := arrived(Theirs, "transfer-8", "0xd8", 8), arrived(Ours, "transfer-9", "0xd9", 9)
	foreign.Owner, foreign.OwnerID = watch.Wallet, "wallet-1"
	b.see(t, append(xs, foreign, withdraw)...)
	b.watching(t, func(ctx context.Context, tx watch.Tx) error {
		_, err := tx.Settle(ctx, "base", 4, nil, Start)
		if err != nil {
			return err
		}
		_, err = tx.Drop(ctx, xs[2], Start)
		return err
	})
	b.watching(t, func(ctx context.Context, tx watch.Tx) error {
		_, err := tx.Settle(ctx, "base", 7, nil, Start)
		return err
	})
	want := func(f wallet.HistoryFilter, total int, lines ...string) {
		t.Helper()
		f.WorkspaceID, f.WalletID = Ours, "wallet-1"
		if f.Page.Limit == 0 {
			f.Page.Limit = 10
		}
		rows, got, err := b.History(t.Context(), f)
		OK(t, err)
		Equal(t, fmt.Sprintf("history of %+v", f), IDs(rows, func(l wallet.HistoryLine) string {
			return l.ID + " " + l.Status
		}), lines)
		Equal(t, fmt.Sprintf("total of %+v", f), got, total)
	}
	all := []string{
		"transfer-2 failed", "tx-02 failed", "transfer-1 confirmed", "tx-01 confirmed", "transfer-0 confirmed",
		"tx-00 pending",
	}
	want(wallet.HistoryFilter{}, 6, all...)
	want(wallet.HistoryFilter{Page: page.Page{Limit: 2}}, 6, all[:2]...)
	want(wallet.HistoryFilter{Page: page.Page{Limit: 2, Offset: 3}}, 6, all[3:5]...)
	want(wallet.HistoryFilter{
		Page: page.Page{Limit: 2, After: &page.Cursor{CreatedAt: Start.Add(20 * time.Second), ID: "tx-02"}},
	}, 6, all[2:4]...)
	want(wallet.HistoryFilter{SortDir: "asc", Page: page.Page{Limit: 2}}, 6, all[5], all[4])
	want(wallet.HistoryFilter{Type: wallet.Received}, 3, all[0], all[2], all[4])
	want(wallet.HistoryFilter{Type: wallet.Sent, Status: "failed"}, 1, all[1])
	want(wallet.HistoryFilter{Status: "failed"}, 2, all[0], all[1])
	want(wallet.HistoryFilter{TokenSymbol: "USDT"}, 0, []string{}...)
	own, err := b.OwnAddresses(t.Context(), Ours, "sub-1", 1)
	OK(t, err)
	Equal(t, "own addresses", len(own), 1)
	paid, err := b.PaidAddresses(t.Context(), Ours, "wallet-1", 3)
	OK(t, err)
	Equal(t, "paid addresses of three rows", paid, []wallet.Paid{
		{Address: "0xdbF03B407c01E7cD3CBea99509d93f8DDDC8C6FB", First: Start.Add(10 * time.Second)},
	})
	rows, _, err := b.History(
		t.Context(),
		wallet.HistoryFilter{WorkspaceID: Ours, WalletID: "wallet-1", Page: page.Page{Limit: 1, Offset: 2}},
	)
	OK(t, err)
	Equal(t, "a line", rows, []wallet.HistoryLine{{
		ID: "transfer-1", Type: wallet.Received, TxHash: "0xd1", From: "0xee", To: "0xa1", Amount: "25.5",
		TokenSymbol: "USDC", Chain: "base",
		Status: "confirmed", BlockNumber: 6, CreatedAt: xs[1].SeenAt,
	}})
}
