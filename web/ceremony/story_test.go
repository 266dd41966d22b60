package ceremony_test

import (
	"context"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"strings"
	"testing"

	"github.com/railkit/railkit/internal/test/apptest"
	"github.com/railkit/railkit/internal/test/webtest"
	"github.com/railkit/railkit/platform/auth"
	railkit "github.com/railkit/railkit/sdk/go"
	"github.com/railkit/railkit/web/ceremony"
)

// person is a browser that registered on the page of a real server, with a
// wallet and a funded address.
type person struct {
	*tab
	app     *apptest.App
	client  *railkit.Client
	sub     string
	address string
	code    string // the recovery code, as it was shown
}

// agree opens a link and agrees to what the page shows.
func (p *person) agree(link, button string) string {
	p.T.Helper()
	p.Go(link)
	p.Wait("ready")
	if got := p.button(); got != button {
		p.T.Errorf("the button says %q, not %q", got, button)
	}
	p.press()
	return p.Wait("done")
}

// register makes a passkey on the page, and gives the recovery code that it shows.
func (p *person) register(link string) (code string) {
	p.T.Helper()
	p.Go(link)
	p.Wait("ready")
	p.press()
	p.Wait("code")
	code = p.shownCode()
	p.press()
	p.Wait("done")
	return code
}

func newPerson(t *testing.T, a *apptest.App) *person {
	t.Helper()
	p := &person{tab: newTab(t), app: a, client: a.Client()}
	ctx := context.Background()
	ch, err := p.client.SubOrganizations.Challenge(ctx, "ada@example.com")
	must(t, err)
	p.code = p.register(ch.CeremonyURL)
	keys, err := p.client.Passkeys.List(ctx, "")
	must(t, err)
	if len(keys) != 1 || keys[0].Email != "ada@example.com" {
		t.Fatalf("%d passkeys are registered", len(keys))
	}
	p.sub = keys[0].SubOrganizationID
	p.client.SubOrganizations.TrustOwners(p.sub, railkit.Owners{
		Credentials:       []railkit.Credential{{ID: keys[0].CredentialID, PublicKey: keys[0].PublicKey}},
		RecoveryPublicKey: publicOf(t, p.code),
	})

	wallet, err := p.client.Wallets.Prepare(ctx, railkit.PrepareWalletRequest{WalletName: "Main"})
	must(t, err)
	webtest.Contains(t, p.agree(wallet.CeremonyURL, "Create wallet “Main”"), "The signer has made it", "Main")
	p.address = p.newAddress()
	for asset, amount := range map[string]string{"native": "1", "USDC": "100"} {
		_, err := p.client.Sandbox.Faucet(ctx, railkit.FaucetRequest{
			Chain: "base", Address: p.address, Asset: asset, Amount: amount,
		})
		must(t, err)
	}
	return p
}

// newAddress adds an address of base to the first wallet.
func (p *person) newAddress() string {
	p.T.Helper()
	ctx := context.Background()
	wallets, err := p.client.Wallets.List(ctx, railkit.WalletListOptions{})
	must(p.T, err)
	account, err := p.client.Addresses.Prepare(ctx, railkit.PrepareAccountRequest{
		WalletID: wallets.Items[0].WalletID, Chain: "base",
	})
	must(p.T, err)
	p.agree(account.CeremonyURL, "Add 1 address")
	return p.Eval("document.querySelector('.copyable code').textContent")
}

