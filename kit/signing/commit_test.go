package signing_test

import (
	"context"
	"net/http"
	"strings"
	"testing"

	"github.com/google/uuid"

	"github.com/railkit/railkit/enclave/wire"
	"github.com/railkit/railkit/internal/test/apptest"
)

// The enclave signed and the commit failed: the same call under the same key
// gets the first result, and no second nonce is spent.
func TestSigning_CommitFailedUnderAKey(t *testing.T) {
	t.Parallel()
	a := apptest.Rig(t, apptest.WithoutSweeper())
	c := a.Client()
	alice := a.Fund(c, "alice@example.com")
	id, signed := prepared(t, c, alice, "1")
	key, body := uuid.NewString(), confirmBody(t, id, signed)
	allow := refuse(t, a, "UPDATE", "idempotency", "")
	wantError(
		t, a.Do(a.Keys.BenchKey, "POST", "/v1/transactions/confirm", body, "Idempotency-Key", key), 500, "internal",
	)
	if now := status(t, c, id); now.Status != "awaiting_signature" {
		t.Errorf("half of the commit remained: %s", now.Status)
	}
	allow()
	again := a.Do(a.Keys.BenchKey, "POST", "/v1/transactions/confirm", body, "Idempotency-Key", key)
	if again.Status != 200 || again.Header.Get("Idempotent-Replayed") != "" {
		t.Fatalf("again: %d %s", again.Status, again.Body)
	}
	replay := a.Do(a.Keys.BenchKey, "POST", "/v1/transactions/confirm", body, "Idempotency-Key", key)
	if replay.Body != again.Body || replay.Header.Get("Idempotent-Replayed") != "true" {
		t.Errorf("replay: %d %s", replay.Status, replay.Body)
	}
	confirmed(t, a, c, id)
	if n := status(t, c, id).Nonce; n == nil || *n != 0 {
		t.Errorf("nonce = %v", n)
	}
}

// The caller hangs up after the enclave signed: what was begun is committed.
func TestSigning_CallerHangsUp(t *testing.T) {
	t.Parallel()
	a, node, _ := throughNode(t)
	c := a.Client()
	alice := a.Fund(c, "alice@example.com")
	id, signed := prepared(t, c, alice, "1")
	hanging, hangUp := context.WithCancel(ctx)
	gone := make(chan struct{})
	node.Break("eth_sendRawTransaction", func(w http.ResponseWriter, r *http.Request) {
		hangUp()
		<-gone
		apptest.Says("already known")(w, r)
	})
	req, err := http.NewRequestWithContext(
		hanging, http.MethodPost, a.BaseURL+"/v1/transactions/confirm", strings.NewReader(confirmBody(t, id, signed)),
	)
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("Authorization", "ApiKey "+a.Keys.BenchKey)
	if resp, err := http.DefaultClient.Do(req); err == nil {
		_ = resp.Body.Close()
		t.Fatalf("an answer: %d", resp.StatusCode)
	}
	close(gone)
	apptest.Eventually(t, "the signature is committed", func() bool { return status(t, c, id).TxHash != "" })
	if now := status(t, c, id); now.Status != "broadcast" {
		t.Errorf("now %s", now.Status)
	}
}

// A caller's own fee is a maximum: more is never stamped, and so never paid.
func TestSigning_OwnFeeIsTheMaximum(t *testing.T) {
	t.Parallel()
	a := apptest.Shared(t)
	c := a.Client()
	alice := a.Fund(c, "alice@example.com")
	req := alice.Payment(receiver, "1")
	req.GasLimit, req.MaxFeePerGas = "100000", "7000000000"
	p, err := c.Transactions.Prepare(ctx, req)
	if err != nil || p.Fee.MaxTotalFee != "700000000000000" {
		t.Errorf("fee = %+v, %v", p.Fee, err)
	}
}

// Who asked for held at first and for broadcast then gets broadcast, also over a crash.
func TestSigning_LastWordOnHeld(t *testing.T) {
	t.Parallel()
	a, node, late := throughNode(t)
	c := a.Client()
	alice := a.Fund(c, "alice@example.com")
	id, signed := prepared(t, c, alice, "1")
	bad := signed
	bad.Stamp.HeaderValue = "{}"
	confirm := func(broadcast bool, s any) apptest.Answer {
		return a.Do(a.Keys.BenchKey, "POST", "/v1/transactions/confirm",
			apptest.JSON(t, map[string]any{"transactionId": id, "signedActivity": s, "broadcast": broadcast}))
	}
	wantError(t, confirm(false, bad), 422, "passkey_signature_invalid")
	refuse(t, a, "INSERT", "audit", "NEW.action = 'transaction.sign'")
	node.Break("eth_sendRawTransaction", apptest.Down)
	wantError(t, confirm(true, signed), 500, "internal")
	node.Break("eth_sendRawTransaction", nil)
	late.forward(sweepTime)
	if err := a.Signing.Sweep(ctx); err != nil {
		t.Fatal(err)
	}
	confirmed(t, a, c, id)
}

// No audit row holds what only its owner may know.
func TestSigning_AuditHoldsNoSecrets(t *testing.T) {
	t.Parallel()
	a := apptest.Rig(t)
	c := a.Client()
	alice := a.Fund(c, "alice@example.com")
	id, signed := prepared(t, c, alice, "1")
	if got := a.Do(
		a.Keys.BenchKey, "POST", "/v1/transactions/confirm", confirmBody(t, id, signed), "Idempotency-Key",
		uuid.NewString(),
	); got.Status != 200 {
		t.Fatal(got.Body)
	}
	confirmed(t, a, c, id)
	rows, err := a.Store.Writer().QueryContext(ctx, "SELECT actor || ' ' || actor_id || ' ' || operation || ' ' || action || ' ' || resource || ' ' || detail || before || after FROM audit")
	if err != nil {
		t.Fatal(err)
	}
	defer rows.Close()
	var all strings.Builder
	for rows.Next() {
		var text string
		if err := rows.Scan(&text); err != nil {
			t.Fatal(err)
		}
		all.WriteString(text + "\n")
	}
	if err := rows.Err(); err != nil {
		t.Fatal(err)
	}
	for _, action := range []string{
		"passkey.challenge", "sub_organization.create", "wallet.prepare", "wallet.create", "address.prepare",
		"address.create", "sandbox.fund",
		"transaction.prepare", "transaction.sign", "transaction.confirmed",
	} {
		if !strings.Contains(all.String(), " "+action+" ") {
			t.Errorf("no audit row of %s in\n%s", action, all.String())
		}
	}
	stamp := wire.Stamp(signed.Stamp)
	for name, secret := range map[string]string{
		"key": a.Keys.BenchKey, "stamp": stamp.HeaderValue, "body": signed.Body, "e-mail": "alice@example.com",
	} {
		if strings.Contains(all.String(), secret) {
			t.Errorf("an audit row holds the %s", name)
		}
	}
}
