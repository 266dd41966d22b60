package ceremony_test

import (
	"encoding/base64"
	"encoding/json"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"

	"github.com/railkit/railkit/chain"
	"github.com/railkit/railkit/enclave/wire"
	"github.com/railkit/railkit/internal/test/webtest"
)

func TestSigning_A10_PageRegisters(t *testing.T) {
	t.Parallel()
	h, b := newHost(t), newTab(t)
	h.registers("ada@example.com")
	b.Go(h.link())
	webtest.Contains(t, b.Wait("ready"), "Create your passkey", "ada@example.com", "localhost", "sandbox")
	b.press()
	webtest.Contains(t, b.Wait("code"), "Save your recovery code", "shown this once")
	b.press()
	webtest.Contains(t, b.Wait("done"), "Your passkey is ready", organization, "ada@example.com", "recovery key")
}

// What is shown is what the signer said, and what the passkey signs is the hash
// of the body. The link is gone from the address bar, and works once.
func TestSigning_A10_PageShowsAndStamps(t *testing.T) {
	t.Parallel()
	h, b := newHost(t), newTab(t)
	body := transferBody(payee)
	h.asks("transaction", body, b.givePasskey())
	b.Go(h.link())
	text := strings.ReplaceAll(b.Wait("ready"), "\n", " ")
	webtest.Contains(t, text, "25.50 USDC", "25500000 in the smallest unit (6 decimals)",
		"Base Sepolia (base), chain id 84532", "0.000042 ETH", "42000000000000 wei")
	webtest.Contains(t, b.Eval("document.querySelector('main').textContent"), payer, payee, usdc)
	if got := b.button(); got != "Send 25.50 USDC" {
		t.Errorf("the button says %q", got)
	}
	if got := b.Eval("location.href + history.length"); strings.Contains(got, "token") {
		t.Errorf("the token is still in the address bar: %s", got)
	}
	b.press()
	webtest.Contains(t, strings.ReplaceAll(b.Wait("done"), "\n", ""), "Done: Send 25.50 USDC",
		"0x"+strings.Repeat("5d", 32), "on its way to the chain")
	checkStamp(t, h, body)

	b.Go(h.link())
	webtest.Contains(t, b.Wait("over"), "This link is over")
}

func checkStamp(t *testing.T, h *host, body string) {
	t.Helper()
	stamps := h.stamps()
	if len(stamps) != 1 {
		t.Fatalf("%d stamps came", len(stamps))
	}
	var value struct{ AuthenticatorData, ClientDataJSON, CredentialID, Signature string }
	stamp := stamps[0].Stamp
	if err := json.Unmarshal([]byte(stamp.HeaderValue), &value); err != nil || stamp.HeaderName != "X-Stamp-WebAuthn" {
		t.Fatalf("%s: %v", stamp.HeaderName, err)
	}
	raw, err := base64.RawURLEncoding.DecodeString(value.ClientDataJSON)
	if err != nil {
		t.Fatal(err)
	}
	var data struct{ Type, Challenge, Origin string }
	if err := json.Unmarshal(raw, &data); err != nil {
		t.Fatal(err)
	}
	if want := base64.RawURLEncoding.EncodeToString([]byte(wire.Digest(body))); data.Challenge != want ||
		data.Type != "webauthn.get" || data.Origin != h.origin() {
		t.Errorf("the passkey signed %+v", data)
	}
	auth, err := base64.RawURLEncoding.DecodeString(value.AuthenticatorData)
	if err != nil || auth[32]&4 == 0 {
		t.Error("the user was not verified")
	}
}

func TestSigning_A10_PageEscapes(t *testing.T) {
	t.Parallel()
	h, b := newHost(t), newTab(t)
	h.asks("wallet", walletBody("Sav\u202eings\u200b <b>x</b>"), b.givePasskey())
	b.Go(h.link())
	b.Wait("ready")
	want := `Create wallet “Sav\u{202E}ings\u{200B} <b>x</b>”`
	if got := b.button(); got != want {
		t.Errorf("the button says %q", got)
	}
	if got := b.Eval(
		"document.body.innerHTML.includes('\u202e') || document.title.includes('\u202e')",
	); got != "false" {
		t.Error("an unescaped character is on the page")
	}
}

