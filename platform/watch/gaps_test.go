package watch_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/railkit/railkit/chain/node"
	"github.com/railkit/railkit/platform/watch"
)

// gapped is a bench of a network that leaves block numbers out.
func gapped(t *testing.T) *bench {
	t.Helper()
	b := newBench(t)
	b.gaps = true
	b.restart(watch.Config{})
	return b
}

// mineAt adds a block with a number above the tip's.
func (c *fakeChain) mineAt(number int64, txs ...tx) {
	c.skip = number - c.blocks[len(c.blocks)-1].Number - 1
	c.mine(txs...)
}

func deposit(hash string) tx { return tx{hash, []pay{{usdc, alice, 5}}} }

// Only the node of a network that leaves numbers out is asked for them: others are read as ever.
func TestWatch_GapsAreAskedForWhereThereAreSome(t *testing.T) {
	t.Parallel()
	for _, b := range []*bench{newBench(t), gapped(t)} {
		b.steps(t)
		b.chain.mine(deposit("0xd1"))
		b.steps(t)
		b.heard(t, "in block 1", "0xd1#0 seen")
		if asked := b.chain.count("blocks"); (asked > 0) != b.gaps {
			t.Errorf("a chain with gaps: %v; its node was asked %d times which numbers have a block", b.gaps, asked)
		}
	}
}

// The first look begins at a block, not at a number without one, and reads all above it.
func TestWatch_GapsAtTheFirstLook(t *testing.T) {
	t.Parallel()
	for name, below := range map[string]int64{"a little below": 69, "far below": 3} {
		b := gapped(t)
		b.chain.mineAt(below)
		b.chain.mineAt(100, deposit("0xd1"))
		b.chain.mineAt(200)
		head := watch.Cursor{}
		if _, err := b.Step(t.Context(), "deep"); err != nil {
			t.Fatal(name, err)
		}
		if head, _, _ = b.read.Head(t.Context(), "deep"); head.Number != below {
			t.Errorf("%s: the cursor is at %d, not %d", name, head.Number, below)
		}
		b.steps(t)
		b.wantRows(t)
	}
}

// A range may begin and end with numbers without a block, or have none at all.
func TestWatch_GapsInARange(t *testing.T) {
	t.Parallel()
	b := gapped(t)
	b.steps(t)
	b.chain.mineAt(4, deposit("0xd1"))
	b.chain.mineAt(5)
	b.chain.mineAt(60, deposit("0xd2"))
	b.chain.mineAt(70) // above the first range of 64
	b.chain.mineAt(1000, deposit("0xd3"))
	b.chain.mineAt(1003)
	b.steps(t)
	b.heard(t, "all", "0xd1#0 seen", "0xd2#0 seen", "0xd1#0 final", "0xd2#0 final", "0xd3#0 seen", "0xd3#0 final")
	b.wantRows(t)
}

// Depth is counted in numbers: a block that is two numbers below the tip is three deep.
func TestWatch_GapsCountForTheDepth(t *testing.T) {
	t.Parallel()
	b := gapped(t)
	b.steps(t)
	b.chain.mine(deposit("0xd1"))
	b.chain.mineAt(2)
	b.steps(t)
	b.heard(t, "two deep", "0xd1#0 seen")
	b.chain.mineAt(4)
	b.steps(t)
	b.heard(t, "four deep, in three blocks", "0xd1#0 final")
}

// A reorg takes the only block above a gap that is longer than what hashes are kept for. The deposit below the gap
// is not touched.
func TestWatch_GapsAndATipAfterALongOne(t *testing.T) {
	t.Parallel()
	for name, together := range map[string]bool{"read together": true, "read one after the other": false} {
		b := gapped(t)
		b.steps(t)
		b.chain.mine()
		b.chain.mine(deposit("0xd1"))
		b.chain.mine(deposit("0xd2"))
		if !together {
			b.steps(t)
		}
		b.chain.mineAt(5000, deposit("0xd3"))
		b.steps(t)
		b.told.all = nil
		b.chain.fork(1)
		b.chain.mineAt(4990)
		b.steps(t)
		b.heard(t, name, "0xd3#0 dropped")
		b.chain.mineAt(4999, deposit("0xd3"))
		b.steps(t)
		b.heard(t, name, "0xd3#0 seen")
		b.wantRows(t)
	}
}

