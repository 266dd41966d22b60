package watch_test

import (
	"context"
	"slices"
	"sync"
	"testing"

	"github.com/railkit/railkit/platform/watch"
)

// holding holds some tokens, and counts the questions.
type holding struct {
	mu    sync.Mutex
	held  []string
	asked int
}

func (h *holding) hold(tokens ...string) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.held = tokens
}

func (h *holding) of(_ context.Context, tokens []string) []string {
	h.mu.Lock()
	defer h.mu.Unlock()
	if len(tokens) > 0 {
		h.asked++
	}
	return slices.DeleteFunc(slices.Clone(tokens), func(t string) bool { return !slices.Contains(h.held, t) })
}

func newHolding(t *testing.T) (*bench, *holding) {
	t.Helper()
	b, h := newBench(t), &holding{}
	b.of.Held = h.of
	b.restart(watch.Config{})
	return b, h
}

// While a token is held nothing of it becomes final, and another token's goes on. Once it is not, all that came becomes
// final, also without a new block, by another watcher, and once.
func TestWatch_HeldToken(t *testing.T) {
	t.Parallel()
	b, h := newHolding(t)
	b.steps(t)
	h.hold(usdc)
	b.chain.mine(tx{"0xd1", []pay{{usdc, alice, 5}, {usdt, alice, 6}}})
	for range 4 {
		b.chain.mine()
	}
	b.chain.mine(tx{"0xd2", []pay{{usdc, bob, 7}}})
	for range 200 {
		b.chain.mine()
	}
	b.steps(t)
	b.heard(t, "while it is held", "0xd1#0 seen", "0xd1#0 seen", "0xd2#0 seen", "0xd1#0 final")
	if rows := b.rows(t); len(rows) != 3 {
		t.Errorf("%q", rows)
	}
	for range 3 { // no new block
		if more, err := b.Step(t.Context(), "deep"); err != nil || more {
			t.Fatal(more, err)
		}
	}
	b.heard(t, "it waits")
	b.restart(watch.Config{})
	h.hold()
	for range 2 {
		if _, err := b.Step(t.Context(), "deep"); err != nil {
			t.Fatal(err)
		}
	}
	b.heard(t, "afterwards", "0xd1#0 final", "0xd2#0 final")
	b.wantRows(t)
	before := h.asked
	b.chain.mine()
	b.steps(t)
	if h.asked != before {
		t.Error("who issues tokens is asked although none of them came")
	}
}

// What is held and taken away by a reorg was never credited.
func TestWatch_HeldAndRemoved(t *testing.T) {
	t.Parallel()
	b, h := newHolding(t)
	b.chain.mine()
	h.hold(usdc, usdt)
	b.chain.mine(tx{"0xd1", []pay{{usdc, alice, 5}, {usdt, bob, 6}}})
	for range 4 {
		b.chain.mine()
	}
	b.steps(t)
	b.chain.fork(5)
	for range 6 {
		b.chain.mine()
	}
	h.hold()
	b.steps(t)
	b.heard(t, "seen, and gone", "0xd1#0 seen", "0xd1#0 seen", "0xd1#0 dropped", "0xd1#0 dropped")
}