func TestSigning_A10_PageWarns(t *testing.T) {
	t.Parallel()
	h, b := newHost(t), newTab(t)
	body := transferBody(payee)
	stamp := h.asks("transaction", body, b.givePasskey())
	p := shown(body)
	p.Effects[0].Symbol, p.Effects[0].Decimals, p.Effects[0].Display = "", 0, ""
	p.Warnings = []string{"unlisted token: its contract may do anything with the call"}
	stamp["preview"] = h.signer.previewAs(body, p)
	b.Go(h.link())
	webtest.Contains(t, b.Wait("ready"), "Read this first", "Unlisted token: its contract may do anything",
		"25,500,000 units of an unlisted token", "not listed")

	p = shown(body)
	p.MaxTotalFee, p.FeeDisplay = "42000000000000000000", "42 ETH"
	h.set(func() {
		stamp["body"] = strings.Replace(body, `"maxTotalFee":"42000000000000"`,
			`"maxTotalFee":"42000000000000000000"`, 1)
	})
	stamp["preview"] = h.signer.previewAs(stamp["body"].(string), p)
	b.Go(h.link())
	webtest.Contains(t, b.Wait("ready"), "Read this first",
		"The fee may be up to 42 ETH, far more than networks ask for")

	p = shown(body)
	p.DataFee, p.DataDisplay = "42000000000000000000", "42 ETH"
	h.set(func() { stamp["body"] = body })
	stamp["preview"] = h.signer.previewAs(body, p)
	b.Go(h.link())
	webtest.Contains(t, b.Wait("ready"),
		"The fee may be up to 0.000042 ETH, and the data fee up to 42 ETH, far more than networks ask for",
		"Data fee, at most", "42000000000000000000 wei, beside the fee, for the bytes of the transaction")
}

// A swap is what leaves and the least that comes back, by which way and until when; one that may wait long is warned
// of.
func TestWidget_PageShowsASwap(t *testing.T) {
	t.Parallel()
	h, b := newHost(t), newTab(t)
	body := transferBody(payee)
	stamp := h.asks("transaction", body, b.givePasskey())
	p := shown(body)
	swap := func(ahead time.Duration) {
		p.Effects[1].Ends = time.Now().Add(ahead).Unix()
		h.set(func() { stamp["preview"] = h.signer.previewAs(body, p) })
		b.Go(h.link())
	}
	p.Effects = append(p.Effects, chain.Effect{
		Kind: chain.Receive, Asset: "0x4200000000000000000000000000000000000006", Symbol: "WETH", Decimals: 18,
		From: payee, To: payer,
		Amount: "8400000000000000", Display: "0.0084 WETH", Contract: payee, Via: "USDT",
	})
	p.Slippage = &wire.Slippage{Percent: "1.18"}
	swap(20 * time.Minute)
	text := strings.ReplaceAll(b.Wait("ready"), "\n", " ")
	webtest.Contains(t, text, "Send 25.50 USDC", "Receive at least 0.0084 WETH", "Traded through", "USDT", "Not after",
		"May lose 1.18 % of what is sold")
	if strings.Contains(text, "may wait") || strings.Contains(text, "via") || strings.Contains(text, "I agree") {
		t.Errorf("of an ordinary swap: %s", text)
	}
	swap(3 * time.Hour)
	webtest.Contains(t, b.Wait("ready"), "Read this first", "may wait for more than an hour")

	p.Slippage.Percent = "49"
	swap(20 * time.Minute)
	webtest.Contains(t, b.Wait("ready"), "Read this first", "it may bring back 49 % less than it sells",
		"I agree that this swap may lose 49 % of what it sells")
	b.press()
	webtest.Contains(t, b.Wait("ready"), "Nothing was signed", "tick the box")
	if got := h.stamps(); len(got) > 0 {
		t.Fatalf("the passkey signed without the reader's word: %+v", got)
	}
	b.Eval("document.querySelector('input[type=checkbox]').click()")
	b.press()
	webtest.Contains(t, b.Wait("done"), "Done: Send 25.50 USDC")
}

// A device's own clock does not end what the signer would still take.
func TestSigning_A10_PageKeepsTheServersTime(t *testing.T) {
	t.Parallel()
	h, b := newHost(t), newTab(t)
	h.asks("transaction", transferBody(payee), b.givePasskey())
	honest := h.page
	h.page = http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		honest.ServeHTTP(w, r)
		if r.URL.Path == "/main.js" {
			// The device's clock is a day ahead.
			_, _ = w.Write([]byte("\nconst ahead = Date.now; Date.now = () => ahead() + 86400000;\n"))
		}
	})
	b.Go(h.link())
	b.Wait("ready")
	b.press()
	b.Wait("done")
}

