package rpc_test

import (
	"bytes"
	"crypto/ed25519"
	"encoding/binary"
	"io"
	"net/http"
	"net/http/httptest"
	"sync/atomic"
	"testing"

	"github.com/railkit/railkit/chain/solana"
	"github.com/railkit/railkit/chain/solana/rpc"
)

// opens has alice make bob another account of USDC, at the key of a third one, with an amount in it.
func (n *nodes) opens(third ed25519.PrivateKey, amount uint64) (at solana.Address, id string) {
	n.Helper()
	at = addressOf(third)
	create := binary.LittleEndian.AppendUint64(binary.LittleEndian.AppendUint32(nil, 0), 5_000_000)
	create = append(binary.LittleEndian.AppendUint64(create, 165), solana.TokenProgram[:]...)
	transfer := append(binary.LittleEndian.AppendUint64([]byte{solana.TokenTransferChecked}, amount), 6)
	from := solana.AssociatedAddress(alice, usdc, solana.TokenProgram)
	m, err := solana.Compile(solana.V0, alice, n.blockhash().Hash, solana.Config{}, []solana.Instruction{
		{Program: solana.SystemProgram, Data: create, Accounts: []solana.Account{
			{Address: alice, Signs: true, Written: true}, {Address: at, Signs: true, Written: true},
		}},
		{Program: solana.TokenProgram, Data: append([]byte{solana.TokenInitializeAccount3}, bob[:]...),
			Accounts: []solana.Account{{Address: at, Written: true}, {Address: usdc}}},
		{Program: solana.TokenProgram, Data: transfer, Accounts: []solana.Account{
			{Address: from, Written: true}, {Address: usdc}, {Address: at, Written: true},
			{Address: alice, Signs: true},
		}},
	})
	if err != nil {
		n.Fatal(err)
	}
	raw, err := m.Encode()
	if err != nil {
		n.Fatal(err)
	}
	tx := solana.Unsigned(m)
	for _, k := range []ed25519.PrivateKey{keyOf(1), third} {
		if tx, err = tx.Attach(addressOf(k), solana.Signature(ed25519.Sign(k, raw))); err != nil {
			n.Fatal(err)
		}
	}
	if raw, err = tx.Encode(); err != nil {
		n.Fatal(err)
	}
	if err := n.both().Send(n.Context(), raw); err != nil {
		n.Fatal(err)
	}
	return at, tx.ID()
}

// Other accounts of an owner are shown, and are no part of what he has.
func TestOtherAccounts(t *testing.T) {
	t.Parallel()
	n := start(t)
	all := n.both()
	_, paid := n.signed(n.pays(solana.V0, n.blockhash(), usdc, 1_000_000))
	if err := all.Send(t.Context(), paid); err != nil {
		t.Fatal(err)
	}
	small, _ := n.opens(keyOf(7), 2_000_000)
	large, id := n.opens(keyOf(8), 3_000_000)
	others, err := all.OtherAccounts(t.Context(), bob.String(), usdcMint)
	if err != nil || len(others) != 2 || others[0].Address != large.String() || others[0].Amount.Int64() != 3_000_000 ||
		others[1].Address != small.String() {
		t.Errorf("%+v %v", others, err)
	}
	has, err := all.Balances(t.Context(), []string{bob.String()}, []string{usdcMint})
	if err != nil || has[0].Tokens[0].Int64() != 1_000_000 {
		t.Errorf("%+v %v", has, err)
	}
	moved, err := all.History(t.Context(), bob.String(), usdcMint, 0, 10)
	if err != nil || len(moved) != 3 || moved[0].Tx != id || moved[0].Account != large.String() ||
		moved[1].Account != small.String() || moved[2].Account != "" {
		t.Errorf("%+v %v", moved, err)
	}
	if moved, err = all.History(t.Context(), bob.String(), usdcMint, 0, 2); err != nil || len(moved) != 2 {
		t.Errorf("two of them: %+v %v", moved, err)
	}
	if others, err = all.OtherAccounts(t.Context(), alice.String(), usdcMint); err != nil || len(others) != 0 {
		t.Errorf("%+v %v", others, err)
	}
}

// Strangers make an owner many accounts. His history is that of his associated account and of a few of the fullest
// others, for a bounded number of questions, and one of which the node tells nothing hides itself alone.
func TestHistory_AmongAccountsOfStrangers(t *testing.T) {
	t.Parallel()
	n := start(t)
	all := n.both()
	_, paid := n.signed(n.pays(solana.V0, n.blockhash(), usdc, 1_000_000))
	if err := all.Send(t.Context(), paid); err != nil {
		t.Fatal(err)
	}
	for i := range 25 {
		n.opens(keyOf(100+i), uint64(1+i))
	}
	var asked, broken atomic.Int64
	unwell := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		if err == nil && bytes.Contains(body, []byte("getSignaturesForAddress")) {
			asked.Add(1)
			if bytes.Contains(body, []byte(addressOf(keyOf(124)).String())) {
				broken.Add(1)
				http.Error(w, "no", http.StatusInternalServerError)
				return
			}
		}
		res, err := http.Post(n.url+"/a", "application/json", bytes.NewReader(body))
		if err != nil {
			return
		}
		defer res.Body.Close()
		_, _ = io.Copy(w, res.Body)
	}))
	t.Cleanup(unwell.Close)
	through, err := rpc.DialAll(unwell.URL, network)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(through.Close)
	moved, err := through.History(t.Context(), bob.String(), usdcMint, 0, 50)
	if err != nil || len(moved) != 5 || moved[4].Account != "" || moved[0].Account != addressOf(keyOf(123)).String() {
		t.Errorf("%+v %v", moved, err)
	}
	if asked.Load() != 6 || broken.Load() != 1 {
		t.Errorf("the node was asked %d times", asked.Load())
	}
}
