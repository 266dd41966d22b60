package signing_test

import (
	"encoding/json"
	"errors"
	"strings"
	"sync"
	"testing"

	"github.com/railkit/railkit/internal/test/apptest"
	"github.com/railkit/railkit/internal/test/trontest"
	railkit "github.com/railkit/railkit/sdk/go"
)

// tronPayee has nothing yet, on any chain of Tron.
const tronPayee = "TJRyWwFs9wTFGZg3JbrVriFbNfCug5tDeC"

// tronWorld is an application with a chain of Tron of its own, which has two nodes, a and b, and an owner with money.
type tronWorld struct {
	*apptest.App
	*trontest.Chain
	t     *testing.T
	c     *railkit.Client
	alice apptest.Owner
}

func newTronWorld(t *testing.T) *tronWorld {
	t.Helper()
	net := trontest.New(t)
	w := &tronWorld{Chain: net, t: t}
	w.App = apptest.Rig(t, net.Nodes, net.Sandbox)
	w.Prices(t, map[string]string{"TRX": "0.30"})
	w.c = w.Client()
	w.alice = w.Register(w.c, "tron@example.com")
	var err error
	if w.alice.Wallet, err = w.c.Wallets.Create(ctx, w.alice.Passkey, railkit.PrepareWalletRequest{
		WalletName: "Wallet of Tron", SubOrganizationID: w.alice.Sub.SubOrganizationID,
	}); err != nil {
		t.Fatal(err)
	}
	if w.alice.Address, err = w.c.Addresses.Create(ctx, w.alice.Passkey, railkit.PrepareAccountRequest{
		WalletID: w.alice.Wallet.WalletID, Chain: "tron",
	}); err != nil {
		t.Fatal(err)
	}
	w.Gives(w.alice.Address.Address, "native", "100")
	w.Gives(w.alice.Address.Address, "USDT", "100")
	w.Settle()
	return w
}

// pay is a payment of USDT on Tron.
func (w *tronWorld) pay(to, amount string) railkit.PrepareTransactionRequest {
	return railkit.PrepareTransactionRequest{
		Type: railkit.TransferToken, PayAgain: true, SignWith: w.alice.Address.Address, Network: "tron", To: to,
		Amount: amount, TokenAddress: w.USDT, FeeLimit: "50000000",
	}
}

// becomes waits for a status, and gives the transaction.
func (w *tronWorld) becomes(id, status string) *railkit.Broadcast {
	w.t.Helper()
	var b *railkit.Broadcast
	apptest.Eventually(w.t, "the transaction is "+status, func() bool {
		var err error
		b, err = w.c.Transactions.GetBroadcast(ctx, id)
		return err == nil && b.Status == status
	})
	return b
}

func (w *tronWorld) get(path string) string {
	w.t.Helper()
	got := w.Do(w.Keys.BenchKey, "GET", path, "")
	if got.Status != 200 {
		w.t.Errorf("%s: %d %s", path, got.Status, got.Body)
	}
	return got.Body
}

// A payment of USDT whose energy and highest fee are shown, confirmed once its block is solid; one of TRX to who has no
// account; and what the server says of both.
func TestSigning_Tron(t *testing.T) {
	t.Parallel()
	w := newTronWorld(t)
	if a := w.alice.Address; a.Path != "m/44'/195'/0'/0/0" || a.AddressFormat != "ADDRESS_FORMAT_TRON" {
		t.Errorf("the account is %+v", a)
	}
	sent, err := w.c.Transactions.Send(ctx, w.alice.Passkey, w.pay(tronPayee, "1.5"))
	if err != nil {
		t.Fatalf("%v\n%s", err, w.Log)
	}
	if sent.Status != "broadcast" || sent.Nonce != nil || sent.LastHeight != 0 || sent.ChainID != 0 ||
		sent.Network != "tron" || sent.Fee.MaxRent != "" || sent.Fee.MaxFeePerGas != "" ||
		sent.Fee.MaxTotalFee != sent.Fee.GasLimit {
		t.Errorf("sent %+v", sent)
	}
	if _, micro := w.Held(tronPayee); micro != 1_500_000 {
		t.Errorf("the payee has %d", micro)
	}
	if b, err := w.c.Transactions.GetBroadcast(ctx, sent.TransactionID); err != nil || b.Status != "broadcast" {
		t.Errorf("its block is not solid, and it is %+v %v", b, err)
	}
	w.Settle()
	if b := w.becomes(sent.TransactionID, "confirmed"); b.BlockNumber == nil || b.Confirmations != 1 {
		t.Errorf("confirmed %+v", b)
	}
	coins := w.pay(tronPayee, "2")
	coins.Type, coins.TokenAddress = railkit.TransferNative, ""
	second, err := w.c.Transactions.Send(ctx, w.alice.Passkey, coins)
	if err != nil {
		t.Fatalf("%v\n%s", err, w.Log)
	}
	if second.Fee.MaxTotalFee != "1100000" {
		t.Errorf("the fee of TRX is %+v", second.Fee)
	}
	w.Settle()
	w.becomes(second.TransactionID, "confirmed")
	if sun, _ := w.Held(tronPayee); sun != 2_000_000 {
		t.Errorf("the payee has %d sun", sun)
	}
	w.reads()
	for _, kind := range []string{"void", "speed_up"} {
		got := w.Do(w.Keys.BenchKey, "POST", "/v1/transactions/prepare",
			`{"type":"`+kind+`","replaces":"`+sent.TransactionID+`"}`)
		if got.Status != 409 {
			t.Errorf("%s: %d %s", kind, got.Status, got.Body)
		}
	}
}

