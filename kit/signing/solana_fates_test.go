package signing_test

import (
	"bytes"
	"crypto/ed25519"
	"encoding/base64"
	"encoding/json"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/railkit/railkit/chain"
	"github.com/railkit/railkit/chain/solana"
	"github.com/railkit/railkit/clock"
	"github.com/railkit/railkit/internal/test/apptest"
	railkit "github.com/railkit/railkit/sdk/go"
)

// One that no block takes in time has failed, by the word of every node and of no fewer. It cannot be sent again, and
// the same payment is stamped anew.
func TestSigning_SolanaExpires(t *testing.T) {
	t.Parallel()
	w := newSolWorld(t)
	w.Control("a", "dev_setView", map[string]any{"loses": true})
	w.Control("b", "dev_setView", map[string]any{"loses": true})
	pay := w.pay(solPayee, "4")
	pay.PayAgain = false
	sent, err := w.c.Transactions.Send(ctx, w.alice.Passkey, pay)
	if err != nil {
		t.Fatalf("%v\n%s", err, w.Log)
	}
	if sent.Status != "broadcast" {
		t.Fatalf("sent %+v", sent)
	}
	var unmined *railkit.UnminedPaymentError
	if _, err := w.c.Transactions.Send(ctx, w.alice.Passkey, pay); !errors.As(err, &unmined) {
		t.Errorf("the same payment beside one that may land: %v", err)
	}
	w.Control("b", "dev_setView", map[string]any{"loses": true, "behind": 100_000})
	w.Die(sent.SignedTransaction)
	looks := strings.Count(w.Log.String(), sent.TransactionID)
	apptest.Eventually(t, "it is sent again and again", func() bool {
		return strings.Count(w.Log.String(), sent.TransactionID) > looks+2
	})
	if b, err := w.c.Transactions.GetBroadcast(ctx, sent.TransactionID); err != nil || b.Status != "broadcast" {
		t.Errorf("one node is behind, and it is %+v %v", b, err)
	}
	w.Control("b", "dev_setView", map[string]any{})
	b := w.becomes(sent.TransactionID, "failed")
	if b.Reason != railkit.ReasonBlockhashExpired || b.BlockNumber != nil {
		t.Errorf("expired: %+v", b)
	}
	for _, call := range []string{"", "/retry"} {
		got := w.Do(w.Keys.BenchKey, "POST", "/v1/transactions/broadcast/"+sent.TransactionID+call, "")
		if call == "/retry" && (got.Status != 409 || !strings.Contains(got.Body, "blockhash_expired")) ||
			call == "" && got.Status != 200 {
			t.Errorf("%s: %d %s", call, got.Status, got.Body)
		}
	}
	w.Control("a", "dev_setView", map[string]any{})
	again, err := w.c.Transactions.Send(ctx, w.alice.Passkey, pay)
	if err != nil {
		t.Fatalf("%v\n%s", err, w.Log)
	}
	w.becomes(again.TransactionID, "confirmed")
	if _, micro := w.Held(solPayee); micro != 4_000_000 {
		t.Errorf("the payee has %d", micro)
	}
}

// One that failed on the chain says why, and what it cost: its payer had the money when it was signed, and not when it
// was executed.
func TestSigning_SolanaFailsInABlock(t *testing.T) {
	t.Parallel()
	w := newSolWorld(t)
	held, unsent := w.signedAndHeld("60"), w.signedAndHeld("61")
	spent, err := w.c.Transactions.Send(ctx, w.alice.Passkey, w.pay(solPayee, "60"))
	if err != nil {
		t.Fatalf("%v\n%s", err, w.Log)
	}
	w.becomes(spent.TransactionID, "confirmed")
	got := w.Do(w.Keys.BenchKey, "POST", "/v1/transactions/broadcast/"+unsent.TransactionID, "")
	if got.Status != 422 || !strings.Contains(got.Body, "instruction 2 fails") {
		t.Errorf("sent where it would fail: %d %s", got.Status, got.Body)
	}
	got = w.Do(w.Keys.BenchKey, "POST", "/v1/transactions/broadcast/raw",
		`{"signedTransaction":"`+unsent.SignedTransaction+`"}`)
	if got.Status != 422 || !strings.Contains(got.Body, "not_accepted") {
		t.Errorf("relayed where it would fail: %d %s", got.Status, got.Body)
	}
	w.Control("a", "sendTransaction", base64Of(t, held.SignedTransaction), map[string]any{
		"encoding": "base64", "skipPreflight": true,
	})
	b := w.becomes(held.TransactionID, "failed")
	if b.BlockNumber == nil || !strings.Contains(b.Reason, "failed on chain: instruction") ||
		!strings.Contains(b.Reason, "It cost 0.000005 SOL") {
		t.Errorf("failed: %+v", b)
	}
}

