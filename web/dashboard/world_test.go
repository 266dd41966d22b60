package dashboard_test

import (
	"encoding/json"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"strconv"
	"strings"
	"testing"

	"github.com/chromedp/cdproto/webauthn"
	"github.com/chromedp/chromedp"

	"github.com/railkit/railkit/internal/test/apptest"
	"github.com/railkit/railkit/internal/test/webtest"
	"github.com/railkit/railkit/platform/auth"
	"github.com/railkit/railkit/web/dashboard"
)

func TestMain(m *testing.M) { os.Exit(webtest.Run(m.Run)) }

// world is a platform with a dashboard on an origin of its own.
type world struct {
	*apptest.App
	url string
}

func newWorld(t *testing.T, options ...apptest.Option) *world {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	w := &world{url: "http://localhost:" + strconv.Itoa(l.Addr().(*net.TCPAddr).Port)}
	w.App = apptest.New(t, append(options, func(c *apptest.Config) { c.DashboardOrigin = w.url })...)
	site := httptest.NewUnstartedServer(dashboard.Handler(
		http.HandlerFunc(func(out http.ResponseWriter, r *http.Request) { w.App.Handler.ServeHTTP(out, r) })))
	site.Listener.Close()
	site.Listener = l
	site.Start()
	t.Cleanup(func() { w.App.App.Events.Stop(); site.Close() })
	return w
}

// person is somebody's browser, with an authenticator of its own.
type person struct {
	*webtest.Tab
	w *world
}

func (w *world) person(t *testing.T) *person {
	t.Helper()
	p := &person{webtest.Open(t), w}
	webtest.Call(p.Tab, webauthn.Enable, webauthn.EnableParams{})
	webtest.Call(p.Tab, webauthn.AddVirtualAuthenticator,
		webauthn.AddVirtualAuthenticatorParams{Options: &webauthn.VirtualAuthenticatorOptions{
			Protocol: webauthn.AuthenticatorProtocolCtap2, Transport: webauthn.AuthenticatorTransportInternal,
			HasResidentKey: true, HasUserVerification: true, IsUserVerified: true, AutomaticPresenceSimulation: true,
		}})
	p.Do(chromedp.EmulateViewport(1280, 900))
	t.Cleanup(func() {
		if t.Failed() {
			t.Logf("the page shows:\n%s\n\nwhat the browser does not take: %s", p.Text(), p.Eval(
				`[...document.querySelectorAll(":invalid")].map((f) => f.name + "=" + f.value).join()`))
		}
	})
	return p
}

// joins accepts an invitation on the page, from the mail on.
func (w *world) joins(t *testing.T, email string, role auth.Role) *person {
	t.Helper()
	return w.joinsIn(t, w.Keys.WorkspaceID, email, role)
}

func (w *world) joinsIn(t *testing.T, workspace, email string, role auth.Role) *person {
	t.Helper()
	p := w.person(t)
	p.Go(w.url + "/invitation#" + w.Invite(workspace, email, role))
	p.sees("You are invited to", string(role), email)
	p.click("Make a passkey and accept")
	p.sees("Home")
	return p
}

// Eval is the text of an expression's value on the page where the browser is, or comes to.
func (p *person) Eval(expression string) (value string) {
	p.T.Helper()
	apptest.Eventually(p.T, "the page answers", func() (here bool) {
		value, here = p.EvalHere(expression)
		return here
	})
	return value
}

// Text is what the page shows where the browser is, or comes to.
func (p *person) Text() string { return p.Eval("document.body?.innerText ?? ''") }

// visit goes to a page of the dashboard by its address, as who pastes a link does.
func (p *person) visit(path string) {
	p.T.Helper()
	p.Go(p.w.url + path)
	p.Eval("document.body.dataset.came = '1'")
}

// sees waits until the page shows all of the words.
func (p *person) sees(words ...string) string {
	p.T.Helper()
	text := ""
	apptest.Eventually(p.T, "the page shows "+strings.Join(words, ", "), func() bool {
		text = p.Text()
		for _, word := range words {
			if !strings.Contains(text, word) {
				return false
			}
		}
		return true
	})
	return text
}