// The gap is read in one range with many blocks below it, of which few are remembered.
func TestWatch_GapsAndATipInALongRange(t *testing.T) {
	t.Parallel()
	b := gapped(t)
	b.steps(t)
	for n := range int64(1200) {
		if n == 1190 {
			b.chain.mine(deposit("0xd1"))
		} else {
			b.chain.mine()
		}
	}
	b.chain.mineAt(1500, deposit("0xd2"))
	b.steps(t)
	b.told.all = nil
	b.chain.fork(1)
	b.chain.mineAt(1499)
	b.steps(t)
	b.heard(t, "the tip alone", "0xd2#0 dropped")
}

// A watcher far behind the chain remembers few blocks. A node that is behind takes nothing away there, and blocks
// that are not remembered are no sign of a reorg.
func TestWatch_GapsFarBehindTheChain(t *testing.T) {
	t.Parallel()
	b := gapped(t)
	b.steps(t)
	for n := range int64(2000) {
		if n == 330 {
			b.chain.mine(deposit("0xd1"))
		} else {
			b.chain.mine()
		}
	}
	for range 3 { // 64, 128 and 256 blocks
		if more, err := b.Step(t.Context(), "deep"); err != nil || !more {
			t.Fatal(more, err)
		}
	}
	b.heard(t, "in block 331", "0xd1#0 seen", "0xd1#0 final")
	whole := b.chain.blocks
	b.chain.blocks = whole[:251]
	if _, err := b.Step(t.Context(), "deep"); err == nil || !strings.Contains(err.Error(), "is behind") {
		t.Errorf("a node at block 250: %v", err)
	}
	b.chain.blocks = whole
	b.restart(watch.Config{From: map[string]int64{"deep": 401}})
	b.steps(t)
	b.heard(t, "all the while")
}

// A node that is behind the gap again takes nothing away.
func TestWatch_GapsAndANodeThatIsBehind(t *testing.T) {
	t.Parallel()
	b := gapped(t)
	b.steps(t)
	b.chain.mine()
	b.chain.mine()
	b.chain.mineAt(50, deposit("0xd0"))
	b.chain.mineAt(5000, deposit("0xd1"))
	b.steps(t)
	b.told.all = nil
	whole := b.chain.blocks
	for length := 1; length < len(whole); length++ {
		b.chain.blocks = whole[:length]
		if _, err := b.Step(t.Context(), "deep"); err == nil || !strings.Contains(err.Error(), "is behind") {
			t.Errorf("a node that has %d blocks: %v", length, err)
		}
	}
	b.chain.blocks = whole
	b.steps(t)
	b.heard(t, "all the while")
}

// A reorg leaves out the number of the block where the deposit was, and another one gives it a block again.
func TestWatch_GapInThePlaceOfABlock(t *testing.T) {
	t.Parallel()
	for name, at := range map[string]int64{"at the cursor": 3, "below it": 2} {
		b := gapped(t)
		b.steps(t)
		b.chain.mine()
		b.chain.mineAt(at, deposit("0xd1"))
		if at == 2 {
			b.chain.mineAt(3)
		}
		b.steps(t)
		b.heard(t, name, "0xd1#0 seen")
		b.chain.blocks = b.chain.blocks[:2]
		b.chain.forks++
		b.chain.mineAt(4)
		b.chain.mineAt(5)
		b.steps(t)
		b.heard(t, name+": left out", "0xd1#0 dropped")
		b.wantRows(t)
		b.chain.fork(2)
		b.chain.mineAt(at, deposit("0xd1"))
		b.chain.mineAt(6)
		b.steps(t)
		b.heard(t, name+": there again", "0xd1#0 seen", "0xd1#0 final")
		b.wantRows(t)
	}
}

