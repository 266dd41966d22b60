package dashboard_test

import (
	"net/http"
	"strings"
	"testing"

	"github.com/railkit/railkit/internal/test/apptest"
	"github.com/railkit/railkit/platform/auth"
)

// markup is what a caller puts where a name belongs. Were any of it ever more than text, hit would be there.
const markup = `<img src=x onerror="hit=1"><script>hit=1</script>"><svg onload=hit=1>{{7*7}}`

// What callers have chosen is text on every page: nothing of it runs, and nothing of it becomes an element.
func TestDashboard_NamesAreText(t *testing.T) {
	_, s, ada := used(t, func(text string) string { return text + markup })
	for _, page := range s.pages() {
		ada.follow(page[1])
		ada.settles()
		if got := ada.Eval(`typeof hit + document.querySelectorAll("main img, main script, main svg, main iframe").length`); got != "undefined0" {
			t.Errorf("%s: %s", page[1], got)
		}
	}
	ada.follow("/orders?q=" + "%3Cimg%20src%3Dx%20onerror%3Dhit%3D1%3E")
	ada.sees("Nothing fits these filters")
	if got := ada.Eval(`typeof hit + document.querySelector("[name=q]").value`); !strings.HasPrefix(got, "undefined<img") {
		t.Errorf("a filter of the URL: %s", got)
	}
}

// No other page can act with somebody's login: the cookie is for this site alone and buys nothing by itself, and what
// it does buy is refused to other origins. No page can be framed, and no script from elsewhere runs.
func TestDashboard_OtherPagesCannotAct(t *testing.T) {
	w := newWorld(t)
	ada := w.joins(t, "ada@example.com", auth.RoleAdmin)
	if got := ada.Eval("document.cookie + Object.keys(localStorage) + Object.keys(sessionStorage)"); got != "" {
		t.Errorf("scripts can read %q", got)
	}
	for _, origin := range []string{"", "https://evil.example", "http://localhost:1", w.Origin, w.BaseURL} {
		req, err := http.NewRequest(http.MethodPost, w.url+"/v1/auth/refresh", nil)
		if err != nil {
			t.Fatal(err)
		}
		if origin != "" {
			req.Header.Set("Origin", origin)
		}
		answer, err := http.DefaultClient.Do(req)
		if err != nil {
			t.Fatal(err)
		}
		answer.Body.Close()
		if answer.StatusCode != http.StatusForbidden {
			t.Errorf("a page of %q refreshes: %d", origin, answer.StatusCode)
		}
	}
	for _, text := range []string{
		`fetch("http://127.0.0.1:1/").then(() => "asked", () => "refused")`,
		`(() => { try { document.body.innerHTML = "<p>x</p>"; return "set"; } catch { return "refused"; } })()`,
		`new Promise((done) => { const f = document.createElement("iframe"); f.src = "/"; document.body.append(f);
			setTimeout(() => { try { done(f.contentDocument?.body?.innerText ? "framed" : "refused"); } catch { done("refused"); } }, 300); })`,
	} {
		if got := ada.Eval(text); got != "refused" {
			t.Errorf("%s: %s", text, got)
		}
	}
}

// A role that changes in another browser holds here from the next call on, and what it no longer may is not offered.
func TestDashboard_RoleChangesMeanwhile(t *testing.T) {
	w := newWorld(t)
	ada := w.joins(t, "ada@example.com", auth.RoleAdmin)
	bob := w.joins(t, "bob@example.com", auth.RoleManager)
	bob.click("API keys")
	bob.click("New key")
	ada.click("Members")
	ada.sees("bob@example.com")
	ada.opensMember("bob@example.com")
	ada.types("role", "viewer")
	ada.click("Change the role")
	ada.sees("The role holds from the next call on")
	bob.types("name", "Mine")
	bob.click("Make the key")
	bob.sees("Insufficient permissions")
	apptest.Eventually(t, "bob is offered no keys any more", func() bool {
		return bob.Eval(`document.querySelector("nav a[href='/keys']")`) == "null"
	})
}
