package signing_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/railkit/railkit/enclave/wire"
	"github.com/railkit/railkit/internal/test/apptest"
	"github.com/railkit/railkit/kit/signing/ceremony"
	"github.com/railkit/railkit/kit/signing/link"
	"github.com/railkit/railkit/kit/signing/passkey"
	"github.com/railkit/railkit/kit/signing/transaction"
	"github.com/railkit/railkit/kit/signing/wallet"
	"github.com/railkit/railkit/rest"
	railkit "github.com/railkit/railkit/sdk/go"
	authenticator "github.com/railkit/railkit/sdk/go/passkey"
)

// token is the secret of a link, and makes sure that the link leads to the page.
func token(t *testing.T, a *apptest.App, link string) string {
	t.Helper()
	secret, ok := strings.CutPrefix(link, a.Origin+"/#")
	if !ok || len(secret) != 43 {
		t.Fatalf("ceremonyUrl is of another form")
	}
	return secret
}

// opened is what the page gets to see.
func opened(t *testing.T, a *apptest.App, secret string, kind link.Kind) ceremony.CeremonyView {
	t.Helper()
	var v ceremony.CeremonyView
	got := a.CallPage("/open", map[string]any{"token": secret, "seqs": []string{"1"}})
	if err := got.Into(&v); err != nil ||
		got.Status != 200 || v.Kind != kind || v.Environment != "sandbox" || v.ExpiresAt == "" || v.Journal == nil {
		t.Fatalf("open: %d %s, %v", got.Status, got.Body, err)
	}
	ofOneJournal(t, a, v)
	return v
}

// ofOneJournal checks that the signer names, beside the entry that the page
// remembers, those of the proofs that come with it.
func ofOneJournal(t *testing.T, a *apptest.App, v ceremony.CeremonyView) {
	t.Helper()
	want := []string{"1"}
	if v.Stamp != nil {
		st, err := v.Stamp.Preview.Open(a.EnclaveKey)
		if err != nil {
			t.Fatal(err)
		}
		want = append(want, st.Seq)
		if v.Stamp.State != nil {
			st, err = v.Stamp.State.Open(a.EnclaveKey)
			if err != nil {
				t.Fatal(err)
			}
			want = append(want, st.Seq)
		}
	}
	st, err := v.Journal.Open(a.EnclaveKey)
	var got []string
	for _, h := range st.Heads {
		got = append(got, h.Seq)
	}
	if err != nil || st.Kind != wire.KindJournal || !slices.Equal(got, want) {
		t.Errorf("the journal at %v, want %v: %v", got, want, err)
	}
}

// stampOn does what the page does with a body: it is hashed, checked against the
// preview and stamped by one of the passkeys that may.
func stampOn(t *testing.T, v ceremony.CeremonyView, pk authenticator.Browser) wire.Stamp {
	t.Helper()
	if v.Register != nil || v.Stamp == nil || v.Stamp.RPID != "localhost" || v.Stamp.Preview.Signature == "" {
		t.Fatalf("nothing to stamp: %+v", v)
	}
	var allow []string
	for _, c := range v.Stamp.AllowCredentials {
		allow = append(allow, c.ID)
	}
	if len(allow) == 0 {
		t.Fatal("no passkey is allowed")
	}
	stamp, err := pk.Stamp(v.Stamp.Body, allow...)
	if err != nil {
		t.Fatal(err)
	}
	return wire.Stamp(stamp)
}

type finishing struct {
	Token       string               `json:"token"`
	Stamp       *wire.Stamp          `json:"stamp,omitempty"`
	Attestation *railkit.Attestation `json:"attestation,omitempty"`
	Label       string               `json:"label,omitempty"`
}

// finished hands in the stamp and reads what came of it.
func finished(t *testing.T, a *apptest.App, f finishing, status int, into any) apptest.Answer {
	t.Helper()
	got := a.CallPage("/finish", f)
	if got.Status != status {
		t.Fatalf("finish: %d %s", got.Status, got.Body)
	}
	if err := got.Into(into); err != nil {
		t.Fatal(err)
	}
	return got
}

// stamped opens a link and finishes it with a stamp of the passkey.
func stamped(
	t *testing.T, a *apptest.App, link string, kind link.Kind, pk authenticator.Browser, status int, into any,
) {
	t.Helper()
	secret := token(t, a, link)
	stamp := stampOn(t, opened(t, a, secret, kind), pk)
	first := finished(t, a, finishing{Token: secret, Stamp: &stamp}, status, into)
	again := a.CallPage("/finish", finishing{Token: secret, Stamp: &stamp})
	if again.Status != status {
		t.Errorf("the same stamp again: %d %s\nfirst: %s", again.Status, again.Body, first.Body)
	}
	wantError(t, a.CallPage("/open", map[string]string{"token": secret}), 410, "ceremony_over")
	another := stampOn(t,
		ceremony.CeremonyView{Stamp: &ceremony.CeremonyStamp{Body: "{}", RPID: "localhost", Preview: wire.Proof{
			Signature: "s",
		},
			AllowCredentials: []rest.AllowCredential{{ID: pk.Credentials()[0].ID}}}}, pk)
	wantError(t, a.CallPage("/finish", finishing{Token: secret, Stamp: &another}), 410, "ceremony_over")
}

