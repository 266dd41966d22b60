package edge_test

import (
	"context"
	"net/http"
	"net/http/httptest"
	"testing"
	"testing/synctest"
	"time"

	"github.com/railkit/railkit/platform/auth"
)

const someKey = "6f0e1c2d-3b4a-4c5d-8e6f-708192a3b4c5"

func TestReplayIsTheStoredBytes(t *testing.T) {
	f := newFixture(t)
	key := header("Idempotency-Key", someKey)
	first := f.send("POST", "/v1/signing/things", `{"name":"n"}`, key)
	f.now = f.now.Add(23 * time.Hour)
	again := f.send(
		"POST", "/v1/signing/things", `{"name":"n"}`, header("Idempotency-Key", "6F0E1C2D-3B4A-4C5D-8E6F-708192A3B4C5"),
	)
	if again.Code != first.Code || again.Body.String() != first.Body.String() || f.runs != 1 {
		t.Errorf("%d runs\n%s\n%s", f.runs, first.Body, again.Body)
	}
	if first.Header().Get("Idempotent-Replayed") != "" || again.Header().Get("Idempotent-Replayed") != "true" {
		t.Error("Idempotent-Replayed is wrong")
	}
	f.now = f.now.Add(time.Hour)
	if late := f.send("POST", "/v1/signing/things", `{"name":"n"}`, key); late.Code != 201 || f.runs != 2 {
		t.Errorf("a day later: %d after %d runs", late.Code, f.runs)
	}
}

func TestKeyOfAnotherRequest(t *testing.T) {
	f := newFixture(t)
	key := header("Idempotency-Key", someKey)
	if w := f.send("POST", "/v1/signing/things?wide=true&shape=round", `{"name":"n"}`, key); w.Code != 201 {
		t.Fatalf("%d", w.Code)
	}
	cases := []struct {
		name, method, target, body string
		status                     int
	}{
		{"same, query in other order", "POST", "/v1/signing/things?shape=round&wide=true", `{"name":"n"}`, 201},
		{"other query", "POST", "/v1/signing/things?shape=round", `{"name":"n"}`, 422},
		{"other body", "POST", "/v1/signing/things?wide=true&shape=round", `{"name":"n" }`, 422},
		{"other path", "POST", "/v1/fragile?wide=true&shape=round", `{"name":"n"}`, 422},
		{"other method", "DELETE", "/v1/signing/things/t1?wide=true&shape=round", "", 422},
	}
	for _, c := range cases {
		w := f.send(c.method, c.target, c.body, key)
		if w.Code != c.status {
			t.Errorf("%s: %d, want %d", c.name, w.Code, c.status)
		}
		if e := envelopeOf(t, w); w.Code == 422 && e["message"] != "Idempotency-Key was used with another request" {
			t.Errorf("%s: %v", c.name, e)
		}
	}
}

func TestKeyIsOfAWorkspace(t *testing.T) {
	f := newFixture(t)
	key := header("Idempotency-Key", someKey)
	other := f.addKey(auth.Key{WorkspaceID: foreign, Scopes: []auth.Scope{auth.Integrator}})
	f.send("POST", "/v1/signing/things", `{"name":"n"}`, key)
	w := f.send("POST", "/v1/signing/things", `{"name":"m"}`, key, as(other))
	if w.Code != 201 || f.runs != 2 || w.Header().Get("Idempotent-Replayed") != "" {
		t.Errorf("%d after %d runs", w.Code, f.runs)
	}
}

func TestKeyMustBeUUIDv4(t *testing.T) {
	f := newFixture(t)
	for _, bad := range []string{
		"x", "6f0e1c2d-3b4a-1c5d-8e6f-708192a3b4c5", "6f0e1c2d-3b4a-4c5d-7e6f-708192a3b4c5", "{" + someKey + "}",
		someKey + "," + someKey,
	} {
		w := f.send("POST", "/v1/signing/things", `{"name":"n"}`, header("Idempotency-Key", bad))
		if got := message(t, w, "/v1/signing/things"); w.Code != 400 ||
			got != "Validation failed: Idempotency-Key must be a UUID v4" {
			t.Errorf("%q: %d %q", bad, w.Code, got)
		}
	}
	if w := f.send("GET", "/v1/signing/things/t1", "", header("Idempotency-Key", "x")); w.Code != 200 {
		t.Errorf("a read: %d", w.Code)
	}
}

func TestErrorsAreNotKept(t *testing.T) {
	f := newFixture(t)
	key := header("Idempotency-Key", someKey)
	if w := f.send("POST", "/v1/fragile", "", key); w.Code != 503 {
		t.Fatalf("%d", w.Code)
	}
	if w := f.send("POST", "/v1/fragile", "", key); w.Code != 200 || f.runs != 2 {
		t.Errorf("%d after %d runs", w.Code, f.runs)
	}
}

