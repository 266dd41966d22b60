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

// Whatever forks there are, between looks and in the middle of one, with restarts
// and two servers: in the end the table says what the chain says, and the sink
// heard each row go from state to state without a gap.
func TestPayout_S6_RandomForks(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	rapid.Check(t, func(t *rapid.T) {
		b.fresh(t)
		m := &model{bench: b}
		b.steps(t)
		for range rapid.IntRange(1, 25).Draw(t, "acts") {
			m.act(t)
		}
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
	pool []tx // what a fork took, to be mined again or not
}

func (m *model) act(t *rapid.T) {
	switch rapid.IntRange(0, 9).Draw(t, "act") {
	case 0, 1, 2:
		m.mine(t)
	case 3, 4:
		m.fork(t)
	case 5:
		from := rapid.SampledFrom([]int64{0, 0, 1}).Draw(t, "watch from")
		m.restart(watch.Config{From: map[string]int64{"deep": from}})
	case 6:
		m.during(t)
	default:
		if _, err := m.Step(context.Background(), "deep"); err != nil && m.chain.before == nil && !errors.Is(err, watch.ErrStale) {
			m.tolerate(t, err)
		}
	}
}

// tolerate lets pass what says that the chain is shorter than it was.
func (m *model) tolerate(t *rapid.T, err error) {
	if err.Error() != "the node is behind what was seen before" {
		t.Fatal(err)
	}
}

// mine adds a block with some of what a fork took and something new.
func (m *model) mine(t *rapid.T) {
	var txs []tx
	for range rapid.IntRange(0, 2).Draw(t, "new") {
		m.made++
		txs = append(txs, tx{fmt.Sprintf("0xd%d", m.made), rapid.SliceOfN(pays, 1, 3).Draw(t, "pays")})
	}
	again := rapid.IntRange(0, len(m.pool)).Draw(t, "again")
	txs = append(txs, m.pool[:again]...)
	m.pool = m.pool[again:]
	m.chain.mine(txs...)
}

var pays = rapid.Custom(func(t *rapid.T) pay {
	return pay{
		rapid.SampledFrom([]string{usdc, usdt}).Draw(t, "token"),
		rapid.SampledFrom([]string{alice, bob, walletOf, stranger}).Draw(t, "to"),
		rapid.Int64Range(0, 3).Draw(t, "amount"),
	}
})

func (m *model) fork(t *rapid.T) {
	gone := m.chain.fork(rapid.IntRange(1, 6).Draw(t, "depth"))
	for _, x := range gone { // mined again, a transaction may bring something else
		if i := rapid.IntRange(0, 3).Draw(t, "another"); i < len(x.pays) {
			x.pays[i].amount++
		}
	}
	m.pool = append(m.pool, gone...)
	for range rapid.IntRange(0, 7).Draw(t, "length") {
		m.mine(t)
	}
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