// What the page has no words for it shows as it is, in red: nothing is hidden.
func TestSigning_A10_PageHidesNothing(t *testing.T) {
	t.Parallel()
	h, b := newHost(t), newTab(t)
	body := transferBody(payee)
	stamp := h.asks("transaction", body, b.givePasskey())
	p := shown(body)
	p.Effects[0].Kind = "swap"
	payload := h.signer.previewAs(body, p).Payload
	stamp["preview"] = h.signer.signText(t, strings.Replace(payload, `"preview":{`,
		`"preview":{"more":["0xfeed"],"replaces":"sha256:abcdef","nonce":"12",`, 1))
	b.Go(h.link())
	webtest.Contains(t, b.Wait("ready"), "Replace: sign an unknown act", "kind", "swap", "more",
		"0xfeed", "Replaces\nabcd\nef")
	if got := b.Eval("document.querySelector('.actions button').className"); got != "danger" {
		t.Errorf("the button is %q", got)
	}
}

// On the smallest phone, without a mouse, and for who listens to the page.
func TestSigning_A10_PageForEverybody(t *testing.T) {
	t.Parallel()
	h, b := newHost(t), newTab(t)
	h.asks("transaction", transferBody(payee), b.givePasskey())
	b.Do(chromedp.EmulateViewport(360, 640))
	b.Go(h.link())
	b.Wait("ready")
	for what, expression := range map[string]string{
		"nothing scrolls sideways":    "document.documentElement.scrollWidth <= innerWidth",
		"the heading has the focus":   "document.activeElement.tagName === 'H1'",
		"the foot is read out":        "document.getElementById('status').getAttribute('aria-live') === 'polite'",
		"the foot says what was done": "document.getElementById('status').textContent.startsWith('Verified')",
		"an address is copied whole":  "document.querySelector('code.grouped').textContent.length === 42",
	} {
		if b.Eval(expression) != "true" {
			t.Errorf("not so: %s", what)
		}
	}
	b.Do(chromedp.KeyEvent(kb.Tab), chromedp.KeyEvent(kb.Enter))
	b.Wait("done")
}

func TestSigning_A10_PageLetsTheUserRefuse(t *testing.T) {
	t.Parallel()
	h, b := newHost(t), newTab(t)
	h.asks("transaction", transferBody(payee), b.givePasskey())
	b.Go(h.link())
	b.Wait("ready")
	b.userVerifies(false)
	b.press()
	webtest.Contains(t, b.Wait("refused"), "nothing was signed", "Send 25.50 USDC")
	b.userVerifies(true)
	b.press()
	b.Wait("done")
	if n := len(h.stamps()); n != 1 {
		t.Errorf("%d stamps came", n)
	}
}

// Who registers a second time loses nothing: a passkey of the same user handle
// would take the place of the first, which may be all that signs for a wallet.
func TestSigning_A10_PageNeverReplacesAPasskey(t *testing.T) {
	t.Parallel()
	h, b := newHost(t), newTab(t)
	h.registers("ada@example.com")
	options := h.opening["register"].(object)["options"].(object)
	options["user"].(object)["displayName"] = "Somebody else"
	options["rp"].(object)["name"] = "Somebody else"
	opening := h.opening
	b.Go(h.link())
	b.Wait("ready")
	b.press()
	b.Wait("code")
	b.press()
	b.Wait("done")
	first := b.passkeys()[0]
	h.set(func() {
		h.opening = opening
		h.finish = func(request) (int, any) { return 409, "email_registered" }
	})
	b.Go(h.link())
	b.Wait("ready")
	b.press()
	webtest.Contains(t, b.Wait("denied"), "The server refuses")
	kept := 0
	for _, k := range b.passkeys() {
		if string(k.CredentialID) == string(first.CredentialID) {
			kept++
		}
		if k.UserName != "ada@example.com" || k.UserDisplayName != "ada@example.com" || !k.IsResidentCredential {
			t.Errorf("a passkey of %q, %q, resident %v", k.UserName, k.UserDisplayName, k.IsResidentCredential)
		}
	}
	if kept != 1 {
		t.Error("the first passkey is gone from the device")
	}
}
