package signing_test

import (
	"encoding/json"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/uuid"

	"github.com/railkit/railkit/clock"
	"github.com/railkit/railkit/enclave/client"
	"github.com/railkit/railkit/enclave/wire"
	"github.com/railkit/railkit/internal/test/apptest"
	"github.com/railkit/railkit/platform/auth"
	railkit "github.com/railkit/railkit/sdk/go"
)

// edit changes the database behind the server's back.
func edit(t *testing.T, a *apptest.App, statement string, args ...any) {
	t.Helper()
	if _, err := a.Store.Writer().ExecContext(ctx, statement, args...); err != nil {
		t.Fatalf("%s: %v", statement, err)
	}
}

// unguard lets the host remove rows of audit, as whoever owns the tables can.
func unguard(t *testing.T, a *apptest.App) {
	t.Helper()
	if a.OnPostgres() {
		edit(t, a, "DROP FUNCTION audit_refuse CASCADE")
		return
	}
	edit(t, a, "DROP TRIGGER audit_loses_none")
}

func TestSigning_A01_HostSwapsTheBody(t *testing.T) {
	t.Parallel()
	a := apptest.Shared(t)
	c := a.Client()
	alice := a.Fund(c, "alice@example.com")
	id, signed := prepared(t, c, alice, "1")
	thief := strings.ToLower("0x90F79bf6EB2c4f870365E785982E1f101E93b906"[2:])
	swapped := strings.ReplaceAll(signed.Body, strings.ToLower(receiver[2:]), thief)
	swapped = strings.ReplaceAll(swapped, receiver, "0x90F79bf6EB2c4f870365E785982E1f101E93b906")
	if swapped == signed.Body {
		t.Fatal("nothing was changed")
	}
	edit(t, a, "UPDATE transactions SET body = $1 WHERE id = $2", swapped, id)
	wantError(
		t, a.Do(a.Keys.BenchKey, "POST", "/v1/transactions/confirm", confirmBody(t, id, signed)), 422,
		"stamped_body_differs",
	)
	// The host's other way: its own body under the owner's stamp.
	stolen := signed
	stolen.Body = swapped
	edit(t, a, "UPDATE transactions SET fingerprint = $1 WHERE id = $2", railkit.Fingerprint(swapped), id)
	wantError(
		t, a.Do(a.Keys.BenchKey, "POST", "/v1/transactions/confirm", confirmBody(t, id, stolen)), 422,
		"passkey_signature_invalid",
	)
}

// Whoever holds the server, its database and the socket signs nothing new.
func TestSigning_CompromisedHost(t *testing.T) {
	t.Parallel()
	a := apptest.Rig(t, apptest.WithoutSweeper())
	c := a.Client()
	alice, mallory := a.Fund(c, "alice@example.com"), a.Fund(c, "mallory@example.com")
	id, signed := prepared(t, c, alice, "1")
	sent, err := c.Transactions.Confirm(
		ctx, railkit.ConfirmTransactionRequest{TransactionID: id, SignedActivity: signed},
	)
	if err != nil {
		t.Fatal(err)
	}
	pending, unstamped := prepared(t, c, alice, "2")

	enclave := client.New(a.EnclaveSock, a.EnclaveKey)
	defer enclave.Close()
	volatile := &wire.Volatile{MaxFeePerGas: "2000000000", MaxPriorityFeePerGas: "1000000", NonceFloor: "7"}
	submit := func(body string, stamp *wire.Stamp) (client.Outcome, error) {
		return enclave.Submit(
			ctx, wire.SubmitRequest{Body: body, Stamp: stamp, Volatile: volatile}, railkit.Fingerprint(body),
		)
	}
	var body wire.Body
	if err := json.Unmarshal([]byte(unstamped.Body), &body); err != nil {
		t.Fatal(err)
	}
	body.ActivityID = uuid.NewString()
	forged, err := json.Marshal(body)
	if err != nil {
		t.Fatal(err)
	}
	foreign, err := mallory.Passkey.Stamp(string(forged))
	if err != nil {
		t.Fatal(err)
	}
	old := wire.Stamp(signed.Stamp)
	for name, stamp := range map[string]*wire.Stamp{
		"no stamp": nil, "an old stamp": &old, "another owner's stamp": (*wire.Stamp)(&foreign),
	} {
		if out, err := submit(string(forged), stamp); err == nil {
			t.Errorf("%s: the enclave answered %s", name, out.State)
		}
	}
	// A passkey of the host's own, written into the victim's rows, is none to the enclave.
	edit(t, a, "UPDATE passkeys SET sub_organization_id = $1", alice.Sub.SubOrganizationID)
	edit(t, a, "UPDATE wallets SET sub_organization_id = $1", mallory.Sub.SubOrganizationID)
	theft := a.Do(a.Keys.BenchKey, "POST", "/v1/transactions/prepare", apptest.JSON(t, alice.Payment(receiver, "5")))
	if theft.Status == 200 || theft.Field("error") != "account_unknown" {
		t.Errorf("an intent over another's address was previewed: %d %s", theft.Status, theft.Body)
	}

	unguard(t, a)
	for _, table := range []string{
		"transactions", "addresses", "wallets", "passkeys", "sub_organizations", "activities", "idempotency", "audit",
	} {
		edit(t, a, "DELETE FROM "+table)
	}
	wantError(
		t, a.Do(a.Keys.BenchKey, "POST", "/v1/transactions/confirm", confirmBody(t, pending, unstamped)), 404,
		"not_found",
	)
	if out, err := submit(string(forged), &old); err == nil {
		t.Errorf("with SQL gone the enclave answered %s", out.State)
	}
	again, err := submit(signed.Body, nil)
	if err != nil || again.Statement.Result.Transaction.TxHash != sent.TxHash {
		t.Errorf("the enclave forgot what it signed: %+v, %v", again, err)
	}
	if again.Statement.Result.Transaction.SignedTransaction != sent.SignedTransaction {
		t.Error("the same body has other bytes now")
	}
}

