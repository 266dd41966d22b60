package widget_test

import (
	"bytes"
	"crypto/ed25519"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/chromedp/cdproto/page"

	"github.com/railkit/railkit/chain"
	"github.com/railkit/railkit/chain/solana"
	"github.com/railkit/railkit/internal/app"
	"github.com/railkit/railkit/internal/test/apptest"
	"github.com/railkit/railkit/internal/test/solanatest"
	"github.com/railkit/railkit/internal/test/webtest"
	railkit "github.com/railkit/railkit/sdk/go"
)

const (
	bob     = "9B5XszUGdMaxCZ7uSQhPzdks5ZQSmWxrmzCSvtJ6Ns6g"
	solUSDC = "4zMMC9srt5Ri5X14GAgXhaHii3GnPAEERYPJgZJDncDU"
	tipSOL  = `{"type":"transfer","label":"Tip","chains":{"source":"solana"},"to":"` + bob + `","amount":0.25}`
)

// sun is a chain of Solana, and a wallet on it that the visitor's browser has. Its key is known to the test.
type sun struct {
	url     string
	network chain.Network
	key     ed25519.PrivateKey
	account string
	chains  string               // of the wallet, as JSON
	sent    [][]chain.Effect     // of each transaction that it was asked to send
	mute    bool                 // it signs, and sends nothing
	late    func(solana.Address) // is told the blockhash before the wallet sends
}

func newSunnyWorld(t *testing.T) *world {
	t.Helper()
	c, _ := solanatest.New(t)
	key := ed25519.NewKeyFromSeed(bytes.Repeat([]byte{7}, ed25519.SeedSize))
	at, err := solana.AddressOf(key.Public().(ed25519.PublicKey))
	if err != nil {
		t.Fatal(err)
	}
	w := newWorld(t, func(to *app.Config) { to.RPCURLs["solana"] = c.URL + "/a " + c.URL + "/b" })
	w.sun = &sun{
		url: c.URL + "/a", network: solanatest.Network(), key: key, account: at.String(),
		chains: `["solana:devnet"]`,
	}
	for asset, amount := range map[string]string{"native": "1", "USDC": "100"} {
		w.must(w.sun.ask("dev_faucet", nil, w.sun.account, asset, amount))
	}
	return w
}

// ask calls a node of the chain.
func (s *sun) ask(method string, result any, params ...any) error {
	body, err := json.Marshal(map[string]any{"jsonrpc": "2.0", "id": 1, "method": method, "params": params})
	if err != nil {
		return err
	}
	res, err := http.Post(s.url, "application/json", bytes.NewReader(body))
	if err != nil {
		return err
	}
	defer res.Body.Close()
	answer := struct {
		Result any
		Error  *struct{ Message string }
	}{Result: result}
	if err := json.NewDecoder(res.Body).Decode(&answer); err != nil {
		return err
	}
	if answer.Error != nil {
		return errors.New(answer.Error.Message)
	}
	return nil
}

// lamports are what the chain says that an account has.
func (w *world) lamports(account string) uint64 {
	w.t.Helper()
	var told struct{ Value uint64 }
	w.must(w.sun.ask("getBalance", &told, account))
	return told.Value
}

// sunny answers what a page asks the wallet.
func (w *world) sunny(out http.ResponseWriter, r *http.Request) {
	var asked struct {
		Method, Chain string
		Transaction   []byte
	}
	answer := map[string]any{}
	w.mu.Lock()
	defer w.mu.Unlock()
	err := json.NewDecoder(r.Body).Decode(&asked)
	w.asked = append(w.asked, asked.Method)
	switch {
	case err != nil:
	case w.refuses == asked.Method:
		answer["code"], err = 4001, errors.New("User rejected the request.")
	case asked.Method == "connect":
		answer["address"], answer["chains"] = w.sun.account, json.RawMessage(w.sun.chains)
		answer["publicKey"] = w.sun.key.Public()
	default:
		answer["signature"], err = w.sun.send(asked.Chain, asked.Transaction)
	}
	if err != nil {
		answer["error"] = err.Error()
	}
	_ = json.NewEncoder(out).Encode(answer)
}

