package rpc_test

import (
	"context"
	"crypto/ed25519"
	"errors"
	"fmt"
	"math/big"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/railkit/railkit/chain"
	"github.com/railkit/railkit/chain/node"
	"github.com/railkit/railkit/chain/solana"
	"github.com/railkit/railkit/chain/solana/rpc"
)

// sponsored is alice's payment of some micro-USDC to bob, of which the third key pays the fee.
func sponsored(micro int64, memo string) chain.SponsoredTransfer {
	return chain.SponsoredTransfer{
		From: alice.String(), To: bob.String(), Token: network.Tokens[0], Amount: big.NewInt(micro),
		Sponsor: addressOf(keyOf(3)).String(), Memo: memo,
	}
}

// sponsoring is a chain on which bob has an account for USDC, and the sponsor has SOL.
func sponsoring(t *testing.T) (*nodes, *rpc.Network) {
	n := start(t)
	n.control("a", "requestAirdrop", addressOf(keyOf(3)).String(), 1_000_000_000)
	n.control("a", "dev_faucet", bob.String(), "USDC", "1")
	return n, n.both()
}

// handed is a payment as alice signs it, and as the sponsor sends it.
func (n *nodes) handed(all *rpc.Network, t chain.SponsoredTransfer) (ours, whole []byte, w node.Window) {
	n.Helper()
	o, err := all.OfferSponsored(n.Context(), t)
	if err != nil || o.Failure != nil {
		n.Fatal(o.Failure, err)
	}
	t.Blockhash = o.Blockhash
	made, err := solana.Family{}.Sponsored(network, t)
	if err != nil {
		n.Fatal(err)
	}
	tx, err := solana.DecodeTransaction(made.Unsigned)
	if err != nil {
		n.Fatal(err)
	}
	for _, key := range []ed25519.PrivateKey{keyOf(1), keyOf(3)} {
		if tx, err = tx.Attach(addressOf(key), solana.Signature(ed25519.Sign(key, made.Payload))); err != nil {
			n.Fatal(err)
		}
		if ours == nil {
			ours, err = tx.Encode()
		} else {
			whole, err = tx.Encode()
		}
		if err != nil {
			n.Fatal(err)
		}
	}
	return ours, whole, o.Window
}

// Before anybody signs, the nodes say why a payment would fail.
func TestOfferSponsored(t *testing.T) {
	t.Parallel()
	n := start(t)
	all := n.both()
	failure := func(p chain.SponsoredTransfer) error {
		t.Helper()
		o, err := all.OfferSponsored(t.Context(), p)
		if err != nil || o.Blockhash == "" || o.LastHeight == 0 {
			t.Errorf("%+v, %v", o, err)
		}
		return o.Failure
	}
	err := failure(sponsored(1, "m"))
	if !errors.Is(err, node.ErrPayee) || !strings.Contains(err.Error(), "no account") {
		t.Errorf("a payee without an account: %v", err)
	}
	n.control("a", "dev_faucet", bob.String(), "USDC", "1")
	if err := failure(sponsored(1, "m")); !errors.Is(err, node.ErrNoFunds) {
		t.Errorf("a sponsor without SOL: %v", err)
	}
	n.control("a", "requestAirdrop", addressOf(keyOf(3)).String(), 1_000_000_000)
	if err := failure(sponsored(1, "m")); err != nil {
		t.Error(err)
	}
	if err := failure(sponsored(10_000_001, "m")); !errors.Is(err, node.ErrReverts) {
		t.Errorf("too much: %v", err)
	}
	wrong := sponsored(1, "m")
	wrong.To = solana.AssociatedAddress(bob, usdc, solana.TokenProgram).String()
	if err := failure(wrong); !errors.Is(err, node.ErrPayee) {
		t.Errorf("a token account: %v", err)
	}
	if _, err := all.OfferSponsored(t.Context(), sponsored(1, "")); !errors.Is(err, node.ErrRefused) {
		t.Errorf("no memo: %v", err)
	}
}

// A payment that somebody else sends is found by its message, whose id nobody knew before.
func TestOutcome_OfAnUnknownID(t *testing.T) {
	t.Parallel()
	n, all := sponsoring(t)
	outcome := func(raw []byte, w node.Window) node.Outcome {
		t.Helper()
		o, err := all.Outcome(t.Context(), node.Sent{Signed: raw, Window: w})
		if err != nil {
			t.Fatal(err)
		}
		return o
	}
	ours, whole, w := n.handed(all, sponsored(1_000_000, "one"))
	if o := outcome(ours, w); o.Landed || o.Expired || o.Open == "" {
		t.Errorf("before it is sent: %+v", o)
	}
	for i := range 3 { // others of the same key, with the same memo too
		_, other, _ := n.handed(all, sponsored(int64(i+1), []string{"one", "two"}[i%2]))
		if err := all.Send(t.Context(), other); err != nil {
			t.Fatal(err)
		}
	}
	if o := outcome(ours, w); o.Landed || o.Expired {
		t.Errorf("only others are sent: %+v", o)
	}
	if err := all.Send(t.Context(), whole); err != nil {
		t.Fatal(err)
	}
	id := solana.Family{}.ID(whole)
	if o := outcome(ours, w); !o.Landed || !o.Succeeded || o.ID != id || o.Paid.Int64() != 10_001 || o.Denied {
		t.Errorf("%+v, want %s", o, id)
	}
	n.control("b", "dev_setView", view{"hides": []string{id}})
	if o := outcome(ours, w); !o.Landed || o.ID != id {
		t.Errorf("one node hides it: %+v", o)
	}
	n.control("a", "dev_expire", blockhashOf(ours))
	n.control("a", "dev_mine", 40)
	if o := outcome(ours, w); !o.Landed || !o.Denied {
		t.Errorf("one node hides it for good: %+v", o)
	}
}

