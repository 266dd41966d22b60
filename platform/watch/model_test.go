package watch_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/railkit/railkit/platform/watch"
)

// fresh empties the bench's tables and gives it another chain.
func (b *bench) fresh(t tester) {
	t.Helper()
	for _, table := range []string{"transfers", "watch_cursors", "watch_blocks", "watch_rescans"} {
		if _, err := b.db.Writer().ExecContext(context.Background(), "DELETE FROM "+table); err != nil {
			t.Fatal(err)
		}
	}
	b.chain, b.told = newChain(), &told{}
	b.restart(watch.Config{})
}

// Whatever forks there are, between looks and in the middle of one, back to an
// earlier branch too, with nodes that are behind, restarts that read again from a
// block, and two servers: in the end the table says what the chain says, and the
// sink heard each row go from state to state without a gap.
func TestPayout_S6_RandomForks(t *testing.T) {
	t.Parallel()
	randomForks(t, newBench(t))
}

// The same of a chain that leaves numbers out, some of them many.
func TestPayout_S6_RandomForksWithGaps(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	b.gaps = true
	randomForks(t, b)
}

func randomForks(t *testing.T, b *bench) {
	rapid.Check(t, func(t *rapid.T) {
		b.fresh(t)
		m := &model{bench: b}
		b.steps(t)
		for range rapid.IntRange(1, 25).Draw(t, "acts") {
			m.act(t)
		}
		m.skip(t)
		b.chain.mine()
		b.chain.before = nil
		b.steps(t)
		b.wantRows(t)
		m.wantOrder(t)
	})
}

type model struct {
	*bench
	made int
	all  []tx
	pool []tx      // those that a fork took, to be mined again or not
	left [][]block // branches that forks left
}

func (m *model) act(t *rapid.T) {
	switch rapid.IntRange(0, 11).Draw(t, "act") {
	case 0, 1, 2:
		m.mine(t)
	case 3, 4:
		m.fork(t)
	case 5, 6:
		from := rapid.SampledFrom([]int64{0, 0, 1, 4, 12, 70}).Draw(t, "watch from")
		m.restart(watch.Config{From: map[string]int64{"deep": from}})
	case 7:
		m.during(t)
	case 8:
		m.behind(t)
	case 9:
		for range rapid.SampledFrom([]int{10, 70}).Draw(t, "long") { // more than a watcher reads at once
			m.skip(t)
			m.chain.mine()
		}
	default:
		m.look(t)
	}
}

// look takes a step, which may fail only because the chain is shorter than it was.
func (m *model) look(t *rapid.T) {
	_, err := m.Step(context.Background(), "deep")
	if err != nil && !errors.Is(err, watch.ErrStale) && err.Error() != "the node is behind what was seen before" {
		t.Fatal(err)
	}
}

// behind has a look at a node that lacks the newest blocks.
func (m *model) behind(t *rapid.T) {
	whole := m.chain.blocks
	m.chain.blocks = whole[:max(1, len(whole)-rapid.IntRange(1, 6).Draw(t, "behind"))]
	for range rapid.IntRange(1, 3).Draw(t, "looks") {
		m.look(t)
	}
	m.chain.blocks = whole
}

// mine adds a block with some of what a fork took and something new.
func (m *model) mine(t *rapid.T) {
	var txs []tx
	for range rapid.IntRange(0, 2).Draw(t, "new") {
		m.made++
		txs = append(txs, tx{fmt.Sprintf("0xd%d", m.made), rapid.SliceOfN(pays, 1, 3).Draw(t, "pays")})
	}
	m.all = append(m.all, txs...)
	again := rapid.IntRange(0, len(m.pool)).Draw(t, "again")
	txs = append(txs, m.pool[:again]...)
	m.pool = m.pool[again:]
	m.skip(t)
	m.chain.mine(txs...)
}

