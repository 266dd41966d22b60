package edge_test

import (
	"context"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/railkit/railkit/api/edge"
	"github.com/railkit/railkit/enclave/wire"
	"github.com/railkit/railkit/fault"
	"github.com/railkit/railkit/platform/auth"
	"github.com/railkit/railkit/platform/command"
)

// signers stands for the enclave: one agent, whose writes are accepted once.
type signers struct {
	seen  map[string]bool
	calls []auth.AgentClaim
}

const (
	agentID     = "7d1f0c7e-1111-4222-8333-944455556666"
	agentSecret = "test_secret_0001"
)

var errNotSigned = &fault.Error{Kind: fault.Unauthenticated, Code: "invalid_auth", Message: "not signed, or twice"}

func (s *signers) VerifyAgent(_ context.Context, c auth.AgentClaim) (auth.Principal, error) {
	s.calls = append(s.calls, c)
	want := wire.AgentMAC(agentSecret, wire.VerifyAgentRequest{
		AgentID: c.AgentID, Method: c.Method, Path: c.Path, Timestamp: c.Timestamp,
		BodyHash: wire.Digest(string(c.Body)), HTTP: (*wire.HTTPSignature)(c.HTTP),
	}.Message())
	if c.AgentID != agentID || c.MAC != want || s.seen[c.MAC] {
		return auth.Principal{}, errNotSigned
	}
	s.seen[c.MAC] = c.Method != http.MethodGet
	return auth.Principal{
		Tenant: auth.Tenant{WorkspaceID: home}, Kind: auth.ByAgent, ID: agentID, Scopes: []auth.Scope{auth.OwnAgent},
		Environment: "sandbox",
	}, nil
}

// agentFixture has a write and a read for agents, and a write for them alone.
func agentFixture(t *testing.T) (*fixture, *signers) {
	f := newFixture(t)
	f.agents.seen = map[string]bool{}
	write := func(id, path string, callers ...auth.Kind) {
		edge.Write[thing](f.Server, edge.Op{
			ID: id, Path: path, Tag: "T", Access: auth.AccessOwnAgentRead, Callers: callers,
			Aliases: edge.Aliases{"title": "name"},
		},
			func(_ context.Context, cmd *command.Command, in *makeThing) (command.Answer, error) {
				f.runs++
				return f.commit(cmd, command.Reply{Status: 200, Data: thing{ID: cmd.Principal.ID, Name: in.Body.Name}})
			})
	}
	write("emit", "/v1/agents/events", auth.ByKey, auth.ByAgent)
	write("pay", "/v1/agents/pay", auth.ByAgent)
	edge.Get(f.Server, edge.Op{
		ID: "getOwn", Path: "/v1/agents/{id}", Tag: "T", Access: auth.AccessOwnAgentRead,
		Callers: []auth.Kind{auth.ByKey, auth.ByAgent},
	},
		func(_ context.Context, p auth.Principal, _ *oneThing) (thing, error) { return thing{ID: p.ID}, nil })
	return f, &f.agents
}

// signed puts an agent's headers on a request.
func signed(path, at, body string) func(*http.Request) {
	return func(r *http.Request) {
		r.Header.Del("Authorization")
		r.Header.Set("x-agent-id", agentID)
		r.Header.Set("x-request-timestamp", at)
		r.Header.Set(
			"x-agent-auth", wire.AgentMAC(agentSecret, wire.AgentMessage(r.Method, path, at, wire.Digest(body))),
		)
	}
}

func wantStatus(t *testing.T, what string, w *httptest.ResponseRecorder, status int, code string) {
	t.Helper()
	if got, _ := envelopeOf(t, w)["error"].(string); w.Code != status || got != code {
		t.Errorf("%s: %d %s, want %d %s", what, w.Code, w.Body, status, code)
	}
}