// send signs exactly the bytes that it got, and sends them.
func (s *sun) send(on string, unsigned []byte) ([]byte, error) {
	family := solana.Family{}
	tx, err := family.DecodeUnsigned(unsigned)
	if err != nil || on != "solana:devnet" {
		return nil, fmt.Errorf("%s: %w", on, err)
	}
	s.sent = append(s.sent, family.Effects(s.network, s.account, tx.Call))
	raw, err := solana.DecodeTransaction(unsigned)
	if err != nil {
		return nil, err
	}
	if s.late != nil {
		s.late(raw.Blockhash)
	}
	signature := ed25519.Sign(s.key, tx.Payload)
	signed, err := family.Attach(tx, s.account, signature)
	if err != nil || s.mute {
		return signature, err
	}
	return signature, s.ask("sendTransaction", nil, signed, map[string]any{"encoding": "base64"})
}

// sunWallet is a wallet of the Wallet Standard, as an extension puts it into pages.
const sunWallet = `
const ask = async (body) => {
	const answer = await (await fetch("/sun", { method: "POST", body: JSON.stringify(body) })).json();
	if (answer.error) throw Object.assign(new Error(answer.error), { code: answer.code });
	return answer;
};
const bytes = (text) => Uint8Array.from(atob(text), (c) => c.charCodeAt(0));
const features = ["solana:signAndSendTransaction"];
const sunny = {
	version: "1.0.0", name: "Sunny\u202e<b>", icon: "data:,", chains: ["solana:devnet"], accounts: [],
	features: {
		"standard:connect": { version: "1.0.0", connect: async () => {
			const { address, chains, publicKey } = await ask({ method: "connect" });
			return { accounts: [{ address, publicKey: bytes(publicKey), chains, features }] };
		} },
		"standard:events": { version: "1.0.0", on: () => () => {} },
		"solana:signAndSendTransaction": { version: "1.0.0", supportedTransactionVersions: ["legacy", 0],
			signAndSendTransaction: async ({ chain, transaction }) => {
				const sent = await ask({ method: "send", chain, transaction: btoa(String.fromCharCode(...transaction)) });
				return [{ signature: bytes(sent.signature) }];
			} },
	},
};
const register = ({ register }) => register(sunny);
window.addSunny = () => dispatchEvent(new CustomEvent("wallet-standard:register-wallet", { detail: register }));
if (!location.hash.includes("later")) {
	addSunny();
	addEventListener("wallet-standard:app-ready", ({ detail }) => register(detail));
}
`

// sunnily is visit, in a browser that also has the wallet of Solana. With "#later" it comes when addSunny is called.
func (w *world) sunnily(src, hash string) *visitor {
	w.t.Helper()
	v := w.visitor(hash)
	for _, script := range []string{wallet, sunWallet} {
		webtest.Call(v.Tab, page.AddScriptToEvaluateOnNewDocument,
			page.AddScriptToEvaluateOnNewDocumentParams{Source: "{" + script + "}"})
	}
	v.open(src)
	return v
}

func (v *visitor) says(want string) {
	v.T.Helper()
	apptest.Eventually(v.T, "it says "+want, func() bool { return strings.Contains(v.shown(), want) })
}

// What the builder makes for Solana is paid by a wallet of the Wallet Standard, which gets exactly that payment, and
// the money arrives on the chain. A wallet of EVM networks is not offered.
func TestWidget_PaysSOL(t *testing.T) {
	w := newSunnyWorld(t)
	metadata, err := w.client.Widgets.NativeTransfer(t.Context(), railkit.NativeTransferWidget{
		Title: "Shop", Description: "A tip for Bob", URL: w.site.URL + "/shop", Icon: w.site.URL + "/widget/tip.svg",
		Chain: "solana", Address: bob, Amount: "0.25",
	})
	w.must(err)
	id, _, _ := w.lists(string(metadata))
	before, mine := w.lamports(bob), w.lamports(w.sun.account)
	v := w.sunnily("/v1/action/"+id+"/metadata", "")
	webtest.Contains(t, v.until("ready"), "A tip for Bob", "Send SOL")
	v.click("Send SOL")
	webtest.Contains(t, v.until("review"), "Send 0.25 SOL", "To 9B5X szUG dMax CZ7u", "SOL, the coin of Solana Devnet",
		"Network Solana Devnet", "Pay with Sunny <b>")
	if strings.Contains(v.shown(), "Pocket") || strings.Contains(v.shown(), "chain id") || len(w.asked) != 0 {
		t.Errorf("asked %v before anybody agreed, and shows %s", w.asked, v.shown())
	}
	v.Picture("12-solana-review")
	v.click("Pay with Sunny")
	webtest.Contains(t, v.until("done"), "Done: Send 0.25 SOL", "Transaction")
	v.Picture("13-solana-done")
	if got := w.lamports(bob) - before; got != 250_000_000 {
		t.Errorf("%d lamports arrived", got)
	}
	if got := mine - w.lamports(w.sun.account); got != 250_005_000 {
		t.Errorf("%d lamports left", got)
	}
	if e := w.sun.sent[0]; len(w.sun.sent) != 1 || len(e) != 1 || e[0].Kind != chain.Transfer || e[0].To != bob ||
		e[0].Amount != "250000000" || strings.Join(w.asked, " ") != "connect send" {
		t.Errorf("%+v after %v", w.sun.sent, w.asked)
	}
	v.clean()
}

