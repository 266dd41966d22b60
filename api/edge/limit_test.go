package edge_test

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"strings"
	"testing"
	"time"

	"github.com/railkit/railkit/api/edge"
	"github.com/railkit/railkit/platform/auth"
	"github.com/railkit/railkit/platform/ratelimit"
)

func from(addr string) func(*http.Request) { return func(r *http.Request) { r.RemoteAddr = addr } }

func unknownKey(t *testing.T) string {
	t.Helper()
	key, err := auth.GenerateKey()
	if err != nil {
		t.Fatal(err)
	}
	return key
}

// Wrong credentials of one network answer as ever sixty times a minute and then
// 429, whatever is wrong; a good one is never refused for them.
func TestWrongCredentialsAreCounted(t *testing.T) {
	f := newFixture(t)
	f.Auth.(*auth.Authenticator).Sessions = nobody{}
	wrong := []func(
		*http.Request,
	){as(unknownKey(t)), as("rk_x"), header("Authorization", "Bearer abc"), header("Authorization", "ApiKey a b")}
	send := func(options ...func(*http.Request)) *httptest.ResponseRecorder {
		return f.send("GET", "/v1/signing/things/t1", "", options...)
	}
	for i := range 60 {
		if w := send(wrong[i%len(wrong)]); w.Code != 401 && w.Code != 404 || w.Header().Get("RateLimit") != "" {
			t.Fatalf("wrong credential %d: %d %v", i, w.Code, w.Header())
		}
	}
	for i, w := range wrong {
		w := send(w)
		if got := message(t, w, "/v1/signing/things/t1"); w.Code != 429 ||
			got != "Rate limit exceeded" || w.Header().Get("Retry-After") != "60" ||
			w.Header().Get("RateLimit-Policy") != `"authentication";q=60;w=60` ||
			w.Header().Get("RateLimit") != `"authentication";r=0;t=60` {
			t.Errorf("%d after sixty: %d %q %v", i, w.Code, got, w.Header())
		}
	}
	for name, good := range map[string][]func(*http.Request){
		"a good key":                   nil,
		"another network":              {as(unknownKey(t)), from("192.0.2.77:1")},
		"a request that shows nothing": {header("Authorization", "")},
	} {
		if w := send(good...); w.Code == 429 {
			t.Errorf("%s: %d", name, w.Code)
		}
	}
	if w := f.send("GET", "/v1/", ""); w.Code != 200 {
		t.Errorf("public: %d", w.Code)
	}
	if !strings.Contains(f.log.String(), "api_key_not_found") {
		t.Error("the log does not say what was wrong")
	}
	f.now = f.now.Add(time.Minute)
	if w := send(wrong[0]); w.Code != 404 {
		t.Errorf("a minute later: %d", w.Code)
	}
}

type nobody struct{}

func (nobody) Member(context.Context, string) (auth.Principal, error) {
	return auth.Principal{}, auth.ErrScheme
}

// Behind an own proxy each caller has a count of its own; who only says so has not.
func TestCallersBehindAProxy(t *testing.T) {
	f := newFixture(t)
	f.Proxies = edge.Proxies{netip.MustParsePrefix("10.0.0.0/8")}
	const proxy, stranger = "10.0.0.1:1", "203.0.113.5:1"
	for i := range 202 {
		caller := []string{"198.51.100.1", "198.51.100.2"}[i%2]
		w := f.send("GET", "/v1/directory", "", from(proxy), header("X-Forwarded-For", "127.0.0.1, "+caller))
		if want := map[bool]int{true: 200, false: 429}[i < 200]; w.Code != want {
			t.Fatalf("call %d: %d", i, w.Code)
		}
	}
	if !strings.Contains(f.log.String(), `"remoteIp":"198.51.100.2"`) || strings.Contains(f.log.String(), "10.0.0.1") {
		t.Errorf("the log has another address:\n%s", f.log)
	}
	for i := range 101 {
		w := f.send(
			"GET", "/v1/directory", "", from(stranger), header("X-Forwarded-For", "198.51.100."+string(rune('0'+i%10))),
		)
		if want := map[bool]int{true: 200, false: 429}[i < 100]; w.Code != want {
			t.Fatalf("stranger's call %d: %d", i, w.Code)
		}
	}
}