// A crash after the enclave and before the commit: the stamp went to the
// enclave, the answer never came.
func TestSigning_CrashBeforeTheCommit(t *testing.T) {
	t.Parallel()
	late := time.Duration(0)
	var mu sync.Mutex
	now := clock.Func(func() time.Time { mu.Lock(); defer mu.Unlock(); return time.Now().UTC().Add(late) })
	a := apptest.Rig(t, apptest.WithClock(now), apptest.WithoutSweeper())
	c := a.Client()
	alice := a.Fund(c, "alice@example.com")
	enclave := client.New(a.EnclaveSock, a.EnclaveKey)
	defer enclave.Close()
	id, signed := prepared(t, c, alice, "3")
	stamp := wire.Stamp(signed.Stamp)
	out, err := enclave.Submit(ctx, wire.SubmitRequest{
		Body: signed.Body, Stamp: &stamp, Volatile: stampedFee(t, signed.Body),
	}, railkit.Fingerprint(signed.Body))
	if err != nil {
		t.Fatal(err)
	}
	wallet := a.Do(a.Keys.BenchKey, "POST", "/v1/signing/wallets/prepare",
		apptest.JSON(t, map[string]string{
			"walletName": "Second", "chain": "base", "subOrganizationId": alice.Sub.SubOrganizationID,
		}))
	var p struct {
		Data struct{ UnsignedActivity struct{ Body string } }
	}
	if err := json.Unmarshal([]byte(wallet.Body), &p); err != nil {
		t.Fatal(err)
	}
	walletStamp, err := alice.Passkey.Stamp(p.Data.UnsignedActivity.Body)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := enclave.Submit(ctx, wire.SubmitRequest{
		Body: p.Data.UnsignedActivity.Body, Stamp: (*wire.Stamp)(&walletStamp),
	},
		railkit.Fingerprint(p.Data.UnsignedActivity.Body)); err != nil {
		t.Fatal(err)
	}

	mu.Lock()
	late = 20 * time.Second
	mu.Unlock()
	if err := a.Signing.Sweep(ctx); err != nil {
		t.Fatal(err)
	}
	got, err := c.Transactions.Get(ctx, id)
	if err != nil || got.TxHash != out.Statement.Result.Transaction.TxHash || got.Status == "awaiting_signature" {
		t.Fatalf("after the sweep: %+v, %v", got, err)
	}
	confirmed(t, a, c, id)
	if retry := a.Do(
		a.Keys.BenchKey, "POST", "/v1/transactions/confirm", confirmBody(t, id, signed),
	); retry.Status != 200 || txHash(retry) != got.TxHash {
		t.Errorf("the client's retry: %d %s", retry.Status, retry.Body)
	}
	wallets, err := c.Wallets.List(ctx, railkit.WalletListOptions{Search: "second"})
	if err != nil || len(wallets.Items) != 1 || len(wallets.Items[0].Addresses) != 1 {
		t.Errorf("the wallet was not recovered: %+v, %v", wallets, err)
	}
}