// reads looks at what the server says of the owner's money.
func (w *tronWorld) reads() {
	w.t.Helper()
	from := w.alice.Address.Address
	if got := w.get("/v1/balance/token?chain=tron&symbol=USDT&address=" + from); !strings.Contains(got,
		`"balance":"98500000"`) {
		w.t.Errorf("the balance is %s", got)
	}
	if got := w.get("/v1/balance/activity?chain=tron&address=" + from); strings.Count(got,
		`"txHash"`) != 2 || !strings.Contains(got, `"direction":"out"`) || !strings.Contains(got, tronPayee) {
		w.t.Errorf("the activity is %s", got)
	}
	apptest.Eventually(w.t, "the history has what came, once, and what went", func() bool {
		lines, err := w.c.Wallets.ListTransactions(ctx, w.alice.Wallet.WalletID, railkit.ListOptions{})
		return err == nil && len(lines.Items) == 3
	})
}

// One that no block takes until it ends has failed, by the word of every node and of no fewer. It cannot be sent again,
// and the same payment may be stamped anew.
func TestSigning_TronExpires(t *testing.T) {
	t.Parallel()
	w := newTronWorld(t)
	for _, node := range []string{"a", "b"} {
		w.Control(node, "view", map[string]any{"loses": true})
	}
	pay := w.pay(tronPayee, "4")
	pay.PayAgain = false
	sent, err := w.c.Transactions.Send(ctx, w.alice.Passkey, pay)
	if err != nil {
		t.Fatalf("%v\n%s", err, w.Log)
	}
	var unmined *railkit.UnminedPaymentError
	if _, err := w.c.Transactions.Send(ctx, w.alice.Passkey, pay); !errors.As(err, &unmined) {
		t.Errorf("the same payment beside one that may land: %v", err)
	}
	w.Control("b", "view", map[string]any{"loses": true, "behind": 1_000})
	w.Pass(15)
	looks := strings.Count(w.Log.String(), sent.TransactionID)
	apptest.Eventually(t, "it is sent again and again", func() bool {
		return strings.Count(w.Log.String(), sent.TransactionID) > looks+2
	})
	if b, err := w.c.Transactions.GetBroadcast(ctx, sent.TransactionID); err != nil || b.Status != "broadcast" {
		t.Errorf("one node is behind, and it is %+v %v", b, err)
	}
	w.Control("b", "view", map[string]any{})
	b := w.becomes(sent.TransactionID, "failed")
	if b.Reason != railkit.ReasonBlockhashExpired || b.BlockNumber != nil {
		t.Errorf("expired: %+v", b)
	}
	got := w.Do(w.Keys.BenchKey, "POST", "/v1/transactions/broadcast/"+sent.TransactionID+"/retry", "")
	if got.Status != 409 || !strings.Contains(got.Body, "blockhash_expired") {
		t.Errorf("again: %d %s", got.Status, got.Body)
	}
	if _, err := w.c.Transactions.Send(ctx, w.alice.Passkey, pay); errors.As(err, &unmined) {
		t.Errorf("the same payment after the end of the first: %v", err)
	}
	if _, micro := w.Held(w.alice.Address.Address); micro != 100_000_000 {
		t.Errorf("the payer has %d", micro)
	}
}

