package skilltest

import (
	"context"
	"errors"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/railkit/railkit/kit/agent/execution"
	"github.com/railkit/railkit/platform/record"
	"github.com/railkit/railkit/store/storetest"
)

var executionTests = map[string]func(*testing.T, *bench){
	"Purchases": testPurchases, "PurchaseClaim": testPurchaseClaim, "PurchasesOver": testPurchasesOver,
}

// aPurchase is a claimed one with every field set.
func aPurchase(payment string) execution.Purchase {
	return execution.Purchase{
		Payment: payment, WorkspaceID: storetest.Ours, Caller: "agent-1", SkillID: "s-1", Input: "aa", Claim: "c-1",
		State: execution.Claimed, Asked: `{"x402Version":1}`, BusyUntil: storetest.Start.Add(time.Minute),
		EndsAt: storetest.Start.Add(25 * time.Hour), CreatedAt: storetest.Start, UpdatedAt: storetest.Start,
	}
}

// change makes one change of a purchase.
func (b *bench) change(t *testing.T, do func(context.Context, execution.Tx) error) error {
	t.Helper()
	return try(t.Context(), b.executions, do)
}

func (b *bench) claim(t *testing.T, p execution.Purchase) error {
	t.Helper()
	return b.change(t, func(ctx context.Context, tx execution.Tx) error { return tx.ClaimSkillPurchase(ctx, p) })
}

func stale(t *testing.T, what string, err error) {
	t.Helper()
	if !errors.Is(err, record.ErrStale) {
		t.Errorf("%s: %v", what, err)
	}
}

// A payment has one row, which its claim alone moves, until another one takes it over.
func testPurchases(t *testing.T, b *bench) {
	first := aPurchase("p-1")
	storetest.OK(t, b.claim(t, first))
	stale(t, "claimed twice", b.claim(t, first))
	is := func(want execution.Purchase) {
		t.Helper()
		got, err := b.executions.SkillPurchase(t.Context(), want.Payment)
		storetest.OK(t, err)
		storetest.Equal(t, "purchase", got, want)
	}
	is(first)
	_, err := b.executions.SkillPurchase(t.Context(), "p-2")
	storetest.Missing(t, "Purchase", err)

	second := first
	second.Claim, second.Asked, second.UpdatedAt = "c-2", `{"x402Version":2}`, storetest.Start.Add(time.Minute)
	second.BusyUntil = storetest.Start.Add(2 * time.Minute)
	take := func(ctx context.Context, tx execution.Tx) error { return tx.TakeSkillPurchase(ctx, first, second) }
	storetest.OK(t, b.change(t, take))
	stale(t, "taken over twice", b.change(t, take))
	is(second)

	move := func(p execution.Purchase, from execution.State) error {
		return b.change(t, func(ctx context.Context, tx execution.Tx) error {
			return tx.MoveSkillPurchase(ctx, p, from)
		})
	}
	called := second
	called.State, called.Answer, called.BusyUntil = execution.Called, "v1.k.x", storetest.Start.Add(3*time.Minute)
	late := called
	late.Claim = first.Claim
	stale(t, "moved by who lost it", move(late, execution.Claimed))
	storetest.OK(t, move(called, execution.Claimed))
	stale(t, "moved twice", move(called, execution.Claimed))
	stale(t, "dropped once called", b.change(t, func(ctx context.Context, tx execution.Tx) error {
		return tx.DropSkillPurchase(ctx, called)
	}))
	stale(t, "taken over as if it were not called", b.change(t, func(ctx context.Context, tx execution.Tx) error {
		return tx.TakeSkillPurchase(ctx, second, first)
	}))
	settled := called
	settled.State, settled.Receipt = execution.Settled, `{"success":true}`
	storetest.OK(t, move(settled, execution.Called))
	is(settled)

	other := aPurchase("p-2")
	storetest.OK(t, b.claim(t, other))
	drop := func(ctx context.Context, tx execution.Tx) error { return tx.DropSkillPurchase(ctx, other) }
	storetest.OK(t, b.change(t, drop))
	stale(t, "dropped twice", b.change(t, drop))
	storetest.OK(t, b.claim(t, other))
}

// Of many requests at once with one payment one has it.
func testPurchaseClaim(t *testing.T, b *bench) {
	var had, lost atomic.Int64
	var wg sync.WaitGroup
	for i := range 8 {
		p := aPurchase("p-1")
		p.Claim = string(rune('a' + i))
		wg.Go(func() {
			switch err := b.claim(t, p); {
			case err == nil:
				had.Add(1)
			case errors.Is(err, record.ErrStale):
				lost.Add(1)
			default:
				t.Error(err)
			}
		})
	}
	wg.Wait()
	if had.Load() != 1 || lost.Load() != 7 {
		t.Errorf("%d had it, %d lost", had.Load(), lost.Load())
	}
}

// Answers are forgotten, purchases whose payment is over and claims that nobody went on with are gone, and no others.
func testPurchasesOver(t *testing.T, b *bench) {
	day := storetest.Start.Add(24 * time.Hour)
	old, answered, over, waits, dead := aPurchase("old"), aPurchase("answered"), aPurchase("over"), aPurchase("waits"),
		aPurchase("dead")
	old.State, old.Answer = execution.Settled, "v1.k.old"
	answered.State, answered.Answer, answered.CreatedAt = execution.Called, "v1.k.new", day
	over.State, over.EndsAt = execution.Settled, day.Add(-time.Second)
	waits.BusyUntil = day.Add(-59 * time.Minute)
	dead.BusyUntil = day.Add(-61 * time.Minute)
	for _, p := range []execution.Purchase{old, answered, over, waits, dead} {
		storetest.OK(t, b.claim(t, p))
	}
	storetest.OK(t, b.executions.SweepSkillPurchases(t.Context(), day, day))
	old.Answer = ""
	for _, want := range []execution.Purchase{old, answered, waits} {
		got, err := b.executions.SkillPurchase(t.Context(), want.Payment)
		storetest.OK(t, err)
		storetest.Equal(t, want.Payment, got, want)
	}
	for _, gone := range []string{"over", "dead"} {
		_, err := b.executions.SkillPurchase(t.Context(), gone)
		storetest.Missing(t, "Purchase", err)
	}
}