func TestSigning_NodeFaults(t *testing.T) {
	t.Parallel()
	var node *apptest.Node
	a := apptest.Rig(t, func(c *apptest.Config) {
		node = apptest.NewNode(t, c.RPCURLs["base"])
		c.RPCURLs["base"] = node.URL
		delete(c.RPCURLs, "polygon")
	})
	c := a.Client()
	alice := a.Fund(c, "alice@example.com")
	confirm := func(id string, signed railkit.SignedActivity) apptest.Answer {
		return a.Do(a.Keys.BenchKey, "POST", "/v1/transactions/confirm", confirmBody(t, id, signed))
	}

	// The node is gone as the transaction is sent: it waits, and goes by itself.
	id, signed := prepared(t, c, alice, "1")
	node.Break("eth_sendRawTransaction", apptest.Down)
	sent := confirm(id, signed)
	if sent.Status != 200 ||
		!strings.Contains(sent.Body, `"status":"pending"`) || !strings.Contains(sent.Body, "does not answer") {
		t.Fatalf("with the node down: %d %s", sent.Status, sent.Body)
	}
	wantError(t, a.Do(a.Keys.BenchKey, "POST", "/v1/transactions/broadcast/"+id, ""), 502, "node_unreachable")
	node.Break("eth_sendRawTransaction", nil)
	confirmed(t, a, c, id)

	// One that is held, so that no job gets in between: the node refuses it, and
	// then has it although it says that it failed.
	id, signed = prepared(t, c, alice, "1")
	no := false
	if _, err := c.Transactions.Confirm(
		ctx, railkit.ConfirmTransactionRequest{TransactionID: id, SignedActivity: signed, Broadcast: &no},
	); err != nil {
		t.Fatal(err)
	}
	node.Break("eth_sendRawTransaction", apptest.Says("invalid sender"))
	wantError(t, a.Do(a.Keys.BenchKey, "POST", "/v1/transactions/broadcast/"+id, ""), 502, "node_refused")
	node.Break("eth_sendRawTransaction", node.TakesAndSays("already known"))
	if got, err := c.Transactions.Broadcast(ctx, id); err != nil || got.Status != "broadcast" {
		t.Errorf("already known: %+v, %v", got, err)
	}
	node.Break("eth_sendRawTransaction", nil)
	confirmed(t, a, c, id)

	// The node is gone before anything is signed: no nonce is spent.
	id, signed = prepared(t, c, alice, "1")
	node.Break("*", apptest.Down)
	wantError(t, confirm(id, signed), 502, "node_unreachable")
	wantError(
		t, a.Do(a.Keys.BenchKey, "POST", "/v1/transactions/prepare", apptest.JSON(t, alice.Payment(receiver, "1"))),
		502, "node_unreachable",
	)
	node.Break("*", nil)
	node.Break("eth_getTransactionCount", apptest.Gives("0x63"))
	wantError(t, confirm(id, signed), 502, "nonce_unknown")
	node.Break("eth_getTransactionCount", nil)
	node.Break("eth_estimateGas", apptest.Says("execution reverted"))
	fails := confirm(id, signed)
	wantError(t, fails, 422, "would_fail")
	wantDetail(t, fails, "reason", "execution reverted")
	node.Break("eth_estimateGas", apptest.Gives("0xfffff"))
	wantError(t, confirm(id, signed), 422, "gas_limit_too_low")
	node.Break("eth_estimateGas", nil)
	if got := confirm(id, signed); got.Status != 200 {
		t.Errorf("the same stamp once the node is back: %d %s", got.Status, got.Body)
	}
	polygon := alice.Payment(receiver, "1")
	polygon.ChainID, polygon.TokenAddress = 80002, "0x41E94Eb019C0762f9Bfcf9Fb1E58725BfB0e7582"
	wantError(t, a.Do(a.Keys.BenchKey, "POST", "/v1/transactions/prepare", apptest.JSON(t, polygon)), 503, "no_node")
	wantError(
		t,
		a.Do(a.Keys.BenchKey, "POST", "/v1/transactions/prepare", apptest.JSON(t, alice.Payment(receiver, "1000000"))),
		422, "insufficient_balance",
	)

	// Fees rise past what was stamped, then fall again: the stamp still holds.
	id, signed = prepared(t, c, alice, "1")
	node.Break("eth_maxPriorityFeePerGas", apptest.Gives("0x174876e800"))
	node.Break("eth_getBlockByNumber", apptest.Gives(map[string]string{"baseFeePerGas": "0x174876e800"}))
	wantError(t, confirm(id, signed), 409, "fee_above_maximum")
	node.Break("eth_maxPriorityFeePerGas", nil)
	node.Break("eth_getBlockByNumber", nil)
	if got := confirm(id, signed); got.Status != 200 {
		t.Errorf("the same stamp at the old fee: %d %s", got.Status, got.Body)
	}
	confirmed(t, a, c, id)
}

func TestSigning_EnclaveKilledAndBack(t *testing.T) {
	t.Parallel()
	a := apptest.New(t)
	c := a.Client()
	alice := a.Fund(c, "alice@example.com")
	first, err := c.Transactions.Send(ctx, alice.Passkey, alice.Payment(receiver, "1"))
	if err != nil {
		t.Fatal(err)
	}
	a.KillEnclave()
	var again *railkit.Transaction
	apptest.Eventually(t, "the enclave signs again", func() bool {
		again, err = c.Transactions.Send(ctx, alice.Passkey, alice.Payment(receiver, "1"))
		return err == nil
	})
	if *again.Nonce != *first.Nonce+1 {
		t.Errorf("nonces %d and %d", *first.Nonce, *again.Nonce)
	}
	confirmed(t, a, c, again.TransactionID)
}

