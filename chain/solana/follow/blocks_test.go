package follow_test

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"sync"
	"testing"

	"github.com/railkit/railkit/chain/node"
	"github.com/railkit/railkit/chain/solana"
	"github.com/railkit/railkit/chain/solana/follow"
	"github.com/railkit/railkit/internal/test/testenv"
)

// feed is a node that shows blocks, and hides some.
type feed struct {
	blocks map[int64]follow.Block
	tip    int64
	hides  map[int64]bool
	broken map[int64]error

	mu    sync.Mutex
	asked int // blocks in full
}

func (f *feed) Tip(context.Context) (follow.Tip, error) {
	return follow.Tip{Slot: f.tip, Height: int64(len(f.blocks)) - 1}, nil
}

func (f *feed) Blocks(_ context.Context, from, to int64) ([]int64, error) {
	var all []int64
	for _, s := range slices.Sorted(maps.Keys(f.blocks)) {
		if s >= from && s <= min(to, f.tip) && !f.hides[s] {
			all = append(all, s)
		}
	}
	return all, nil
}

func (f *feed) Block(_ context.Context, slot int64, full bool) (follow.Block, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if full {
		f.asked++
	}
	b, found := f.blocks[slot]
	if !found || slot > f.tip || f.hides[slot] {
		return follow.Block{}, node.ErrNoBlock
	}
	return b, f.broken[slot]
}

var (
	usdc       = solana.Address{1, 2, 3}
	other      = solana.Address{1, 2, 4}
	alice, bob = solana.Address{7}, solana.Address{8}
	aliceUSDC  = solana.AssociatedAddress(alice, usdc, solana.TokenProgram)
	bobUSDC    = solana.AssociatedAddress(bob, usdc, solana.TokenProgram)
	bobsOther  = solana.Address{9} // a token account of bob's that is not derived
)

// holding is what a key of a transaction has.
func holding(key int, owner, mint solana.Address, amount uint64) follow.Holding {
	return follow.Holding{Key: key, Owner: owner, Mint: mint, Program: solana.TokenProgram, Amount: amount}
}

// pays moves an amount of alice's to bob, by whatever instruction.
func pays(id string, amount uint64) follow.Transaction {
	return follow.Transaction{
		ID: id, Keys: []solana.Address{alice, aliceUSDC, bobUSDC}, Pre: []uint64{9, 2, 2}, Post: []uint64{4, 2, 2},
		PreTokens:  []follow.Holding{holding(1, alice, usdc, 1_000), holding(2, bob, usdc, 50)},
		PostTokens: []follow.Holding{holding(1, alice, usdc, 1_000-amount), holding(2, bob, usdc, 50+amount)},
	}
}

// random is a chain of blocks with gaps and payments.
func random(d *rand.Rand, n int) *feed {
	f := &feed{blocks: map[int64]follow.Block{}, hides: map[int64]bool{}, broken: map[int64]error{}}
	parent := follow.Block{Hash: "h0", ParentHash: "x"}
	f.blocks[0] = parent
	for i := range n {
		b := follow.Block{Slot: parent.Slot + 1 + d.Int64N(3), Parent: parent.Slot, ParentHash: parent.Hash}
		b.Hash = fmt.Sprintf("h%d", b.Slot)
		for k := range d.IntN(3) {
			b.Transactions = append(b.Transactions, pays(fmt.Sprintf("tx%d-%d", i, k), d.Uint64N(900)+1))
		}
		f.blocks[b.Slot], parent = b, b
	}
	f.tip = parent.Slot
	return f
}

// A range is all of its blocks or an error, whatever a node leaves out, wherever the range begins and ends.
func TestRange_NothingIsLeftOut(t *testing.T) {
	t.Parallel()
	d := rand.New(rand.NewPCG(testenv.Seed(t), 1))
	whole, holes := 0, 0
	for range 1_000 {
		f := random(d, 12)
		from := d.Int64N(f.tip)
		to := from + d.Int64N(f.tip-from+1)
		want, err := f.Blocks(t.Context(), from, to)
		if err != nil {
			t.Fatal(err)
		}
		for s := range f.blocks {
			f.hides[s] = d.IntN(12) == 0
		}
		var got []int64
		blocks, err := follow.Reader{Source: f}.Range(t.Context(), from, to)
		for _, b := range blocks {
			got = append(got, b.Slot)
		}
		if err != nil {
			holes++
			continue
		}
		whole++
		if !slices.Equal(got, want) {
			t.Fatalf("%d to %d: %v, and there are %v; hidden %v", from, to, got, want, f.hides)
		}
	}
	if whole < 100 || holes < 100 {
		t.Errorf("%d whole, %d with holes", whole, holes)
	}
}

