package widget_test

import (
	"math/big"
	"slices"
	"strings"
	"testing"

	"github.com/ethereum/go-ethereum/core/types"
	"github.com/ethereum/go-ethereum/crypto"

	"github.com/railkit/railkit/internal/test/apptest"
	"github.com/railkit/railkit/internal/test/webtest"
)

// What a widget refuses: it says why, offers no button, asks no wallet, and nothing of it ran.
func TestWidget_RefusesHostileMetadata(t *testing.T) {
	w := newWorld(t)
	good := w.metadata(invoice)
	w.lists(good) // so that the site is in the directory
	v := w.visit("/site/good.json")
	fake := strings.ToLower("0x5FbDB2315678afecb367f032d93F642f64180aa3")
	swap := func(old, now string) string {
		if !strings.Contains(good, old) {
			t.Fatalf("%q is not there", old)
		}
		return strings.Replace(good, old, now, 1)
	}
	for name, c := range map[string]struct{ metadata, want string }{
		"a script for an address": {swap(`"icon":"http`, `"icon":"javascript:alert(1)//`), "icon must"},
		"a page for an image":     {swap(w.site.URL+"/widget/tip.svg", "data:image/svg+xml,<svg/>"), "icon must"},
		"text that turns around":  {swap(`"title":"Shop"`, `"title":"Shop \u202e001 yaP"`), "title must"},
		"a huge text":             {swap("A shop", strings.Repeat("x", 1001)), "at most 1000 characters"},
		"more than a widget":      {strings.Repeat(" ", 65<<10) + good, "is too long"},
		"a handler":               {swap(`"label"`, `"onclick":"alert(1)","label"`), "JSON of the known members"},
		"no JSON":                 {"<html>", "JSON of the known members"},
		"a mistyped address":      {swap("17dc79C8", "17dc79c8"), "actions[0].to must be an address"},
		"a token that is none": {strings.Replace(swap(usdc, fake), "Pay the invoice", "Pay 5 USD\u0421", 1),
			"is not USDC on Base Sepolia"},
		"a token of no name": {swap(usdc, fake), ""},
		"HTML in a text":     {swap("A shop", "<img src=x onerror=alert(1)><script>alert(1)</script>"), ""},
	} {
		w.put("/site/good.json", c.metadata)
		v.open("/site/good.json")
		if c.want == "" {
			webtest.Contains(t, v.until("ready"), "Pay the invoice")
		} else {
			webtest.Contains(t, v.until("refused"), "This widget is refused", c.want)
			if got := v.Eval(find("button, a, form, img")); got != "null" {
				t.Errorf("%s: there is %s", name, got)
			}
		}
		if strings.HasPrefix(name, "HTML") {
			webtest.Contains(t, v.shown(), "<img src=x onerror=alert(1)><script>alert(1)</script>")
			if v.Eval(find("script, img[src=x]")) != "null" {
				t.Error("a text became HTML")
			}
		}
		v.clean()
	}
	if len(w.asked) != 0 {
		t.Errorf("the wallet was asked %v", w.asked)
	}
}

// A token that is on no list is asked for its name: one that calls itself as a listed one is refused before it is
// shown, another is paid with a warning.
func TestWidget_AsksAnUnlistedTokenItsName(t *testing.T) {
	w := newWorld(t)
	w.lists(w.metadata(invoice))
	v := w.visit("/site/good.json")
	for symbol, want := range map[string]string{
		"USDC": "The token calls itself USDC", "USD\u0421": "The token calls itself USDC", "SHOP": "",
	} {
		w.put("/site/good.json", strings.Replace(w.metadata(invoice), usdc, w.deploy(symbol), 1))
		v.open("/site/good.json")
		v.until("ready")
		v.click("Pay the invoice")
		if want == "" {
			webtest.Contains(t, v.until("review"), "Send 25.50 SHOP", "SHOP is on no list",
				"not listed on Base Sepolia")
			v.Picture("9-unlisted-token")
			continue
		}
		apptest.Eventually(t, symbol+" is refused", func() bool { return strings.Contains(v.shown(), want) })
		if v.Eval("document.getElementById('w').dataset.state") != "ready" || len(w.sent) != 0 {
			t.Errorf("%s: %s", symbol, v.shown())
		}
	}
	v.clean()
}

