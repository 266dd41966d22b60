package watch_test

import (
	"context"
	"errors"
	"math/big"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/railkit/railkit/chain/node"
	"github.com/railkit/railkit/clock"
	"github.com/railkit/railkit/internal/test/testwait"
	"github.com/railkit/railkit/platform/page"
	"github.com/railkit/railkit/platform/watch"
)

func (b *bench) want(t *testing.T, what string, want ...string) {
	t.Helper()
	if got := b.rows(t); !slices.Equal(got, want) {
		t.Errorf("%s: rows are\n%s\nwant\n%s", what, strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}

func (b *bench) heard(t *testing.T, what string, want ...string) {
	t.Helper()
	b.told.mu.Lock()
	defer b.told.mu.Unlock()
	if !slices.Equal(b.told.all, want) {
		t.Errorf("%s: the sink heard %q, want %q", what, b.told.all, want)
	}
	b.told.all = nil
}

// A reorg takes a detected deposit away, and puts it back into another block
// where its log has another place: one row all along, seen, dropped, seen, final.
func TestPayout_S6_Reinclusion(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	b.steps(t)
	deposit := tx{"0xd1", []pay{{usdc, alice, 25_000_000}}}
	b.chain.mine(deposit)
	b.steps(t)
	b.want(t, "detected", "0xd1#0@1 25000000 USDC to "+alice+" seen in 0xb1-0")
	b.heard(t, "detected", "0xd1#0 seen")

	b.chain.fork(1)
	b.chain.mine()
	b.steps(t)
	b.want(t, "reorged out", "0xd1#0@1 25000000 USDC to "+alice+" dropped in 0xb1-0")
	b.heard(t, "reorged out", "0xd1#0 dropped")

	b.chain.mine(tx{"0xe1", []pay{{usdc, stranger, 1}, {usdt, stranger, 1}}}, deposit)
	b.steps(t)
	b.want(t, "mined again", "0xd1#0@5 25000000 USDC to "+alice+" seen in 0xb2-1")
	b.heard(t, "mined again", "0xd1#0 seen")

	b.chain.mine()
	b.steps(t)
	b.heard(t, "two deep")
	b.chain.mine()
	b.steps(t)
	b.want(t, "three deep", "0xd1#0@5 25000000 USDC to "+alice+" final in 0xb2-1")
	b.heard(t, "three deep", "0xd1#0 final")
	b.steps(t)
	b.heard(t, "later")
}

// A reorg that was over before anybody looked is two changes all the same, and
// one of what was final is told and written to the log.
func TestPayout_S6_BetweenTwoLooks(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	b.steps(t)
	b.chain.mine(tx{"0xd1", []pay{{usdc, alice, 5}, {usdc, alice, 7}}})
	b.chain.mine()
	b.chain.mine()
	b.steps(t)
	b.heard(t, "final", "0xd1#0 seen", "0xd1#1 seen", "0xd1#0 final", "0xd1#1 final")
	gone := b.chain.fork(3)
	b.chain.mine()
	b.chain.mine(gone...)
	b.chain.mine()
	b.chain.mine()
	b.steps(t)
	b.heard(t, "elsewhere", "0xd1#0 dropped", "0xd1#1 dropped", "0xd1#0 seen", "0xd1#1 seen",
		"0xd1#0 final", "0xd1#1 final")
	b.wantRows(t)
	if !strings.Contains(b.log.String(), "a reorg took a transfer back that was final") {
		t.Error("a reorg deeper than the network's depth is not in the log")
	}
}

// Two deposits in one block to one address are two, and so are two in one transaction.
func TestPayout_S7_TwoInOneBlock(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	b.steps(t)
	b.chain.mine(
		tx{"0xd1", []pay{{usdc, alice, 5}}}, tx{"0xd2", []pay{{usdc, alice, 5}}},
		tx{"0xd3", []pay{{usdc, alice, 5}, {usdt, alice, 5}, {usdc, bob, 5}, {usdc, alice, 5}}},
	)
	b.steps(t)
	in := " seen in 0xb1-0"
	b.want(t, "all",
		"0xd1#0@1 5 USDC to "+alice+in, "0xd2#0@2 5 USDC to "+alice+in,
		"0xd3#0@3 5 USDC to "+alice+in, "0xd3#1@6 5 USDC to "+alice+in, "0xd3#0@4 5 USDT to "+alice+in,
		"0xd3#0@5 5 USDC to "+bob+in)
	all, total, err := b.read.TransfersOf(t.Context(), ours, "withdraw-a", page.Page{Limit: 2})
	if err != nil || total != 5 || len(all) != 2 {
		t.Errorf("transfers of the address: %d of %d, %v", len(all), total, err)
	}
}

// A family writes addresses in its own way: two that differ in case are two.
func TestWatch_AddressesByLetter(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	const mint, owner = "EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v", "9WzDXwBbmkg8ZTbNMqUxvQRAyrZzDsGYdLVL9zYtAWWM"
	b.of.Tokens = []watch.Token{{Symbol: "USDC", Address: mint, Decimals: 6}}
	b.restart(watch.Config{})
	b.address(t, owner, "withdraw-c")
	b.steps(t)
	b.chain.mine(tx{"5h6x", []pay{
		{mint, owner, 7}, {mint, strings.ToLower(owner), 8}, {strings.ToLower(mint), owner, 9},
	}})
	b.steps(t)
	b.want(t, "one of three", "5h6x#0@1 7 USDC to "+owner+" seen in 0xb1-0")
}

// What is not listed, not to an address of ours, or nothing at all is no transfer.
func TestPayout_S9_WhatIsWatched(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	b.steps(t)
	b.chain.mine(tx{"0xd1", []pay{
		{"0x00000000000000000000000000000000000000c9", alice, 5}, {usdc, stranger, 5}, {usdc, alice, 0},
		{usdt, walletOf, 1}, {usdt, alice, 1},
	}})
	b.steps(t)
	in := " seen in 0xb1-0"
	b.want(t, "dust and the wrong token are", "0xd1#0@5 1 USDT to "+alice+in, "0xd1#0@4 1 USDT to "+walletOf+in)
	all, err := b.read.TransfersSince(t.Context(), watch.Withdraw, page.Cursor{}, 10)
	if err != nil || len(all) != 1 || all[0].OwnerID != "withdraw-a" || all[0].Units() != "0.000001" ||
		all[0].WorkspaceID != ours {
		t.Errorf("changed: %+v, %v", all, err)
	}
	got, err := b.read.Transfer(t.Context(), ours, all[0].ID)
	if err != nil || !reflect.DeepEqual(got, all[0]) || got.Confirmations(got.BlockNumber) != 1 ||
		got.Confirmations(0) != 0 {
		t.Errorf("one: %+v, %v", got, err)
	}
	if again, err := b.read.TransfersSince(t.Context(), watch.Withdraw,
		page.Cursor{CreatedAt: all[0].UpdatedAt, ID: all[0].ID}, 10); err != nil || len(again) != 0 {
		t.Errorf("changed since: %+v, %v", again, err)
	}
}

// Coins of the network's own are kept where nobody is credited with them: at withdrawal addresses.
func TestWatch_Coins(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	b.of.Tokens = append(slices.Clone(b.of.Tokens), watch.Token{Symbol: "ETH", Address: node.Coin, Decimals: 18})
	b.restart(watch.Config{})
	b.steps(t)
	b.chain.mine(tx{"0xd1", []pay{{node.Coin, alice, 5}, {node.Coin, walletOf, 5}, {node.Coin, stranger, 5}}})
	b.chain.mine()
	b.chain.mine()
	b.steps(t)
	b.want(t, "coins", "0xd1#0@1 5 ETH to "+alice+" final in 0xb1-0")
	b.heard(t, "coins", "0xd1#0 seen", "0xd1#0 final")
}

// A chain is read from its head on at first, and from where it was after a
// restart, in steps.
func TestWatch_Restart(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	b.chain.mine(tx{"0xd0", []pay{{usdc, alice, 5}}})
	for range 200 {
		b.chain.mine()
	}
	b.steps(t)
	b.want(t, "long before the first look")
	for n := range 300 {
		if n == 100 {
			b.chain.mine(tx{"0xd1", []pay{{usdc, alice, 5}}})
		}
		b.chain.mine()
	}
	b.restart(watch.Config{})
	if more, err := b.Step(t.Context(), "deep"); err != nil || !more {
		t.Fatal(more, err)
	}
	b.want(t, "after one step")
	b.restart(watch.Config{})
	b.steps(t)
	b.want(t, "in the end", "0xd1#0@2 5 USDC to "+alice+" final in 0xb302-0")
	b.heard(t, "each once", "0xd1#0 seen", "0xd1#0 final")
}

// A step is whole or not at all: where the sink fails, nothing of it remains.
func TestWatch_SinkFails(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	b.steps(t)
	b.chain.mine(tx{"0xd1", []pay{{usdc, alice, 5}}})
	failure := errors.New("no")
	b.told.fail = failure
	if _, err := b.Step(t.Context(), "deep"); !errors.Is(err, failure) {
		t.Fatal(err)
	}
	b.want(t, "nothing")
	b.told.fail = nil
	b.steps(t)
	b.wantRows(t)
	b.heard(t, "once", "0xd1#0 seen")
}

// One network's node never answers: the other networks are followed all the same.
func TestWatch_OneNetworkHoldsNoOther(t *testing.T) {
	t.Parallel()
	b, silent := newBench(t), newChain()
	ctx, stop := context.WithCancel(t.Context())
	silent.before = func(string) error { <-ctx.Done(); return ctx.Err() }
	away := deep
	away.Slug = "away"
	w := watch.New(watch.Config{
		Store: b.store, Networks: []watch.Network{away, deep}, Sink: b.told, Clock: clock.System{},
		Every: time.Millisecond,
		Nodes: map[string]watch.Node{"away": silent, "deep": b.chain},
	})
	b.chain.mine(tx{"0xd1", []pay{{usdc, alice, 5}}})
	ended := make(chan struct{})
	go func() { w.Run(ctx); close(ended) }()
	defer func() { stop(); <-ended }()
	testwait.Until(t, "the other network is followed", func() bool {
		b.told.mu.Lock()
		defer b.told.mu.Unlock()
		return len(b.told.all) > 0
	})
}

// Two servers on one database: what one has written, the other does not write
// again, and it goes on from there.
func TestWatch_TwoServers(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	b.steps(t)
	b.chain.mine(tx{"0xd1", []pay{{usdc, alice, 5}}})
	other := watch.New(watch.Config{
		Store: b.store, Networks: []watch.Network{deep}, Nodes: map[string]watch.Node{"deep": b.chain},
		Sink: b.told, Clock: systemClock{},
	})
	late := 0
	b.chain.before = func(method string) error {
		if method != "transfers" {
			return nil
		}
		if late++; late == 1 { // the other one reads and writes the range meanwhile
			_, err := other.Step(t.Context(), "deep")
			return err
		}
		return nil
	}
	if _, err := b.Step(t.Context(), "deep"); !errors.Is(err, watch.ErrStale) {
		t.Errorf("the late one: %v", err)
	}
	b.chain.mine()
	b.steps(t)
	b.heard(t, "once", "0xd1#0 seen")
	b.wantRows(t)
}

type systemClock struct{}

func (systemClock) Now() time.Time { return time.Now() }

// A deposit may be there before its address is: the address's writer has the
// last blocks read again.
func TestWatch_AddressAfterDeposit(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	b.steps(t)
	const late = "0x00000000000000000000000000000000000000aa"
	b.chain.mine(tx{"0xd1", []pay{{usdc, late, 5}, {usdc, alice, 6}, {usdc, late, 7}}})
	for range 40 {
		b.chain.mine()
	}
	b.steps(t)
	b.heard(t, "without the address", "0xd1#0 seen", "0xd1#0 final")
	b.address(t, late, "withdraw-late")
	b.steps(t)
	b.heard(t, "with it", "0xd1#0 seen", "0xd1#1 seen", "0xd1#0 final", "0xd1#1 final")
	b.chain.mine()
	b.steps(t)
	b.heard(t, "once")
	if n := b.chain.count("transfers"); n > 6 {
		t.Errorf("asked for transfers %d times: the look back goes on", n)
	}
}

// A node cannot be asked for an address of another family of networks: the look back for it is over at once.
func TestWatch_AddressOfAnotherFamily(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	b.steps(t)
	asked := b.chain.count("transfers")
	b.address(t, "Toy7xKXtg2CW87d97TXJSDpbD5jBkheTqA83TZRuJosg", "withdraw-other")
	b.steps(t)
	if n := b.chain.count("transfers"); n != asked {
		t.Errorf("asked for transfers %d times", n-asked)
	}
	const late = "0x00000000000000000000000000000000000000aa"
	b.chain.mine(tx{"0xd1", []pay{{usdc, late, 5}}})
	b.steps(t)
	b.address(t, "Toy8xKXtg2CW87d97TXJSDpbD5jBkheTqA83TZRuJosg", "withdraw-another")
	b.address(t, late, "withdraw-late")
	b.steps(t)
	b.heard(t, "both", "0xd1#0 seen")
	left, err := b.store.Rescans(t.Context(), "deep", 10)
	if err != nil || len(left) > 0 {
		t.Errorf("left are %v: %v", left, err)
	}
}

// A block is read before an address is known and written after it: the look
// back, which another server was quick to make, must not have been in vain.
func TestWatch_AddressMeanwhile(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	b.steps(t)
	const late = "0x00000000000000000000000000000000000000aa"
	other := watch.New(watch.Config{
		Store: b.store, Networks: []watch.Network{deep}, Nodes: map[string]watch.Node{"deep": b.chain},
		Sink: b.told, Clock: systemClock{},
	})
	b.chain.mine(tx{"0xd1", []pay{{usdc, late, 5}}})
	headers := 0
	b.chain.before = func(method string) error {
		if headers++; method != "transfers" || headers > 3 {
			return nil
		}
		headers = 4
		b.address(t, late, "withdraw-late")
		_, err := other.Step(t.Context(), "deep")
		return err
	}
	if _, err := b.Step(t.Context(), "deep"); !errors.Is(err, watch.ErrStale) {
		t.Errorf("the late one: %v", err)
	}
	b.steps(t)
	b.heard(t, "found", "0xd1#0 seen")
}

// The chain may move between two questions of one step. Nothing of such a step
// is written, and the next one sees the chain as it is.
func TestWatch_MovesWhileItIsRead(t *testing.T) {
	t.Parallel()
	for _, method := range []string{"latest", "headers", "transfers"} {
		for n := 1; n <= 4; n++ {
			b := newBench(t)
			b.steps(t)
			b.chain.mine(tx{"0xd1", []pay{{usdc, alice, 5}}})
			b.chain.mine(tx{"0xd2", []pay{{usdc, alice, 6}}})
			calls := 0
			b.chain.before = func(m string) error {
				if m != method {
					return nil
				}
				if calls++; calls == n {
					gone := b.chain.fork(2)
					b.chain.mine(gone[1])
					b.chain.mine()
					b.chain.mine(gone[0])
				}
				return nil
			}
			for range 6 {
				_, _ = b.Step(t.Context(), "deep") // may fail: the chain moved
			}
			b.steps(t)
			b.wantRows(t)
		}
	}
}

// A node that leaves out what it told, or is behind, changes nothing; a node
// that fails is told of once, and when it is over.
func TestWatch_NodeLiesOrIsAway(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	b.steps(t)
	b.chain.mine(tx{"0xd1", []pay{{usdc, alice, 5}}})
	b.chain.mine()
	b.steps(t)
	before := b.rows(t)
	whole := slices.Clone(b.chain.blocks)
	for name, change := range map[string]func(){
		"behind":         func() { b.chain.blocks = whole[:2] },
		"at the genesis": func() { b.chain.blocks = whole[:1] },
		"logs of another block": func() {
			b.chain.mine(tx{"0xd3", []pay{{usdc, alice, 5}}})
			b.chain.bend = func(all []node.Transfer) []node.Transfer { all[0].BlockHash = "0xff"; return all }
		},
		"the same transaction in two blocks": func() {
			b.chain.mine(tx{"0xd4", []pay{{usdc, alice, 5}}})
			b.chain.mine(tx{"0xd4", []pay{{usdc, alice, 5}}})
		},
		"away": func() { b.chain.before = func(string) error { return errors.New("away") } },
		"leaves out what stands": func() {
			b.restart(watch.Config{From: map[string]int64{"deep": 1}})
			b.chain.bend = func([]node.Transfer) []node.Transfer { return nil }
		},
	} {
		b.chain.blocks = slices.Clone(whole)
		change()
		failed := false
		for range 3 {
			_, err := b.Step(t.Context(), "deep")
			failed = failed || err != nil
		}
		if !failed {
			t.Errorf("%s: no error", name)
		}
		if got := b.rows(t); !slices.Equal(got, before) {
			t.Errorf("%s: rows are %q, were %q", name, got, before)
		}
		b.chain.before, b.chain.bend, b.chain.blocks = nil, nil, slices.Clone(whole)
		b.restart(watch.Config{})
		b.steps(t)
	}
	b.heard(t, "all the while", "0xd1#0 seen")
}

// Run follows the chain until it is told to stop, tells once of a node that is
// away, and once that it is back.
func TestWatch_Run(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	ctx, stop := context.WithCancel(t.Context())
	done := make(chan struct{})
	go func() { defer close(done); b.Run(ctx) }()
	until(t, "the first look", func() bool { _, found, err := b.read.Head(ctx, "deep"); return found && err == nil })
	b.chain.mine(tx{"0xd1", []pay{{usdc, alice, 5}}})
	until(t, "the deposit", func() bool { return len(b.rows(t)) == 1 })
	b.chain.mu.Lock()
	b.chain.before = func(string) error { return errors.New("the node is away") }
	b.chain.mu.Unlock()
	until(t, "the outage in the log", func() bool { return strings.Contains(b.log.String(), "the node is away") })
	b.chain.mu.Lock()
	b.chain.before = nil
	b.chain.mu.Unlock()
	b.chain.mine()
	b.chain.mine()
	until(t, "the end of the outage", func() bool {
		return strings.Contains(b.log.String(), "deposits are watched again")
	})
	until(t, "depth", func() bool { return strings.Contains(b.rows(t)[0], "final") })
	if n := strings.Count(b.log.String(), "the node is away"); n != 1 {
		t.Errorf("the outage is in the log %d times", n)
	}
	stop()
	<-done
}

func until(t *testing.T, what string, is func() bool) {
	t.Helper()
	testwait.Until(t, what, is)
}

func TestWatch_Units(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		amount   string
		decimals int
		want     string
	}{
		{"1", 6, "0.000001"}, {"25000000", 6, "25"}, {"25500000", 6, "25.5"}, {"100", 0, "100"},
		{"1000000", 6, "1"}, {"10", 1, "1"},
		{new(big.Int).Lsh(big.NewInt(1), 200).String(), 18,
			"1606938044258990275541962092341162602522202.993782792835301376"},
	} {
		if got := (watch.Transfer{Amount: c.amount, Decimals: c.decimals}).Units(); got != c.want {
			t.Errorf("%s of %d decimals: %s, want %s", c.amount, c.decimals, got, c.want)
		}
	}
}
