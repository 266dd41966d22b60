package walk_test

import (
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/railkit/railkit/internal/test/apptest"
	"github.com/railkit/railkit/platform/auth"
)

// No page of another site can read an answer, but what is everybody's, send what changes something, or show ours in a
// frame. A path that has reads of everybody only does not tell its methods.
func TestPlatform_H09_OtherSites(t *testing.T) {
	t.Parallel()
	now := newHands()
	a := apptest.New(t, apptest.WithClock(now))
	w := newTenants(t, a)
	key := "ApiKey " + w.key(w.own, auth.Admin, nil)
	const evil = "https://evil.example"
	for _, op := range registered(t, a) {
		base := a.BaseURL
		if onPage(op) {
			base = a.Origin
		}
		url := base + path(op, w.own) + "?integratorId=" + w.own
		preflight := apptest.Call(t, "OPTIONS", url, "", "Origin", evil, "Access-Control-Request-Method", op.Method,
			"Access-Control-Request-Headers", "authorization,content-type")
		if preflight.Status != http.StatusMethodNotAllowed && preflight.Status != http.StatusNotFound {
			t.Errorf("%s: a preflight: %s", op.ID, brief(preflight))
		}
		body := ""
		if op.Body {
			body = "{}"
		}
		real := apptest.Call(t, op.Method, url, body, "Origin", evil, "Authorization", key)
		if (onPage(op) || op.Dashboard) && real.Field("error") != "origin_refused" {
			t.Errorf("%s from another site: %s", op.ID, brief(real))
		}
		for what, got := range map[string]apptest.Answer{"preflight": preflight, "call": real} {
			for name := range got.Header {
				open := op.AnyOrigin && op.Public && op.Method == "GET" && what == "call" &&
					name == "Access-Control-Allow-Origin" && got.Header.Get(name) == "*"
				if (strings.HasPrefix(name, "Access-Control-") || name == "Set-Cookie") && !open {
					t.Errorf("%s: the %s is answered with %s", op.ID, what, name)
				}
			}
		}
		if op.Body { // what a form or a page without a preflight can send
			simple := apptest.Call(t, op.Method, url, body, "Origin", a.Origin, "Authorization", key,
				"Content-Type", "text/plain")
			// The last: no key opens it.
			refused := []any{"unsupported_media_type", "origin_refused", "authorization_scheme"}
			if !slices.Contains(refused, simple.Field("error")) {
				t.Errorf("%s as text: %s", op.ID, brief(simple))
			}
		}
		now.move(time.Minute)
	}
	for _, page := range []string{a.Origin + "/", a.BaseURL + "/docs", a.BaseURL + "/widget"} {
		got := apptest.Call(t, "GET", page, "")
		if policy := got.Header.Get("Content-Security-Policy"); got.Status != http.StatusOK ||
			!strings.Contains(policy, "frame-ancestors 'none'") {
			t.Errorf("%s: %d, policy %q", page, got.Status, policy)
		}
	}
}
