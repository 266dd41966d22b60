package rpc_test

import (
	"errors"
	"math/big"
	"strings"
	"testing"
	"time"

	"github.com/railkit/railkit/chain/node"
	"github.com/railkit/railkit/chain/tron"
	"github.com/railkit/railkit/chain/tron/localnet"
)

// A payment of a token from its offer to the deposit that the watcher reads: open until its block is solid.
func TestPayment(t *testing.T) {
	t.Parallel()
	n := start(t)
	before, err := n.all.Head(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	w := n.wish(usdt, bob, 2_500_000)
	o := n.offer(w)
	if o.Failure != nil || o.Used < 6_000_000 || o.Balance.Int64() != 1_000_000_000 || o.Held.Int64() != 500_000_000 {
		t.Fatalf("%+v", o)
	}
	s, id := n.pays(usdt, bob, 2_500_000)
	n.sends(s)
	n.sends(s) // the node has it already
	if got := n.outcome(s); got.Landed || got.Expired || got.Open == "" {
		t.Errorf("%+v", got)
	}
	if _, found, err := n.all.Receipt(t.Context(), id); found || err != nil {
		t.Errorf("it is found before its block is solid: %v", err)
	}
	n.mine(localnet.Solid+1, 0)
	got := n.outcome(s)
	if !got.Landed || !got.Succeeded || got.Denied || got.ID != id || got.Paid.Uint64() != o.Used {
		t.Errorf("%+v, and it was offered for %d", got, o.Used)
	}
	r, found, err := n.all.Receipt(t.Context(), id)
	if err != nil || !found || r != got.Receipt {
		t.Errorf("%+v, found %t: %v", r, found, err)
	}
	head, err := n.all.Head(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	q := node.Query{From: before + 1, To: head, Tokens: []string{usdt.Address}, Receivers: []string{bob.String()}}
	all, err := n.all.Transfers(t.Context(), q)
	if err != nil || len(all) != 1 {
		t.Fatal(all, err)
	}
	one := all[0]
	if one.Tx != id || one.From != alice.String() || one.Amount.Int64() != 2_500_000 || one.Block != r.BlockNumber ||
		one.BlockHash != r.BlockHash || one.Token != usdt.Address {
		t.Errorf("%+v", one)
	}
	if err := n.all.Corroborate(t.Context(), all); err != nil {
		t.Error(err)
	}
	has, err := n.all.Balances(t.Context(), []string{bob.String(), alice.String()}, []string{usdt.Address})
	if err != nil || has[0].Tokens[0].Int64() != 2_500_000 || has[0].Coin.Sign() != 0 ||
		has[1].Coin.Cmp(new(big.Int).Sub(o.Balance, got.Paid)) != 0 {
		t.Errorf("%+v %v", has, err)
	}
	moved, err := n.all.History(t.Context(), bob.String(), usdt.Address, 0, 10)
	if err != nil || len(moved) != 1 || moved[0].Tx != id || moved[0].Time == 0 {
		t.Errorf("%+v %v", moved, err)
	}
}

// TRX: what an account costs that is not there yet is offered and burnt, and its transfer is told as one of the coin.
func TestPayment_Coin(t *testing.T) {
	t.Parallel()
	n := start(t)
	o := n.offer(n.wish(trx, bob, 7))
	if o.Failure != nil || o.Used != tron.Activation || o.Held != nil {
		t.Errorf("%+v", o)
	}
	s, id := n.pays(trx, bob, 7)
	n.sends(s)
	if o := n.offer(n.wish(trx, bob, 7)); o.Failure != nil || o.Used != 0 {
		t.Errorf("the account is there: %+v", o)
	}
	n.mine(localnet.Solid+1, 0)
	got := n.outcome(s)
	if !got.Succeeded || got.Paid.Int64() != tron.Activation {
		t.Errorf("%+v", got)
	}
	q := node.Query{
		From: got.BlockNumber, To: got.BlockNumber, Hash: got.BlockHash, Tokens: []string{usdt.Address, node.Coin},
	}
	all, err := n.all.Transfers(t.Context(), q)
	if err != nil || len(all) != 1 || all[0].Tx != id || all[0].Token != node.Coin || all[0].To != bob.String() ||
		all[0].From != alice.String() || all[0].Amount.Int64() != 7 {
		t.Errorf("%+v %v", all, err)
	}
	q.Hash = strings.Repeat("0", 64)
	if _, err := n.all.Transfers(t.Context(), q); !errors.Is(err, node.ErrNoBlock) {
		t.Errorf("of another block: %v", err)
	}
}

// What would fail is said before anything is signed.
func TestOffer_Refuses(t *testing.T) {
	t.Parallel()
	n := start(t)
	n.gives(carol, "USDT", "5") // it has no TRX, and no account
	poor := n.wish(usdt, bob, 1)
	poor.From = carol.String()
	contract := tron.Address{}
	if a, err := tron.ParseAddress(usdt.Address); err == nil {
		contract = a
	}
	for name, x := range map[string]struct {
		wish  node.Wish
		class error
		words string
	}{
		"more tokens than there are": {n.wish(usdt, bob, 500_000_001), node.ErrReverts, "the contract refuses it"},
		"more TRX than there is":     {n.wish(trx, bob, 1_000_000_000), node.ErrNoFunds, "1001.1 TRX are needed"},
		"a wallet without TRX":       {poor, node.ErrNoFunds, "not on the chain yet"},
		"nobody's address":           {n.wish(usdt, tron.Address{}, 1), node.ErrPayee, "is the zero address"},
		"TRX for a contract":         {n.wish(trx, contract, 1), node.ErrPayee, "is a contract"},
	} {
		o, err := n.all.Offer(t.Context(), x.wish)
		if err != nil || !errors.Is(o.Failure, x.class) || !strings.Contains(o.Failure.Error(), x.words) {
			t.Errorf("%s: %v %v", name, o.Failure, err)
		}
	}
}

// The energy is what the network's price makes of it now: no number of ours.
func TestOffer_Prices(t *testing.T) {
	t.Parallel()
	n := start(t)
	before := n.offer(n.wish(usdt, bob, 1))
	n.control("/dev/prices", object{"energy": 420, "byte": 3_000})
	after := n.offer(n.wish(usdt, bob, 1))
	if after.Used*100 != before.Used*420 {
		t.Errorf("%d sun at 420, and %d at 100", after.Used, before.Used)
	}
	for range 2 { // the day's free bytes are for one and a half
		s, _ := n.pays(usdt, bob, 1)
		n.sends(s)
	}
	if o := n.offer(n.wish(usdt, bob, 1)); o.SignatureFee.Int64() < 300*3_000 || before.SignatureFee.Sign() != 0 {
		t.Errorf("the bytes cost %s, and %s while they are free", o.SignatureFee, before.SignatureFee)
	}
	n.control("/dev/prices", object{"account": 2_000_000})
	if o := n.offer(n.wish(trx, carol, 1)); !errors.Is(o.Failure, node.ErrReverts) {
		t.Errorf("an account that costs more than is counted: %v", o.Failure)
	}
}

// A call that fails on chain is told as failed, with why and what it burnt.
func TestOutcome_Fails(t *testing.T) {
	t.Parallel()
	n := start(t)
	w := n.wish(usdt, bob, 400_000_000)
	o := n.offer(w)
	short := o
	short.Used /= 2
	starved := n.signed(n.unsigned(w, short, time.Minute))
	twice := n.signed(n.unsigned(w, o, 2*time.Minute))
	again := n.signed(n.unsigned(w, o, 3*time.Minute))
	for _, s := range []node.Sent{starved, twice, again} {
		n.sends(s)
	}
	n.mine(localnet.Solid+1, 0)
	for name, x := range map[string]struct {
		sent  node.Sent
		words string
	}{
		"too little energy": {starved, "the energy that it needs costs more"},
		"too few tokens":    {again, "the contract refuses it"},
	} {
		if got := n.outcome(x.sent); !got.Landed || got.Succeeded || !strings.Contains(got.Failed, x.words) ||
			got.Paid.Sign() <= 0 {
			t.Errorf("%s: %+v", name, got)
		}
	}
	if got := n.outcome(twice); !got.Succeeded {
		t.Errorf("%+v", got)
	}
	ids := map[string]bool{tron.Family{}.ID(starved.Signed): true, strings.Repeat("ab", 32): false}
	for id, want := range ids {
		r, found, height, err := n.all.LookFor(t.Context(), id)
		if err != nil || found != want || r.Succeeded || height <= 0 {
			t.Errorf("%s: %+v %v up to %d, %v", id, r, found, height, err)
		}
	}
	all, err := n.all.History(t.Context(), alice.String(), usdt.Address, 0, 10)
	if err != nil || len(all) != 2 { // the gift and the one payment
		t.Errorf("%+v %v", all, err)
	}
}

// A transaction has expired by the word of every node: each names a solid block that is younger than its end, has not
// found it and shows the blocks from before.
func TestOutcome_Expires(t *testing.T) {
	t.Parallel()
	n := start(t)
	s, _ := n.pays(usdt, bob, 1)
	open := func(why string) {
		t.Helper()
		if got := n.outcome(s); got.Landed || got.Expired || !strings.Contains(got.Open, why) {
			t.Errorf("%+v, want %q", got, why)
		}
	}
	open("does not say yet")
	n.mine(localnet.Solid+10, time.Minute)
	open("does not say yet") // solid blocks are some ten minutes behind
	n.sees("b", localnet.View{Behind: 10})
	n.mine(5, time.Minute)
	open("node 2 has not found it")
	n.sees("b", localnet.View{Fails: true})
	open("node 2 does not tell its newest solid block")
	n.sees("b", localnet.View{})
	if got := n.outcome(s); !got.Expired || got.Landed {
		t.Errorf("%+v", got)
	}
	if err := n.all.Send(t.Context(), s.Signed); !errors.Is(err, node.ErrBlockhash) {
		t.Errorf("sent: %v", err)
	}
	s.Since = 1 << 40
	open("from before it was signed")
}

// Where one node has it in a solid block and another one says that it expired, nobody pays by either word.
func TestOutcome_Denied(t *testing.T) {
	t.Parallel()
	n := start(t)
	s, id := n.pays(usdt, bob, 1)
	n.sends(s)
	n.mine(localnet.Solid+1, 0)
	n.sees("a", localnet.View{Hides: []string{id}})
	if got := n.outcome(s); !got.Landed || got.Denied { // node a is not so far that its word counts
		t.Errorf("%+v", got)
	}
	n.mine(60, time.Second)
	if got := n.outcome(s); !got.Landed || !got.Denied {
		t.Errorf("%+v", got)
	}
	n.sees("a", localnet.View{})
	if got := n.outcome(s); !got.Landed || got.Denied {
		t.Errorf("%+v", got)
	}
}

// A node that leaves out what came of a transaction stops the deposits, and contradicts who tells it.
func TestTransfers_Hidden(t *testing.T) {
	t.Parallel()
	n := start(t)
	s, id := n.pays(usdt, bob, 1)
	n.sends(s)
	n.mine(localnet.Solid+1, 0)
	at := n.outcome(s).BlockNumber
	q := node.Query{From: at, To: at, Tokens: []string{usdt.Address}}
	all, err := n.all.Transfers(t.Context(), q)
	if err != nil || len(all) != 1 {
		t.Fatal(all, err)
	}
	n.sees("b", localnet.View{Hides: []string{id}})
	if all, err := n.client("b").Transfers(t.Context(), q); err == nil {
		t.Errorf("it is believed: %v", all)
	}
	if err := n.all.Corroborate(t.Context(), all); !errors.Is(err, node.ErrDisagree) {
		t.Errorf("%v", err)
	}
	for _, v := range []localnet.View{{Fails: true}, {Behind: 40}} { // it says nothing
		n.sees("b", v)
		if err := n.all.Corroborate(t.Context(), all); err != nil {
			t.Errorf("%+v: %v", v, err)
		}
	}
	invented := all[0]
	invented.Amount = big.NewInt(9)
	if err := n.all.Corroborate(t.Context(), []node.Transfer{invented}); !errors.Is(err, node.ErrDisagree) {
		t.Errorf("%v", err)
	}
}

// What others sign is tried as well: when it ends, which block it names, and what its call does.
func TestTry(t *testing.T) {
	t.Parallel()
	n := start(t)
	w := n.wish(usdt, bob, 1)
	o := n.offer(w)
	good := n.unsigned(w, o, time.Minute)
	dear := n.wish(usdt, bob, 500_000_001)
	for name, x := range map[string]struct {
		change func(*tron.Raw)
		want   error
	}{
		"good":                      {func(*tron.Raw) {}, nil},
		"ended":                     {func(r *tron.Raw) { r.Expiration = 1_600_000_000_000 }, node.ErrBlockhash},
		"ends too late":             {func(r *tron.Raw) { r.Expiration += 25 * 3_600_000 }, node.ErrBlockhash},
		"another chain's block":     {func(r *tron.Raw) { r.RefHash[0] ^= 1 }, node.ErrBlockhash},
		"less energy than it needs": {func(r *tron.Raw) { r.FeeLimit /= 2 }, node.ErrReverts},
		"more than there is":        {func(r *tron.Raw) { r.Data = dear.Data }, node.ErrReverts},
	} {
		raw := good
		x.change(&raw)
		unsigned, err := raw.Encode()
		if err != nil {
			t.Fatal(err)
		}
		got, err := n.all.Try(t.Context(), unsigned)
		if !errors.Is(err, x.want) || err == nil && (got.Ends != raw.Expiration || got.Since == 0) {
			t.Errorf("%s: %+v %v", name, got, err)
		}
	}
}

// Some nodes are away, behind, or on another network.
func TestNodes(t *testing.T) {
	t.Parallel()
	n := start(t)
	n.sees("a", localnet.View{Fails: true})
	if _, err := n.all.Head(t.Context()); err != nil {
		t.Error(err)
	}
	if _, err := n.all.Finalized(t.Context()); err == nil {
		t.Error("final by the word of one of two")
	}
	n.sees("a", localnet.View{Behind: 3})
	high, err := n.client("b").Head(t.Context())
	low, also := n.all.Finalized(t.Context())
	if err := errors.Join(err, also); err != nil || low != high-3 {
		t.Errorf("%d and %d: %v", low, high, err)
	}
	if o := n.offer(n.wish(usdt, bob, 1)); o.Since != low {
		t.Errorf("a block is named that not every node has: %d, and %d is the lowest", o.Since, low)
	}
	other := network
	other.Cluster = "mainnet"
	elsewhere := dialTo(t, n.url, other)
	if err := elsewhere.CheckNetwork(t.Context()); !errors.Is(err, node.ErrWrongNetwork) {
		t.Error(err)
	}
	if _, err := elsewhere.Head(t.Context()); !errors.Is(err, node.ErrWrongNetwork) {
		t.Error(err)
	}
	if v, err := n.all.Version(t.Context()); err != nil || !strings.Contains(v, "railkit-localnet") {
		t.Error(v, err)
	}
}
