package signing_test

import (
	"context"
	"encoding/json"
	"fmt"
	"math/big"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/uuid"

	"github.com/railkit/railkit/chain"
	"github.com/railkit/railkit/chain/evm"
	"github.com/railkit/railkit/clock"
	"github.com/railkit/railkit/internal/test/apptest"
	railkit "github.com/railkit/railkit/sdk/go"
)

// receiver is a well-known public test address.
const receiver = "0x70997970C51812dc3A010C7d01b50e0d17dc79C8"

var ctx = context.Background()

func TestSigning_Story(t *testing.T) {
	t.Parallel()
	story(t, apptest.New(t))
}

func story(t *testing.T, a *apptest.App) {
	t.Helper()
	c := a.Client()
	alice := a.Fund(c, "alice@example.com")
	sent, err := c.Transactions.Send(ctx, alice.Passkey, alice.Payment(receiver, "25.50"))
	if err != nil {
		t.Fatalf("%v\n%s", err, a.Log)
	}
	if sent.Status != "broadcast" || sent.TxHash == "" || sent.Amount != "25.5" {
		t.Errorf("sent %+v", sent)
	}
	confirmed(t, a, c, sent.TransactionID)

	wallet, err := c.Wallets.Get(ctx, alice.Wallet.WalletID)
	if err != nil || len(wallet.Addresses) != 1 || wallet.Addresses[0].Path != "m/44'/60'/0'/0/0" {
		t.Errorf("wallet = %+v, %v", wallet, err)
	}
	for _, path := range []string{"/v1/signing/wallets/" + wallet.ID, "/v1/wallets/" + wallet.WalletID} {
		if got := a.Do(a.Keys.APIKey, "GET", path, ""); got.Status != 200 ||
			!strings.Contains(got.Body, wallet.WalletID) {
			t.Errorf("%s: %d %s", path, got.Status, got.Body)
		}
	}
	if _, err := c.Wallets.GetFresh(ctx, wallet.WalletID); err != nil {
		t.Errorf("fresh: %v", err)
	}
	if _, err := c.Addresses.GetFresh(ctx, wallet.WalletID, alice.Address.AddressID); err != nil {
		t.Errorf("fresh: %v", err)
	}
	var lines *railkit.Page[railkit.WalletTransaction]
	apptest.Eventually(t, "the faucet's money is in the history", func() bool {
		lines, err = c.Wallets.ListTransactions(ctx, wallet.WalletID, railkit.ListOptions{})
		return err == nil && len(lines.Items) == 2
	})
	if line := lines.Items[0]; line.Type == "send" && (line.Amount != "25.5" || line.TokenSymbol != "USDC") {
		t.Errorf("history = %+v", lines)
	}

	// A restart of the server changes nothing.
	a.StopServer()
	a.StartServer()
	c = a.Client()
	c.SubOrganizations.TrustOwners(alice.Sub.SubOrganizationID, railkit.Owners{Credentials: []railkit.Credential{{
		ID: alice.Passkey.Credentials()[0].ID, PublicKey: alice.Passkey.Credentials()[0].PublicKey,
	}}})
	again, err := c.Transactions.Get(ctx, sent.TransactionID)
	if err != nil || again.TxHash != sent.TxHash || again.Status != "confirmed" {
		t.Errorf("after a restart: %+v, %v", again, err)
	}
}

func TestSigning_NativeTransferCallAndExactBytes(t *testing.T) {
	t.Parallel()
	a := apptest.Shared(t)
	c := a.Client()
	alice := a.Fund(c, "alice@example.com")
	for name, req := range map[string]railkit.PrepareTransactionRequest{
		"native": {
			Type: railkit.TransferNative, PayAgain: true, SignWith: alice.Address.AddressID,
			ExpectFrom: alice.Address.Address, ChainID: 84532, To: receiver, Amount: "0.01",
		},
		"call": {
			Type: "call", SignWith: alice.Address.Address, ChainID: 84532, To: apptest.USDC().Address,
			Data: "0x095ea7b3000000000000000000000000" + strings.ToLower(receiver[2:]) + fmt.Sprintf("%064x", 5),
		},
	} {
		sent, err := c.Transactions.Send(ctx, alice.Passkey, req)
		if err != nil {
			t.Fatalf("%s: %v\n%s", name, err, a.Log)
		}
		confirmed(t, a, c, sent.TransactionID)
	}
	// Exact bytes: a legacy transaction of the caller's own making, nonce 2.
	to, err := evm.ParseAddress(receiver)
	if err != nil {
		t.Fatal(err)
	}
	legacy := evm.Tx{
		ChainID: 84532, Nonce: 2, GasPrice: big.NewInt(2_000_000_000), GasLimit: 21_000, To: &to, Value: big.NewInt(5),
	}
	sent, err := c.Transactions.Send(ctx, alice.Passkey, railkit.PrepareTransactionRequest{
		Type: "sign", ChainID: 84532, SignWith: alice.Address.Address,
		UnsignedTransaction: chain.Hex(legacy.Unsigned()),
	})
	if err != nil {
		t.Fatalf("exact bytes: %v\n%s", err, a.Log)
	}
	if sent.Nonce == nil || *sent.Nonce != 2 {
		t.Errorf("nonce = %v", sent.Nonce)
	}
	confirmed(t, a, c, sent.TransactionID)
}