// What would fail is refused before anything is signed, with the field or the reason.
func TestSigning_TronRefusals(t *testing.T) {
	t.Parallel()
	w := newTronWorld(t)
	type request = railkit.PrepareTransactionRequest
	for name, c := range map[string]struct {
		change func(*request)
		status int
		words  string
	}{
		"more than there is": {func(r *request) { r.Amount = "101" }, 422, "insufficient_balance"},
		"to the contract":    {func(r *request) { r.To = w.USDT }, 422, "known_contract"},
		"a price of gas":     {func(r *request) { r.MaxFeePerGas = "5" }, 400, "maxFeePerGas"},
		"too little energy":  {func(r *request) { r.GasLimit = "2" }, 422, "gas_limit_too_low"},
		"nearly all TRX": {func(r *request) {
			r.Type, r.TokenAddress, r.Amount = railkit.TransferNative, "", "99.5"
		}, 422, "TRX are needed"},
		"a call": {func(r *request) {
			r.Type, r.TokenAddress, r.Amount, r.Data = "call", "", "", "0xa9059cbb"
		}, 400, `"field":"type"`},
		"to nobody": {func(r *request) { r.To = "T9yD14Nj9j7xAB4dbGeiX9h8unkKHxuWwb" }, 400, "is the zero address"},
	} {
		r := w.pay(tronPayee, "1")
		c.change(&r)
		got := w.Do(w.Keys.BenchKey, "POST", "/v1/transactions/prepare", apptest.JSON(t, r))
		if got.Status != c.status || !strings.Contains(got.Body, c.words) {
			t.Errorf("%s: %d %s", name, got.Status, got.Body)
		}
	}
}

// Payments alike, all at once: each is a transaction of its own, and each is paid.
func TestSigning_TronPaymentsAlike(t *testing.T) {
	t.Parallel()
	w := newTronWorld(t)
	const n = 4
	var sending sync.WaitGroup
	ids := make([]string, n)
	for i := range n {
		sending.Go(func() {
			sent, err := w.c.Transactions.Send(ctx, w.alice.Passkey, w.pay(tronPayee, "2"))
			if err != nil {
				t.Errorf("%v\n%s", err, w.Log)
				return
			}
			ids[i] = sent.TransactionID
		})
	}
	sending.Wait()
	w.Settle()
	for _, id := range ids {
		w.becomes(id, "confirmed")
	}
	if _, micro := w.Held(tronPayee); micro != n*2_000_000 {
		t.Errorf("the payee has %d", micro)
	}
}

// One body confirmed by many at once is one transaction, paid once.
func TestSigning_TronConfirmManyTimes(t *testing.T) {
	t.Parallel()
	w := newTronWorld(t)
	p, err := w.c.Transactions.Prepare(ctx, w.pay(tronPayee, "3"))
	if err != nil {
		t.Fatal(err)
	}
	signed := railkit.SignedActivity{
		Body: p.UnsignedActivity.Body, Stamp: railkit.Stamp(*stampOf(t, w.alice, p.UnsignedActivity.Body)),
	}
	var confirming sync.WaitGroup
	hashes := sync.Map{}
	for range 16 {
		confirming.Go(func() {
			got := w.Do(w.Keys.BenchKey, "POST", "/v1/transactions/confirm", apptest.JSON(t, map[string]any{
				"transactionId": p.TransactionID, "signedActivity": signed, "broadcast": true,
			}))
			var a struct{ Data struct{ TxHash string } }
			if err := json.Unmarshal([]byte(got.Body), &a); got.Status != 200 || err != nil {
				t.Errorf("%d %s", got.Status, got.Body)
			}
			hashes.Store(a.Data.TxHash, true)
		})
	}
	confirming.Wait()
	w.Settle()
	w.becomes(p.TransactionID, "confirmed")
	count := 0
	hashes.Range(func(any, any) bool { count++; return true })
	if _, micro := w.Held(tronPayee); micro != 3_000_000 || count != 1 {
		t.Errorf("the payee has %d, by %d transactions", micro, count)
	}
}

// One that failed on the chain says why, and what it burnt: its payer had the money when it was signed, and not when it
// was executed.
func TestSigning_TronFailsInABlock(t *testing.T) {
	t.Parallel()
	w := newTronWorld(t)
	w.Control("", "automine", map[string]any{"on": false})
	var ids []string
	for range 2 {
		sent, err := w.c.Transactions.Send(ctx, w.alice.Passkey, w.pay(tronPayee, "60"))
		if err != nil {
			t.Fatalf("%v\n%s", err, w.Log)
		}
		ids = append(ids, sent.TransactionID)
	}
	w.Settle()
	w.becomes(ids[0], "confirmed")
	b := w.becomes(ids[1], "failed")
	if b.BlockNumber == nil || !strings.Contains(b.Reason, "failed on chain: the contract refuses it") ||
		!strings.Contains(b.Reason, "It cost ") || !strings.HasSuffix(b.Reason, " TRX") {
		t.Errorf("failed: %+v", b)
	}
}
