package rpc_test

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"

	"github.com/railkit/railkit/chain"
	"github.com/railkit/railkit/chain/node"
	"github.com/railkit/railkit/chain/solana"
	"github.com/railkit/railkit/chain/solana/follow"
	"github.com/railkit/railkit/chain/solana/rpc"
	"github.com/railkit/railkit/platform/watch"
)

// What the client has of the port of the nodes.
var _ interface {
	watch.Node
	node.BlockLister
	Network() chain.Network
	CheckNetwork(context.Context) error
	Version(context.Context) (string, error)
	Close()
	Send(ctx context.Context, signed []byte) error
	Receipt(ctx context.Context, id string) (r node.Receipt, found bool, err error)
	Known(ctx context.Context, id string) (bool, error)
	Head(context.Context) (int64, error)
	BlockHash(ctx context.Context, number int64) (hash string, found bool, err error)
} = (*rpc.Client)(nil)

// A payment of a token from its simulation to the deposit that the watcher reads.
func TestPayment(t *testing.T) {
	t.Parallel()
	n := start(t)
	ctx := t.Context()
	from, err := n.all[0].Head(ctx)
	if err != nil {
		t.Fatal(err)
	}
	for _, v := range []solana.Version{solana.V0, solana.V1} {
		if got := n.all.Version(); got != v {
			t.Fatalf("the version is %s, not %s", got.Name(), v.Name())
		}
		b := n.blockhash()
		m := n.pays(v, b, usdc, 2_000_000)
		units, err := n.all.Simulate(ctx, m)
		if err != nil || units == 0 {
			t.Fatal(units, err)
		}
		tx, raw := n.signed(m)
		if v, err := n.all.Step(ctx, raw, b.Sent(tx)); err != nil || v.Fate != follow.Broadcast {
			t.Fatal(v, err)
		}
		if err := n.all.Send(ctx, raw); err != nil { // it is in a block
			t.Fatal(err)
		}
		verdict, err := n.all.Judge(ctx, b.Sent(tx))
		landing, found, err2 := n.all[1].Landing(ctx, tx)
		if err := errors.Join(err, err2); err != nil || verdict.Fate != follow.Landed || !found ||
			landing != (rpc.Landing{Slot: verdict.Status.Slot, Fee: 5_000}) {
			t.Fatal(verdict, landing, err)
		}
		receipt, found, err := n.all[0].Receipt(ctx, tx.ID())
		hash, _, err2 := n.all[1].BlockHash(ctx, landing.Slot)
		if err := errors.Join(err, err2); err != nil || !found || !receipt.Succeeded || receipt.BlockHash != hash {
			t.Fatal(receipt, found, err)
		}
		if _, err := n.all.Simulate(ctx, n.pays(solana.V1, b, usdc, 1)); err != nil {
			t.Fatal(err)
		}
	}
	tip, err := n.all[0].Latest(ctx)
	if err != nil {
		t.Fatal(err)
	}
	all, err := n.all[0].Transfers(ctx, node.Query{
		From: from + 1, To: tip.Number, Tokens: []string{usdcMint}, Receivers: []string{bob.String()},
	})
	if err != nil || len(all) != 2 || all[0].From != alice.String() || all[1].Amount.Int64() != 2_000_000 {
		t.Errorf("%+v %v", all, err)
	}
	rent, err := n.all.Rent(ctx, rpc.TokenAccount)
	if err != nil || rent != 1_488_440 {
		t.Error(rent, err)
	}
}

// What lies at an address says whether it may be paid.
func TestAccounts(t *testing.T) {
	t.Parallel()
	n := start(t)
	all, err := n.all[0].Accounts(t.Context(), alice, bob, usdc, solana.TokenProgram,
		solana.AssociatedAddress(alice, usdc, solana.TokenProgram))
	if err != nil {
		t.Fatal(err)
	}
	var kinds []rpc.Kind
	for _, h := range all {
		kinds = append(kinds, h.Kind)
	}
	if !slices.Equal(kinds, []rpc.Kind{rpc.Person, rpc.Nothing, rpc.Mint, rpc.Program, rpc.Token}) {
		t.Errorf("%v", kinds)
	}
	if a := all[4]; a.Owner != alice || a.Mint != usdc || a.Tokens != 10_000_000 || a.Kind.What() == "" {
		t.Errorf("%+v", a)
	}
	if all[0].Lamports != 1_000_000_000 || all[0].Kind.What() != "" {
		t.Errorf("%+v", all[0])
	}
}

