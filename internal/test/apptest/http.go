package apptest

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/google/uuid"

	"github.com/railkit/railkit/clock"
	"github.com/railkit/railkit/platform/auth"
	"github.com/railkit/railkit/platform/workspace"
)

// Answer is a raw answer of the API.
type Answer struct {
	Status int
	Header http.Header
	Body   string
}

// Field is a top-level member of the answer.
func (a Answer) Field(name string) any {
	var m map[string]any
	_ = json.Unmarshal([]byte(a.Body), &m) // what is not JSON has no members
	return m[name]
}

// Do calls the API without the SDK. Headers come in pairs.
func (a *App) Do(key, method, path, body string, headers ...string) Answer {
	a.t.Helper()
	if key != "" {
		headers = append([]string{"Authorization", "ApiKey " + key}, headers...)
	}
	return Call(a.t, method, a.BaseURL+path, body, headers...)
}

// Call calls any server. Headers come in pairs.
func Call(t testing.TB, method, url, body string, headers ...string) Answer {
	t.Helper()
	req, err := http.NewRequest(method, url, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	if body != "" {
		req.Header.Set("Content-Type", "application/json")
	}
	for i := 0; i+1 < len(headers); i += 2 {
		req.Header.Set(headers[i], headers[i+1])
	}
	return send(t, req)
}

func send(t testing.TB, req *http.Request) Answer {
	t.Helper()
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	raw, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatal(err)
	}
	return Answer{resp.StatusCode, resp.Header, string(raw)}
}

// JSON is v as a body.
func JSON(t testing.TB, v any) string {
	t.Helper()
	raw, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return string(raw)
}

// NewWorkspace makes another workspace with the modules, and a key of it.
func (a *App) NewWorkspace(scopes []auth.Scope, modules ...auth.Module) (id, key string) {
	a.t.Helper()
	ctx := context.Background()
	s := workspace.New(a.Store.Workspaces(), clock.System{})
	w := workspace.Workspace{
		ID:          uuid.NewString(),
		Name:        "Other",
		Email:       "other@example.com",
		Environment: "sandbox",
		KYBStatus:   "approved",
		Modules:     modules,
	}
	if err := s.Ensure(ctx, w); err != nil {
		a.t.Fatal(err)
	}
	key, err := s.AddKey(ctx, w.ID, workspace.KeySpec{Name: "key", Scopes: scopes})
	if err != nil {
		a.t.Fatal(err)
	}
	return w.ID, key
}

var (
	seenMu sync.Mutex
	seen   = map[string]bool{}
)

// SeenErrors lists the error codes that any answer of this test process had.
func SeenErrors() []string {
	seenMu.Lock()
	defer seenMu.Unlock()
	var codes []string
	for code := range seen {
		codes = append(codes, code)
	}
	slices.Sort(codes)
	return codes
}

// recordErrors remembers the code of every error that goes out.
func recordErrors(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		rec := &recorder{ResponseWriter: w}
		next.ServeHTTP(rec, r)
		if rec.status < 400 {
			return
		}
		var e struct {
			Error string `json:"error"`
		}
		if json.Unmarshal(rec.body.Bytes(), &e) == nil && e.Error != "" {
			seenMu.Lock()
			seen[e.Error] = true
			seenMu.Unlock()
		}
	})
}

type recorder struct {
	http.ResponseWriter
	status int
	body   bytes.Buffer
}

func (r *recorder) WriteHeader(status int) {
	r.status = status
	r.ResponseWriter.WriteHeader(status)
}

// Unwrap lets a stream flush.
func (r *recorder) Unwrap() http.ResponseWriter { return r.ResponseWriter }

func (r *recorder) Write(p []byte) (int, error) {
	if r.status >= 400 {
		r.body.Write(p)
	}
	return r.ResponseWriter.Write(p)
}
