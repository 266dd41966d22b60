package localnet_test

import (
	"bytes"
	"context"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"reflect"
	"testing"

	"github.com/railkit/railkit/chain"
	"github.com/railkit/railkit/chain/solana"
	"github.com/railkit/railkit/chain/solana/localnet"
)

// What is sent is in a block at once, final, and told in the same way by all methods.
func TestPayments(t *testing.T) {
	t.Parallel()
	n := start(t)
	n.ask(nil, "requestAirdrop", alice.String(), 2_000_000_000)
	n.ask(nil, "dev_faucet", alice.String(), "USDC", "25.5")
	hash, _ := n.blockhash()
	mint, _ := solana.ParseAddress(usdcMint)
	for _, v := range []solana.Version{solana.Legacy, solana.V0, solana.V1} {
		text, id := n.signed(v, hash, solana.CreateAssociated(alice, bob, mint),
			solana.TransferToken(alice, bob, mint, 1_250_000, 6))
		before := n.lamports("", alice)
		n.send(text)
		if s := n.status("", id); s == nil || s.Err != nil || s.ConfirmationStatus != "finalized" {
			t.Fatalf("%s: %+v", v.Name(), s)
		}
		var tx transaction
		n.ask(&tx, "getTransaction", id, object{"maxSupportedTransactionVersion": 1})
		m := tx.Meta
		if m.Err != nil || m.Fee != 5_000 || m.PreBalances[0] != before || m.PostBalances[0] != n.lamports("", alice) {
			t.Errorf("%s: %+v", v.Name(), m)
		}
		if after := m.PostTokenBalances; len(after) != 2 || len(m.PreTokenBalances) == 0 {
			t.Errorf("%s: token balances %+v", v.Name(), m)
		}
	}
	var b struct {
		Value struct{ Amount, UIAmountString string }
	}
	n.ask(&b, "getTokenAccountBalance", solana.AssociatedAddress(bob, mint, solana.TokenProgram).String())
	if b.Value.Amount != "3750000" || b.Value.UIAmountString != "3.75" {
		t.Errorf("bob has %+v", b.Value)
	}
	n.refused(-32602, "", "dev_faucet", alice.String(), "EURC", "1")
	n.refused(-32602, "", "dev_faucet", alice.String(), "USDC", "0.0000001")
	var once, again string
	n.ask(&once, "dev_faucet", bob.String(), "native", "1", "rent")
	n.ask(&again, "dev_faucet", bob.String(), "native", "1", "rent")
	if once != again || n.lamports("", bob) != 1_000_000_000 {
		t.Errorf("a named gift came twice: %s, %s", once, again)
	}
}

// A transaction that fails: refused before it costs anything, or in a block and paid for, as the caller wants it.
func TestFailures(t *testing.T) {
	t.Parallel()
	n := start(t)
	n.ask(nil, "requestAirdrop", alice.String(), 1_000_000_000)
	hash, last := n.blockhash()
	text, id := n.signed(solana.V0, hash, solana.TransferCoin(alice, bob, 2_000_000_000))
	e := n.refused(-32002, "", "sendTransaction", text, inBase64)
	want := object{"InstructionError": []any{0.0, object{"Custom": 1.0}}}
	if !reflect.DeepEqual(e.Data.Err, want) {
		t.Errorf("%+v", e)
	}
	n.ask(nil, "sendTransaction", text, object{"encoding": "base64", "skipPreflight": true})
	if s := n.status("", id); s == nil || !reflect.DeepEqual(s.Err, want) {
		t.Errorf("%+v", s)
	}
	if got := n.lamports("", alice); got != 1_000_000_000-5_000 {
		t.Errorf("alice has %d", got)
	}
	n.refused(-32002, "", "sendTransaction", text, inBase64) // AlreadyProcessed
	n.ask(nil, "sendTransaction", text, object{"encoding": "base64", "skipPreflight": true})
	little, _ := n.signed(solana.V0, hash, solana.TransferCoin(alice, bob, 1))
	e = n.refused(-32002, "", "sendTransaction", little, inBase64)
	if !reflect.DeepEqual(e.Data.Err, object{"InsufficientFundsForRent": object{"account_index": 1.0}}) {
		t.Errorf("%+v", e)
	}
	n.refused(-32602, "", "sendTransaction", "AAAA", inBase64)
	n.refused(-32601, "", "getAllMoney")

	text, id = n.signed(solana.V0, hash, solana.TransferCoin(alice, bob, 5_000_000))
	n.ask(nil, "dev_mine", last-n.height("")) // the newest block is the last that may be named with it
	n.send(text)
	text, other := n.signed(solana.V0, hash, solana.TransferCoin(alice, bob, 5_000_001))
	e = n.refused(-32002, "", "sendTransaction", text, inBase64)
	if e.Data.Err != "BlockhashNotFound" || n.status("", id) == nil || n.status("", other) != nil {
		t.Errorf("%+v", e)
	}
}