func TestSigning_HeldThenBroadcast(t *testing.T) {
	t.Parallel()
	a := apptest.Shared(t)
	c := a.Client()
	alice := a.Fund(c, "alice@example.com")
	id, signed := prepared(t, c, alice, "1.5")
	no := false
	held, err := c.Transactions.Confirm(
		ctx, railkit.ConfirmTransactionRequest{TransactionID: id, SignedActivity: signed, Broadcast: &no},
	)
	if err != nil || held.Status != "pending" || held.TxHash == "" {
		t.Fatalf("held = %+v, %v", held, err)
	}
	if err := a.Signing.Sweep(ctx); err != nil {
		t.Fatal(err)
	}
	if now, err := c.Transactions.Get(ctx, id); err != nil || now.Status != "pending" {
		t.Errorf("the sweeper sent what was held: %+v, %v", now, err)
	}
	page, err := c.Transactions.List(ctx, railkit.TransactionListOptions{Status: "signed"})
	if err != nil || len(page.Items) != 1 {
		t.Errorf("filter alias: %+v, %v", page, err)
	}
	behind, err := c.Transactions.Send(ctx, alice.Passkey, alice.Payment(receiver, "2"))
	if err != nil || len(behind.WaitsFor) != 1 || behind.WaitsFor[0] != id {
		t.Errorf("the one behind it = %+v, %v", behind, err)
	}
	sent, err := c.Transactions.Broadcast(ctx, id)
	if err != nil || sent.Status != "broadcast" || sent.TxHash != held.TxHash {
		t.Fatalf("sent = %+v, %v", sent, err)
	}
	confirmed(t, a, c, id)
	confirmed(t, a, c, behind.TransactionID)
	if now, err := c.Transactions.Get(ctx, behind.TransactionID); err != nil || len(now.WaitsFor) != 0 {
		t.Errorf("mined, it waits for %v, %v", now.WaitsFor, err)
	}
	if again, err := c.Transactions.Broadcast(ctx, id); err != nil || again.Status != "confirmed" {
		t.Errorf("sending twice: %+v, %v", again, err)
	}
}

// prepared is a transaction with its stamp.
func prepared(t *testing.T, c *railkit.Client, o apptest.Owner, amount string) (string, railkit.SignedActivity) {
	t.Helper()
	p, err := c.Transactions.Prepare(ctx, o.Payment(receiver, amount))
	if err != nil {
		t.Fatal(err)
	}
	stamp, err := o.Passkey.Stamp(p.UnsignedActivity.Body)
	if err != nil {
		t.Fatal(err)
	}
	return p.TransactionID, p.Signed(stamp)
}

func confirmBody(t *testing.T, id string, signed railkit.SignedActivity) string {
	t.Helper()
	return apptest.JSON(t, map[string]any{"transactionId": id, "signedActivity": signed})
}

func TestSigning_S02_ConfirmSixtyFourTimesUnderOneKey(t *testing.T) {
	t.Parallel()
	sixtyFourTimes(t, apptest.Shared(t))
}

