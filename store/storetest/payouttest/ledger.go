package payouttest

import (
	"context"
	"errors"
	"fmt"
	"math"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/railkit/railkit/kit/payout"
	"github.com/railkit/railkit/kit/payout/ledger"
	"github.com/railkit/railkit/money"
	"github.com/railkit/railkit/platform/command"
	"github.com/railkit/railkit/store/storetest"
)

var ledgerTests = map[string]func(*testing.T, *bench){
	"TestPayout_L3_Floor":             testFloor,
	"TestPayout_L4_PendingVoidOrPost": testPendingVoidOrPost,
	"TestPayout_L5_TwoCommits":        testTwoCommits,
	"TestPayout_L7_Overflow":          testOverflow,
	"TestPayout_L8_Once":              testOnce,
	"LedgerUnbalanced":                testUnbalanced,
	"LedgerPerWorkspace":              testLedgerPerWorkspace,
}

// quiet is work without an audit row, as the kit does it.
func quiet(fn func(context.Context, payout.Tx) error) func(context.Context, payout.Tx) (command.Audit, error) {
	return func(ctx context.Context, tx payout.Tx) (command.Audit, error) {
		return command.Audit{}, fn(ctx, tx)
	}
}

func (b *bench) book(ctx context.Context, ops ...ledger.Op) error {
	return b.payout().Work(ctx, storetest.Ours, quiet(func(ctx context.Context, tx payout.Tx) error {
		return tx.Book(ctx, storetest.Ours, storetest.Start, ops...)
	}))
}

// move is an operation that moves an amount.
func move(do ledger.Do, ref string, from, to ledger.Account, minor int64) ledger.Op {
	a := money.Of(minor, money.USDC)
	return ledger.Op{
		Do: do, Ref: ref, Kind: "test",
		Entries: []ledger.Entry{{Account: from, Amount: a.Neg()}, {Account: to, Amount: a}},
	}
}

const (
	held  ledger.Account = "held:w1"
	chain ledger.Account = "chain:base"
)

// 64 writers take from an account that has enough for 20 of them.
func testFloor(t *testing.T, b *bench) {
	storetest.OK(t, b.book(t.Context(), move(ledger.Record, "in", chain, held, 20)))
	var taken, refused atomic.Int64
	var wg sync.WaitGroup
	for i := range 64 {
		wg.Go(func() {
			do := []ledger.Do{ledger.Record, ledger.Pend}[i%2] // what is reserved is gone, too
			switch err := b.book(t.Context(), move(do, fmt.Sprint("out-", i), held, ledger.Partner, 1)); {
			case err == nil:
				taken.Add(1)
			case errors.Is(err, ledger.ErrShort):
				refused.Add(1)
			default:
				t.Errorf("writer %d: %v", i, err)
			}
		})
	}
	wg.Wait()
	storetest.Equal(t, "taken and refused", [2]int64{taken.Load(), refused.Load()}, [2]int64{20, 44})
	got, err := b.payout().Balance(t.Context(), storetest.Ours, held, money.USDC)
	storetest.OK(t, err)
	left, err := got.Available()
	storetest.OK(t, err)
	storetest.Equal(t, "left", left.Minor, 0)
	storetest.Equal(t, "transactions", b.Count(t, "ledger_transactions"), 21)
}

func testPendingVoidOrPost(t *testing.T, b *bench) {
	storetest.OK(t, b.book(t.Context(), move(ledger.Record, "in", chain, held, 5)))
	storetest.OK(t, b.book(t.Context(), move(ledger.Pend, "a", held, ledger.Partner, 3)))
	b.holds(t, held, money.USDC, 5, 0, 3)
	b.holds(t, ledger.Partner, money.USDC, 0, 3, 0)
	storetest.OK(t, b.book(t.Context(), move(ledger.Void, "a", held, ledger.Partner, 3)))
	b.holds(t, held, money.USDC, 5, 0, 0)
	b.holds(t, ledger.Partner, money.USDC, 0, 0, 0)
	storetest.OK(t, b.book(t.Context(), move(ledger.Pend, "b", held, ledger.Partner, 3)))
	storetest.OK(t, b.book(t.Context(), move(ledger.Post, "b", held, ledger.Partner, 3)))
	b.holds(t, held, money.USDC, 2, 0, 0)
	b.holds(t, ledger.Partner, money.USDC, 3, 0, 0)
	for _, again := range []ledger.Op{
		move(ledger.Post, "a", held, ledger.Partner, 3), move(ledger.Void, "a", held, ledger.Partner, 3),
		move(ledger.Post, "b", held, ledger.Partner, 3), move(ledger.Void, "b", held, ledger.Partner, 3),
		move(ledger.Post, "none", held, ledger.Partner, 3),
	} {
		if err := b.book(t.Context(), again); !errors.Is(err, ledger.ErrState) {
			t.Errorf("%s %s: %v", again.Do, again.Ref, err)
		}
	}
	storetest.OK(t, b.book(t.Context(), move(ledger.Pend, "c", held, ledger.Partner, 2)))
	for _, other := range []ledger.Op{
		move(ledger.Post, "c", held, ledger.Partner, 1), move(ledger.Void, "c", held, ledger.Suspense, 2),
	} {
		if err := b.book(t.Context(), other); !errors.Is(err, ledger.ErrState) {
			t.Errorf("%s other entries than were pending: %v", other.Do, err)
		}
	}
	b.holds(t, held, money.USDC, 2, 0, 2)
	storetest.OK(t, b.book(
		t.Context(), move(ledger.Pend, "d", held, ledger.Partner, 2), move(ledger.Void, "d", held, ledger.Partner, 2),
	))
	b.holds(t, held, money.USDC, 2, 0, 2)
	if n := b.Count(t, "ledger_entries WHERE ref = 'd' AND summed = 1"); n != 2 {
		t.Errorf("%d entries of what was voided in its own transaction are marked so, want 2", n)
	}
}