// Slots without blocks, blocks that are gone, versions that the caller does not read.
func TestBlocks(t *testing.T) {
	t.Parallel()
	n := start(t)
	n.ask(nil, "requestAirdrop", alice.String(), 1_000_000_000)
	n.ask(nil, "dev_mine", 12)
	var slots []int64
	n.ask(&slots, "getBlocks", 0)
	var slot int64
	n.ask(&slot, "getSlot")
	if height := n.height(""); int64(len(slots)) != height+1 || slot <= height {
		t.Fatalf("blocks %v at height %d", slots, height)
	}
	parent := int64(0)
	for s := range slot + 1 {
		var b struct{ ParentSlot, BlockHeight int64 }
		err := ask(n.url, "", &b, "getBlock", s, object{"maxSupportedTransactionVersion": 1})
		if e, ok := err.(*rpcError); ok && e.Code == -32007 {
			continue
		}
		if err != nil || s > 0 && b.ParentSlot != parent || slots[b.BlockHeight] != s {
			t.Fatalf("slot %d: %+v %v", s, b, err)
		}
		parent = s
	}
	n.refused(-32004, "", "getBlock", slot+1)

	hash, _ := n.blockhash()
	text, id := n.signed(solana.V1, hash, solana.TransferCoin(alice, bob, 5_000_000))
	n.send(text)
	at := n.status("", id).Slot
	for _, most := range []object{{}, {"maxSupportedTransactionVersion": 0}} {
		n.refused(-32015, "", "getBlock", at, most)
		n.refused(-32015, "", "getTransaction", id, most)
	}
	n.ask(nil, "dev_skip", 30)
	n.ask(nil, "dev_mine", 1)
	var now int64
	if n.ask(&now, "getSlot"); now < at+31 {
		t.Errorf("slot %d follows %d", now, at)
	}
	n.ask(nil, "dev_setRent", 696)
	var rent uint64
	if n.ask(&rent, "getMinimumBalanceForRentExemption", 165); rent != 203_928 {
		t.Errorf("a token account costs %d", rent)
	}
}

// What one node says may be less than the truth, or other.
func TestViews(t *testing.T) {
	t.Parallel()
	n := start(t)
	n.ask(nil, "requestAirdrop", alice.String(), 1_000_000_000)
	hash, _ := n.blockhash()
	text, id := n.signed(solana.V0, hash, solana.TransferCoin(alice, bob, 5_000_000))
	n.send(text)
	_, other := n.signed(solana.V0, hash, solana.TransferCoin(alice, bob, 6_000_000))
	n.ask(nil, "dev_mine", 9)
	slot, height := n.status("", id).Slot, n.height("")

	n.node("late", nil, "dev_setView", object{"behind": 10})
	if n.height("late") != height-10 || n.status("late", id) != nil || n.lamports("late", bob) != 0 ||
		n.lamports("late", alice) != 1_000_000_000 {
		t.Error("a node that is behind knows what came later")
	}
	n.node("slow", nil, "dev_setView", object{"unfinalized": 10})
	if s := n.status("slow", id); s == nil || s.ConfirmationStatus != "confirmed" {
		t.Errorf("%+v", s)
	}
	n.node("pruned", nil, "dev_setView", object{"keeps": 5})
	n.refused(-32001, "pruned", "getBlock", slot, object{"maxSupportedTransactionVersion": 1})
	if n.status("pruned", id) != nil {
		t.Error("a node has kept what it has pruned")
	}
	n.node("short", nil, "dev_setView", object{"noHistory": true})
	n.refused(-32011, "short", "getSignatureStatuses", []string{id}, object{"searchTransactionHistory": true})
	n.node("liar", nil, "dev_setView", object{
		"hides": []string{id}, "invents": []string{other}, "omits": []int64{slot + 1},
	})
	if n.status("liar", id) != nil || n.status("liar", other) == nil {
		t.Error("the liar is honest")
	}
	n.refused(-32007, "liar", "getBlock", slot+1)
	n.node("new", nil, "dev_setView", object{"newer": []string{id}})
	n.refused(-32015, "new", "getBlock", slot, object{"maxSupportedTransactionVersion": 1})
	n.node("old", nil, "dev_setView", object{"noV1": true})
	v1, _ := n.signed(solana.V1, hash, solana.TransferCoin(alice, bob, 5_000_000))
	n.refused(-32602, "old", "simulateTransaction", v1, inBase64)
	n.node("gone", nil, "dev_setView", object{"fails": true})
	if err := ask(n.url, "gone", nil, "getSlot"); err == nil || err.Error() != "HTTP 503" {
		t.Errorf("%v", err)
	}
	n.node("gone", nil, "dev_setView", object{})
	n.node("gone", nil, "getSlot")
	n.node("loses", nil, "dev_setView", object{"loses": true})
	n.node("loses", nil, "sendTransaction", v1, inBase64)
	if n.height("") != height {
		t.Error("a lost transaction made a block")
	}
}