func sixtyFourTimes(t *testing.T, a *apptest.App) {
	t.Helper()
	c := a.Client()
	alice := a.Fund(c, "alice@example.com")
	id, signed := prepared(t, c, alice, "1")
	body, key := confirmBody(t, id, signed), uuid.NewString()
	answers := make([]apptest.Answer, 64)
	var wg sync.WaitGroup
	for i := range answers {
		wg.Go(func() {
			answers[i] = a.Do(a.Keys.BenchKey, "POST", "/v1/transactions/confirm", body, "Idempotency-Key", key)
		})
	}
	wg.Wait()
	replays := 0
	for i, got := range answers {
		if got.Status != 200 || got.Body != answers[0].Body {
			t.Fatalf("caller %d: %d %s\nfirst: %s", i, got.Status, got.Body, answers[0].Body)
		}
		if got.Header.Get("Idempotent-Replayed") == "true" {
			replays++
		}
	}
	if replays != 63 {
		t.Errorf("%d replays, want 63", replays)
	}
	other := a.Do(a.Keys.BenchKey, "POST", "/v1/transactions/confirm", body+" ", "Idempotency-Key", key)
	if other.Status != 422 || other.Field("error") != "idempotency_key_reused" {
		t.Errorf("another request under the key: %d %s", other.Status, other.Body)
	}
	keyless := a.Do(a.Keys.BenchKey, "POST", "/v1/transactions/confirm", body)
	if keyless.Status != 200 || !strings.Contains(keyless.Body, txHash(answers[0])) {
		t.Errorf("the same stamped body without a key: %d %s", keyless.Status, keyless.Body)
	}
	confirmed(t, a, c, id)
	if page, err := c.Transactions.List(ctx, railkit.TransactionListOptions{}); err != nil || page.Meta.Total != 1 {
		t.Errorf("transactions = %+v, %v", page, err)
	}
}

func txHash(a apptest.Answer) string {
	var m struct{ Data struct{ TxHash string } }
	_ = json.Unmarshal([]byte(a.Body), &m)
	return m.Data.TxHash
}

func TestSigning_A03_ConfirmAndCancelRace(t *testing.T) {
	t.Parallel()
	a := apptest.Shared(t)
	c := a.Client()
	alice := a.Fund(c, "alice@example.com")
	won := map[string]int{}
	for range 12 {
		id, signed := prepared(t, c, alice, "1")
		var confirm, cancel apptest.Answer
		var wg sync.WaitGroup
		wg.Go(func() {
			confirm = a.Do(a.Keys.BenchKey, "POST", "/v1/transactions/confirm", confirmBody(t, id, signed))
		})
		wg.Go(func() { cancel = a.Do(a.Keys.BenchKey, "DELETE", "/v1/transactions/sign/"+id, "") })
		wg.Wait()
		now, err := c.Transactions.Get(ctx, id)
		if err != nil {
			t.Fatal(err)
		}
		switch {
		case confirm.Status == 200 && cancel.Status == 409 && now.TxHash != "":
			won["confirm"]++
		case confirm.Status == 409 && cancel.Status == 200 && now.Status == "cancelled" && now.SignedTransaction == "":
			won["cancel"]++
		default:
			t.Fatalf(
				"confirm %d %s\ncancel %d %s\nnow %+v", confirm.Status, confirm.Body, cancel.Status, cancel.Body, now,
			)
		}
	}
	t.Logf("won: %v", won)
}

func TestSigning_A03_ConfirmAfterTheEnd(t *testing.T) {
	t.Parallel()
	var late atomic.Int64
	now := clock.Func(func() time.Time { return time.Now().UTC().Add(time.Duration(late.Load())) })
	a := apptest.Rig(t, apptest.WithClock(now), apptest.WithoutSweeper())
	c := a.Client()
	alice := a.Fund(c, "alice@example.com")

	id, signed := prepared(t, c, alice, "1")
	if got, err := c.Transactions.Cancel(ctx, id); err != nil || got.Status != "cancelled" {
		t.Fatalf("cancel: %+v, %v", got, err)
	}
	if got, err := c.Transactions.Cancel(ctx, id); err != nil || got.Status != "cancelled" {
		t.Errorf("cancel twice: %+v, %v", got, err)
	}
	wantError(
		t, a.Do(a.Keys.BenchKey, "POST", "/v1/transactions/confirm", confirmBody(t, id, signed)), 409,
		"transaction_cancelled",
	)

	id, signed = prepared(t, c, alice, "1")
	walletBody := apptest.JSON(
		t, map[string]string{"walletName": "Late", "subOrganizationId": alice.Sub.SubOrganizationID},
	)
	prep := a.Do(a.Keys.BenchKey, "POST", "/v1/signing/wallets/prepare", walletBody)
	late.Store(int64(16 * time.Minute))
	if err := a.Signing.Sweep(ctx); err != nil {
		t.Fatal(err)
	}
	wantError(
		t, a.Do(a.Keys.BenchKey, "POST", "/v1/transactions/confirm", confirmBody(t, id, signed)), 409,
		"transaction_expired",
	)
	if got, err := c.Transactions.Get(ctx, id); err != nil || got.Status != "expired" || got.Reason == "" {
		t.Errorf("expired: %+v, %v", got, err)
	}
	wantError(t, a.Do(a.Keys.BenchKey, "DELETE", "/v1/transactions/sign/"+id, ""), 409, "not_awaiting_signature")
	wantError(t, a.Do(a.Keys.BenchKey, "POST", "/v1/transactions/broadcast/"+id, ""), 409, "not_signed")
	wantError(t, confirmWallet(t, a, alice, prep), 409, "request_expired")
	if page, err := c.Transactions.ListPendingSignature(ctx, railkit.ListOptions{}); err != nil ||
		len(page.Items) != 0 {
		t.Errorf("pending: %+v, %v", page, err)
	}
}

