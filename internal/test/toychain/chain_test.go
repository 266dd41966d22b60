package toychain_test

import (
	"bytes"
	"crypto/ed25519"
	"errors"
	"math/big"
	"slices"
	"testing"

	"github.com/railkit/railkit/chain"
	"github.com/railkit/railkit/chain/node"
	"github.com/railkit/railkit/internal/test/toychain"
)

// payer is an account with a key.
type payer struct {
	key     ed25519.PrivateKey
	address string
}

func newPayer(t *testing.T) payer {
	t.Helper()
	key := ed25519.NewKeyFromSeed(bytes.Repeat([]byte{3}, 32))
	address, err := toychain.Family{}.AddressOf(key[32:])
	if err != nil {
		t.Fatal(err)
	}
	return payer{key, address}
}

func (p payer) pays(t *testing.T, token chain.Token, amount int64, nonce uint64) []byte {
	t.Helper()
	f := toychain.Family{}
	call, err := f.Transfer(token, one, big.NewInt(amount))
	if err != nil {
		t.Fatal(err)
	}
	tx, err := f.Assemble(toychain.Network(), chain.Intent{From: p.address, Call: call, Gas: 2_000},
		chain.Terms{Nonce: nonce, Fee: chain.Fee{Max: big.NewInt(5), Priority: new(big.Int)}})
	if err != nil {
		t.Fatal(err)
	}
	raw, err := f.Attach(tx, p.address, ed25519.Sign(p.key, tx.Payload))
	if err != nil {
		t.Fatal(err)
	}
	return raw
}

// A payment is mined after slots without a block, is taken away by a reorg, and is mined again under another hash.
func TestChain_GapsAndReorgs(t *testing.T) {
	ctx, network := t.Context(), toychain.Network()
	c := toychain.New(network)
	n, coin, token, p := toychain.Node{Chain: c}, network.Native, network.Tokens[0], newPayer(t)
	for _, asset := range []chain.Token{coin, token} {
		if _, err := c.Pay(asset, p.address, 1_000_000); err != nil {
			t.Fatal(err)
		}
	}
	c.Mine(3)
	raw := p.pays(t, token, 400, 0)
	id := toychain.Family{}.ID(raw)
	for range 2 {
		if err := n.Send(ctx, raw); err != nil {
			t.Fatal(err)
		}
	}
	c.Mine(5)
	first, found, err := n.Receipt(ctx, id)
	if err != nil || !found || !first.Succeeded || first.BlockNumber != 10 || c.Balance(token, one) != 400 {
		t.Errorf("%+v %t %v, and %d arrived", first, found, err, c.Balance(token, one))
	}
	all, err := n.Transfers(ctx, node.Query{From: 5, To: 10, Tokens: []string{token.Address}})
	if err != nil || len(all) != 1 || all[0].To != one || all[0].BlockHash != first.BlockHash {
		t.Errorf("%+v %v", all, err)
	}
	top, err := n.Headers(ctx, []int64{4, 10})
	if err != nil || top[1].Parent != top[0].Hash || top[1].ParentNumber != 4 {
		t.Errorf("%+v %v", top, err)
	}
	if numbers, err := n.Blocks(ctx, 1, 20); err != nil || !slices.Equal(numbers, []int64{4, 10}) {
		t.Errorf("the numbers that have a block: %v %v", numbers, err)
	}
	if _, err := n.Headers(ctx, []int64{9}); !errors.Is(err, node.ErrNoBlock) {
		t.Errorf("a slot without a block: %v", err)
	}
	c.Reorg(1)
	if _, found, _ := n.Receipt(ctx, id); found || c.Balance(token, one) != 0 {
		t.Error("it is mined after the reorg")
	}
	c.Mine(1)
	again, found, err := n.Receipt(ctx, id)
	if err != nil || !found || again.BlockHash == first.BlockHash || again.BlockNumber != 6 {
		t.Errorf("%+v %t %v", again, found, err)
	}
}

// The chain itself checks signatures, networks, nonces, fees and balances.
func TestChain_Refuses(t *testing.T) {
	ctx, network := t.Context(), toychain.Network()
	c := toychain.New(network)
	n, p := toychain.Node{Chain: c}, newPayer(t)
	if err := n.Send(ctx, p.pays(t, network.Native, 1, 0)); !errors.Is(err, node.ErrRefused) {
		t.Errorf("from an account that there is not: %v", err)
	}
	if _, err := c.Pay(network.Native, p.address, 20_000); err != nil {
		t.Fatal(err)
	}
	c.Mine(0)
	forged := p.pays(t, network.Native, 1, 0)
	forged[len(forged)-1] ^= 1
	if err := n.Send(ctx, forged); !errors.Is(err, node.ErrRefused) {
		t.Errorf("forged: %v", err)
	}
	if err := n.Send(ctx, p.pays(t, network.Native, 15_000, 0)); !errors.Is(err, node.ErrNoFunds) {
		t.Errorf("too much: %v", err)
	}
	raw := p.pays(t, network.Tokens[0], 1, 0)
	if err := n.Send(ctx, raw); err != nil {
		t.Fatal(err)
	}
	c.Mine(0)
	if r, found, _ := n.Receipt(ctx, (toychain.Family{}).ID(raw)); !found || r.Succeeded {
		t.Errorf("a token that it has not: %+v %t", r, found)
	}
	if err := n.Send(ctx, p.pays(t, network.Native, 1, 0)); !errors.Is(err, node.ErrNonceUsed) {
		t.Errorf("a nonce twice: %v", err)
	}
}