// deploy makes a contract that answers every call with a symbol, which read as a number is 32 decimals.
func (w *world) deploy(symbol string) string {
	w.t.Helper()
	push := func(b []byte) []byte { return append([]byte{byte(0x5f + len(b))}, b...) }
	store := func(at byte) []byte { return []byte{0x60, at, 0x52} }
	code := slices.Concat(push([]byte{0x20}), store(0), push([]byte{byte(len(symbol))}), store(0x20),
		push([]byte(symbol)), []byte{0x60, byte(256 - 8*len(symbol)), 0x1b}, store(0x40),
		[]byte{0x60, 0x60, 0x5f, 0xf3})
	init := append([]byte{0x60, byte(len(code)), 0x80, 0x60, 9, 0x5f, 0x39, 0x5f, 0xf3}, code...)
	nonce, err := w.node.PendingNonceAt(w.t.Context(), w.account)
	w.must(err)
	tx, err := types.SignNewTx(w.key, types.LatestSignerForChainID(big.NewInt(84532)), &types.DynamicFeeTx{
		ChainID: big.NewInt(84532), Nonce: nonce, GasTipCap: big.NewInt(1e9), GasFeeCap: big.NewInt(20e9), Gas: 500_000,
		Data: init,
	})
	w.must(err)
	w.must(w.node.SendTransaction(w.t.Context(), tx))
	at := crypto.CreateAddress(w.account, nonce)
	apptest.Eventually(w.t, "the contract is there", func() bool {
		code, err := w.node.CodeAt(w.t.Context(), at, nil)
		return err == nil && len(code) > 0
	})
	return at.Hex()
}

// Where the operator has switched a host off, nothing of it is shown; a host that nobody knows gets no button, unless
// the page vouches for it.
func TestWidget_AsksTheDirectory(t *testing.T) {
	w := newWorld(t)
	w.put("/site/good.json", w.metadata(invoice))
	v := w.visit("/site/good.json")
	webtest.Contains(t, v.until("unlisted"), "Not in the directory", strings.TrimPrefix(w.site.URL, "http://"))
	if got := v.Eval(find("button, form")); got != "null" {
		t.Errorf("there is %s", got)
	}
	v.open("/site/good.json", "allow-unlisted")
	webtest.Contains(t, v.until("ready"), "not in the directory", "Pay the invoice")
	id, list, order := w.lists(w.metadata(invoice))
	v.open("/site/good.json")
	webtest.Contains(t, v.until("ready"), "in the directory")
	if _, err := list.Switch(t.Context(), order, id, false, "a complaint"); err != nil {
		t.Fatal(err)
	}
	v.open("/site/good.json", "allow-unlisted")
	webtest.Contains(t, v.until("refused"), "The directory warns of "+strings.TrimPrefix(w.site.URL, "http://"))
	v.Picture("8-denied")
	v.open("/v1/action/" + id + "/metadata")
	webtest.Contains(t, v.until("unreachable"), "answers with 404", "Try again")
	v.clean()
}

// A page that holds a key, or that names what is no https address, shows a widget that refuses and asks nobody.
func TestWidget_RefusesAttributes(t *testing.T) {
	w := newWorld(t)
	w.put("/site/good.json", w.metadata(invoice))
	v := w.visit("/site/good.json", `api-key="x"`)
	v.until("refused")
	const key, noURL = "This page holds a key", "of this widget is not an https address"
	for attribute, want := range map[string]string{
		`backend="/pay?api_key=abc"`:            key,
		`data-note="` + w.Keys.APIKey + `"`:     key,
		`authorization="x"`:                     key,
		`backend="https://u:p@pay.example"`:     key,
		`backend="javascript:alert(1)"`:         "backend " + noURL,
		`backend="http://pay.example/"`:         "backend " + noURL,
		`tokens="data:application/json,{}"`:     "tokens " + noURL,
		`ceremony-origin="javascript:alert(1)"`: "ceremony-origin " + noURL,
	} {
		v.open("/site/good.json", "allow-unlisted", attribute)
		webtest.Contains(t, v.until("refused"), want)
	}
	if len(w.handed) != 0 {
		t.Errorf("the backend got %v", w.handed)
	}
	v.clean()
}