// An agent signs the very bytes: those before names are put into the spec's form.
func TestAgents_EdgeSignsTheRawRequest(t *testing.T) {
	f, s := agentFixture(t)
	const path, body = "/v1/agents/events", `{ "title":"n" }`
	w := f.send("POST", path, body, signed(path, "1700000000", body))
	wantStatus(t, "a write", w, 200, "")
	if c := s.calls[0]; string(c.Body) != body || c.Path != path || c.Method != "POST" || c.Query || f.runs != 1 {
		t.Errorf("%+v, %d runs", c, f.runs)
	}
	wantStatus(t, "again", f.send("POST", path, body, signed(path, "1700000000", body)), 401, "invalid_auth")
	if f.runs != 1 {
		t.Errorf("%d runs", f.runs)
	}
	wantStatus(t, "a new one", f.send("POST", path, body, signed(path, "1700000001", body)), 200, "")
	wantStatus(
		t, "another body", f.send("POST", path, `{"title":"n"}`, signed(path, "1700000002", body)), 401, "invalid_auth",
	)
	const odd = "/v1/agents/a%2Fb"
	wantStatus(t, "an escaped path", f.send("GET", odd+"?shape=round", "", signed(odd, "1700000000", "")), 200, "")
	if c := s.calls[len(s.calls)-1]; c.Path != odd || !c.Query || len(c.Body) != 0 {
		t.Errorf("%+v", c)
	}
}

func TestAgents_EdgeCredentials(t *testing.T) {
	f, s := agentFixture(t)
	const path = "/v1/agents/events"
	body := `{"name":"n"}`
	sign := signed(path, "1700000000", body)
	drop := func(name string) func(*http.Request) { return func(r *http.Request) { sign(r); r.Header.Del(name) } }
	for _, name := range []string{"x-agent-id", "x-agent-auth", "x-request-timestamp"} {
		wantStatus(t, "without "+name, f.send("POST", path, body, drop(name)), 401, "invalid_auth")
	}
	twice := f.send("POST", path, body, sign, func(r *http.Request) { r.Header.Add("x-agent-id", agentID) })
	wantStatus(t, "two ids", twice, 401, "invalid_auth")
	before := len(s.calls)
	both := f.send("POST", path, body, sign, header("Authorization", "ApiKey "+f.key))
	wantStatus(t, "with a key as well", both, 401, "authorization_twice")
	if both.Header().Get("WWW-Authenticate") != "ApiKey" || len(s.calls) != before || f.runs != 0 {
		t.Errorf("%v, %d calls, %d runs", both.Header(), len(s.calls)-before, f.runs)
	}
	wantStatus(t, "none", f.send("POST", path, body, header("Authorization", "")), 401, "authorization_missing")
	wantStatus(t, "a key", f.send("POST", path, body), 200, "")
	wantStatus(
		t, "none, for agents alone", f.send("POST", "/v1/agents/pay", body, header("Authorization", "")), 401,
		"invalid_auth",
	)
	wantStatus(t, "a key, for agents alone", f.send("POST", "/v1/agents/pay", body), 401, "authorization_scheme")
	const things = "/v1/signing/things"
	wantStatus(
		t, "not for agents", f.send("POST", things, body, signed(things, "1700000000", body)), 401,
		"authorization_missing",
	)
	wantStatus(
		t, "not for agents, with a key", f.send("POST", things, body, signed(things, "1700000000", body), as(f.key)),
		201, "",
	)
	wantStatus(
		t, "not JSON", f.send("POST", path, body, sign, header("Content-Type", "text/plain")), 415,
		"unsupported_media_type",
	)
	large := `{"name":"` + strings.Repeat("x", 2<<20) + `"}`
	wantStatus(t, "too large", f.send("POST", path, large, signed(path, "1700000000", large)), 413, "body_too_large")
}

// An agent has a limit of its own, whatever its workspace's keys use up.
func TestAgents_EdgeLimit(t *testing.T) {
	f, _ := agentFixture(t)
	const path = "/v1/agents/a"
	sign := signed(path, "1700000000", "")
	for range 100 {
		if w := f.send("GET", path, "", sign); w.Code != 200 {
			t.Fatalf("%d %s", w.Code, w.Body)
		}
	}
	if w := f.send("GET", path, "", sign); w.Code != 429 {
		t.Errorf("the 101st: %d", w.Code)
	}
	if w := f.send("GET", path, ""); w.Code != 200 {
		t.Errorf("a key: %d", w.Code)
	}
}
