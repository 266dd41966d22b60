package widget_test

import (
	"crypto/ecdsa"
	"encoding/json"
	"fmt"
	"html"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"os"
	"strings"
	"sync"
	"testing"

	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/chromedp"
	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/crypto"
	"github.com/ethereum/go-ethereum/ethclient"

	"github.com/railkit/railkit/chain"
	"github.com/railkit/railkit/clock"
	"github.com/railkit/railkit/internal/test/apptest"
	"github.com/railkit/railkit/internal/test/webtest"
	"github.com/railkit/railkit/kit/widget/miniapp"
	"github.com/railkit/railkit/platform/audit"
	"github.com/railkit/railkit/platform/auth"
	"github.com/railkit/railkit/platform/command"
	railkit "github.com/railkit/railkit/sdk/go"
)

func TestMain(m *testing.M) { os.Exit(webtest.Run(m.Run)) }

const ana = "0x70997970C51812dc3A010C7d01b50e0d17dc79C8"

// world is a shop's site with widgets, whose visitor has a wallet on the devnet. The site passes on the API's paths, so
// that pages may ask them under a policy of 'self'.
type world struct {
	*apptest.App
	t       *testing.T
	site    *httptest.Server
	api     http.Handler
	node    *ethclient.Client
	key     *ecdsa.PrivateKey
	account common.Address
	owner   apptest.Owner // whom the shop's backend pays from; made by withOwner
	client  *railkit.Client

	mu       sync.Mutex
	files    map[string]string // metadata and pages, by their path
	refuses  string            // a method that the user says no to
	chainID  string            // which network the wallet is on
	asked    []string          // methods that the wallet was asked
	sent     []sentTransaction // what the wallet was asked to send
	handed   []string          // bodies that the backend got
	ceremony string            // what the backend answers in place of its own link
	dynamics string            // what the server of dynamic actions answers in place of a transaction
	sun      *sun              // of a world with Solana
}

// policy is the one that docs/widgets.md shows, for a page whose icons and API are on its own origin.
func policy(t *testing.T) string {
	t.Helper()
	doc, err := os.ReadFile("../../docs/widgets.md")
	if err != nil {
		t.Fatal(err)
	}
	_, rest, found := strings.Cut(string(doc), "```text\ndefault-src")
	shown, _, _ := strings.Cut(rest, "```")
	if !found {
		t.Fatal("docs/widgets.md shows no policy")
	}
	here := strings.NewReplacer(" https://api.example.com", "", "img-src https:", "img-src 'self'", "\n", " ")
	return here.Replace("default-src" + shown)
}

func newWorld(t *testing.T, options ...apptest.Option) *world {
	t.Helper()
	w := &world{App: apptest.Rig(t, options...), t: t, files: map[string]string{}, chainID: "0x1"}
	w.client = w.Client()
	api, err := url.Parse(w.BaseURL)
	w.must(err)
	site := http.NewServeMux()
	w.api = httputil.NewSingleHostReverseProxy(api)
	site.Handle("/", w.api)
	site.HandleFunc("POST /v1/action/execute/swap/prepare", w.swaps)
	site.HandleFunc("GET /site/", w.file)
	site.HandleFunc("POST /rpc", w.wallet)
	site.HandleFunc("POST /pay", w.backend)
	site.HandleFunc("POST /swap", w.dynamic)
	site.HandleFunc("POST /sun", w.sunny)
	w.site = httptest.NewServer(site)
	t.Cleanup(w.site.Close)
	w.node, err = ethclient.Dial(w.Devnet.RPCURL("base"))
	w.must(err)
	t.Cleanup(w.node.Close)
	w.key, err = crypto.GenerateKey()
	w.must(err)
	w.account = crypto.PubkeyToAddress(w.key.PublicKey)
	for asset, amount := range map[string]string{"native": "10", "USDC": "100"} {
		_, err := w.Devnet.Faucet(t.Context(), "base", w.account.Hex(), asset, amount)
		w.must(err)
	}
	return w
}

func (w *world) must(err error) {
	w.t.Helper()
	if err != nil {
		w.t.Fatal(err)
	}
}

// file serves what tests put there: pages under the strict policy, metadata as they are.
func (w *world) file(out http.ResponseWriter, r *http.Request) {
	w.mu.Lock()
	content, ok := w.files[r.URL.Path]
	w.mu.Unlock()
	switch {
	case !ok:
		http.NotFound(out, r)
		return
	case strings.HasSuffix(r.URL.Path, ".html"):
		out.Header().Set("Content-Security-Policy", policy(w.t))
		out.Header().Set("Content-Type", "text/html; charset=utf-8")
	default:
		out.Header().Set("Content-Type", "application/json")
	}
	_, _ = out.Write([]byte(content))
}

func (w *world) put(path, content string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.files[path] = content
}

func (w *world) set(change func()) {
	w.mu.Lock()
	defer w.mu.Unlock()
	change()
}

// metadata is a widget of the shop with one button.
func (w *world) metadata(action string) string {
	return fmt.Sprintf(`{"url":%q,"icon":"%s/widget/tip.svg","title":"Shop","description":"A shop","actions":[%s]}`,
		w.site.URL+"/shop", w.site.URL, action)
}