// registered makes a sub-organization through the page.
func registered(
	t *testing.T, a *apptest.App, c *railkit.Client, email string,
) (authenticator.Browser, passkey.Registered) {
	t.Helper()
	ch, err := c.SubOrganizations.Challenge(ctx, email)
	if err != nil {
		t.Fatal(err)
	}
	secret := token(t, a, ch.CeremonyURL)
	v := opened(t, a, secret, link.Register)
	if v.Stamp != nil ||
		v.Register == nil || v.Register.Email != email || v.Register.Options.Challenge != ch.EncodedChallenge {
		t.Fatalf("to register: %+v", v)
	}
	pk := authenticator.Browser{Authenticator: authenticator.New(a.Origin)}
	att, err := pk.Create([]byte(apptest.JSON(t, v.Register.Options)))
	if err != nil {
		t.Fatal(err)
	}
	var made, again passkey.Registered
	given := finishing{Token: secret, Attestation: &att, Label: "Phone"}
	finished(t, a, given, 201, &made)
	if finished(t, a, given, 201, &again); made.PasskeyID != again.PasskeyID || made.Proof != again.Proof {
		t.Errorf("the same attestation again: %+v, first %+v", again, made)
	}
	wantError(t, a.CallPage("/open", map[string]string{"token": secret}), 410, "ceremony_over")
	c.SubOrganizations.TrustOwners(made.SubOrganizationID, railkit.Owners{Credentials: []railkit.Credential{{
		ID: pk.Credentials()[0].ID, PublicKey: pk.Credentials()[0].PublicKey,
	}}})
	return pk, made
}

func TestSigning_CeremonyStory(t *testing.T) {
	t.Parallel()
	ceremonyStory(t, apptest.Rig(t))
}

func TestSigning_CeremonyStoryOnPostgres(t *testing.T) {
	t.Parallel()
	ceremonyStory(t, apptest.Rig(t, apptest.WithPostgres(t)))
}

// Everything that a passkey does, done on the page.
func ceremonyStory(t *testing.T, a *apptest.App) {
	t.Helper()
	c := a.Client()
	pk, sub := registered(t, a, c, "alice@example.com")
	if keys, err := c.Passkeys.List(ctx, sub.SubOrganizationID); err != nil ||
		len(keys) != 1 || keys[0].Label != "Phone" {
		t.Errorf("passkeys = %+v, %v", keys, err)
	}

	prepared, err := c.Wallets.Prepare(ctx, railkit.PrepareWalletRequest{WalletName: "Main"})
	if err != nil {
		t.Fatal(err)
	}
	var made wallet.WalletCreated
	stamped(t, a, prepared.CeremonyURL, link.Wallet, pk, 201, &made)
	account, err := c.Addresses.Prepare(ctx, railkit.PrepareAccountRequest{WalletID: made.WalletID, Chain: "base"})
	if err != nil {
		t.Fatal(err)
	}
	var address wallet.AddressView
	stamped(t, a, account.CeremonyURL, link.Accounts, pk, 201, &address)

	for asset, amount := range map[string]string{"native": "1", "USDC": "10"} {
		if _, err := c.Sandbox.Faucet(
			ctx, railkit.FaucetRequest{Chain: "base", Address: address.Address, Asset: asset, Amount: amount},
		); err != nil {
			t.Fatal(err)
		}
	}
	owner := apptest.Owner{Address: &railkit.Address{Address: address.Address}}
	pay, err := c.Transactions.Prepare(ctx, owner.Payment(receiver, "2.5"))
	if err != nil {
		t.Fatal(err)
	}
	var sent transaction.TransactionView
	stamped(t, a, pay.CeremonyURL, link.Transaction, pk, 200, &sent)
	if sent.TransactionID != pay.TransactionID || sent.TxHash == "" || sent.Amount != "2.5" {
		t.Errorf("sent = %+v", sent)
	}
	confirmed(t, a, c, sent.TransactionID)
	if n := count(t, a, "audit WHERE actor = 'ceremony' AND action IN ('sub_organization.create', 'wallet.create', 'address.create', 'transaction.sign')"); n < 4 {
		t.Errorf("%d audit rows name the ceremony", n)
	}
}

// Without a page no answer links to one, and nothing is kept for it.
func TestSigning_CeremonyWithoutPage(t *testing.T) {
	t.Parallel()
	a := apptest.Rig(t, func(c *apptest.Config) { c.CeremonyOrigin = "" })
	c := a.Client()
	ch, err := c.SubOrganizations.Challenge(ctx, "bob@example.com")
	if err != nil || ch.CeremonyURL != "" {
		t.Errorf("challenge: %v, a link: %v", err, ch.CeremonyURL != "")
	}
	alice := a.Register(c, "alice@example.com")
	p, err := c.Wallets.Prepare(
		ctx, railkit.PrepareWalletRequest{WalletName: "Main", SubOrganizationID: alice.Sub.SubOrganizationID},
	)
	if err != nil || p.CeremonyURL != "" || count(t, a, "ceremonies") != 0 {
		t.Errorf("wallet: %v, a link: %v", err, p.CeremonyURL != "")
	}
}
