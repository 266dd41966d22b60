package edge_test

import (
	"fmt"
	"net/http"
	"net/netip"
	"strings"
	"testing"
	"time"

	"github.com/railkit/railkit/platform/auth"
)

func TestAuthentication(t *testing.T) {
	f := newFixture(t)
	past := f.now.Add(-time.Second)
	mine := auth.Key{WorkspaceID: home, Scopes: []auth.Scope{auth.Integrator}}
	keyWith := func(change func(*auth.Key)) string {
		k := mine
		change(&k)
		return f.addKey(k)
	}
	unknown, _ := auth.GenerateKey()
	cases := []struct {
		name, header string
		status       int
		message      string
	}{
		{"good", "ApiKey " + f.key, 200, "Thing retrieved"},
		{"scheme in other case", "apikey " + f.key, 200, "Thing retrieved"},
		{"none", "", 401, "Authorization header is missing"},
		{"scheme only", "ApiKey", 401, "Authorization header is malformed"},
		{"two keys", "ApiKey " + f.key + " " + f.key, 401, "Authorization header is malformed"},
		{"bearer", "Bearer abc", 401, "Unsupported authorization scheme"},
		{"bare key", f.key, 401, "Unsupported authorization scheme"},
		{"unknown", "ApiKey " + unknown, 404, "API key not found"},
		{"not of the form", "ApiKey rk_x", 404, "API key not found"},
		{"revoked", "ApiKey " + keyWith(func(k *auth.Key) { k.RevokedAt = past }), 404, "API key not found"},
		{"expired", "ApiKey " + keyWith(func(k *auth.Key) { k.ExpiresAt = f.now }), 404, "API key not found"},
		{"expires later", "ApiKey " + keyWith(func(k *auth.Key) {
			k.ExpiresAt = f.now.Add(time.Second)
		}), 200, "Thing retrieved"},
		{"other environment", "ApiKey " + keyWith(func(k *auth.Key) {
			k.Environment = "production"
		}), 404, "API key not found"},
		{"too little scope", "ApiKey " + keyWith(func(k *auth.Key) {
			k.Scopes = []auth.Scope{auth.Client}
		}), 403, "Insufficient permissions for this resource"},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			w := f.send("GET", "/v1/signing/things/t1", "", header("Authorization", c.header))
			if got := message(t, w, "/v1/signing/things/t1"); w.Code != c.status || got != c.message {
				t.Errorf("%d %q, want %d %q", w.Code, got, c.status, c.message)
			}
		})
	}
	twice := f.send("GET", "/v1/busy", "", func(r *http.Request) { r.Header.Add("Authorization", "ApiKey "+f.key) })
	if twice.Code != 401 {
		t.Errorf("two Authorization headers: %d", twice.Code)
	}
}

// The payout kit opens to a workspace that switched it on and whose business is approved.
func TestVerification(t *testing.T) {
	f := newFixture(t)
	for _, c := range []struct {
		module, verified bool
		status           int
		message          string
	}{
		{false, true, 403, "The payout module is not active for this workspace"},
		{true, false, 403, "Business verification is not complete"},
		{true, true, 200, "Success"},
	} {
		f.modules[home], f.verified = nil, c.verified
		if c.module {
			f.modules[home] = []auth.Module{auth.Payout}
		}
		w := f.send("GET", "/v1/payout/things", "")
		if got := message(t, w, "/v1/payout/things"); w.Code != c.status || got != c.message {
			t.Errorf(
				"module %v, verified %v: %d %q, want %d %q", c.module, c.verified, w.Code, got, c.status, c.message,
			)
		}
	}
}