// Why a transaction would fail, before it is signed, and why one failed that is in a block and was paid for.
func TestFailures(t *testing.T) {
	t.Parallel()
	n := start(t)
	ctx, b := t.Context(), n.blockhash()
	for words, m := range map[string]solana.Message{
		"the account that pays has not enough SOL":   n.pays(solana.V0, b, solana.Address{}, 2_000_000_000),
		"the token account has not enough tokens":    n.pays(solana.V0, b, usdc, 11_000_000),
		"some SOL and less than the minimum":         n.pays(solana.V0, b, solana.Address{}, 1),
		"the blockhash is too old, or the node does": n.pays(solana.V0, rpc.Blockhash{Hash: [32]byte{1}}, usdc, 1),
	} {
		if _, err := n.all.Simulate(ctx, m); err == nil || !strings.Contains(err.Error(), words) {
			t.Errorf("%v, want %q", err, words)
		}
	}
	tx, raw := n.signed(n.pays(solana.V0, b, usdc, 11_000_000))
	if err := n.all.Send(ctx, raw); !errors.Is(err, rpc.ErrFails) {
		t.Errorf("%v", err)
	}
	n.untried(raw)
	l, found, err := n.all[0].Landing(ctx, tx)
	why := "instruction 5 fails: the token account has not enough tokens"
	if err != nil || !found || l.Fee != 5_000 || l.Failed != why {
		t.Errorf("%+v %v %v", l, found, err)
	}
	if v, err := n.all.Judge(ctx, b.Sent(tx)); err != nil || v.Fate != follow.Landed || v.Status.Failed == "" {
		t.Errorf("%+v %v", v, err)
	}
	tx.Signatures[0][3]++
	if raw, err = tx.Encode(); err != nil {
		t.Fatal(err)
	}
	if err := n.all.Send(ctx, raw); !errors.Is(err, node.ErrRefused) {
		t.Errorf("%v", err)
	}
}

// A transaction expires when both nodes say so in full, and not before; found later, it landed.
func TestExpiry(t *testing.T) {
	t.Parallel()
	n := start(t)
	ctx, b := t.Context(), n.blockhash()
	is := func(what string, sent follow.Sent, want follow.Fate, denied bool) {
		t.Helper()
		if v, err := n.all.Judge(ctx, sent); err != nil || v.Fate != want || v.Denied != denied {
			t.Errorf("%s: %+v %v, want %s", what, v, err, want)
		}
	}
	lost, _ := n.signed(n.pays(solana.V0, b, usdc, 1))
	landed, raw := n.signed(n.pays(solana.V0, b, usdc, 2))
	if err := n.all.Send(ctx, raw); err != nil {
		t.Fatal(err)
	}
	is("not sent", b.Sent(lost), follow.Broadcast, false)
	hash := solana.Address(b.Hash).String()
	n.control("a", "dev_expire", hash)
	is("both well", b.Sent(lost), follow.Expired, false)
	for what, v := range map[string]view{
		"behind": {"behind": 1}, "not final": {"unfinalized": 1}, "away": {"fails": true}, "pruned": {"keeps": 120},
		"no history": {"noHistory": true},
	} {
		n.control("b", "dev_setView", v)
		is(what, b.Sent(lost), follow.Broadcast, false)
		is(what, b.Sent(landed), follow.Landed, false)
	}
	n.control("b", "dev_setView", view{"hides": []string{landed.ID()}})
	is("one hides it", b.Sent(landed), follow.Landed, true)
	n.control("a", "dev_setView", view{"hides": []string{landed.ID()}})
	is("both hide it", b.Sent(landed), follow.Expired, false)
	n.control("a", "dev_setView", view{})
	is("found later", b.Sent(landed), follow.Landed, true)
	n.control("b", "dev_setView", view{"invents": []string{lost.ID()}})
	is("one invents it", b.Sent(lost), follow.Landed, true)
}