// What the watcher asks: the newest block, headers with their gaps, deposits to owners in the order of the chain.
func TestReader(t *testing.T) {
	t.Parallel()
	f := random(rand.New(rand.NewPCG(testenv.Seed(t), 2)), 200)
	r := follow.Reader{Source: f}
	tip, err := r.Latest(t.Context())
	b := f.blocks[f.tip]
	if err != nil || tip != (node.Header{Number: b.Slot, Hash: b.Hash, Parent: b.ParentHash, ParentNumber: b.Parent}) {
		t.Errorf("%+v %v", tip, err)
	}
	if _, err := r.Headers(t.Context(), []int64{f.tip + 1}); !errors.Is(err, node.ErrNoBlock) {
		t.Errorf("%v", err)
	}
	all, err := r.Transfers(t.Context(), node.Query{To: f.tip, Tokens: []string{usdc.String()}})
	if err != nil {
		t.Fatal(err)
	}
	var got, want []string
	for _, s := range slices.Sorted(maps.Keys(f.blocks)) {
		for _, tx := range f.blocks[s].Transactions {
			want = append(want, fmt.Sprint(s, f.blocks[s].Hash, tx.ID, tx.PostTokens[1].Amount-50))
		}
	}
	for _, a := range all {
		if a.To != bob.String() || a.From != alice.String() || a.Token != usdc.String() {
			t.Fatalf("%+v", a)
		}
		got = append(got, fmt.Sprint(a.Block, a.BlockHash, a.Tx, a.Amount))
	}
	if !slices.Equal(got, want) {
		t.Errorf("%d transfers, want %d", len(got), len(want))
	}
	q := node.Query{From: f.tip, To: f.tip, Hash: "another", Tokens: []string{usdc.String()}}
	if _, err := r.Transfers(t.Context(), q); !errors.Is(err, node.ErrNoBlock) {
		t.Errorf("another block: %v", err)
	}
	for name, q := range map[string]node.Query{
		"to nobody":     {To: f.tip, Tokens: []string{usdc.String()}, Receivers: []string{alice.String()}},
		"another token": {To: f.tip, Tokens: []string{other.String()}},
	} {
		if all, err := r.Transfers(t.Context(), q); err != nil || len(all) != 0 {
			t.Errorf("%s: %v %v", name, all, err)
		}
	}
}

// A block that nobody here can read stops the deposits, and so does one that the node threw away.
func TestReader_Stops(t *testing.T) {
	t.Parallel()
	for _, want := range []error{follow.ErrVersion, follow.ErrPruned, errAway} {
		f := random(rand.New(rand.NewPCG(testenv.Seed(t), 3)), 20)
		f.broken[slices.Sorted(maps.Keys(f.blocks))[9]] = want
		q := node.Query{To: f.tip, Tokens: []string{usdc.String()}}
		if all, err := (follow.Reader{Source: f}).Transfers(t.Context(), q); !errors.Is(err, want) || all != nil {
			t.Errorf("%v: %v %v", want, all, err)
		}
	}
}

// What counts as a deposit, and what does not.
func TestArrivals(t *testing.T) {
	t.Parallel()
	failed := pays("failed", 10)
	failed.Failed = true
	made := pays("made", 10) // its account is made in the same transaction
	made.PreTokens = made.PreTokens[:1]
	alike := pays("alike", 10)
	alike.PreTokens[1].Mint, alike.PostTokens[1].Mint = other, other
	foreign := pays("Token-2022", 10)
	foreign.PostTokens[1].Program = solana.Address{5}
	aside := pays("aside", 10)
	aside.Keys[2] = bobsOther
	given := pays("given away", 0) // alice gives bob her account with what is in it
	given.PostTokens[0].Owner = bob
	minted := pays("minted", 10)
	minted.PreTokens[0].Amount = minted.PostTokens[0].Amount
	closed := pays("closed", 0)
	closed.PostTokens = closed.PostTokens[:1]
	b := follow.Block{Slot: 4, Transactions: []follow.Transaction{
		failed, made, alike, foreign, aside, given, minted, closed, pays("nothing", 0), pays("plain", 3),
	}}
	all, err := b.Arrivals([]solana.Address{usdc})
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, a := range all {
		got = append(got, fmt.Sprint(a.Tx, " ", a.Amount, " ", a.Owner == bob, " ", a.From == alice, " ", a.Derived))
	}
	want := []string{
		"made 60 true true true", "aside 10 true true false", "given away 1000 true true false",
		"minted 10 true false true", "plain 3 true true true",
	}
	if !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
	twice, beyond := pays("twice", 1), pays("beyond", 1)
	twice.PostTokens[1].Key = 1
	beyond.PostTokens[1].Key = 3
	for _, lie := range []follow.Transaction{twice, beyond} {
		b := follow.Block{Transactions: []follow.Transaction{lie}}
		if _, err := b.Arrivals([]solana.Address{usdc}); err == nil {
			t.Errorf("%s is believed", lie.ID)
		}
	}
	paid := pays("coins", 1)
	paid.Post[2] = 3
	b = follow.Block{Transactions: []follow.Transaction{pays("none", 1), paid}}
	coins := b.Coins([]solana.Address{bobUSDC, alice})
	if len(coins) != 1 || coins[0].Tx != "coins" || coins[0].Amount != 1 || coins[0].Owner != bobUSDC {
		t.Errorf("%+v", coins)
	}
}