// Of many who post or void one transaction one does.
func testTwoCommits(t *testing.T, b *bench) {
	storetest.OK(t, b.book(t.Context(), move(ledger.Record, "in", chain, held, 5)))
	storetest.OK(t, b.book(t.Context(), move(ledger.Pend, "a", held, ledger.Partner, 5)))
	var posted, voided atomic.Int64
	var wg sync.WaitGroup
	for i := range 32 {
		wg.Go(func() {
			do, wins := ledger.Post, &posted
			if i%2 == 1 {
				do, wins = ledger.Void, &voided
			}
			switch err := b.book(t.Context(), move(do, "a", held, ledger.Partner, 5)); {
			case err == nil:
				wins.Add(1)
			case !errors.Is(err, ledger.ErrState):
				t.Errorf("%s: %v", do, err)
			}
		})
	}
	wg.Wait()
	storetest.Equal(t, "winners", posted.Load()+voided.Load(), 1)
	b.holds(t, held, money.USDC, 5*voided.Load(), 0, 0)
	b.holds(t, ledger.Partner, money.USDC, 5*posted.Load(), 0, 0)
}

func testOverflow(t *testing.T, b *bench) {
	storetest.OK(t, b.book(t.Context(), move(ledger.Record, "most", chain, held, math.MaxInt64)))
	for i, do := range []ledger.Do{ledger.Record, ledger.Pend} {
		if err := b.book(
			t.Context(), move(do, fmt.Sprint("more-", i), chain, held, 1),
		); !errors.Is(err, money.ErrRange) {
			t.Errorf("%s one more: %v", do, err)
		}
	}
	b.holds(t, held, money.USDC, math.MaxInt64, 0, 0)
	storetest.OK(t, b.book(t.Context(), move(ledger.Record, "away", held, ledger.Partner, 1)))
	storetest.OK(t, b.book(t.Context(), move(ledger.Pend, "last", chain, held, 1)))
	if err := b.book(t.Context(), move(ledger.Pend, "over", chain, held, 1)); !errors.Is(err, money.ErrRange) {
		t.Errorf("what could not be posted: %v", err)
	}
	storetest.OK(t, b.book(t.Context(), move(ledger.Post, "last", chain, held, 1)))
	b.holds(t, held, money.USDC, math.MaxInt64, 0, 0)
	least := move(ledger.Record, "least", chain, held, 1)
	least.Entries[0].Amount.Minor = math.MinInt64
	if err := b.book(t.Context(), least); !errors.Is(err, money.ErrRange) {
		t.Errorf("an amount without another side: %v", err)
	}
}

// What is booked under a ref is booked once: also what takes it back.
func testOnce(t *testing.T, b *bench) {
	storetest.OK(t, b.book(t.Context(), move(ledger.Record, "in", chain, held, 5)))
	storetest.OK(t, b.book(t.Context(), move(ledger.Record, "o1:settle:1", held, ledger.Partner, 5)))
	back := move(ledger.Record, "o1:return:1", ledger.Partner, held, 5)
	storetest.OK(t, b.book(t.Context(), back))
	for _, again := range []ledger.Op{
		back, move(ledger.Pend, back.Ref, ledger.Partner, held, 5), move(ledger.Record, "in", chain, held, 5),
	} {
		if err := b.book(t.Context(), again); !errors.Is(err, ledger.ErrState) {
			t.Errorf("%s %s again: %v", again.Do, again.Ref, err)
		}
	}
	if err := b.book(
		t.Context(), move(ledger.Void, back.Ref, ledger.Partner, held, 5),
	); !errors.Is(err, ledger.ErrState) {
		t.Errorf("voiding what was posted: %v", err)
	}
	b.holds(t, held, money.USDC, 5, 0, 0)
}

func testUnbalanced(t *testing.T, b *bench) {
	odd := move(ledger.Record, "odd", chain, held, 5)
	odd.Entries[1].Amount.Minor = 6
	if err := b.book(t.Context(), odd); !errors.Is(err, ledger.ErrUnbalanced) {
		t.Errorf("got %v", err)
	}
	mixed := move(ledger.Record, "mixed", chain, held, 5)
	mixed.Entries[1].Amount.Currency = money.USDT
	if err := b.book(t.Context(), mixed); !errors.Is(err, ledger.ErrUnbalanced) {
		t.Errorf("two currencies: %v", err)
	}
	storetest.Equal(t, "transactions", b.Count(t, "ledger_transactions"), 0)
	storetest.Equal(t, "entries", b.Count(t, "ledger_entries"), 0)
}

func testLedgerPerWorkspace(t *testing.T, b *bench) {
	storetest.OK(t, b.book(t.Context(), move(ledger.Record, "in", chain, held, 5)))
	storetest.OK(t, b.payout().Work(t.Context(), storetest.Theirs, quiet(func(ctx context.Context, tx payout.Tx) error {
		return tx.Book(ctx, storetest.Theirs, storetest.Start, move(ledger.Record, "in", chain, held, 7))
	})))
	b.holds(t, held, money.USDC, 5, 0, 0)
	b.holds(t, chain, money.USDC, -5, 0, 0)
	got, err := b.payout().Balance(t.Context(), storetest.Theirs, chain, money.USDC)
	storetest.OK(t, err)
	storetest.Equal(t, "theirs", got.Posted.Minor, -7)
}