// signedAndHeld is a payment that is signed and not sent.
func (w *solWorld) signedAndHeld(amount string) *railkit.Transaction {
	w.t.Helper()
	id, signed := w.prepared(amount)
	if got := w.confirm(id, signed, false); got.Status != 200 {
		w.t.Fatalf("%d %s", got.Status, got.Body)
	}
	tx, err := w.c.Transactions.Get(ctx, id)
	if err != nil || tx.Status != "pending" {
		w.t.Fatalf("%+v %v", tx, err)
	}
	return tx
}

// Of one that is held, whoever has the bytes may send them; else it expires, and is found if it lands later.
func TestSigning_SolanaHeld(t *testing.T) {
	t.Parallel()
	late := &laterClock{}
	w := newSolWorld(t, apptest.WithClock(clock.Func(late.now)), apptest.WithoutSweeper())
	around, dead := w.signedAndHeld("1"), w.signedAndHeld("2")
	w.Control("a", "sendTransaction", base64Of(t, around.SignedTransaction), map[string]any{"encoding": "base64"})
	w.Control("a", "dev_setView", map[string]any{"hides": []string{around.TxHash}})
	w.Control("b", "dev_setView", map[string]any{"hides": []string{around.TxHash}})
	w.Die(dead.SignedTransaction)
	sweep := func() {
		late.forward(time.Hour)
		if err := w.Signing.Sweep(ctx); err != nil {
			t.Fatal(err)
		}
	}
	sweep()
	for _, tx := range []*railkit.Transaction{around, dead} {
		if b := w.becomes(tx.TransactionID, "failed"); b.Reason != railkit.ReasonBlockhashExpired {
			t.Errorf("%+v", b)
		}
	}
	w.Control("a", "dev_setView", map[string]any{})
	w.Control("b", "dev_setView", map[string]any{})
	sweep()
	w.becomes(around.TransactionID, "confirmed")
	got := w.Do(w.Keys.BenchKey, "POST", "/v1/transactions/broadcast/"+dead.TransactionID+"/retry", "")
	if got.Status != 409 {
		t.Errorf("%d %s", got.Status, got.Body)
	}
}

// Two nodes that disagree about what is in a block leave the transaction open, and say so.
func TestSigning_SolanaNodesDisagree(t *testing.T) {
	t.Parallel()
	w := newSolWorld(t)
	held := w.signedAndHeld("5")
	w.Control("b", "dev_setView", map[string]any{"hides": []string{held.TxHash}})
	if _, err := w.c.Transactions.Broadcast(ctx, held.TransactionID); err != nil {
		t.Fatal(err)
	}
	w.Die(held.SignedTransaction)
	apptest.Eventually(t, "the transaction says that the nodes disagree", func() bool {
		b, err := w.c.Transactions.GetBroadcast(ctx, held.TransactionID)
		return err == nil && b.Status == "broadcast" && strings.Contains(b.Reason, "the nodes disagree")
	})
	w.Control("b", "dev_setView", map[string]any{})
	if b := w.becomes(held.TransactionID, "confirmed"); b.Reason != "" {
		t.Errorf("confirmed: %+v", b)
	}
}