// Blocks that are made by hand only: what waits is in the first of them, unless its blockhash died.
func TestByHand(t *testing.T) {
	t.Parallel()
	n := start(t)
	n.ask(nil, "requestAirdrop", alice.String(), 1_000_000_000)
	n.ask(nil, "dev_setAutomine", false)
	hash, _ := n.blockhash()
	var ids []string
	for i := range uint64(3) {
		text, id := n.signed(solana.V0, hash, solana.TransferCoin(alice, bob, 5_000_000+i))
		n.send(text)
		n.send(text)
		ids = append(ids, id)
	}
	if n.status("", ids[0]) != nil {
		t.Fatal("a block was made")
	}
	n.ask(nil, "dev_mine", 1)
	if a, b := n.status("", ids[0]), n.status("", ids[2]); a == nil || b == nil || a.Slot != b.Slot {
		t.Errorf("%+v, %+v", a, b)
	}
	if got := n.lamports("", bob); got != 15_000_003 {
		t.Errorf("bob has %d", got)
	}
	var died int
	n.ask(&died, "dev_expire", solana.Address(hash).String())
	var valid struct{ Value bool }
	if n.ask(&valid, "isBlockhashValid", solana.Address(hash).String()); valid.Value || died == 0 {
		t.Errorf("the blockhash lives after %d blocks", died)
	}
}

// all is what a node tells of a chain and of alice.
func (n *net) all() string {
	n.Helper()
	text := ""
	for _, q := range [][]any{
		{"getBlocks", 0}, {"getLatestBlockhash"}, {"getSignaturesForAddress", alice.String()}, {"getEpochInfo"},
		{"getBalance", alice.String()}, {"getMinimumBalanceForRentExemption", 0},
	} {
		var a json.RawMessage
		n.ask(&a, q[0].(string), q[1:]...)
		text += string(a)
	}
	return text
}

// A chain that is opened again is the same, also where its last line was being written.
func TestOpenedAgain(t *testing.T) {
	t.Parallel()
	n := start(t)
	n.ask(nil, "requestAirdrop", alice.String(), 1_000_000_000)
	n.ask(nil, "dev_faucet", alice.String(), "USDC", "3", "gift")
	n.ask(nil, "dev_setRent", 3_000)
	n.ask(nil, "dev_setAutomine", false)
	hash, _ := n.blockhash()
	text, id := n.signed(solana.V1, hash, solana.TransferCoin(alice, bob, 5_000_000))
	n.send(text)
	n.ask(nil, "dev_mine", 3)
	n.node("late", nil, "dev_setView", object{"behind": 1})
	want, late := n.all(), n.height("late")
	n.close()
	file := filepath.Join(n.dir, "chain.jsonl")
	raw, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	dear := bytes.Replace(raw, []byte(`"rent":3000`), []byte(`"rent":999999`), 1)
	if err := os.WriteFile(file, dear, 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := localnet.Open(n.dir, network); err == nil {
		t.Error("it was executed otherwise, and is opened")
	}
	if err := os.WriteFile(file, append(raw, `{"blocks":7,"ti`...), 0o600); err != nil {
		t.Fatal(err)
	}
	n.open()
	if got := n.all(); got != want || n.height("late") != late || n.status("", id) == nil {
		t.Errorf("it was\n%s\nand is\n%s", want, got)
	}
	if _, err := localnet.Open(n.dir, network); err == nil {
		t.Error("two have the same folder")
	}
	n.close()
	more, other, changed := network, network, network
	other.Slug, changed.Tokens = "another", []chain.Token{{Symbol: "USDC", Address: usdcMint, Decimals: 7}}
	for _, network := range []chain.Network{other, changed} {
		if _, err := localnet.Open(n.dir, network); err == nil {
			t.Error("the data of another chain are taken")
		}
	}
	more.Tokens = append(more.Tokens, chain.Token{Symbol: "EURC", Address: bob.String(), Decimals: 6})
	if n.chain, err = localnet.Open(n.dir, more); err != nil {
		t.Fatal(err)
	}
	n.server = httptest.NewServer(n.chain.Handler("/solana"))
	n.url = n.server.URL + "/solana"
	n.ask(nil, "dev_faucet", alice.String(), "EURC", "1.5")
	n.ask(nil, "dev_faucet", alice.String(), "USDC", "1.5")
}

func TestOnlyHere(t *testing.T) {
	t.Parallel()
	n := start(t)
	req, err := http.NewRequestWithContext(context.Background(), http.MethodPost, n.url, bytes.NewReader([]byte(`[]`)))
	if err != nil {
		t.Fatal(err)
	}
	req.Host = "evil.example"
	res, err := http.DefaultClient.Do(req)
	if err != nil || res.StatusCode != http.StatusForbidden {
		t.Errorf("%v %v", res, err)
	}
	res.Body.Close()
}
