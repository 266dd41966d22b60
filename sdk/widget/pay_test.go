package widget_test

import (
	"fmt"
	"math/big"
	"strings"
	"testing"

	"github.com/ethereum/go-ethereum/common"

	"github.com/railkit/railkit/internal/test/apptest"
	"github.com/railkit/railkit/internal/test/webtest"
)

const usdc = "0x036CbD53842c5426634e7929541eC2318f3dCF7e"

const invoice = `{"type":"transfer","label":"Pay the invoice","chains":{"source":"base-sepolia"},"to":"` + ana +
	`","token":"` + usdc + `","amount":25.5}`

// A widget that the operator lists is paid by the visitor's wallet, and the money arrives on the chain.
func TestWidget_PaidByWallet(t *testing.T) {
	w := newWorld(t)
	id, _, _ := w.lists(w.metadata(invoice))
	before := w.HoldsUSDC("base", ana)
	v := w.visit("/v1/action/" + id + "/metadata")
	webtest.Contains(t, v.until("ready"), "Shop", "in the directory", "A shop", "Pay the invoice")
	v.Picture("1-ready")
	v.click("Pay the invoice")
	webtest.Contains(t, strings.ReplaceAll(v.until("review"), "0x ", "0x"), "Send 25.50 USDC", "Amount 25.50 USDC",
		"To 0x7099 7970 C518 12dc 3A01 0C7d 01b5 0e0d 17dc 79C8", "USDC as listed on Base Sepolia",
		"Its contract 0x036C bD53", "Base Sepolia, chain id 84532", "Pay with Pocket <b>")
	if len(w.sent) != 0 || len(w.asked) != 0 {
		t.Errorf("before anybody agreed the wallet was asked %v", w.asked)
	}
	v.Picture("2-review")
	v.click("Pay with Pocket")
	webtest.Contains(t, v.until("done"), "Done: Send 25.50 USDC", "Transaction 0x")
	v.Picture("3-done")
	if got := w.HoldsUSDC("base", ana) - before; got != 25_500_000 {
		t.Errorf("%d arrived", got)
	}
	tx := w.sent[0]
	if tx.To != usdc || tx.From != w.account.Hex() || tx.ChainID != "0x14a34" || tx.Value.ToInt().Sign() != 0 ||
		len(tx.Data) != 68 || strings.Join(w.asked[:5], " ") !=
		"eth_requestAccounts eth_chainId wallet_switchEthereumChain eth_chainId eth_sendTransaction" {
		t.Errorf("%+v after %v", tx, w.asked)
	}
	v.clean()
}

// Without an amount the visitor says it; what is wrong is said beside the field, and a no in the wallet sends nothing.
func TestWidget_AsksTheAmount(t *testing.T) {
	w := newWorld(t)
	id, _, _ := w.lists(w.metadata(`{"type":"transfer","label":"Tip","chains":{"source":"base"},"to":"` + ana + `"}`))
	v := w.visit("/v1/action/" + id + "/metadata")
	v.until("ready")
	for text, want := range map[string]string{
		"0": "Amount: must be a number above 0", "1,5": "Amount: must be a number above 0",
		"0.0000000000000000001": "with at most 18 decimals",
	} {
		v.typed(text)
		v.click("Tip")
		apptest.Eventually(t, "the field says what is wrong", func() bool { return strings.Contains(v.shown(), want) })
		if v.Eval(find("input")+".getAttribute('aria-invalid')") != "true" ||
			v.Eval(find("input")+".matches(':focus')") != "true" || v.Eval(`(() => { const f = `+find("input")+`;
			return f.getRootNode().getElementById(f.getAttribute('aria-describedby').split(' ').at(-1)).textContent
		})()`) == "" {
			t.Errorf("%s: the field is not tied to what it says", text)
		}
	}
	v.Picture("4-invalid")
	v.typed("0.25")
	v.click("Tip")
	webtest.Contains(t, v.until("review"), "Send 0.25 ETH", "ETH, the coin of Base Sepolia")
	w.set(func() { w.refuses = "eth_sendTransaction" })
	v.click("Pay with")
	apptest.Eventually(t, "the widget says that nothing was sent", func() bool {
		return strings.Contains(v.shown(), "You said no in your wallet. Nothing was sent.")
	})
	v.Picture("5-said-no")
	v.click("Back")
	v.until("ready")
	if got := v.Eval(find("input") + ".value"); got != "0.25" {
		t.Errorf("the field has %q, not what was typed", got)
	}
	before, err := w.node.BalanceAt(t.Context(), common.HexToAddress(ana), nil)
	w.must(err)
	w.set(func() { w.refuses = "" })
	v.click("Tip")
	v.until("review")
	v.click("Pay with")
	v.until("done")
	after, err := w.node.BalanceAt(t.Context(), common.HexToAddress(ana), nil)
	w.must(err)
	if got := new(big.Int).Sub(after, before); got.String() != "250000000000000000" {
		t.Errorf("%s arrived", got)
	}
	v.clean()
}