func blockhashOf(raw []byte) string {
	tx, err := solana.DecodeTransaction(raw)
	if err != nil {
		panic(err)
	}
	return solana.Address(tx.Blockhash).String()
}

// It came to nothing only where every node is above its end by some blocks, has looked, and has the blocks since.
func TestOutcome_OfAnUnknownIDExpires(t *testing.T) {
	t.Parallel()
	n, all := sponsoring(t)
	ours, whole, w := n.handed(all, sponsored(1_000_000, "one"))
	fails, failing, w2 := n.handed(all, sponsored(2_000_000, "two"))
	_, first, _ := n.handed(all, sponsored(9_000_000, "three"))
	if err := all.Send(t.Context(), first); err != nil {
		t.Fatal(err)
	}
	n.untried(failing)
	outcome := func(raw []byte, w node.Window) node.Outcome {
		t.Helper()
		o, err := all.Outcome(t.Context(), node.Sent{Signed: raw, Window: w})
		if err != nil {
			t.Fatal(err)
		}
		return o
	}
	if o := outcome(fails, w2); !o.Landed || o.Succeeded || o.Failed == "" || o.ID == "" {
		t.Errorf("it failed: %+v", o)
	}
	n.control("a", "dev_expire", blockhashOf(ours))
	if o := outcome(ours, w); o.Expired {
		t.Errorf("at its last height: %+v", o)
	}
	n.control("a", "dev_mine", 40)
	for name, v := range map[string]view{
		"away": {"fails": true}, "behind": {"behind": 60},
		"without history": {"noHistory": true}, "pruned": {"keeps": 5},
	} {
		n.control("b", "dev_setView", v)
		if o, err := all.Outcome(t.Context(), node.Sent{Signed: ours, Window: w}); err != nil || o.Expired || o.Landed {
			t.Errorf("one node is %s: %+v, %v", name, o, err)
		}
	}
	n.control("b", "dev_setView", view{})
	if o := outcome(ours, w); !o.Expired || o.Landed {
		t.Errorf("%+v", o)
	}
	if err := all.Send(t.Context(), whole); err == nil {
		t.Error("it is taken after its end")
	}
	if o := outcome(ours, node.Window{Since: w.Since}); o.Expired {
		t.Errorf("nobody said when it ends: %+v", o)
	}
}

// However many transactions name a key after the end of a payment, no more is looked at than could be it.
func TestOutcome_OfAnUnknownIDAmongMany(t *testing.T) {
	t.Parallel()
	n, all := sponsoring(t)
	ours, _, w := n.handed(all, sponsored(1_000_000, "one"))
	n.control("a", "dev_expire", blockhashOf(ours))
	for i := range 250 {
		_, other, _ := n.handed(all, sponsored(int64(i+1), fmt.Sprintf("one more %d", i)))
		if err := all.Send(t.Context(), other); err != nil {
			t.Fatal(err)
		}
	}
	var asked atomic.Int64
	counting := n.both()
	counting.Observe(func(_ context.Context, _ chain.Network, method string, _ time.Duration, _ error) {
		if method == "getTransaction" {
			asked.Add(1)
		}
	})
	o, err := counting.Outcome(t.Context(), node.Sent{Signed: ours, Window: w})
	if err != nil || !o.Expired || asked.Load() > 2*100 {
		t.Errorf("%+v, %v, asked for %d transactions", o, err, asked.Load())
	}
}

// What others have signed is tried as of the newest confirmed block: who pays may have had his tokens for a second, and
// his blockhash may be as old. How long that counts is said beside.
func TestTry_WhatIsNotFinalYet(t *testing.T) {
	t.Parallel()
	n, all := sponsoring(t)
	for _, node := range []string{"a", "b"} {
		n.control(node, "dev_setView", view{"unfinalized": 5})
	}
	n.control("a", "dev_faucet", alice.String(), "USDC", "10")
	n.control("a", "dev_mine", 1)
	ahead, err := rpc.Dial(n.url+"/ahead", network)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(ahead.Close)
	newest, err := ahead.Blockhash(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	pays := sponsored(15_000_000, "m")
	pays.Blockhash = solana.Address(newest.Hash).String()
	made, err := solana.Family{}.Sponsored(network, pays)
	if err != nil {
		t.Fatal(err)
	}
	tx := made.Unsigned
	w, err := all.Try(t.Context(), tx)
	if err != nil || w.Left != 150 {
		t.Errorf("%+v, %v", w, err)
	}
	n.control("a", "dev_mine", 140)
	if w, err = all.Try(t.Context(), tx); err != nil || w.Left != 10 {
		t.Errorf("140 blocks later: %+v, %v", w, err)
	}
	n.control("a", "dev_mine", 20)
	if _, err = all.Try(t.Context(), tx); !errors.Is(err, node.ErrBlockhash) || errors.Is(err, node.ErrReverts) {
		t.Errorf("160 blocks later: %v", err)
	}
}