// skip leaves numbers out before the next block, where the chain does that. Numbers go with the time there: a
// branch goes on near the highest of any, however long ago it began.
func (m *model) skip(t *rapid.T) {
	if m.gaps {
		tip := m.chain.blocks[len(m.chain.blocks)-1].Number
		m.chain.skip = max(0, m.chain.highest-100-tip) +
			rapid.SampledFrom([]int64{0, 0, 0, 0, 1, 1, 2, 5, 80, 300}).Draw(t, "left out")
	}
}

var pays = rapid.Custom(func(t *rapid.T) pay {
	return pay{
		rapid.SampledFrom([]string{usdc, usdt}).Draw(t, "token"),
		rapid.SampledFrom([]string{alice, bob, walletOf, stranger}).Draw(t, "to"),
		rapid.Int64Range(0, 3).Draw(t, "amount"),
	}
})

// fork takes blocks away, or goes over to a branch that was left, and makes the
// chain longer from there. It leaves what is 100 blocks below the highest: a watcher
// that does not remember the block below a fork waits for an operator.
func (m *model) fork(t *rapid.T) {
	now := slices.Clone(m.chain.blocks)
	lowest := m.settled(now)
	depth := rapid.SampledFrom([]int{1, 2, 3, 4, 5, 6, 40}).Draw(t, "depth")
	m.chain.fork(max(0, min(depth, len(now)-lowest)))
	if n := rapid.IntRange(0, 2*len(m.left)).Draw(t, "over to"); n < len(m.left) {
		if to := m.left[n]; m.settled(to) == lowest && to[lowest-1].Hash == now[lowest-1].Hash {
			m.chain.blocks = slices.Clone(to)
		}
	}
	m.left = append(m.left, now)
	m.pool = slices.DeleteFunc(slices.Clone(m.all), m.mined)
	for _, x := range m.pool { // mined again, a transaction may bring something else
		if i := rapid.IntRange(0, 3).Draw(t, "another"); i < len(x.pays) {
			x.pays[i].amount++
		}
	}
	for range rapid.IntRange(0, 7).Draw(t, "length") {
		m.mine(t)
	}
}

// settled counts the blocks of a branch that are 100 below the highest of any, the first block always among them. A
// branch that has more of them than the chain, because the chain left their numbers out, is one that comes too late.
func (m *model) settled(branch []block) int {
	n := slices.IndexFunc(branch, func(b block) bool { return b.Number > m.chain.highest-101 })
	if n < 0 {
		n = len(branch)
	}
	return max(1, n)
}

// mined tells whether a transaction is on the chain now.
func (m *model) mined(x tx) bool {
	return slices.ContainsFunc(m.chain.blocks, func(b block) bool {
		return slices.ContainsFunc(b.txs, func(y tx) bool { return y.hash == x.hash })
	})
}

// during forks, or lets another server step, while a step is under way.
func (m *model) during(t *rapid.T) {
	at := rapid.IntRange(1, 5).Draw(t, "question")
	other := rapid.Bool().Draw(t, "another server")
	b := *m.bench
	b.restart(watch.Config{})
	m.chain.before = func(string) error {
		if at--; at != 0 {
			return nil
		}
		if !other {
			m.fork(t)
			return nil
		}
		_, _ = b.Step(context.Background(), "deep") // may fail as any step
		return nil
	}
	_, _ = m.Step(context.Background(), "deep") // may fail: the chain moved
	m.chain.before = nil
}

// wantOrder checks each row's way: seen first and after each drop, final only
// after seen.
func (m *model) wantOrder(t *rapid.T) {
	follows := map[string][]string{"seen": {"", "dropped"}, "final": {"seen"}, "dropped": {"seen", "final"}}
	last := map[string]string{}
	for _, line := range m.told.ways {
		var row, state string
		if _, err := fmt.Sscan(line, &row, &state); err != nil {
			t.Fatal(err)
		}
		if before := last[row]; !slices.Contains(follows[state], before) {
			t.Errorf("%s is %s after %q: %q", row, state, before, m.told.ways)
		}
		last[row] = state
	}
}