// lists has the operator list a widget of the shop, and gives its id.
func (w *world) lists(metadata string) (id string, list *miniapp.Service, order *command.Command) {
	w.t.Helper()
	list = miniapp.New(w.Store.Widgets(), chain.Sandbox, clock.System{})
	order = &command.Command{
		Principal: auth.Principal{Kind: auth.Kind(audit.Operator), ID: "ops"}, Operation: "admin miniapp add",
		Render: func(r command.Reply) ([]byte, error) { return json.Marshal(r.Data) },
	}
	answer, err := list.Add(w.t.Context(), order, miniapp.Listing{
		Metadata: []byte(metadata), Operator: "Ana Apps", Type: "Tips", Wallet: ana, Chain: "base",
	})
	w.must(err)
	var made struct{ ID string }
	w.must(json.Unmarshal(answer.Body, &made))
	return made.ID, list, order
}

// visitor is a browser with a wallet, on a page of the shop that has one widget with the id w.
type visitor struct {
	*webtest.Tab
	world *world
	hash  string // behind the page's address
}

// visit opens a page with a widget. More attributes may follow those that every widget here has.
func (w *world) visit(src string, attributes ...string) *visitor {
	w.t.Helper()
	v := w.visitor("")
	webtest.Call(v.Tab, page.AddScriptToEvaluateOnNewDocument,
		page.AddScriptToEvaluateOnNewDocumentParams{Source: wallet})
	v.open(src, attributes...)
	return v
}

// visitor opens a tab. Where the test fails it tells what the widget shows by then.
func (w *world) visitor(hash string) *visitor {
	w.t.Helper()
	v := &visitor{Tab: webtest.Open(w.t), world: w, hash: hash}
	w.t.Cleanup(func() {
		if w.t.Failed() {
			w.t.Log("the widget shows:", v.shown())
		}
	})
	return v
}

func (v *visitor) open(src string, attributes ...string) {
	v.T.Helper()
	v.world.put("/site/index.html", `<!doctype html><html lang="en"><meta charset="utf-8"><title>Shop</title>
		<script type="module" src="/widget/railkit-widget.js"></script><body><main><h1>Shop</h1>
		<railkit-widget id="w" sandbox directory="/v1/action/directory" src="`+html.EscapeString(src)+`" `+
		strings.Join(attributes, " ")+`></railkit-widget></main></body></html>`)
	v.Do(chromedp.EmulateViewport(390, 800))
	v.Go(v.world.site.URL + "/site/index.html" + v.hash)
}

// wallet is a wallet as an extension puts it into pages. What it is asked goes to the world's own signer.
const wallet = `
window.violations = [];
addEventListener("securitypolicyviolation", (e) => violations.push(e.violatedDirective + " " + e.blockedURI));
const provider = { async request({ method, params }) {
	const answer = await (await fetch("/rpc", { method: "POST", body: JSON.stringify({ method, params }) })).json();
	if (answer.error) throw Object.assign(new Error(answer.error.message), { code: answer.error.code });
	return answer.result;
} };
const announce = () => dispatchEvent(new CustomEvent("eip6963:announceProvider", { detail: Object.freeze({
	info: { uuid: "350670db-19fa-4704-a166-e52e178b59d2", name: "Pocket\u202e<b>", icon: "data:,", rdns: "example.pocket" }, provider,
}) }));
addEventListener("eip6963:requestProvider", announce);
announce();
`

// find is the expression of what a selector finds in the widget.
func find(selector string) string {
	return fmt.Sprintf("document.getElementById('w').shadowRoot.querySelector(%q)", selector)
}

// until waits until the widget is in a state, and gives what it shows then.
func (v *visitor) until(state string) string {
	v.T.Helper()
	apptest.Eventually(v.T, "the widget is "+state, func() bool {
		return v.Eval("document.getElementById('w').dataset.state") == state
	})
	return v.shown()
}

// shown is the widget's text in one line.
func (v *visitor) shown() string {
	v.T.Helper()
	return strings.Join(strings.Fields(v.Eval(find(".card")+".innerText")), " ")
}

// click clicks where the first button with the words is, as a mouse would.
func (v *visitor) click(words string) {
	v.T.Helper()
	at := v.Eval(`(() => {
		const all = [...document.getElementById('w').shadowRoot.querySelectorAll('button:enabled, a')];
		const found = all.find((one) => one.textContent.includes(` + fmt.Sprintf("%q", words) + `));
		found?.scrollIntoView({ block: "center" });
		const box = found?.getBoundingClientRect();
		return box ? (box.x + box.width / 2) + " " + (box.y + box.height / 2) : "";
	})()`)
	var x, y float64
	if _, err := fmt.Sscan(at, &x, &y); err != nil {
		v.T.Fatalf("no button says %q: %s", words, v.shown())
	}
	v.Do(chromedp.MouseClickXY(x, y))
}

// typed puts a text into the first field.
func (v *visitor) typed(text string) {
	v.T.Helper()
	v.Eval("(() => { const f = " + find("input, textarea") + "; f.focus(); f.select(); })()")
	v.Do(chromedp.KeyEvent(text))
}

// clean reports what the page's policy had to stop. It would work on no page that has one.
func (v *visitor) clean() {
	v.T.Helper()
	if got := v.Eval("violations.join()"); got != "" {
		v.T.Errorf("the policy stops %s", got)
	}
}
