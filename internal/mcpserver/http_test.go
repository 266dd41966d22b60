package mcpserver_test

import (
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/railkit/railkit/internal/mcpserver"
	railkit "github.com/railkit/railkit/sdk/go"
)

// Over HTTP the tools are for who has the token, or for programs of this machine; never for a page of another site.
func TestAgents_MCPKnowsItsCallers(t *testing.T) {
	client, err := railkit.NewAgentClient(railkit.AgentConfig{
		BaseURL: "http://127.0.0.1:1", AgentID: "7d1f0c7e-1111-4222-8333-944455556666", Secret: "hidden",
	})
	if err != nil {
		t.Fatal(err)
	}
	s, err := mcpserver.New(mcpserver.Config{
		Client: client, MaxAmount: "0.01", Version: "1", Log: slog.New(slog.DiscardHandler),
	})
	if err != nil {
		t.Fatal(err)
	}
	const token = "a token of some length"
	header := func(name, value string) func(r *http.Request) {
		return func(r *http.Request) { r.Header.Set(name, value) }
	}
	for what, c := range map[string]struct {
		token  string
		change func(r *http.Request)
		want   int
	}{
		"a program of this machine": {"", func(*http.Request) {}, 200},
		"localhost":                 {"", func(r *http.Request) { r.Host = "localhost:8097" }, 200},
		"a name that leads here":    {"", func(r *http.Request) { r.Host = "evil.example:8097" }, 403},
		"a page of another site":    {"", header("Origin", "https://evil.example"), 403},
		"a page without a site":     {"", header("Origin", "null"), 403},
		"another port's page":       {"", header("Origin", "http://127.0.0.1:1"), 403},
		"a page of this server":     {"", func(r *http.Request) { r.Header.Set("Origin", "http://"+r.Host) }, 200},
		"another path":              {"", func(r *http.Request) { r.URL.Path = "/" }, 404},
		"no token":                  {token, func(*http.Request) {}, 401},
		"another token":             {token, header("Authorization", "Bearer "+token+"x"), 401},
		"a token of another kind":   {token, header("Authorization", "Basic "+token), 401},
		"the token":                 {token, header("Authorization", "Bearer "+token), 200},
		"the token, at another's name": {token, func(r *http.Request) {
			r.Host = "mcp.example"
			r.Header.Set("Authorization", "bearer "+token)
		}, 200},
		"the token, from another site": {token, func(r *http.Request) {
			r.Header.Set("Origin", "https://evil.example")
			r.Header.Set("Authorization", "Bearer "+token)
		}, 403},
	} {
		server := httptest.NewServer(s.Handler(c.token))
		r, err := http.NewRequest(http.MethodPost, server.URL+mcpserver.Path, strings.NewReader(
			`{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},`+
				`"clientInfo":{"name":"host","version":"1"}}}`))
		if err != nil {
			t.Fatal(err)
		}
		r.Header.Set("Content-Type", "application/json")
		r.Header.Set("Accept", "application/json, text/event-stream")
		r.Host = strings.TrimPrefix(server.URL, "http://")
		c.change(r)
		res, err := http.DefaultClient.Do(r)
		if err != nil {
			t.Fatal(err)
		}
		body, _ := io.ReadAll(res.Body)
		res.Body.Close()
		if res.StatusCode != c.want {
			t.Errorf("%s: %d %s", what, res.StatusCode, body)
		}
		server.CloseClientConnections()
		server.Close()
	}
}
