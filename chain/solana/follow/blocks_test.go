package follow_test

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"math"
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
	twice, beyond, again := pays("twice", 1), pays("beyond", 1), pays("again", 1)
	twice.PostTokens[1].Key = 1
	beyond.PostTokens[1].Key = 3
	again.Keys = append(again.Keys, bobUSDC)
	again.Pre, again.Post = append(again.Pre, 2), append(again.Post, 2)
	again.PostTokens = append(again.PostTokens, holding(3, bob, usdc, 51))
	for _, lie := range []follow.Transaction{twice, beyond, again} {
		b := follow.Block{Transactions: []follow.Transaction{lie}}
		if _, err := b.Arrivals([]solana.Address{usdc}); err == nil {
			t.Errorf("%s is believed", lie.ID)
		}
	}
}

// What the accounts of a transaction have after it counts, whatever happened within it.
func TestArrivals_Net(t *testing.T) {
	t.Parallel()
	remade := pays("closed and made again with more", 20)
	less := pays("closed and made again with less", 0)
	less.PostTokens[1].Amount = 10
	itself := pays("out and in again", 0)
	regained := pays("was given away, and is his again", 0)
	regained.PreTokens[1].Owner = alice
	b := follow.Block{Transactions: []follow.Transaction{remade, less, itself, regained}}
	all, err := b.Arrivals([]solana.Address{usdc})
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, a := range all {
		got = append(got, fmt.Sprint(a.Tx, " ", a.Amount, " ", a.Derived))
	}
	want := []string{"closed and made again with more 20 true", "was given away, and is his again 50 true"}
	if !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
}

// Who paid is whoever has less in all of his accounts together. Several are all told: one of them may be on a list.
func TestArrivals_Senders(t *testing.T) {
	t.Parallel()
	carol, carols, alices := solana.Address{10}, solana.Address{11}, solana.Address{12}
	add := func(tx *follow.Transaction, key, owner solana.Address, before, after uint64) {
		n := len(tx.Keys)
		tx.Keys, tx.Pre, tx.Post = append(tx.Keys, key), append(tx.Pre, 2), append(tx.Post, 2)
		tx.PreTokens = append(tx.PreTokens, holding(n, owner, usdc, before))
		tx.PostTokens = append(tx.PostTokens, holding(n, owner, usdc, after))
	}
	two := pays("two", 10)
	two.PostTokens[1].Amount += 5
	add(&two, carols, carol, 5, 0)
	moves := pays("another moves between her own", 10)
	add(&moves, carols, carol, 5, 0)
	add(&moves, solana.Address{13}, carol, 0, 5)
	both := pays("two accounts of one", 10)
	both.PostTokens[1].Amount += 5
	add(&both, alices, alice, 5, 0)
	large := pays("more than a number holds", 10)
	add(&large, carols, carol, math.MaxUint64, math.MaxUint64)
	add(&large, solana.Address{13}, carol, math.MaxUint64, math.MaxUint64)
	own := pays("from another account of his", 0)
	own.PostTokens[1].Amount += 5
	add(&own, bobsOther, bob, 5, 0)
	minted := pays("minted", 10)
	minted.PreTokens[0].Amount = minted.PostTokens[0].Amount
	for _, c := range []struct {
		tx   follow.Transaction
		want []solana.Address
	}{
		{two, []solana.Address{alice, carol}}, {moves, []solana.Address{alice}}, {both, []solana.Address{alice}},
		{large, []solana.Address{alice}}, {own, []solana.Address{bob}}, {minted, nil},
	} {
		b := follow.Block{Transactions: []follow.Transaction{c.tx}}
		all, err := b.Arrivals([]solana.Address{usdc})
		all = slices.DeleteFunc(all, func(a follow.Arrival) bool { return a.Owner != bob })
		if err != nil || len(all) != 1 || !slices.Equal(all[0].Senders, c.want) {
			t.Errorf("%s: %+v %v", c.tx.ID, all, err)
			continue
		}
		told := all[0].Transfer(b)
		if one := len(c.want) == 1; one != (told.From != "") || one && told.Senders != nil || len(c.want) > 1 &&
			len(told.Senders) != len(c.want) {
			t.Errorf("%s: %+v", c.tx.ID, told)
		}
	}
}

// Lamports are told where they are asked for: to whoever did not sign, and never as a token.
func TestReader_Coins(t *testing.T) {
	t.Parallel()
	paid := pays("coins", 0)
	paid.Keys, paid.Signers = []solana.Address{alice, bob, bobUSDC}, []solana.Address{alice}
	paid.Pre, paid.Post = []uint64{9, 2, 2}, []uint64{3, 7, 2}
	paid.PreTokens, paid.PostTokens = nil, nil
	back := paid
	back.ID, back.Signers = "his own", []solana.Address{alice, bob}
	failed := paid
	failed.ID, failed.Failed = "failed", true
	f := &feed{blocks: map[int64]follow.Block{
		0: {Hash: "h0", ParentHash: "x"},
		1: {Slot: 1, Hash: "h1", ParentHash: "h0", Transactions: []follow.Transaction{
			paid, back, failed, pays("t", 4),
		}},
	}, tip: 1}
	q := node.Query{From: 1, To: 1, Tokens: []string{usdc.String(), node.Coin}}
	all, err := follow.Reader{Source: f}.Transfers(t.Context(), q)
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, a := range all {
		got = append(got, fmt.Sprint(a.Tx, " ", a.Token == usdc.String(), " ", a.Amount, " ", a.To == bob.String(), " ",
			a.From == alice.String()))
	}
	if want := []string{"coins false 5 true true", "t true 4 true true"}; !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
	q.Tokens = q.Tokens[:1]
	if all, err := (follow.Reader{Source: f}).Transfers(t.Context(), q); err != nil || len(all) != 1 {
		t.Errorf("%+v %v", all, err)
	}
}

// The network takes a transaction once: a node that tells it twice, in one block or in two, is not believed.
func TestRange_TwiceIsNotBelieved(t *testing.T) {
	t.Parallel()
	for name, at := range map[string][2]int64{"in one block": {3, 3}, "in two blocks": {3, 5}} {
		f := &feed{blocks: map[int64]follow.Block{0: {Hash: "h0", ParentHash: "x"}}, tip: 6}
		for s := int64(1); s <= f.tip; s++ {
			f.blocks[s] = follow.Block{
				Slot: s, Parent: s - 1, Hash: fmt.Sprint("h", s), ParentHash: fmt.Sprint("h", s-1),
			}
		}
		for _, s := range at {
			b := f.blocks[s]
			b.Transactions = append(b.Transactions, pays("once", 3))
			f.blocks[s] = b
		}
		q := node.Query{From: 1, To: f.tip, Tokens: []string{usdc.String()}}
		if all, err := (follow.Reader{Source: f}).Transfers(t.Context(), q); err == nil {
			t.Errorf("%s: %+v", name, all)
		}
	}
}