// A key with a list of addresses opens nothing from elsewhere.
func TestAddressOfKey(t *testing.T) {
	f := newFixture(t)
	for from, want := range map[string]int{"192.0.2.0/24": 200, "192.0.2.2/32": 403} { // httptest's is 192.0.2.1
		key := f.addKey(auth.Key{
			WorkspaceID: home, Scopes: []auth.Scope{auth.Integrator},
			Networks: []netip.Prefix{netip.MustParsePrefix(from)},
		})
		w := f.send("GET", "/v1/signing/things", "", as(key))
		if w.Code != want || want == 403 && !strings.Contains(w.Body.String(), `"error":"ip_not_allowed"`) {
			t.Errorf("a key for %s: %d %s", from, w.Code, w.Body)
		}
	}
}

func TestScopeOfWrites(t *testing.T) {
	f := newFixture(t)
	for scope, want := range map[auth.Scope]int{
		auth.Integrator: 201, auth.IntegratorWrite: 201, auth.IntegratorRead: 403, auth.PayoutWrite: 403,
	} {
		key := f.addKey(auth.Key{WorkspaceID: home, Scopes: []auth.Scope{scope}})
		if w := f.send("POST", "/v1/signing/things", `{"name":"n"}`, as(key)); w.Code != want {
			t.Errorf("%s: %d, want %d", scope, w.Code, want)
		}
	}
}

func TestModule(t *testing.T) {
	f := newFixture(t)
	f.modules[home] = []auth.Module{auth.Payout}
	w := f.send("GET", "/v1/signing/things/t1", "")
	if got := message(t, w, "/v1/signing/things/t1"); w.Code != 403 ||
		got != "The signing module is not active for this workspace" {
		t.Errorf("%d %q", w.Code, got)
	}
}

func TestIntegratorID(t *testing.T) {
	f := newFixture(t)
	admin := f.addKey(auth.Key{WorkspaceID: foreign, Scopes: []auth.Scope{auth.Admin}})
	internal := f.addKey(auth.Key{WorkspaceID: foreign, Scopes: []auth.Scope{auth.Internal}})
	noModules := "33333333-3333-4333-8333-333333333333"
	f.modules[noModules] = nil
	const denied = "Insufficient permissions for this resource"
	cases := []struct {
		name, key, query string
		status           int
		message          string
	}{
		{"normal key, none", f.key, "", 200, "Thing retrieved"},
		{"normal key, its own", f.key, "integratorId=" + home, 200, "Thing retrieved"},
		{"normal key, another", f.key, "integratorId=" + foreign, 403, denied},
		{
			"normal key, twice", f.key, "integratorId=" + home + "&integratorId=" + foreign, 400,
			"Validation failed: integratorId must be given once",
		},
		{"admin, none", admin, "", 400, "Validation failed: integratorId is required"},
		{"admin, empty", admin, "integratorId=", 400, "Validation failed: integratorId is required"},
		{"internal, none", internal, "", 400, "Validation failed: integratorId is required"},
		{"admin, not a UUID", admin, "integratorId=x", 400, "Validation failed: integratorId must be a UUID"},
		{
			"admin, in braces", admin, "integratorId=%7B" + home + "%7D", 400,
			"Validation failed: integratorId must be a UUID",
		},
		{"admin, unknown", admin, "integratorId=44444444-4444-4444-8444-444444444444", 404, "Workspace not found"},
		{"admin, home", admin, "integratorId=" + home, 200, "Thing retrieved"},
		{"internal, home", internal, "integratorId=" + home, 200, "Thing retrieved"},
		{"admin, the other's resource", admin, "integratorId=" + foreign, 404, "Thing not found"},
		{
			"admin, module of the named workspace", admin, "integratorId=" + noModules, 403,
			"The signing module is not active for this workspace",
		},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			w := f.send("GET", "/v1/signing/things/t1?"+c.query, "", as(c.key))
			if got := message(t, w, "/v1/signing/things/t1"); w.Code != c.status || got != c.message {
				t.Errorf("%d %q, want %d %q", w.Code, got, c.status, c.message)
			}
		})
	}
}