// An approval outlives a blockhash: the message is made when its last vote comes, and not before.
func TestSigning_SolanaVotesOutliveABlockhash(t *testing.T) {
	t.Parallel()
	w := newSolWorld(t)
	k := &club{App: w.App, t: t, c: w.c, alice: w.alice}
	k.bob = k.join("bob@example.com")
	k.must("PATCH", "/v1/signing/approval-config",
		map[string]any{"enabled": true, "thresholdUsd": 10, "requiredApprovers": 2})
	sent, err := w.c.Transactions.Send(ctx, w.alice.Passkey, w.pay(solPayee, "60"))
	var queued *railkit.QueuedError
	if !errors.As(err, &queued) {
		t.Fatalf("%+v %v", sent, err)
	}
	w.Control("a", "dev_mine", 200)
	k.votes(queued.ApprovalID, k.alice)
	k.votes(queued.ApprovalID, k.bob)
	var txs *railkit.Page[railkit.Transaction]
	apptest.Eventually(t, "it is signed", func() bool {
		txs, err = w.c.Transactions.List(ctx, railkit.TransactionListOptions{})
		return err == nil && len(txs.Items) == 1
	})
	w.becomes(txs.Items[0].TransactionID, "confirmed")
	if _, micro := w.Held(solPayee); micro != 60_000_000 {
		t.Errorf("the payee has %d", micro)
	}
}

// Addresses of no wallet sign outside, and raw bytes are passed on.
func TestSigning_SolanaOutside(t *testing.T) {
	t.Parallel()
	w := newSolWorld(t)
	key := outsideKey()
	from := addressOfKey(key)
	w.Control("a", "dev_faucet", from, "native", "1")
	w.Control("a", "dev_faucet", from, "USDC", "10")
	pay := w.pay(solPayee, "1")
	pay.SignWith = from
	p, err := w.c.Transactions.PrepareExternal(ctx, pay)
	if err != nil || p.Custody != "external" {
		t.Fatalf("%+v %v\n%s", p, err, w.Log)
	}
	signed := signOutside(t, p.UnsignedTransaction, key)
	tx, err := w.c.Transactions.ConfirmSigned(ctx, railkit.ConfirmSignedRequest{
		TransactionID: p.TransactionID, SignedTransaction: signed,
	})
	if err != nil {
		t.Fatalf("%v\n%s", err, w.Log)
	}
	w.becomes(tx.TransactionID, "confirmed")

	second, err := w.c.Transactions.PrepareExternal(ctx, pay)
	if err != nil {
		t.Fatal(err)
	}
	raw := strings.TrimPrefix(signOutside(t, second.UnsignedTransaction, key), "0x") // 0x is optional
	got := w.Do(w.Keys.BenchKey, "POST", "/v1/transactions/broadcast/raw", `{"signedTransaction":"`+raw+`"}`)
	if got.Status != 200 || !strings.Contains(got.Body, `"network":"solana"`) {
		t.Errorf("%d %s", got.Status, got.Body)
	}
	got = w.Do(w.Keys.BenchKey, "POST", "/v1/transactions/broadcast/raw",
		`{"signedTransaction":"`+base64Of(t, "0x"+raw)+`"}`)
	if got.Status != 400 {
		t.Errorf("base64: %d %s", got.Status, got.Body)
	}
	if _, micro := w.Held(solPayee); micro != 2_000_000 {
		t.Errorf("the payee has %d", micro)
	}
}

