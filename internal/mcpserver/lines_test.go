package mcpserver_test

import (
	"bufio"
	"encoding/json"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/railkit/railkit/internal/mcpserver"
	"github.com/railkit/railkit/internal/test/testlog"
	"github.com/railkit/railkit/internal/test/testwait"
	railkit "github.com/railkit/railkit/sdk/go"
)

// nobodys is a server whose agent's API is not there.
func nobodys(t *testing.T) *mcpserver.Server {
	t.Helper()
	return serverAt(t, "http://127.0.0.1:1", slog.New(slog.DiscardHandler))
}

// serverAt is one for an agent of an API.
func serverAt(t *testing.T, api string, log *slog.Logger) *mcpserver.Server {
	t.Helper()
	client, err := railkit.NewAgentClient(railkit.AgentConfig{
		BaseURL: api, AgentID: "7d1f0c7e-1111-4222-8333-944455556666", Secret: "hidden",
	})
	if err != nil {
		t.Fatal(err)
	}
	s, err := mcpserver.New(mcpserver.Config{
		Client: client, MaxAmount: "0.01", Version: "1", Log: log,
	})
	if err != nil {
		t.Fatal(err)
	}
	return s
}

const (
	initialize = `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18",` +
		`"capabilities":{},"clientInfo":{"name":"host","version":"1"}}}`
	initialized = `{"jsonrpc":"2.0","method":"notifications/initialized"}`
)

// A line that is no message is answered with an error, with its id where that can be read, and ends nothing.
func TestAgents_MCPOutlivesMalformedLines(t *testing.T) {
	in, host := io.Pipe()
	from, out := io.Pipe()
	done := make(chan error, 1)
	s := nobodys(t)
	go func() {
		err := s.Serve(ctx, in, out)
		_ = out.Close()
		done <- err
	}()
	answers := bufio.NewScanner(from)
	say := func(line string) {
		if _, err := io.WriteString(host, line+"\n"); err != nil {
			t.Fatalf("%.60q: %v", line, err)
		}
	}
	type reply struct {
		ID     any
		Result json.RawMessage
		Error  *struct{ Code int }
	}
	hear := func(about string) (r reply) {
		t.Helper()
		if !answers.Scan() {
			t.Fatalf("after %.60q it says nothing more: %v", about, answers.Err())
		}
		if err := json.Unmarshal(answers.Bytes(), &r); err != nil {
			t.Fatalf("after %.60q it says %q", about, answers.Text())
		}
		return r
	}
	say("no JSON")
	if r := hear("no JSON"); r.Error == nil || r.Error.Code != -32700 {
		t.Errorf("before anything else: %+v", r)
	}
	say(initialize)
	hear(initialize)
	say(initialized)
	for line, code := range map[string]int{
		"{": -32700, "\x00": -32700, `{"jsonrpc":"2.0"}x`: -32700, "\xef\xbb\xbf{}": -32700, "[": -32700,
		"1": -32600, "null": -32600, "{}": -32600, "[]": -32600, `"x"`: -32600, `[{}]`: -32600,
		"[" + initialize + "]":                        -32600,
		`{"jsonrpc":"1.0","id":7,"method":"ping"}`:    -32600,
		`{"jsonrpc":"2.0","id":7,"method":1}`:         -32600,
		`{"jsonrpc":"2.0","id":{},"method":"ping"}`:   -32600,
		`{"jsonrpc":"2.0","id":7,"method":"nothing"}`: -32601,
		strings.Repeat(" ", 200_000) + "x":            -32700,
		strings.Repeat("[", 1<<20) + "]":              -32600,
	} {
		say(line)
		r := hear(line)
		if r.Error == nil || r.Error.Code != code {
			t.Errorf("%.60q: %+v", line, r)
		}
		if hasID := strings.Contains(line, `"id":7`); hasID && r.ID != 7.0 || !hasID && r.ID != nil {
			t.Errorf("%.60q is answered with the id %v", line, r.ID)
		}
	}
	for _, line := range []string{"", "\r", `{"jsonrpc":"2.0","id":99,"result":{}}`, initialized} {
		say(line) // and hears nothing
	}
	say(`{"jsonrpc":"2.0","id":8,"method":"tools/list"}` + "\r")
	r := hear("tools/list")
	if r.ID != 8.0 || strings.Count(string(r.Result), `"inputSchema"`) != 4 {
		t.Errorf("afterwards: %+v %s", r, r.Result)
	}
	for _, part := range strings.Split(string(r.Result), `"inputSchema"`)[1:] {
		schema, _, _ := strings.Cut(part, `"outputSchema"`)
		if strings.Contains(schema, `"type":[`) { // hosts with Gemini refuse the tools of a server that has one
			t.Errorf("a type that is a list: %s", schema)
		}
	}
	_ = host.Close()
	go func() { _, _ = io.Copy(io.Discard, from) }()
	if err := <-done; err != nil {
		t.Errorf("it ends with %v", err)
	}
}

