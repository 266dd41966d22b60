package dashboard_test

import (
	"strings"
	"testing"

	"github.com/railkit/railkit/internal/test/apptest"
	"github.com/railkit/railkit/platform/auth"
)

// A session that another browser ended asks for a login over the page, and what was typed is still there after it.
func TestDashboard_EndsInMidForm(t *testing.T) {
	w := newWorld(t)
	ada := w.joins(t, "ada@example.com", auth.RoleAdmin)
	ada.click("API keys")
	ada.click("New key")
	ada.types("name", "Typed before")
	w.Edit("UPDATE sessions SET revoked_at = created_at")
	ada.click("Make the key")
	ada.sees("Log in again", "What you typed is still there")
	ada.click("Log in with a passkey")
	ada.sees("It is shown this once")
	ada.click("I have kept it")
	ada.sees("Typed before")
}

// What only a fresh login may do asks for the passkey over the page, and is done after it.
func TestDashboard_FreshLogin(t *testing.T) {
	w := newWorld(t)
	ada := w.joins(t, "ada@example.com", auth.RoleAdmin)
	w.Edit("UPDATE sessions SET created_at = 1")
	ada.click("Workspace")
	ada.click("Add a website")
	ada.types("origin", "https://app.example.com")
	ada.click("Register it")
	ada.sees("Log in once more for this")
	ada.click("Log in with a passkey")
	ada.sees("https://app.example.com", "Registered. Each admin gets a mail about it.")
}

// A member ends a session of another browser, which is asked to log in at its next call.
func TestDashboard_EndsAnotherSession(t *testing.T) {
	w := newWorld(t)
	ada := w.joins(t, "ada@example.com", auth.RoleAdmin)
	ada.click("Log out")
	ada.click("Log in with a passkey")
	ada.sees("Home")
	thief := w.NewBrowser()
	thief.Origin = w.url
	thief.Take(thief.Accept(w.Invite(w.Keys.WorkspaceID, "bob@example.com", auth.RoleViewer)))
	if a := thief.Do("GET", "/v1/orders", ""); a.Status != 200 {
		t.Fatalf("%d %s", a.Status, a.Body)
	}
	ada.click("Your login")
	ada.sees("This one")
	if got := ada.Eval(`[...document.querySelectorAll("main button")].filter((b) => b.textContent === "End").length`); got != "0" {
		t.Errorf("%s sessions of hers are open beside this one, though she logged out", got)
	}
	ada.click("Members")
	ada.sees("bob@example.com")
	ada.opensMember("bob@example.com")
	ada.click("Remove this member")
	ada.click("Remove")
	apptest.Eventually(t, "the removed member's token is refused", func() bool {
		a := thief.Do("GET", "/v1/orders", "")
		return a.Status == 401 && strings.Contains(a.Body, "session")
	})
}

// Where streams of events break, the pages read anew by themselves, and what they show stays until then.
func TestDashboard_WithoutTheStream(t *testing.T) {
	w := newWorld(t)
	ada := w.joins(t, "ada@example.com", auth.RoleAdmin)
	ada.click("API keys")
	ada.sees("Sandbox key")
	ada.Eval(`(() => {
		window.flickers = 0;
		new MutationObserver(() => document.querySelector("main .loading") && window.flickers++)
			.observe(document.querySelector("main"), { subtree: true, childList: true });
	})()`)
	w.App.App.Events.Stop() // every stream ends as soon as it begins
	made := w.Do(w.Keys.InternalKey, "POST", "/v1/integrators/"+w.Keys.WorkspaceID+"/api-keys",
		`{"name":"Made elsewhere","scopes":["integrator:read"]}`)
	if made.Status != 201 {
		t.Fatalf("%d %s", made.Status, made.Body)
	}
	ada.sees("Made elsewhere")
	if got := ada.Eval("window.flickers"); got != "0" {
		t.Errorf("the list was gone %s times", got)
	}
}