func confirmWallet(t *testing.T, a *apptest.App, o apptest.Owner, prep apptest.Answer) apptest.Answer {
	t.Helper()
	var p struct {
		Data struct {
			WalletRequestID  string
			UnsignedActivity struct{ Body string }
		}
	}
	if err := json.Unmarshal([]byte(prep.Body), &p); err != nil || prep.Status != 200 {
		t.Fatalf("prepare: %d %s", prep.Status, prep.Body)
	}
	stamp, err := o.Passkey.Stamp(p.Data.UnsignedActivity.Body)
	if err != nil {
		t.Fatal(err)
	}
	return a.Do(a.Keys.BenchKey, "POST", "/v1/signing/wallets/confirm", apptest.JSON(t, map[string]any{
		"walletRequestId": p.Data.WalletRequestID,
		"signedActivity":  map[string]any{"body": p.Data.UnsignedActivity.Body, "stamp": stamp},
	}))
}

// wantDetail wants the details of an error to name something.
func wantDetail(t *testing.T, got apptest.Answer, name, want string) {
	t.Helper()
	if details, _ := got.Field("details").(map[string]any); fmt.Sprint(details[name]) != want {
		t.Errorf("%s of %s is not %q", name, got.Body, want)
	}
}

func TestSigning_S01_TamperedStampAndBody(t *testing.T) {
	t.Parallel()
	a := apptest.Shared(t)
	c := a.Client()
	alice, bob := a.Fund(c, "alice@example.com"), a.Register(c, "bob@example.com")
	id, signed := prepared(t, c, alice, "1")

	tampered := signed
	tampered.Body = strings.Replace(signed.Body, `"1000000"`, `"9000000"`, 1)
	if tampered.Body == signed.Body {
		t.Fatal("nothing was changed")
	}
	wantError(
		t, a.Do(a.Keys.BenchKey, "POST", "/v1/transactions/confirm", confirmBody(t, id, tampered)), 422,
		"stamped_body_differs",
	)

	foreign, err := bob.Passkey.Stamp(signed.Body)
	if err != nil {
		t.Fatal(err)
	}
	stamped := signed
	stamped.Stamp = foreign
	got := a.Do(a.Keys.BenchKey, "POST", "/v1/transactions/confirm", confirmBody(t, id, stamped))
	wantError(t, got, 422, "passkey_signature_invalid")
	wantDetail(t, got, "reason", "the sub-organization has no such passkey or key")
	if got.Field("message") != "Passkey signature invalid" {
		t.Errorf("message = %v", got.Field("message"))
	}
	other, err := alice.Passkey.Stamp(signed.Body + " ")
	if err != nil {
		t.Fatal(err)
	}
	stamped.Stamp = other
	got = a.Do(a.Keys.BenchKey, "POST", "/v1/transactions/confirm", confirmBody(t, id, stamped))
	wantError(t, got, 422, "passkey_signature_invalid")
	wantDetail(t, got, "reason", "challenge does not match")
	if ok := a.Do(
		a.Keys.BenchKey, "POST", "/v1/transactions/confirm", confirmBody(t, id, signed),
	); ok.Status != http.StatusOK {
		t.Errorf("the true stamp: %d %s", ok.Status, ok.Body)
	}
}