// A node that leaves out a block, threw it away or cannot be read stops the deposits.
func TestReader(t *testing.T) {
	t.Parallel()
	n := start(t)
	ctx, b := t.Context(), n.blockhash()
	tx, raw := n.signed(n.pays(solana.V0, b, usdc, 1))
	if err := n.all.Send(ctx, raw); err != nil {
		t.Fatal(err)
	}
	n.control("a", "dev_mine", 20)
	receipt, _, err := n.all[0].Receipt(ctx, tx.ID())
	if err != nil {
		t.Fatal(err)
	}
	tip, err := n.all[0].Head(ctx)
	if err != nil {
		t.Fatal(err)
	}
	q := node.Query{To: tip, Tokens: []string{usdcMint}, Receivers: []string{bob.String()}}
	if all, err := n.all[1].Transfers(ctx, q); err != nil || len(all) != 1 {
		t.Fatal(all, err)
	}
	for what, v := range map[string]struct {
		view
		want error
	}{
		"omitted": {view{"omits": []int64{receipt.BlockNumber}}, nil},
		"newer":   {view{"newer": []string{tx.ID()}}, follow.ErrVersion},
		"pruned":  {view{"keeps": 10}, nil},
		"behind":  {view{"behind": 5}, nil},
	} {
		n.control("b", "dev_setView", v.view)
		all, err := n.all[1].Transfers(ctx, q)
		if err == nil || v.want != nil && !errors.Is(err, v.want) {
			t.Errorf("%s: %v %v", what, all, err)
		}
	}
	n.control("b", "dev_setView", view{"newer": []string{tx.ID()}})
	if v, err := n.all.Judge(ctx, b.Sent(tx)); err != nil || v.Fate != follow.Landed {
		t.Errorf("our own transaction of another version: %+v %v", v, err)
	}
}

func TestDisagree(t *testing.T) {
	t.Parallel()
	n := start(t)
	ctx := t.Context()
	n.control("a", "dev_mine", 10)
	n.control("b", "dev_setView", view{"behind": 4, "noV1": true})
	b := n.blockhash()
	own, err := n.all[0].Blockhash(ctx)
	late, err2 := n.all[1].Blockhash(ctx)
	if errors.Join(err, err2) != nil || b.Hash != late.Hash || b.LastValid != own.LastValid || b.Slot != late.Slot {
		t.Errorf("%+v of %+v and %+v: %v %v", b, own, late, err, err2)
	}
	n.control("b", "dev_setView", view{"forges": true})
	if b, err = n.all.Blockhash(ctx); err != nil || b.Hash != own.Hash {
		t.Errorf("a forged blockhash: %+v %v", b, err)
	}
	n.control("a", "dev_setView", view{"forges": true})
	if _, err = n.all.Blockhash(ctx); !errors.Is(err, rpc.ErrDisagree) {
		t.Errorf("two forged blockhashes: %v", err)
	}
	n.control("a", "dev_setView", view{})
	n.control("b", "dev_setView", view{"behind": 4, "noV1": true})
	if _, err := n.all[0].Simulate(ctx, n.pays(solana.V1, own, usdc, 1)); err != nil {
		t.Fatal(err)
	}
	if _, err := n.all[1].Simulate(ctx, n.pays(solana.V1, late, usdc, 1)); !errors.Is(err, node.ErrRefused) {
		t.Errorf("%v", err)
	}
	if !n.all[0].TakesV1() || n.all[1].TakesV1() || n.all.Version() != solana.V0 {
		t.Error("v1 is used though one node does not take it")
	}
	if _, err := n.all.Simulate(ctx, n.pays(solana.V0, b, usdc, 1)); err != nil {
		t.Errorf("one node is behind: %v", err)
	}
	n.control("b", "dev_setView", view{"fails": true})
	if _, err := n.all.Blockhash(ctx); err != nil {
		t.Errorf("one node is away: %v", err)
	}
	if _, err := n.all.Rent(ctx, 0); !errors.Is(err, rpc.ErrTransport) {
		t.Errorf("%v", err)
	}
	n.control("a", "dev_setView", view{"fails": true})
	if _, err := n.all.Blockhash(ctx); !errors.Is(err, rpc.ErrTransport) {
		t.Errorf("%v", err)
	}
}