// A server reads again from block 40. In the meantime a reorg, of which no hash tells, has left out numbers where
// deposits were: in the middle of a long range, and at its end.
func TestWatch_GapsWhereDepositsWereReadBefore(t *testing.T) {
	t.Parallel()
	b := gapped(t)
	b.steps(t)
	mine := func(leftOut ...int64) {
		for n := b.chain.blocks[len(b.chain.blocks)-1].Number + 1; n <= 300; n++ {
			if slices.Contains(leftOut, n) {
				continue
			}
			b.chain.mineAt(n)
		}
	}
	b.chain.mineAt(45, deposit("0xd1"))
	b.chain.mineAt(102, deposit("0xd2"))
	mine()
	b.steps(t)
	b.told.all = nil
	b.chain.blocks = b.chain.blocks[:1]
	b.chain.forks++
	mine(39, 45, 102)
	b.restart(watch.Config{From: map[string]int64{"deep": 40}})
	if _, err := b.db.Writer().ExecContext(t.Context(), "DELETE FROM watch_blocks"); err != nil {
		t.Fatal(err)
	}
	b.steps(t)
	b.heard(t, "left out", "0xd1#0 dropped", "0xd2#0 dropped")
	b.wantRows(t)
}

// That a number was left out is not believed where the block above it has a parent there.
func TestWatch_GapThatIsNone(t *testing.T) {
	t.Parallel()
	b := gapped(t)
	b.steps(t)
	b.chain.mine()
	b.chain.mine(deposit("0xd1"))
	for range 300 {
		b.chain.mine()
	}
	b.steps(t)
	b.heard(t, "final", "0xd1#0 seen", "0xd1#0 final")
	b.chain.bendList = func(all []int64) []int64 {
		return slices.DeleteFunc(all, func(n int64) bool { return n == 2 })
	}
	b.chain.bend = func(all []node.Transfer) []node.Transfer {
		return slices.DeleteFunc(all, func(l node.Transfer) bool { return l.Block == 2 })
	}
	b.restart(watch.Config{From: map[string]int64{"deep": 1}})
	b.chain.mine()
	for range 5 {
		_, _ = b.Step(t.Context(), "deep") // fails as long as the node says so
	}
	b.heard(t, "all the while")
	if head, _, _ := b.read.Head(t.Context(), "deep"); head.Number != 0 {
		t.Errorf("the watcher went on to %d", head.Number)
	}
	for name, lie := range map[string][]int64{
		"not in order": {2, 1}, "twice": {1, 1}, "not asked for": {1, 999}, "below": {0, 1},
	} {
		b.chain.bendList = func([]int64) []int64 { return lie }
		if _, err := b.Step(t.Context(), "deep"); err == nil || !strings.Contains(err.Error(), "list of blocks") {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// What came to an address before it was known is found, though the look back begins at a number without a block.
func TestWatch_GapsAndALookBack(t *testing.T) {
	t.Parallel()
	b := gapped(t)
	b.steps(t)
	const late = "0x00000000000000000000000000000000000000f7"
	b.chain.mineAt(100, tx{"0xd1", []pay{{usdc, late, 5}}})
	b.chain.mineAt(205)
	b.steps(t)
	b.heard(t, "to nobody")
	b.address(t, late, "withdraw-late")
	if _, err := b.Step(t.Context(), "deep"); err != nil {
		t.Fatal(err)
	}
	b.heard(t, "known now", "0xd1#0 seen", "0xd1#0 final")
}

// A server reads again from block 7. Below it are numbers without a block, now or before: a reorg there is seen by
// what has the place of the block below 7.
func TestWatch_GapsBelowABlockToReadFrom(t *testing.T) {
	t.Parallel()
	for name, now := range map[string][]int64{
		"the block below stays":        {3, 5, 8},
		"a block where there was none": {6, 8},
		"none where there was a block": {3, 4, 8},
		"none at all":                  {8},
	} {
		b := gapped(t)
		b.steps(t)
		b.chain.mineAt(3)
		b.chain.mineAt(5, deposit("0xd1"))
		b.chain.mineAt(8)
		b.steps(t)
		b.heard(t, name, "0xd1#0 seen", "0xd1#0 final")
		whole := b.chain.blocks
		b.chain.blocks, b.chain.forks = slices.Clone(whole[:1]), 1
		for i, n := range now {
			if n == whole[i+1].Number && len(b.chain.blocks) == i+1 && slices.Equal(now, []int64{3, 5, 8}) {
				b.chain.blocks = append(b.chain.blocks, whole[i+1])
				continue
			}
			b.chain.mineAt(n)
		}
		b.restart(watch.Config{From: map[string]int64{"deep": 7}})
		b.chain.mineAt(20)
		b.steps(t)
		b.wantRows(t)
	}
}

// While a server reads again from block 1, a reorg leaves a chain whose newest block has a number that was left out
// before: what stood above it is gone. A node that is only behind takes nothing away.
func TestWatch_GapsAndAShorterBranch(t *testing.T) {
	t.Parallel()
	for name, behind := range map[string]bool{"a reorg": false, "a node that is behind": true} {
		b := gapped(t)
		b.steps(t)
		b.chain.mineAt(2)
		b.chain.mineAt(3)
		b.chain.mineAt(5, deposit("0xd1"))
		b.steps(t)
		b.told.all = nil
		b.restart(watch.Config{From: map[string]int64{"deep": 1}})
		if more, err := b.Step(t.Context(), "deep"); err != nil || !more { // the cursor goes back
			t.Fatal(more, err)
		}
		whole := b.chain.blocks
		b.chain.fork(1)
		if behind {
			b.steps(t)
			b.chain.blocks = whole
			b.steps(t)
			b.heard(t, name)
			continue
		}
		b.chain.mineAt(4)
		b.steps(t)
		b.heard(t, name, "0xd1#0 dropped")
		b.wantRows(t)
	}
}

// A branch that was read before the numbers were read again must not be taken for the chain's: what it remembers of
// numbers without a block now is forgotten.
func TestWatch_GapsForgetWhatWasThere(t *testing.T) {
	t.Parallel()
	b := gapped(t)
	b.steps(t)
	b.chain.mine()
	b.chain.mine(deposit("0xd1"))
	b.chain.mine()
	b.steps(t)
	first := b.chain.blocks
	b.restart(watch.Config{From: map[string]int64{"deep": 1}})
	if more, err := b.Step(t.Context(), "deep"); err != nil || !more { // the cursor goes back
		t.Fatal(more, err)
	}
	b.chain.fork(2)
	b.chain.mineAt(4)
	b.steps(t)
	b.heard(t, "on the other branch", "0xd1#0 seen", "0xd1#0 dropped")
	b.chain.blocks = slices.Clone(first)
	b.chain.mineAt(5)
	b.steps(t)
	b.heard(t, "on the first branch", "0xd1#0 seen", "0xd1#0 final")
	b.wantRows(t)
}

// A comparison finds what is gone where its number is left out now.
func TestWatch_GapsAndMissingTransfers(t *testing.T) {
	t.Parallel()
	b := gapped(t)
	b.steps(t)
	b.chain.mineAt(3, deposit("0xd1"))
	b.chain.mineAt(5, deposit("0xd2"))
	b.chain.mineAt(9)
	b.steps(t)
	known, err := b.store.Standing(t.Context(), "deep", 0, 100)
	if err != nil || len(known) != 2 {
		t.Fatal(known, err)
	}
	b.chain.fork(2)
	b.chain.mineAt(9)
	ids, err := watch.MissingTransfers(t.Context(), b.chain, known)
	if err != nil || !slices.Equal(ids, []string{known[1].ID}) {
		t.Errorf("%v is gone, %v; want %s", ids, err, known[1].ID)
	}
}
