package watch_test

import (
	"math"
	"slices"
	"testing"

	"github.com/railkit/railkit/chain/node"
	"github.com/railkit/railkit/platform/watch"
)

// stepsOf takes steps that may fail.
func (b *bench) stepsOf(t *testing.T, n int) {
	t.Helper()
	for range n {
		_, _ = b.Step(t.Context(), "deep")
	}
}

// A node tells of a deposit in block 2, which is on an abandoned branch: the list of blocks leaves 2 out, and the
// parent of block 3 is block 1. The deposit is not written.
func TestWatch_GapsAndADepositOnAnAbandonedBranch(t *testing.T) {
	t.Parallel()
	b := gapped(t)
	b.steps(t)
	one := b.chain.mine()
	b.chain.mine(deposit("0xd1"))
	b.chain.mine()
	b.chain.bendList = func(all []int64) []int64 {
		return slices.DeleteFunc(all, func(n int64) bool { return n == 2 })
	}
	b.chain.bendHeader = func(h node.Header) node.Header {
		if h.Number == 3 {
			h.Parent, h.ParentNumber = one.Hash, one.Number
		}
		return h
	}
	b.stepsOf(t, 3)
	b.heard(t, "all the while")
}

// The headers that a node gives are of two chains: block 2 is the one with the deposit, and the parent of block 4 is
// another block 2. The deposit is not written.
func TestWatch_GapsAndHeadersOfTwoChains(t *testing.T) {
	t.Parallel()
	b := gapped(t)
	b.steps(t)
	b.chain.mine()
	b.chain.mine(deposit("0xd1"))
	b.chain.mineAt(4)
	b.chain.bendHeader = func(h node.Header) node.Header {
		if h.Number == 4 {
			h.Parent = "0xb2-other"
		}
		return h
	}
	b.stepsOf(t, 3)
	b.heard(t, "all the while")
	b.chain.bendHeader = nil
	b.steps(t)
	b.heard(t, "on one chain", "0xd1#0 seen", "0xd1#0 final")
}

// The only block of a range, below which numbers are left out, is away while the node is asked for transfers, and
// back afterwards. Its deposit is not missed.
func TestWatch_GapsAndABlockThatIsAwayForAMoment(t *testing.T) {
	t.Parallel()
	b := gapped(t)
	b.steps(t)
	b.chain.mineAt(5, deposit("0xd1"))
	whole := b.chain.blocks
	b.chain.before = func(method string) error {
		b.chain.blocks = whole
		if method == "transfers" {
			b.chain.fork(1)
			b.chain.mineAt(5)
		}
		return nil
	}
	b.stepsOf(t, 3)
	b.chain.before, b.chain.blocks = nil, whole
	b.steps(t)
	b.heard(t, "with its block", "0xd1#0 seen")
}

// After a long gap the list of blocks has more than a step may read. A node that refuses a wide range is asked for
// less.
func TestWatch_GapsAndANodeThatRefusesAWideRange(t *testing.T) {
	t.Parallel()
	b := gapped(t)
	b.steps(t)
	b.chain.most = 3
	b.chain.mineAt(1000)
	for range 100 {
		b.chain.mine()
	}
	b.chain.mine(deposit("0xd1"))
	b.stepsOf(t, 200)
	b.heard(t, "in the tip", "0xd1#0 seen")
}

// While a server reads again from block 1, its node is behind, and then has a shorter branch. The deposit above the
// branch is gone, since the hashes above the first range were kept.
func TestWatch_GapsAndAShorterBranchAfterANodeThatIsBehind(t *testing.T) {
	t.Parallel()
	b := gapped(t)
	b.steps(t)
	b.chain.mineAt(2)
	b.chain.mineAt(3)
	b.chain.mineAt(5, deposit("0xd1"))
	b.steps(t)
	b.restart(watch.Config{From: map[string]int64{"deep": 1}})
	b.chain.fork(1)
	b.steps(t)
	b.heard(t, "behind", "0xd1#0 seen")
	b.chain.mineAt(4)
	b.steps(t)
	b.heard(t, "a shorter branch", "0xd1#0 dropped")
}

// While a server reads again from block 1, its node is behind by more than what hashes are kept for. That a block is
// not remembered there is no sign of a reorg, and takes nothing away.
func TestWatch_GapsAndANodeFarBehindAReading(t *testing.T) {
	t.Parallel()
	b := gapped(t)
	b.steps(t)
	for range 390 {
		b.chain.mine()
	}
	b.chain.mine(deposit("0xd1"))
	for range 9 {
		b.chain.mine()
	}
	b.steps(t)
	b.heard(t, "in block 391", "0xd1#0 seen", "0xd1#0 final")
	b.restart(watch.Config{From: map[string]int64{"deep": 1}})
	b.stepsOf(t, 1) // the cursor goes back
	whole := b.chain.blocks
	b.chain.blocks = whole[:101]
	b.steps(t)
	b.chain.blocks = whole
	b.steps(t)
	b.heard(t, "all the while")
}

// A server reads again from block 2, which a reorg has left out together with a long gap. The block below, which is
// the only one to go back to when another reorg takes the tip, is still remembered.
func TestWatch_GapsAndATipAfterABlockThatWasLeftOut(t *testing.T) {
	t.Parallel()
	b := gapped(t)
	b.steps(t)
	b.chain.mine()
	b.chain.mine()
	b.steps(t)
	b.restart(watch.Config{From: map[string]int64{"deep": 2}})
	b.stepsOf(t, 1) // the cursor goes back
	b.chain.fork(1)
	b.chain.mineAt(5000, deposit("0xd1"))
	b.steps(t)
	b.heard(t, "after the gap", "0xd1#0 seen")
	b.chain.fork(1)
	b.chain.mineAt(4990)
	b.steps(t)
	b.heard(t, "another tip", "0xd1#0 dropped")
}

// A node that claims a tip far up and no block below is asked a bounded number of times.
func TestWatch_GapsAndATipBeyondReason(t *testing.T) {
	t.Parallel()
	b := gapped(t)
	b.steps(t)
	b.chain.mineAt(math.MaxInt64)
	asked := 0
	b.chain.bendList = func([]int64) []int64 {
		if asked++; asked > 1000 {
			t.Fatal("asked for ever")
		}
		return nil
	}
	if _, err := b.Step(t.Context(), "deep"); err == nil || asked > 100 {
		t.Errorf("%d questions, %v", asked, err)
	}
}
