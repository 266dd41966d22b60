//go:build !race

// The detector sees nothing of another program, and make test runs this without it.

package signing_test

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"encoding/hex"
	"maps"
	"testing"
	"time"

	"github.com/railkit/railkit/enclave/wire"
	"github.com/railkit/railkit/internal/test/apptest"
	"github.com/railkit/railkit/internal/test/npmtest"
	railkit "github.com/railkit/railkit/sdk/go"
	"github.com/railkit/railkit/sdk/go/passkey"
)

// field is an application whose callers stamp with the field's packages.
type field struct {
	*apptest.App
	t        *testing.T
	c        *railkit.Client
	packages npmtest.Packages
	passkey  *passkey.Authenticator
}

// byPasskey is what was prepared, with the stamp as the passkey stamper hands it over.
func (f field) byPasskey(p railkit.Prepared) railkit.SignedActivity {
	f.t.Helper()
	made, err := f.packages.PasskeyStamp(
		"localhost", npmtest.Browser(f.passkey, p.UnsignedActivity.Body), p.UnsignedActivity.Body,
	)
	if err != nil || made.HeaderName != "X-Stamp-Webauthn" {
		f.t.Fatalf("%s, %v", made.HeaderName, err)
	}
	return p.Signed(railkit.Stamp(made))
}

// byKey is the same of the API-key stamper.
func (f field) byKey(key npmtest.APIKey, p railkit.Prepared) railkit.SignedActivity {
	f.t.Helper()
	made, err := f.packages.KeyStamp(key, p.UnsignedActivity.Body)
	if err != nil || made.HeaderName != "X-Stamp" {
		f.t.Fatalf("%s, %v", made.HeaderName, err)
	}
	return p.Signed(railkit.Stamp(made))
}

func (f field) prepare(path string, body map[string]any) (p railkit.Prepared) {
	f.t.Helper()
	got := f.Do(f.Keys.BenchKey, "POST", path+"?prepare=true", apptest.JSON(f.t, body))
	if err := got.Into(&p); err != nil || got.Status != 200 {
		f.t.Fatalf("preparing %s: %d %s\n%s", path, got.Status, got.Body, f.Log)
	}
	return p
}

// post makes a call with its stamped body.
func (f field) post(path string, body map[string]any, signed railkit.SignedActivity) apptest.Answer {
	f.t.Helper()
	stamped := maps.Clone(body)
	stamped["signedActivity"] = signed
	return f.Do(f.Keys.BenchKey, "POST", path, apptest.JSON(f.t, stamped))
}

func (f field) newKey() npmtest.APIKey {
	f.t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		f.t.Fatal(err)
	}
	secret, err := key.Bytes()
	if err != nil {
		f.t.Fatal(err)
	}
	return npmtest.APIKey{PublicKey: wire.CompressP256(&key.PublicKey), PrivateKey: hex.EncodeToString(secret)}
}

// wallet makes a wallet with money, and everything of it by the passkey stamper.
func (f field) wallet(o *apptest.Owner) {
	f.t.Helper()
	c := f.c
	w, err := c.Wallets.Prepare(
		ctx, railkit.PrepareWalletRequest{WalletName: "Main", SubOrganizationID: o.Sub.SubOrganizationID},
	)
	if err != nil {
		f.t.Fatal(err)
	}
	o.Wallet, err = c.Wallets.Confirm(
		ctx, railkit.ConfirmWalletRequest{WalletRequestID: w.WalletRequestID, SignedActivity: f.byPasskey(w.Prepared)},
	)
	if err != nil {
		f.t.Fatalf("a wallet: %v\n%s", err, f.Log)
	}
	p, err := c.Addresses.Prepare(ctx, railkit.PrepareAccountRequest{WalletID: o.Wallet.WalletID, Chain: "base"})
	if err != nil {
		f.t.Fatal(err)
	}
	o.Address, err = c.Addresses.Confirm(ctx, railkit.ConfirmAccountRequest{
		WalletAccountRequestID: p.WalletAccountRequestID, SignedActivity: f.byPasskey(p.Prepared),
	})
	if err != nil {
		f.t.Fatalf("an address: %v\n%s", err, f.Log)
	}
	for asset, amount := range map[string]string{"native": "1", "USDC": "1000"} {
		if _, err := c.Sandbox.Faucet(
			ctx, railkit.FaucetRequest{Chain: "base", Address: o.Address.Address, Asset: asset, Amount: amount},
		); err != nil {
			f.t.Fatal(err)
		}
	}
}

// signedBy reads a signed transaction with ethers.
func (f field) signedBy(raw, hash, from, to string) {
	f.t.Helper()
	read, err := f.packages.Recover(raw)
	if err != nil || read.From != from || read.Hash != hash || read.To != to || read.Serialized != raw {
		f.t.Errorf("ethers reads %+v, %v", read, err)
	}
}

// What the field's stampers make, as they come from npm, the server takes as it is.
func TestCompatibility_StampersOverHTTP(t *testing.T) {
	t.Parallel()
	f := field{App: apptest.Shared(t), t: t, packages: npmtest.Install(t)}
	c := f.Client()
	f.c = c
	alice := f.Register(c, "alice@example.com")
	f.passkey = alice.Passkey.Authenticator
	f.wallet(&alice)

	p, err := c.Transactions.Prepare(ctx, alice.Payment(receiver, "1"))
	if err != nil {
		t.Fatal(err)
	}
	sent, err := c.Transactions.Confirm(
		ctx, railkit.ConfirmTransactionRequest{TransactionID: p.TransactionID, SignedActivity: f.byPasskey(p.Prepared)},
	)
	if err != nil || sent.Status != "broadcast" {
		t.Fatalf("a transfer: %+v, %v\n%s", sent, err, f.Log)
	}
	f.signedBy(sent.SignedTransaction, sent.TxHash, alice.Address.Address, apptest.USDC().Address)
	confirmed(t, f.App, c, sent.TransactionID)

	key := f.newKey()
	policy := map[string]any{"name": "Bot", "walletId": alice.Wallet.WalletID,
		"rules": map[string]any{"delegation": map[string]any{
			"publicKey": key.PublicKey, "expiresAt": time.Now().Add(time.Hour).UTC().Format(time.RFC3339),
			"maxValueUsd": 5, "dailyUsd": 20,
			"allowedDestinations": []string{receiver},
		}}}
	if got := f.post(policiesPath, policy, f.byPasskey(f.prepare(policiesPath, policy))); got.Status != 201 {
		t.Fatalf("a delegation: %d %s\n%s", got.Status, got.Body, f.Log)
	}
	const path = "/v1/transactions/sign"
	body := toSign(t, alice, 1)
	ready := f.prepare(path, body)
	wantError(t, f.post(path, body, f.byKey(f.newKey(), ready)), 422, "passkey_signature_invalid")
	other := f.byKey(key, f.prepare(path, body))
	other.Body = ready.UnsignedActivity.Body
	wantError(t, f.post(path, body, other), 422, "passkey_signature_invalid")
	var made railkit.Transaction
	got := f.post(path, body, f.byKey(key, ready))
	if err := got.Into(&made); err != nil ||
		got.Status != 200 || made.SignedTransaction == "" || made.ApprovalID != "" {
		t.Fatalf("by the delegation's key: %d %s\n%s", got.Status, got.Body, f.Log)
	}
	f.signedBy(made.SignedTransaction, made.TxHash, alice.Address.Address, receiver)
}