func (p *person) pay(amount string) *railkit.PreparedTransaction {
	p.T.Helper()
	owner := apptest.Owner{Address: &railkit.Address{Address: p.address}}
	prepared, err := p.client.Transactions.Prepare(context.Background(), owner.Payment(payee, amount))
	must(p.T, err)
	return prepared
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// The whole story on the page: register, wallet, address, transfer, confirmed on
// the chain. Two links may be open at once, and each works once.
func TestSigning_A10_PageStory(t *testing.T) {
	t.Parallel()
	p := newPerson(t, apptest.New(t))
	first, second := p.pay("25.50"), p.pay("1")
	webtest.Contains(t, p.agree(second.CeremonyURL, "Send 1 USDC"), "The signer has signed it")
	p.agree(first.CeremonyURL, "Send 25.50 USDC")
	hash := p.Eval("document.querySelector('.copyable code').textContent")
	apptest.Eventually(t, "it is confirmed", func() bool {
		tx, err := p.client.Transactions.Get(context.Background(), first.TransactionID)
		return err == nil && tx.Status == "confirmed" && tx.TxHash == hash
	})
	p.Go(first.CeremonyURL)
	webtest.Contains(t, p.Wait("over"), "This link is over")
}

// At the end of a link that names an address on the operator's dashboard, a button leads there, with what became of it.
func TestSigning_H09_PageReturnStory(t *testing.T) {
	t.Parallel()
	p := newPerson(t, apptest.New(t))
	served := make(chan *http.Request, 8)
	site := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) { served <- r }))
	t.Cleanup(site.Close)
	origin := strings.Replace(site.URL, "127.0.0.1", "localhost", 1)
	ada := p.app.Join("admin@example.com", auth.RoleAdmin)
	registered := ada.Do("POST", "/v1/integrators/"+p.app.Keys.WorkspaceID+"/return-origins", `{"origin":"`+origin+`"}`)
	if registered.Status != 201 {
		t.Fatal(registered.Body)
	}
	owner := apptest.Owner{Address: &railkit.Address{Address: p.address}}
	payment := owner.Payment(payee, "25.50")
	payment.ReturnTo = railkit.ReturnTo{ReturnURL: origin + "/paid?from=page", State: "invoice & <b>7</b>"}
	prepared, err := p.client.Transactions.Prepare(context.Background(), payment)
	must(t, err)
	webtest.Contains(t, p.agree(prepared.CeremonyURL, "Send 25.50 USDC"), "The signer has signed it")
	apptest.Eventually(t, "there is a way back", func() bool {
		return p.Eval("document.querySelector('#page > .actions button')?.textContent") == "Back to "+origin
	})
	p.press()
	got := <-served
	want := url.Values{
		"from": {"page"}, "id": {prepared.TransactionID}, "kind": {"transaction"}, "outcome": {"done"},
		"state": {"invoice & <b>7</b>"},
	}
	if got.URL.Path != "/paid" || got.URL.Query().Encode() != want.Encode() || got.Referer() != "" {
		t.Errorf("it came to %s from %q", got.URL, got.Referer())
	}
	if p.Eval("String(window.opener)") != "null" {
		t.Error("the website reaches the page's window")
	}
}

// The same files on another origin: a passkey of the RP id signs there, but the
// signer takes stamps of the sealed origin only, and the page says so.
func TestSigning_H09_PageOnAnotherOrigin(t *testing.T) {
	t.Parallel()
	a := apptest.New(t)
	p := newPerson(t, a)
	prepared := p.pay("25.50")
	target, err := url.Parse(a.Origin)
	must(t, err)
	other := httptest.NewServer(&httputil.ReverseProxy{Rewrite: func(r *httputil.ProxyRequest) {
		r.SetURL(target)
		if r.Out.Header.Get("Origin") != "" {
			r.Out.Header.Set("Origin", a.Origin) // the host is what lies
		}
	}})
	t.Cleanup(other.Close)
	elsewhere := strings.Replace(other.URL, "127.0.0.1", "localhost", 1)
	p.Go(strings.Replace(prepared.CeremonyURL, a.Origin, elsewhere, 1))
	p.Wait("ready")
	p.press()
	webtest.Contains(t, p.Wait("denied"), "The server refuses", "Passkey signature invalid")
	p.agree(prepared.CeremonyURL, "Send 25.50 USDC")
}

// A passkey of another website is not asked for, whatever the pin says.
func TestSigning_H09_PageOfAnotherRelyingParty(t *testing.T) {
	t.Parallel()
	h, b := newHost(t), newTab(t)
	pin := h.signer.pin()
	pin.RPID = "example.com"
	h.set(func() { h.page = ceremony.Static(pin) })
	stamp := h.asks("transaction", transferBody(payee), b.givePasskey())
	h.set(func() { stamp["rpId"] = "example.com" })
	b.Go(h.link())
	b.Wait("ready")
	b.press()
	webtest.Contains(t, b.Wait("unverified"), "SecurityError")
}