// Every answer of a known caller says where it stands: also an error, the 429 and
// a replay.
func TestRateLimitHeadersAreOnEveryAnswer(t *testing.T) {
	f := newFixture(t)
	key := header("Idempotency-Key", "6f0e1c2d-3b4a-4c5d-8e6f-708192a3b4c5")
	for i, c := range []struct {
		body    string
		options []func(*http.Request)
		status  int
	}{
		{`{"name":"n"}`, []func(*http.Request){key}, 201},
		{`{"name":"n"}`, []func(*http.Request){key}, 201}, // a replay
		{`{"name":""}`, nil, 400},
		{`{"name":"other"}`, []func(*http.Request){key}, 422},
	} {
		w := f.send("POST", "/v1/signing/things", c.body, c.options...)
		want := `"financial";r=` + []string{"19", "18", "17", "16"}[i] + `;t=60`
		if w.Code != c.status ||
			w.Header().Get("RateLimit") != want || (i == 1) != (w.Header().Get("Idempotent-Replayed") == "true") {
			t.Errorf("%d: %d %v", i, w.Code, w.Header())
		}
	}
	for range 17 {
		f.send("POST", "/v1/signing/things", `{"name":"n"}`, key)
	}
	f.now = f.now.Add(1500 * time.Millisecond)
	w := f.send("POST", "/v1/signing/things", `{"name":"n"}`, key)
	if w.Code != 429 || w.Header().Get("RateLimit") != `"financial";r=0;t=59` ||
		w.Header().Get("Retry-After") != "59" || w.Header().Get("Idempotent-Replayed") != "" {
		t.Errorf("%d %v", w.Code, w.Header())
	}
}

// A known caller is counted whatever it is refused for: the scope, the module, the
// workspace that it names. A key used from a forbidden address is a wrong credential.
func TestRefusedCallersAreCounted(t *testing.T) {
	f := newFixture(t)
	key := func(scope auth.Scope) func(*http.Request) {
		return as(f.addKey(auth.Key{WorkspaceID: home, Scopes: []auth.Scope{scope}}))
	}
	f.modules[home] = nil
	for name, c := range map[string]struct {
		target string
		as     func(*http.Request)
		status int
	}{
		"scope":             {"/v1/managed", key(auth.IntegratorRead), 403},
		"module":            {"/v1/signing/things/t1", key(auth.Integrator), 403},
		"foreign workspace": {"/v1/signing/things/t1?integratorId=" + foreign, key(auth.Integrator), 403},
		"unknown workspace": {
			"/v1/signing/things?integratorId=44444444-4444-4444-8444-444444444444", key(auth.Admin), 404,
		},
		"no workspace at all": {"/v1/signing/things", key(auth.Admin), 400},
	} {
		for i := range 101 {
			w := f.send("GET", c.target, "", c.as)
			if want := map[bool]int{true: c.status, false: 429}[i < 100]; w.Code != want ||
				!strings.HasPrefix(w.Header().Get("RateLimit"), `"standard";`) {
				t.Fatalf("%s, call %d: %d %v, want %d", name, i, w.Code, w.Header(), want)
			}
		}
	}
	bound := f.addKey(auth.Key{
		WorkspaceID: home, Scopes: []auth.Scope{auth.Integrator},
		Networks: []netip.Prefix{netip.MustParsePrefix("198.51.100.7/32")},
	})
	for i := range 61 {
		w := f.send("GET", "/v1/signing/things", "", as(bound))
		if want := map[bool]int{true: 403, false: 429}[i < 60]; w.Code != want {
			t.Fatalf("from a forbidden address, call %d: %d, want %d", i, w.Code, want)
		}
	}
	if w := f.send("GET", "/v1/signing/things", "", as(bound), from("198.51.100.7:1")); w.Code != 200 {
		t.Errorf("its owner: %d", w.Code)
	}
}

// Kinds of callers are counted apart, should an agent and a key ever share an id.
func TestLimiterIsToldWhoCalls(t *testing.T) {
	f := newFixture(t)
	spy := &spy{Limiter: f.Keys}
	f.Keys = spy
	f.send("GET", "/v1/signing/things/t1", "")
	if len(spy.who) != 1 || !strings.HasPrefix(spy.who[0], "api_key:") || strings.Contains(spy.who[0], f.key) {
		t.Errorf("%q", spy.who)
	}
}

type spy struct {
	edge.Limiter
	who []string
}

func (s *spy) Take(ctx context.Context, who string, class ratelimit.Class, limit int) (ratelimit.Verdict, error) {
	s.who = append(s.who, who)
	return s.Limiter.Take(ctx, who, class, limit)
}

// Who has more networks than the table has places, such as a /44 of IPv6, keeps
// nobody else from logging in.
func TestPlatform_H08_FloodOfNetworks(t *testing.T) {
	f := newFixture(t)
	for i := range 65_536 {
		for range 3 {
			who := fmt.Sprintf("2001:db8:%x:%x::/64", i>>8, i&0xff)
			if _, err := f.Strangers.Take(t.Context(), who, ratelimit.Standard, 100); err != nil {
				t.Fatal(err)
			}
		}
	}
	for i := range 20 {
		for call := range 50 {
			w := f.send("GET", "/v1/directory", "", from(fmt.Sprintf("198.51.100.%d:1", i)))
			if w.Code != 200 {
				t.Fatalf("network %d, call %d: %d %v", i, call, w.Code, w.Header())
			}
		}
	}
}