// settles waits until nothing is being read any more.
func (p *person) settles() {
	p.T.Helper()
	apptest.Eventually(p.T, "the page has read everything", func() bool {
		return p.Eval("document.querySelector('h1') !== null && document.querySelector('.loading') === null") == "true"
	})
}

// onePressable finds a button or a link by its words; the dialog on top comes first.
const onePressable = `((words) => [...document.querySelectorAll("dialog[open] :is(button, a)"),
	...document.querySelectorAll("button, a")].find((b) => b.textContent.trim() === words && !b.disabled))(%WORDS%)`

func pressable(words string) string {
	raw, _ := json.Marshal(words) // a string always encodes
	return strings.Replace(onePressable, "%WORDS%", string(raw), 1)
}

// click presses the button or follows the link with these words, once it is there.
func (p *person) click(words string) {
	p.T.Helper()
	apptest.Eventually(p.T, "there is a button "+words, func() bool {
		pressed, here := p.EvalHere(
			"(() => { const b = " + pressable(words) + "; b?.click(); return b !== undefined; })()")
		return !here || pressed == "true" // a button may lead away at once
	})
}

// types fills a field by its name.
func (p *person) types(name, value string) {
	p.T.Helper()
	raw, _ := json.Marshal([]string{name, value})
	apptest.Eventually(p.T, "there is a field "+name, func() bool {
		return p.Eval(`(([name, value]) => {
			const field = [...document.querySelectorAll("dialog[open] [name], main [name]")].find((f) => f.name === name);
			if (!field) return false;
			field.value = value;
			field.dispatchEvent(new Event("input", { bubbles: true }));
			return true;
		})(`+string(raw)+`)`) == "true"
	})
}

// opensMember opens what can be changed of a member, from the list of members.
func (p *person) opensMember(email string) {
	p.T.Helper()
	apptest.Eventually(p.T, email+" is in the list", func() bool {
		return p.Eval(`(() => {
			const rows = [...document.querySelectorAll("[aria-label=Members] tbody tr")];
			const change = rows.find((r) => r.innerText.includes("`+email+`"))?.querySelector("button");
			change?.click();
			return change !== undefined && change !== null;
		})()`) == "true"
	})
}

// whole is an address that the page shows short.
func (p *person) whole(selector string) string {
	p.T.Helper()
	text := ""
	apptest.Eventually(p.T, "there is "+selector, func() bool {
		text = p.Eval("document.querySelector(`" + selector + "`)?.title ?? ``")
		return text != ""
	})
	return text
}

// reaches waits until the browser has come to another site. While it goes there, there is no page to ask.
func (p *person) reaches(origin string) {
	p.T.Helper()
	apptest.Eventually(p.T, "the browser is at "+origin, func() bool {
		at, err := chromedp.Run(p.Ctx, chromedp.Evaluate[string]("location.origin + document.readyState"))
		return err == nil && at == origin+"complete"
	})
}

// stamps agrees on the passkey page, to which the dashboard has led, and goes back by its button.
func (p *person) stamps() {
	p.T.Helper()
	p.reaches(p.w.Origin)
	p.Wait("ready")
	p.Do(chromedp.Click(chromedp.CSS(".actions button:enabled")))
	p.Wait("done")
	p.returns()
}

func (p *person) returns() {
	p.T.Helper()
	p.click("Back to " + p.w.url)
	p.reaches(p.w.url)
}

// registers makes a passkey of the signer on its page, to which the dashboard has led.
func (p *person) registers() {
	p.T.Helper()
	p.reaches(p.w.Origin)
	p.Wait("ready")
	p.Do(chromedp.Click(chromedp.CSS(".actions button:enabled")))
	p.Wait("code")
	p.Do(chromedp.Click(chromedp.CSS(".actions button:enabled")))
	p.Wait("done")
	p.returns()
}
