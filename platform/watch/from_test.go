package watch_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/railkit/railkit/platform/watch"
)

// From reads blocks again: what the table lacks is added, and what is in no
// block any more is dropped, also where no hash tells of the reorg.
func TestWatch_FromABlock(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	b.chain.mine(tx{"0xd0", []pay{{usdc, alice, 4}}})
	b.steps(t)
	b.chain.mine(tx{"0xd1", []pay{{usdc, alice, 5}}}, tx{"0xd2", []pay{{usdc, alice, 6}}})
	b.steps(t)
	b.chain.fork(2)
	b.chain.mine(tx{"0xd0", []pay{{usdc, alice, 4}}})
	b.chain.mine()
	b.chain.mine(tx{"0xd2", []pay{{usdc, alice, 6}}})
	if _, err := b.db.Writer().ExecContext(t.Context(), "UPDATE watch_blocks SET hash = '0xff'"); err != nil {
		t.Fatal(err)
	}
	if _, err := b.Step(t.Context(), "deep"); err == nil || !strings.Contains(err.Error(), "--watch-from") {
		t.Errorf("a chain that has nothing of what was seen: %v", err)
	}
	b.restart(watch.Config{From: map[string]int64{"deep": 1}})
	b.steps(t)
	b.wantRows(t)
	if rows := b.rows(t); len(rows) != 3 || !dropped(rows[1]) {
		t.Errorf("rows: %q", rows)
	}
	if _, err := b.Step(t.Context(), "elsewhere"); err == nil {
		t.Error("a chain that is not watched has steps")
	}
}

// A deposit is in block 5 when a server begins to read again from block 1. Before it
// gets there a reorg leaves a chain of 4 blocks without the deposit: it is dropped
// at once, not when the chain has a block 5 again.
func TestWatch_FromABlockAndAShorterBranch(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	for range 4 {
		b.chain.mine()
	}
	b.chain.mine(tx{"0xd1", []pay{{usdc, alice, 5}}})
	b.steps(t)
	b.heard(t, "in block 5", "0xd1#0 seen")

	b.restart(watch.Config{From: map[string]int64{"deep": 1}})
	if more, err := b.Step(t.Context(), "deep"); err != nil || !more { // the cursor goes back
		t.Fatal(more, err)
	}
	b.chain.fork(3)
	b.chain.mine()
	b.chain.mine()
	b.steps(t)
	b.heard(t, "on the shorter branch", "0xd1#0 dropped")
	b.wantRows(t)
}

// A node that is a few blocks behind while a server reads again takes nothing away:
// its newest block is one that was seen before.
func TestWatch_FromABlockAtANodeThatIsBehind(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	for range 4 {
		b.chain.mine()
	}
	b.chain.mine(tx{"0xd1", []pay{{usdc, alice, 5}}})
	b.chain.mine()
	b.steps(t)
	b.heard(t, "in block 5", "0xd1#0 seen")

	whole := b.chain.blocks
	b.restart(watch.Config{From: map[string]int64{"deep": 1}})
	b.chain.blocks = whole[:4]
	b.steps(t)
	b.chain.blocks = whole
	b.steps(t)
	b.heard(t, "all the while")
	b.wantRows(t)
}

// A deposit is in block 100 when a server begins to read again from block 1, 64
// blocks at a time. A reorg has put it into block 61: whoever is told of that hears
// first that it has left block 100.
func TestWatch_FromABlockFindsItLowerDown(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	b.steps(t)
	mine := func(blocks int) {
		for range blocks {
			b.chain.mine()
		}
	}
	deposit := tx{"0xd1", []pay{{usdc, alice, 5}}}
	mine(99)
	b.chain.mine(deposit)
	b.steps(t)
	b.heard(t, "in block 100", "0xd1#0 seen")

	b.restart(watch.Config{From: map[string]int64{"deep": 1}})
	if more, err := b.Step(t.Context(), "deep"); err != nil || !more { // the cursor goes back
		t.Fatal(more, err)
	}
	b.chain.fork(60)
	mine(20)
	b.chain.mine(deposit)
	mine(50)
	b.steps(t)
	b.heard(t, "in block 61", "0xd1#0 dropped", "0xd1#0 seen", "0xd1#0 final")
	b.wantRows(t)
}

// A server is told to read again from block 7 at each start. While it was down, a
// reorg took all from block 4 on, where a deposit was: reading from 7 on does not see
// that, the hash of block 6 does.
func TestWatch_FromABlockAboveAReorg(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	b.steps(t)
	for range 4 {
		b.chain.mine()
	}
	b.chain.mine(tx{"0xd1", []pay{{usdc, alice, 5}}})
	for range 3 {
		b.chain.mine()
	}
	b.steps(t)
	b.heard(t, "in block 5", "0xd1#0 seen", "0xd1#0 final")

	whole := b.chain.blocks
	for name, length := range map[string]int{"longer than before": 7, "without a block 6": 1} {
		b.chain.blocks = slices.Clone(whole)
		b.steps(t)
		b.told.all = nil
		b.chain.fork(5)
		for range length {
			b.chain.mine()
		}
		b.restart(watch.Config{From: map[string]int64{"deep": 7}})
		b.steps(t)
		b.heard(t, name, "0xd1#0 dropped")
		b.wantRows(t)
	}
}

// A deposit is in block 60 of a chain of 100 when a server begins to read again. At
// block 64 it has found another branch, without the deposit; then the first branch
// is back. Its block 100 was read before, but not since: the server must not go on
// from there.
func TestWatch_FromABlockAndBackToTheFirstBranch(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	b.steps(t)
	mine := func(blocks int) {
		for range blocks {
			b.chain.mine()
		}
	}
	mine(59)
	b.chain.mine(tx{"0xd1", []pay{{usdc, alice, 5}}})
	mine(40)
	b.steps(t)
	b.heard(t, "in block 60", "0xd1#0 seen", "0xd1#0 final")

	first := b.chain.blocks
	b.restart(watch.Config{From: map[string]int64{"deep": 1}})
	b.chain.fork(50)
	mine(60)
	for range 2 { // the cursor goes back, and the first range is read
		if more, err := b.Step(t.Context(), "deep"); err != nil || !more {
			t.Fatal(more, err)
		}
	}
	b.heard(t, "on the other branch", "0xd1#0 dropped")
	b.chain.blocks = first
	b.steps(t)
	b.heard(t, "on the first branch", "0xd1#0 seen", "0xd1#0 final")
	b.wantRows(t)
}