// Whatever a wallet refuses is said, nothing is sent, and the visitor may try again. What the network refuses is said
// too.
func TestWidget_SaysWhatTheWalletRefuses(t *testing.T) {
	w := newWorld(t)
	id, _, _ := w.lists(w.metadata(strings.Replace(invoice, "25.5", "1000", 1))) // more than the wallet has
	src := "/v1/action/" + id + "/metadata"
	v := w.visit(src)
	says := func(want string) {
		t.Helper()
		apptest.Eventually(t, want, func() bool { return strings.Contains(v.shown(), want) })
	}
	v.until("ready")
	v.click("Pay the invoice")
	v.until("review")
	for _, method := range []string{"eth_requestAccounts", "wallet_switchEthereumChain", "eth_sendTransaction"} {
		w.set(func() { w.refuses = method })
		v.click("Pay with")
		says("You said no in your wallet. Nothing was sent.")
		w.set(func() { w.refuses = "" })
		v.click("Back")
		v.click("Pay the invoice")
		v.until("review")
		if strings.Contains(v.shown(), "You said no") {
			t.Errorf("after %s it still says no", method)
		}
	}
	if len(w.sent) != 0 {
		t.Errorf("sent: %v", w.sent)
	}
	v.click("Pay with")
	webtest.Contains(t, v.until("failed"), "The network has refused it", "Transaction 0x")

	other, _, _ := w.lists(w.metadata(`{"type":"transfer","label":"Tip","chains":{"source":"sepolia"},"to":"` + ana +
		`","amount":1}`))
	v.open("/v1/action/" + other + "/metadata")
	v.until("ready")
	v.click("Tip")
	v.until("review")
	v.click("Pay with")
	says("Your wallet does not know Ethereum Sepolia (chain id 11155111). Add it there, and try again.")
	v.clean()
}

// A page gives its own wallet, and the widget asks that one alone.
func TestWidget_AsksThePagesOwnWallet(t *testing.T) {
	w := newWorld(t)
	id, _, _ := w.lists(w.metadata(invoice))
	v := w.visit("/v1/action/" + id + "/metadata")
	v.until("ready")
	v.Eval(`document.getElementById("w").wallet = {
		async request({ method }) { throw { code: 1, message: method + "\u202e!" }; },
	}`)
	v.click("Pay the invoice")
	webtest.Contains(t, v.until("review"), "Pay with your wallet")
	v.click("Pay with your wallet")
	apptest.Eventually(t, "what it says is shown", func() bool {
		return strings.Contains(v.shown(), "Your wallet refuses: eth_requestAccounts !")
	})
	if len(w.asked) != 0 {
		t.Errorf("another wallet was asked %v", w.asked)
	}
}