// USDC is paid into the account of its receiver, which is made where it is missing, and what that costs is said before.
func TestWidget_PaysUSDCOnSolana(t *testing.T) {
	w := newSunnyWorld(t)
	id, _, _ := w.lists(w.metadata(`{"type":"transfer","label":"Pay","chains":{"source":"solana"},"to":"` + bob +
		`","token":"` + solUSDC + `"}`))
	v := w.sunnily("/v1/action/"+id+"/metadata", "")
	v.until("ready")
	for _, amount := range []string{"12.50", "7.25"} { // the second time the account is there
		v.typed(amount)
		v.click("Pay")
		webtest.Contains(t, v.until("review"), "Send "+amount+" USDC", "USDC as listed on Solana Devnet",
			"Its mint 4zMM C9sr", "May cost also the rent of an account for USDC, about 0.002 SOL, where the receiver has none")
		v.click("Pay with Sunny")
		v.until("done")
		v.click("Back to the start")
		v.until("ready")
	}
	owner, _ := solana.ParseAddress(bob)
	mint, _ := solana.ParseAddress(solUSDC)
	var told struct{ Value struct{ Amount string } }
	w.must(w.sun.ask("getTokenAccountBalance", &told,
		solana.AssociatedAddress(owner, mint, solana.TokenProgram).String()))
	if told.Value.Amount != "19750000" {
		t.Errorf("%s arrived", told.Value.Amount)
	}
	v.clean()
}

// Each way in which nothing is paid is said, with what to do.
func TestWidget_SaysWhyNothingIsPaidOnSolana(t *testing.T) {
	w := newSunnyWorld(t)
	id, _, _ := w.lists(w.metadata(tipSOL))
	src := "/v1/action/" + id + "/metadata"
	before := w.lamports(bob)
	v := w.sunnily(src, "#later")
	review := func() {
		t.Helper()
		v.open(src)
		v.until("ready")
		v.click("Tip")
		v.until("review")
	}
	v.until("ready")
	v.click("Tip")
	v.until("review")
	v.says("There is no wallet for Solana Devnet in this browser")
	v.Picture("14-solana-no-wallet")
	v.Eval("addSunny()") // a wallet that comes late is found by who looks again
	v.click("Back")
	v.until("ready")
	v.click("Tip")
	webtest.Contains(t, v.until("review"), "Pay with Sunny <b>")

	v.hash = ""
	w.set(func() { w.sun.chains = `["solana:mainnet"]` })
	review()
	v.click("Pay with Sunny")
	v.says("Your wallet is not on Solana Devnet. Switch it there, and try again.")
	v.Picture("15-solana-wrong-network")
	w.set(func() { w.sun.chains = `["solana:mainnet","solana:devnet"]` })
	for _, method := range []string{"connect", "send"} {
		w.set(func() { w.refuses = method })
		review()
		v.click("Pay with Sunny")
		v.says("You said no in your wallet. Nothing was sent.")
	}
	expire := func(hash solana.Address) { w.must(w.sun.ask("dev_expire", nil, hash.String())) }
	w.set(func() { w.refuses, w.sun.late = "", expire })
	review()
	v.click("Pay with Sunny")
	v.says("It waited too long in your wallet: no block takes it any more. Nothing was sent. Try again.")
	if got := w.lamports(bob); got != before {
		t.Errorf("%d lamports arrived", got-before)
	}

	w.set(func() { w.sun.mute = true }) // it is signed, and in no block until none can have it
	review()
	v.click("Pay with Sunny")
	webtest.Contains(t, v.until("failed"), "No block took it in time, and none takes it any more: nothing was sent.")
	v.Picture("16-solana-expired")
	if got := w.lamports(bob); got != before {
		t.Errorf("%d lamports arrived", got-before)
	}
	v.clean()
}