func TestSigning_H01_ForeignIDs(t *testing.T) {
	t.Parallel()
	a := apptest.Shared(t)
	c := a.Client()
	alice := a.Fund(c, "alice@example.com")
	id, signed := prepared(t, c, alice, "1")
	_, stranger := a.NewWorkspace([]auth.Scope{auth.Integrator}, auth.Signing)
	account := a.Do(
		a.Keys.BenchKey, "POST", "/v1/signing/wallets/accounts/prepare",
		apptest.JSON(t, map[string]string{"walletId": alice.Wallet.WalletID, "chain": "base"}),
	)
	var prep struct {
		Data struct{ WalletAccountRequestID string }
	}
	if err := json.Unmarshal([]byte(account.Body), &prep); err != nil {
		t.Fatal(err)
	}
	passkeys, err := c.Passkeys.List(ctx, "")
	if err != nil || len(passkeys) != 1 {
		t.Fatalf("passkeys = %+v, %v", passkeys, err)
	}
	nobody := "00000000-0000-4000-8000-000000000000"
	with := func(id string) []struct{ method, path, body string } {
		wallet, tx := alice.Wallet.WalletID, id
		address, passkey, request := alice.Address.AddressID, passkeys[0].ID, prep.Data.WalletAccountRequestID
		signWith, sub := alice.Address.Address, alice.Sub.SubOrganizationID
		if id == nobody {
			wallet, address, passkey, request, sub = nobody, nobody, nobody, nobody, nobody
			signWith = nobody // an address that nobody has is signed for outside
		}
		pay := alice.Payment(receiver, "1")
		pay.SignWith = signWith
		return []struct{ method, path, body string }{
			{"GET", "/v1/signing/wallets/" + wallet, ""},
			{"GET", "/v1/wallets/" + wallet, ""},
			{"GET", "/v1/signing/wallets/" + wallet + "/addresses", ""},
			{"GET", "/v1/signing/wallets/" + wallet + "/addresses/" + address, ""},
			{"GET", "/v1/signing/wallets/" + wallet + "/transactions", ""},
			{"GET", "/v1/signing/passkeys?subOrganizationId=" + sub, ""},
			{"PATCH", "/v1/signing/passkeys/" + passkey, `{"label":"mine now"}`},
			{
				"POST", "/v1/signing/wallets/prepare",
				apptest.JSON(t, map[string]string{"walletName": "x", "subOrganizationId": sub}),
			},
			{
				"POST", "/v1/signing/wallets/accounts/prepare",
				apptest.JSON(t, map[string]string{"walletId": wallet, "chain": "base"}),
			},
			{
				"POST", "/v1/signing/wallets/accounts/confirm",
				apptest.JSON(t, map[string]any{"walletAccountRequestId": request, "signedActivity": signed}),
			},
			{
				"POST", "/v1/signing/wallets/confirm",
				apptest.JSON(t, map[string]any{"walletRequestId": request, "signedActivity": signed}),
			},
			{"POST", "/v1/transactions/prepare", apptest.JSON(t, pay)},
			{"POST", "/v1/transactions/confirm", confirmBody(t, tx, signed)},
			{"GET", "/v1/transactions/sign/" + tx, ""},
			{"DELETE", "/v1/transactions/sign/" + tx, ""},
			{"POST", "/v1/transactions/broadcast/" + tx, ""},
			{"GET", "/v1/transactions/broadcast/" + tx, ""},
			{"POST", "/v1/transactions/broadcast/" + tx + "/retry", ""},
		}
	}
	foreign, unknown := with(id), with(nobody)
	for i, call := range foreign {
		got := a.Do(stranger, call.method, call.path, call.body)
		want := a.Do(stranger, unknown[i].method, unknown[i].path, unknown[i].body)
		if got.Status != 404 || got.Field("message") != want.Field("message") ||
			got.Field("error") != want.Field("error") || want.Status != 404 {
			t.Errorf(
				"%s %s: %d %s, an unknown id: %d %s", call.method, call.path, got.Status, got.Body, want.Status,
				want.Body,
			)
		}
	}
	for _, path := range []string{
		"/v1/signing/wallets", "/v1/signing/passkeys", "/v1/transactions/sign", "/v1/transactions/pending-signature",
	} {
		if got := a.Do(stranger, "GET", path, ""); got.Status != 200 ||
			strings.Contains(got.Body, alice.Sub.SubOrganizationID) || strings.Contains(got.Body, id) {
			t.Errorf("%s: %d %s", path, got.Status, got.Body)
		}
	}
}