// Exact bytes: the owner signs what somebody else made, whole, and once.
func TestSigning_SolanaExactBytes(t *testing.T) {
	t.Parallel()
	w := newSolWorld(t)
	unsigned := w.exact(solPayee, 7_000_000)
	sent, err := w.c.Transactions.Send(ctx, w.alice.Passkey, railkit.PrepareTransactionRequest{
		Type: "sign", Network: "solana", SignWith: w.alice.Address.Address, UnsignedTransaction: chain.Hex(unsigned),
	})
	if err != nil {
		t.Fatalf("%v\n%s", err, w.Log)
	}
	w.becomes(sent.TransactionID, "confirmed")
	if lamports, _ := w.Held(solPayee); lamports != 7_000_000 {
		t.Errorf("the payee has %d", lamports)
	}
	poor := w.exact(solPayee, 2_000_000_000)
	got := w.Do(w.Keys.BenchKey, "POST", "/v1/transactions/sign?prepare=true", apptest.JSON(t, map[string]any{
		"signWith": w.alice.Address.Address, "type": "TRANSACTION_TYPE_SOLANA", "unsignedTransaction": chain.Hex(poor),
	}))
	if got.Status != 422 || !strings.Contains(got.Body, "would_fail") {
		t.Errorf("more than there is: %d %s", got.Status, got.Body)
	}
	dead := w.exact(solPayee, 1_000_000)
	w.Control("a", "dev_mine", 200)
	got = w.Do(w.Keys.BenchKey, "POST", "/v1/transactions/sign?prepare=true", apptest.JSON(t, map[string]any{
		"signWith": w.alice.Address.Address, "type": "TRANSACTION_TYPE_SOLANA", "unsignedTransaction": chain.Hex(dead),
	}))
	if got.Status != 409 || !strings.Contains(got.Body, "blockhash_expired") {
		t.Errorf("an old blockhash: %d %s", got.Status, got.Body)
	}
}

// What was signed under a delegation is listed until the finalized height is above its last one.
func TestSigning_SolanaOutstanding(t *testing.T) {
	t.Parallel()
	w := newSolWorld(t)
	req := policyOn(w.alice, railkit.PolicyRules{Delegation: &railkit.Delegation{
		AnyRequest: true, ExpiresAt: time.Now().Add(time.Hour).UTC().Format(time.RFC3339), MaxValueUSD: "50",
		DailyUSD: "500", AllowedDestinations: []string{solPayee},
	}})
	req.SignedActivity = stampedBy(t, w.alice)(w.c.Policies.Prepare(ctx, req))
	p, err := w.c.Policies.Create(ctx, req)
	if err != nil {
		t.Fatal(err)
	}
	signed, err := w.c.Transactions.Sign(ctx, railkit.SignTransactionRequest{
		SignWith: w.alice.Address.Address, Type: railkit.TypeSolana, Network: "solana",
		UnsignedTransaction: chain.Hex(w.exact(solPayee, 3_000_000)),
	})
	if err != nil {
		t.Fatalf("%v\n%s", err, w.Log)
	}
	list, err := w.c.Policies.Outstanding(ctx, p.ID)
	if err != nil || len(list.Transactions) != 1 || len(list.Finalized) != 1 || list.Finalized[0].Network != "solana" {
		t.Fatalf("%+v %v", list, err)
	}
	tx := list.Transactions[0]
	if tx.Nonce != nil || tx.LastHeight == nil || tx.TransactionID != signed.TransactionID ||
		len(tx.Void.Prepare) != 0 || !strings.Contains(tx.Void.How, "finalized height") {
		t.Errorf("%+v", tx)
	}
	w.Control("a", "dev_mine", 350)
	if list, err = w.c.Policies.Outstanding(ctx, p.ID); err != nil || len(list.Transactions) != 0 {
		t.Errorf("no block can have it, and %+v %v", list, err)
	}
}

// exact are the unsigned bytes of a payment of SOL, with a blockhash of now.
func (w *solWorld) exact(to string, lamports uint64) []byte {
	w.t.Helper()
	return w.exactly(to, func(from, payee solana.Address) solana.Instruction {
		return solana.TransferCoin(from, payee, lamports)
	})
}