// A node of another network is not asked anything, and one that answers nonsense is not believed.
func TestStrangers(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]error{
		`{"id":1,"result":"5eykt4UsFv8P8NJdTREpY1vzqKqZKvdpKuc147dw2N9d"}`: node.ErrWrongNetwork,

		`<html>`: rpc.ErrTransport, `{"id":9,"result":"x"}`: rpc.ErrLyingNode, `{"id":1,"result":7}`: rpc.ErrNode,
		`{"id":1}`: rpc.ErrTransport, `{"error":{"code":-32005,"message":"x"}}`: rpc.ErrNode,
	} {
		server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			_, _ = w.Write([]byte(text))
		}))
		t.Cleanup(server.Close)
		c, err := rpc.Dial(server.URL, network)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := c.Head(t.Context()); !errors.Is(err, want) {
			t.Errorf("%s: %v, want %v", text, err, want)
		}
	}
	for _, url := range []string{"ftp://x", "nonsense", "http://"} {
		if _, err := rpc.Dial(url, network); !errors.Is(err, rpc.ErrURL) {
			t.Errorf("%s: %v", url, err)
		}
	}
	if _, err := rpc.Dial("http://x", chain.Network{Kind: chain.Solana, Cluster: "other"}); err == nil {
		t.Error("a cluster that nobody knows")
	}
}

func TestSentence(t *testing.T) {
	t.Parallel()
	m := solana.Message{
		Keys: []solana.Address{alice, solana.TokenProgram}, Instructions: []solana.Compiled{{Program: 1}},
	}
	for _, c := range []struct{ failure, want string }{
		{`"InsufficientFundsForFee"`, "the account that pays has not enough SOL for the fee"},
		{`{"InsufficientFundsForRent":{"account_index":1}}`, "an account would be left with some SOL"},
		{`{"InstructionError":[0,{"Custom":17}]}`, "instruction 1 fails: the token account is frozen"},
		{`{"InstructionError":[0,{"Custom":99}]}`, "instruction 1 fails: the program's error 99"},
		{`{"InstructionError":[7,{"Custom":1}]}`, "instruction 8 fails: the program's error 1"},
		{`{"InstructionError":[0,"IllegalOwner"]}`, "instruction 1 fails: the token account belongs to somebody"},
		{`{"InstructionError":[0,"CallDepth"]}`, "instruction 1 fails: the network says CallDepth"},
		{`{"InstructionError":"x"}`, "an instruction fails, and the node does not say why"},
		{`"ClusterMaintenance"`, "the network says ClusterMaintenance"},
		{`17`, "the node does not say why"},
	} {
		if got := rpc.Sentence(json.RawMessage(c.failure), &m); !strings.HasPrefix(got, c.want) {
			t.Errorf("%s: %q, want %q", c.failure, got, c.want)
		}
	}
}

func TestCheckCoins(t *testing.T) {
	t.Parallel()
	const minimum = 650_240
	for name, c := range map[string]struct {
		source, out, payee, amount uint64
		want                       error
	}{
		"all":               {1_000_000, 1_000_000, 5, 995_000, nil},
		"the minimum stays": {1_000_000, 349_760, 5, 300_000, nil},
		"less stays":        {1_000_000, 349_761, 5, 300_000, rpc.ErrLeavesLittle},
		"one stays":         {1_000_000, 999_999, 5, 994_999, rpc.ErrLeavesLittle},
		"too much":          {1_000_000, 1_000_001, 5, 5, node.ErrNoFunds},
		"new payee":         {10_000_000, 655_240, 0, minimum, nil},
		"new, too little":   {10_000_000, 655_239, 0, minimum - 1, rpc.ErrBringsLittle},
		"a token":           {10_000_000, 5_000, 0, 0, nil},
	} {
		if err := rpc.CheckCoins(c.source, c.out, c.payee, c.amount, minimum); !errors.Is(err, c.want) {
			t.Errorf("%s: %v, want %v", name, err, c.want)
		}
	}
}