// A call of a contract is encoded and sent; the allowance is on the chain afterwards.
func TestWidget_CallsAContract(t *testing.T) {
	w := newWorld(t)
	spender := "0x3C44CdDdB6a900fa2b585dd299e03d12FA4293BC"
	id, _, _ := w.lists(w.metadata(`{"type":"blockchain","label":"Allow","chains":{"source":"base"},"address":"` + usdc +
		`","functionName":"approve","abi":[{"type":"function","name":"approve","inputs":[{"name":"spender",` +
		`"type":"address"},{"name":"value","type":"uint256"}]}],"params":[{"name":"spender","type":"address",` +
		`"label":"Who","value":"` + spender + `","fixed":true},{"name":"value","type":"uint256","label":"How much"}]}`))
	v := w.visit("/v1/action/" + id + "/metadata")
	v.until("ready")
	v.typed("-1")
	v.click("Allow")
	apptest.Eventually(t, "a negative number is refused", func() bool {
		return strings.Contains(v.shown(), "How much: is too large or too small")
	})
	v.typed("7000000")
	v.click("Allow")
	webtest.Contains(t, v.until("review"), "Let somebody take 7 USDC", "May take 7 USDC", "Who may take it 0x 3C44",
		"that address may take 7 USDC, at any time")
	v.Picture("6-allowance")
	v.click("Agree with")
	v.until("done")
	var allowed string
	w.must(w.node.Client().Call(&allowed, "eth_call", map[string]string{
		"to": usdc, "data": "0xdd62ed3e" + fmt.Sprintf("%064s%064s", strings.ToLower(w.account.Hex()[2:]), spender[2:]),
	}, "latest"))
	if n, _ := new(big.Int).SetString(allowed[2:], 16); n.Int64() != 7_000_000 {
		t.Errorf("allowed: %s", allowed)
	}
	v.clean()
}

// The shop's backend prepares with its own key, and the widget leads to the passkey page and to no other.
func TestWidget_HandsOverToTheBackend(t *testing.T) {
	w := newWorld(t)
	w.owner = w.Fund(w.client, "ada@example.com")
	id, _, _ := w.lists(w.metadata(invoice))
	src := "/v1/action/" + id + "/metadata"
	v := w.visit(src, `backend="/pay"`, `ceremony-origin="`+w.Origin+`"`)
	v.until("ready")
	v.click("Pay the invoice")
	v.until("review")
	v.click("Pay with your passkey")
	webtest.Contains(t, v.until("handed"), "Send 25.50 USDC", "Your passkey agrees to it there",
		"Continue at the passkey page")
	v.Picture("7-handed")
	want := `{"metadata":"` + w.site.URL + src + `","action":0,"params":{}}`
	if len(w.handed) != 1 || w.handed[0] != want {
		t.Errorf("the backend got %v, not %s", w.handed, want)
	}
	link := v.Eval(find("a.main") + ".href")
	if v.Eval(find("a.main")+".rel") != "noopener noreferrer" || v.Eval(find("a.main")+".target") != "_blank" {
		t.Error("the passkey page could reach back to this one")
	}
	v.clean()
	v.Go(link)
	webtest.Contains(t, strings.ReplaceAll(v.Wait("ready"), "\n", " "), "Send 25.50 USDC")
	for _, evil := range []string{
		"https://evil.example/sign", strings.Replace(w.Origin, "localhost", "localhost.evil.example", 1) + "/x",
		"javascript:alert(1)", strings.Replace(w.Origin, "://", "://a@", 1) + "/x", "data:text/html,x",
	} {
		w.set(func() { w.ceremony = evil })
		v.open(src, `backend="/pay"`, `ceremony-origin="`+w.Origin+`"`)
		v.until("ready")
		v.click("Pay the invoice")
		v.until("review")
		v.click("Pay with your passkey")
		apptest.Eventually(t, "the link is refused", func() bool {
			return strings.Contains(v.shown(), "The backend names another page than the one at which you agree")
		})
		if v.Eval(find("a")) != "null" {
			t.Errorf("%s: there is a link", evil)
		}
	}
}