// Over HTTP there are so many sessions at most, also where they are begun at once, and one that ends makes room.
func TestAgents_MCPSessionsAreBounded(t *testing.T) {
	server := httptest.NewServer(nobodys(t).Handler(""))
	defer server.Close()
	send := func(method, session, body string) *http.Response {
		r, err := http.NewRequest(method, server.URL+mcpserver.Path, strings.NewReader(body))
		if err != nil {
			t.Error(err)
			return nil
		}
		r.Header.Set("Content-Type", "application/json")
		r.Header.Set("Accept", "application/json, text/event-stream")
		if session != "" {
			r.Header.Set("Mcp-Session-Id", session)
		}
		res, err := http.DefaultClient.Do(r)
		if err != nil {
			t.Error(err)
			return nil
		}
		_, _ = io.Copy(io.Discard, res.Body)
		_ = res.Body.Close()
		return res
	}
	var all sync.WaitGroup
	got := make(chan *http.Response, 150)
	for range cap(got) {
		all.Go(func() { got <- send(http.MethodPost, "", initialize) })
	}
	all.Wait()
	close(got)
	var begun []string
	for res := range got {
		switch {
		case res == nil:
			t.Fatal("no answer")
		case res.StatusCode == http.StatusOK:
			begun = append(begun, res.Header.Get("Mcp-Session-Id"))
		case res.StatusCode != http.StatusServiceUnavailable || res.Header.Get("Retry-After") == "":
			t.Errorf("%d %v", res.StatusCode, res.Header)
		}
	}
	for len(begun) < 100 { // those that came at once counted twice for a moment
		res := send(http.MethodPost, "", initialize)
		if res == nil || res.StatusCode != http.StatusOK {
			t.Fatalf("session %d: %+v", len(begun), res)
		}
		begun = append(begun, res.Header.Get("Mcp-Session-Id"))
	}
	res := send(http.MethodPost, "", initialize)
	if len(begun) != 100 || res.StatusCode != http.StatusServiceUnavailable {
		t.Errorf("of %d sessions, one more: %d", len(begun), res.StatusCode)
	}
	const ping = `{"jsonrpc":"2.0","id":2,"method":"ping"}`
	if res := send(http.MethodPost, begun[0], ping); res.StatusCode != http.StatusOK {
		t.Errorf("a session that is there: %d", res.StatusCode)
	}
	if res := send(http.MethodDelete, begun[0], ""); res.StatusCode != http.StatusNoContent {
		t.Errorf("the end of one: %d", res.StatusCode)
	}
	if res := send(http.MethodPost, "", initialize); res.StatusCode != http.StatusOK {
		t.Errorf("after one has ended: %d", res.StatusCode)
	}
}

// A call that was cancelled is answered by nothing, and those after it are.
func TestAgents_MCPAnswersNothingToTheCancelled(t *testing.T) {
	asked := make(chan struct{}, 1)
	api := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		asked <- struct{}{}
		<-r.Context().Done()
	}))
	defer api.Close()
	log := &testlog.Log{}
	s := serverAt(t, api.URL, slog.New(slog.NewJSONHandler(log, nil)))
	in, host := io.Pipe()
	from, out := io.Pipe()
	go func() {
		if err := s.Serve(ctx, in, out); err != nil {
			t.Error(err)
		}
		_ = out.Close()
	}()
	go func() {
		for _, line := range []string{
			initialize, initialized,
			`{"jsonrpc":"2.0","id":"a","method":"tools/call","params":{"name":"status","arguments":{}}}`,
		} {
			_, _ = io.WriteString(host, line+"\n")
		}
		<-asked
		_, _ = io.WriteString(host, `{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":"a"}}`+"\n")
		testwait.Until(t, "the call to end", func() bool { return strings.Contains(log.String(), `"called"`) })
		_, _ = io.WriteString(host, `{"jsonrpc":"2.0","id":2,"method":"ping"}`+"\n")
	}()
	for answers := bufio.NewScanner(from); answers.Scan(); {
		var r struct{ ID any }
		if err := json.Unmarshal(answers.Bytes(), &r); err != nil || r.ID == "a" {
			t.Errorf("it says %s, %v", answers.Text(), err)
		}
		if r.ID == 2.0 {
			_ = host.Close()
		}
	}
}

// Over HTTP the newest revision of the protocol is spoken as well, which has no sessions; calls of both are answered.
func TestAgents_MCPWithoutSessions(t *testing.T) {
	server := httptest.NewServer(nobodys(t).Handler(""))
	defer server.Close()
	for _, version := range []string{"2026-07-28", "2025-11-25"} {
		client := mcp.NewClient(&mcp.Implementation{Name: "host", Version: "1"}, nil)
		session, err := client.Connect(ctx, &mcp.StreamableClientTransport{Endpoint: server.URL + mcpserver.Path},
			&mcp.ClientSessionOptions{ProtocolVersion: version})
		if err != nil {
			t.Fatalf("%s: %v", version, err)
		}
		tools, err := session.ListTools(ctx, nil)
		if got := session.InitializeResult().ProtocolVersion; err != nil || got != version || len(tools.Tools) != 4 {
			t.Errorf("%s: %s, %+v, %v", version, got, tools, err)
		}
		res, err := session.CallTool(ctx, &mcp.CallToolParams{Name: "status", Arguments: object{}})
		if err != nil || !res.IsError || session.ID() == "" != (version == "2026-07-28") {
			t.Errorf("%s: a call of session %q: %+v, %v", version, session.ID(), res, err)
		}
		if err := session.Close(); err != nil {
			t.Error(err)
		}
	}
}