func TestSecondCallerWaitsForTheFirst(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := newFixture(t)
		key := header("Idempotency-Key", someKey)
		answers := make(chan *httptest.ResponseRecorder, 2)
		for range 2 {
			go func() { answers <- f.send("POST", "/v1/slow", "", key) }()
		}
		synctest.Wait()
		time.Sleep(4 * time.Second) // of the bubble's clock
		f.gate <- struct{}{}        // one run only: a second would wait for ever
		a, b := <-answers, <-answers
		if a.Code != 200 || b.Code != 200 || a.Body.String() != b.Body.String() {
			t.Errorf("%d %d\n%s\n%s", a.Code, b.Code, a.Body, b.Body)
		}
		if a.Header().Get("Idempotent-Replayed")+b.Header().Get("Idempotent-Replayed") != "true" {
			t.Error("not exactly one is a replay")
		}
	})
}

func TestSecondCallerGivesUp(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := newFixture(t)
		key := header("Idempotency-Key", someKey)
		first := make(chan *httptest.ResponseRecorder)
		go func() { first <- f.send("POST", "/v1/slow", "", key) }()
		synctest.Wait()
		began := time.Now()
		w := f.send("POST", "/v1/slow", "", key)
		if waited := time.Since(began); w.Code != 409 ||
			waited != 5*time.Second || w.Header().Get("Retry-After") != "1" {
			t.Errorf("%d after %v, Retry-After %q", w.Code, waited, w.Header().Get("Retry-After"))
		}
		message(t, w, "/v1/slow")
		f.gate <- struct{}{}
		if w := <-first; w.Code != 200 {
			t.Errorf("the first: %d", w.Code)
		}
		if w := f.send("POST", "/v1/slow", "", key); w.Code != 200 || w.Header().Get("Idempotent-Replayed") != "true" {
			t.Errorf("afterwards: %d", w.Code)
		}
	})
}

// A caller that hangs up does not stop a change half-way.
func TestWriteOutlivesItsCaller(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := newFixture(t)
		ctx, hangUp := context.WithCancel(t.Context())
		key := header("Idempotency-Key", someKey)
		first := make(chan *httptest.ResponseRecorder)
		go func() {
			first <- f.send("POST", "/v1/slow", "", key, func(r *http.Request) { *r = *r.WithContext(ctx) })
		}()
		synctest.Wait()
		hangUp()
		synctest.Wait()
		f.gate <- struct{}{}
		<-first
		if w := f.send("POST", "/v1/slow", "", key); w.Code != 200 || w.Header().Get("Idempotent-Replayed") != "true" {
			t.Errorf("%d %s", w.Code, w.Body)
		}
	})
}

func TestWriteHasADeadline(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := newFixture(t)
		began := time.Now()
		w := f.send("POST", "/v1/slow", "")
		if got := message(t, w, "/v1/slow"); w.Code != 503 ||
			got != "Temporarily unavailable" || time.Since(began) != 30*time.Second {
			t.Errorf("%d %q after %v", w.Code, got, time.Since(began))
		}
	})
}

// An answer belongs to the credential that asked for it. Whoever else has its
// Idempotency-Key, in the same workspace, makes a call of its own under it.
func TestPlatform_I2_AnotherCaller(t *testing.T) {
	f, _ := agentFixture(t)
	const path, body = "/v1/agents/events", `{"name":"n"}`
	key := header("Idempotency-Key", someKey)
	peer := f.addKey(auth.Key{WorkspaceID: home, Scopes: []auth.Scope{auth.Integrator}})
	weaker := f.addKey(auth.Key{WorkspaceID: home, Scopes: []auth.Scope{auth.IntegratorRead}})

	first := f.send("POST", path, body, key)
	for n, other := range []func(*http.Request){as(peer), as(weaker), signed(path, "1700000000", body)} {
		if got := f.send("POST", path, body, key, other); got.Code != 200 ||
			got.Header().Get("Idempotent-Replayed") != "" || f.runs != n+2 {
			t.Errorf("caller %d under a key's: %d %s, %d runs", n, got.Code, got.Body, f.runs)
		}
	}
	for n, same := range []func(*http.Request){as(f.key), as(peer), as(weaker), signed(path, "1700000001", body)} {
		got := f.send("POST", path, body, key, same)
		if got.Header().Get("Idempotent-Replayed") != "true" || n == 0 && got.Body.String() != first.Body.String() {
			t.Errorf("caller %d again: %d %s", n, got.Code, got.Body)
		}
	}
	wantStatus(
		t, "another body under its own", f.send("POST", path, `{"name":"m"}`, key, as(peer)), 422,
		"idempotency_key_reused",
	)
	if f.runs != 4 {
		t.Errorf("%d runs of four callers", f.runs)
	}
}
