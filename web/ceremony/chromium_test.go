package ceremony_test

import (
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"encoding/base64"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/cdproto/webauthn"
	"github.com/chromedp/chromedp"
)

// chromium is one headless browser for all tests of the package.
var chromium = sync.OnceValues(startChromium)

var stopChromium = func() {}

func TestMain(m *testing.M) {
	code := m.Run()
	stopChromium()
	os.Exit(code)
}

func startChromium() (context.Context, error) {
	path := ""
	for _, name := range []string{"chromium", "chromium-browser", "google-chrome"} {
		if found, err := exec.LookPath(name); err == nil {
			path = found
			break
		}
	}
	if path == "" {
		return nil, errors.New("the browser tests need Chromium: apt-get install chromium, or .ci/install chromium")
	}
	options := append(chromedp.DefaultExecAllocatorOptions[:], chromedp.ExecPath(path))
	if os.Getuid() == 0 {
		options = append(options, chromedp.NoSandbox) // Chromium refuses to run as root with one
	}
	allocator, stopAllocator := chromedp.NewExecAllocator(context.Background(), options...)
	ctx, stop := chromedp.NewContext(allocator)
	stopChromium = func() { stop(); stopAllocator() }
	return ctx, chromedp.Do(ctx)
}

// tab is a person's browser: storage of its own, and a platform authenticator.
type tab struct {
	t             *testing.T
	ctx           context.Context
	authenticator webauthn.AuthenticatorID

	mu       sync.Mutex
	problems []string // what the page's scripts did not catch
}

func newTab(t *testing.T) *tab {
	t.Helper()
	if testing.Short() && t.Name() != "TestSigning_A10_PageStory" {
		t.Skip("the race detector sees nothing of a browser: one story is enough for the server's side")
	}
	browser, err := chromium()
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := chromedp.NewContext(browser, chromedp.WithNewBrowserContext())
	t.Cleanup(cancel)
	b := &tab{t: t, ctx: ctx}
	b.do()
	if err := chromedp.Listen(ctx, b.listen); err != nil {
		t.Fatal(err)
	}
	call(b, webauthn.Enable, webauthn.EnableParams{})
	b.authenticator = call(b, webauthn.AddVirtualAuthenticator, webauthn.AddVirtualAuthenticatorParams{Options: &webauthn.VirtualAuthenticatorOptions{
		Protocol: webauthn.AuthenticatorProtocolCtap2, Transport: webauthn.AuthenticatorTransportInternal,
		HasResidentKey: true, HasUserVerification: true, IsUserVerified: true, AutomaticPresenceSimulation: true,
	}}).AuthenticatorID
	t.Cleanup(func() {
		b.mu.Lock()
		defer b.mu.Unlock()
		if len(b.problems) > 0 {
			t.Errorf("the page's scripts failed: %q", b.problems)
		}
	})
	return b
}

func (b *tab) listen(event any) {
	if thrown, ok := event.(*runtime.EventExceptionThrown); ok {
		b.mu.Lock()
		b.problems = append(b.problems, thrown.ExceptionDetails.Text)
		b.mu.Unlock()
	}
}

// call is one command of the protocol.
func call[P, R any](b *tab, command cdp.Command[P, R], params P) R {
	b.t.Helper()
	result, err := chromedp.Run(b.ctx, func(ctx context.Context, t *chromedp.Target) (R, error) { return cdp.Call(ctx, t, command, params) })
	if err != nil {
		b.t.Fatalf("browser: %v", err)
	}
	return result
}

func (b *tab) do(actions ...chromedp.Action[chromedp.Void]) {
	b.t.Helper()
	if err := chromedp.Do(b.ctx, actions...); err != nil {
		b.t.Fatalf("browser: %v", err)
	}
}

// open opens a link as a new page, also where only its fragment is new.
func (b *tab) open(url string) {
	b.t.Helper()
	b.do(chromedp.Navigate("about:blank"), chromedp.Navigate(url))
}

// wait waits until the page is in a state, and gives what it shows then.
func (b *tab) wait(state string) string {
	b.t.Helper()
	ctx, cancel := context.WithTimeout(b.ctx, 30*time.Second)
	defer cancel()
	arrived := chromedp.Evaluate[bool](fmt.Sprintf(`new Promise((done) => {
		const look = () => { if (document.getElementById("page")?.dataset.state === %q) done(true) };
		new MutationObserver(look).observe(document, { subtree: true, childList: true, attributes: true });
		look();
	})`, state), chromedp.EvalAwaitPromise)
	if _, err := chromedp.Run(ctx, arrived); err != nil {
		b.t.Fatalf("the page is not %s but %s: %v\n%s", state, b.eval("document.getElementById('page')?.dataset.state"), err, b.text())
	}
	return b.text()
}

func (b *tab) text() string { return b.eval("document.body.innerText") }

// eval is the text of an expression's value.
func (b *tab) eval(expression string) string {
	b.t.Helper()
	value, err := chromedp.Run(b.ctx, chromedp.Evaluate[string]("Promise.resolve("+expression+").then(String, String)", chromedp.EvalAwaitPromise, asThePage))
	if err != nil {
		b.t.Fatalf("browser: %v", err)
	}
	return value
}

// asThePage holds an expression to the page's own policy.
func asThePage(p *runtime.EvaluateParams) {
	no := false
	p.AllowUnsafeEvalBlockedByCSP = &no
}

// press clicks the button that names the act.
func (b *tab) press() {
	b.t.Helper()
	b.do(chromedp.Click(chromedp.CSS(".actions button:enabled")))
}

func (b *tab) button() string { return b.eval("document.querySelector('.actions button')?.innerText") }

// userVerifies says whether the person at the device agrees.
func (b *tab) userVerifies(yes bool) {
	b.t.Helper()
	call(b, webauthn.SetUserVerified, webauthn.SetUserVerifiedParams{AuthenticatorID: b.authenticator, IsUserVerified: yes})
}

// givePasskey puts a passkey into the device, and gives its id.
func (b *tab) givePasskey() string {
	b.t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		b.t.Fatal(err)
	}
	der, err := x509.MarshalPKCS8PrivateKey(key)
	if err != nil {
		b.t.Fatal(err)
	}
	id := make([]byte, 16)
	_, _ = rand.Read(id) // never fails
	// The library's own type sends members that this authenticator refuses.
	add := cdp.Command[object, cdp.Empty]{Method: webauthn.CommandAddCredential}
	call(b, add, object{"authenticatorId": b.authenticator, "credential": object{
		"credentialId": id, "isResidentCredential": true, "rpId": "localhost", "privateKey": der, "userHandle": []byte("user"), "signCount": 1,
	}})
	return base64.RawURLEncoding.EncodeToString(id)
}

// forget empties the device, which has room for three passkeys.
func (b *tab) forget() {
	b.t.Helper()
	call(b, webauthn.ClearCredentials, webauthn.ClearCredentialsParams{AuthenticatorID: b.authenticator})
}

// passkeys are those in the device.
func (b *tab) passkeys() []*webauthn.Credential {
	b.t.Helper()
	return call(b, webauthn.GetCredentials, webauthn.GetCredentialsParams{AuthenticatorID: b.authenticator}).Credentials
}

func contains(t *testing.T, text string, wanted ...string) {
	t.Helper()
	for _, w := range wanted {
		if !strings.Contains(text, w) {
			t.Errorf("%q is not shown in:\n%s", w, text)
		}
	}
}