// exactly are the unsigned bytes of one instruction of the owner's.
func (w *solWorld) exactly(to string, does func(from, payee solana.Address) solana.Instruction) []byte {
	w.t.Helper()
	var latest struct{ Value struct{ Blockhash string } }
	if err := json.Unmarshal(w.Control("a", "getLatestBlockhash"), &latest); err != nil {
		w.t.Fatal(err)
	}
	hash, err := solana.ParseAddress(latest.Value.Blockhash)
	from, err2 := solana.ParseAddress(w.alice.Address.Address)
	payee, err3 := solana.ParseAddress(to)
	if err := errors.Join(err, err2, err3); err != nil {
		w.t.Fatal(err)
	}
	m, err := solana.Compile(solana.Legacy, from, hash, solana.Config{}, []solana.Instruction{does(from, payee)})
	if err != nil {
		w.t.Fatal(err)
	}
	raw, err := solana.Unsigned(m).Encode()
	if err != nil {
		w.t.Fatal(err)
	}
	return raw
}

// outsideKey is a well-known key of tests.
func outsideKey() ed25519.PrivateKey { return ed25519.NewKeyFromSeed(bytes.Repeat([]byte{7}, 32)) }

func addressOfKey(k ed25519.PrivateKey) string {
	return solana.Address(k.Public().(ed25519.PublicKey)).String()
}

// signOutside signs an unsigned transaction as its owner does, whose key is nowhere here.
func signOutside(t *testing.T, unsigned string, key ed25519.PrivateKey) string {
	t.Helper()
	raw, err := chain.ParseHex(unsigned)
	if err != nil {
		t.Fatal(err)
	}
	tx, err := (solana.Family{}).DecodeUnsigned(raw)
	if err != nil {
		t.Fatal(err)
	}
	signed, err := (solana.Family{}).Attach(tx, addressOfKey(key), ed25519.Sign(key, tx.Payload))
	if err != nil {
		t.Fatal(err)
	}
	return chain.Hex(signed)
}

func base64Of(t *testing.T, hex string) string {
	t.Helper()
	raw, err := chain.ParseHex(hex)
	if err != nil {
		t.Fatal(err)
	}
	return base64.StdEncoding.EncodeToString(raw)
}

// Rules, payees and texts are those of every network.
func TestSigning_SolanaRulesAndTexts(t *testing.T) {
	t.Parallel()
	w := newSolWorld(t)
	limit(t, w.c, w.alice, railkit.PolicyRules{
		MaxValueUSD: "50", AllowedChains: []string{"solana"}, AllowedDestinations: []string{solPayee},
	})
	_, err := w.c.Transactions.Prepare(ctx, w.pay(solPayee, "60"))
	wantDenied(t, err, "maxValueUsd")
	_, err = w.c.Transactions.Prepare(ctx, w.pay("2q7pyhPwAwZ3QMfZrnAbDhnh9mDUqycszcpf86VgQxhF", "1"))
	wantDenied(t, err, "allowedDestinations")
	denials, err := w.c.Policies.ListDenials(ctx, w.alice.Wallet.WalletID, railkit.ListOptions{})
	if err != nil || len(denials.Items) != 2 {
		t.Errorf("%+v %v", denials, err)
	}
	sent, err := w.c.Transactions.Send(ctx, w.alice.Passkey, w.pay(solPayee, "1"))
	if err != nil {
		t.Fatalf("%v\n%s", err, w.Log)
	}
	w.becomes(sent.TransactionID, "confirmed")

	text := railkit.SignMessageRequest{
		SignWith: w.alice.Address.Address, Type: railkit.MessageText, Payload: "I am Alice",
	}
	text.SignedActivity = stampedBy(t, w.alice)(w.c.Messages.Prepare(ctx, text))
	m, err := w.c.Messages.Sign(ctx, text)
	if err != nil || m.Signature == "" {
		t.Fatalf("%+v %v", m, err)
	}
	bytes := railkit.SignMessageRequest{
		SignWith: w.alice.Address.Address, Type: "EIP191_HEX", Payload: "0x80010203",
	}
	if _, err := w.c.Messages.Prepare(ctx, bytes); err == nil {
		t.Errorf("bytes that could be a transaction: %v", err)
	}
}