// A resource of another workspace and one that does not exist answer the same bytes.
func TestSigning_H01_ForeignLooksUnknown(t *testing.T) {
	f := newFixture(t)
	other := f.addKey(auth.Key{WorkspaceID: foreign, Scopes: []auth.Scope{auth.Integrator}})
	exists := f.send("GET", "/v1/signing/things/t1", "", as(other))
	unknown := f.send("GET", "/v1/signing/things/t9", "", as(other))
	if exists.Code != 404 || unknown.Code != 404 {
		t.Fatalf("%d and %d", exists.Code, unknown.Code)
	}
	a, b := envelopeOf(t, exists), envelopeOf(t, unknown)
	delete(a, "path")
	delete(b, "path")
	if fmt.Sprint(a) != fmt.Sprint(b) {
		t.Errorf("%v\n%v", a, b)
	}
}

func TestRateLimit(t *testing.T) {
	f := newFixture(t)
	make := func() *http.Response { return f.send("POST", "/v1/signing/things", `{"name":"n"}`).Result() }
	for i := range 20 {
		w := make()
		if want := fmt.Sprintf(`"financial";r=%d;t=60`, 19-i); w.StatusCode != 201 ||
			w.Header.Get("RateLimit") != want {
			t.Fatalf("call %d: %d %s", i, w.StatusCode, w.Header.Get("RateLimit"))
		}
	}
	w := make()
	if w.StatusCode != 429 ||
		w.Header.Get("Retry-After") != "60" || w.Header.Get("RateLimit-Policy") != `"financial";q=20;w=60` {
		t.Errorf("%d %v", w.StatusCode, w.Header)
	}
	if read := f.send("GET", "/v1/signing/things/t1", ""); read.Code != 200 ||
		read.Header().Get("RateLimit-Policy") != `"standard";q=100;w=60` {
		t.Errorf("a read after the financial limit: %d", read.Code)
	}
	f.now = f.now.Add(time.Minute)
	if w := make(); w.StatusCode != 201 {
		t.Errorf("a minute later: %d", w.StatusCode)
	}
}

func TestRateLimitMessageAndReplays(t *testing.T) {
	f := newFixture(t)
	key := header("Idempotency-Key", "6f0e1c2d-3b4a-4c5d-8e6f-708192a3b4c5")
	for range 20 {
		if w := f.send("POST", "/v1/signing/things", `{"name":"n"}`, key); w.Code != 201 {
			t.Fatalf("%d", w.Code)
		}
	}
	w := f.send("POST", "/v1/signing/things", `{"name":"n"}`, key)
	if got := message(t, w, "/v1/signing/things"); w.Code != 429 || got != "Rate limit exceeded" || f.runs != 1 {
		t.Errorf("%d %q after %d runs", w.Code, got, f.runs)
	}
}

func TestHigherLimitOfKey(t *testing.T) {
	f := newFixture(t)
	bench := f.addKey(auth.Key{
		WorkspaceID: home, Scopes: []auth.Scope{auth.Integrator}, Limits: auth.Limits{Financial: 1000},
	})
	for range 200 {
		if w := f.send("POST", "/v1/signing/things", `{"name":"n"}`, as(bench)); w.Code != 201 {
			t.Fatalf("%d", w.Code)
		}
	}
}

func TestStrangersAreCountedByNetwork(t *testing.T) {
	f := newFixture(t)
	for range 100 {
		f.send("GET", "/v1/directory", "", from("[2001:db8::1]:1"))
	}
	if w := f.send("GET", "/v1/directory", "", from("[2001:db8::2]:2")); w.Code != 429 {
		t.Errorf("another address of the same /64: %d", w.Code)
	}
	if w := f.send("GET", "/v1/directory", "", from("192.0.2.1:1")); w.Code != 200 {
		t.Errorf("another network: %d", w.Code)
	}
	if w := f.send("GET", "/v1/signing/things/t1", "", from("[2001:db8::1]:1")); w.Code != 200 {
		t.Errorf("with a key: %d", w.Code)
	}
}
