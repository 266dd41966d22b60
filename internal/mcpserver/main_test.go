package mcpserver_test

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"log/slog"
	"os"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/railkit/railkit/internal/mcpserver"
	"github.com/railkit/railkit/internal/test/apptest"
	"github.com/railkit/railkit/internal/test/testlog"
	"github.com/railkit/railkit/internal/test/testwait"
	railkit "github.com/railkit/railkit/sdk/go"
)

func TestMain(m *testing.M) { os.Exit(apptest.Keep(m)) }

var ctx = context.Background()

// host is a host whose model calls the tools of a server.
type host struct {
	t       *testing.T
	session *mcp.ClientSession
	log     *testlog.Log
	heard   bytes.Buffer // all that the model was told
	notices atomic.Int32
}

// newHost connects a host to a server for an agent, at the API or at a proxy before it.
func newHost(t *testing.T, api string, made *railkit.AgentChange, most string) *host {
	t.Helper()
	h := &host{t: t, log: &testlog.Log{}}
	client, err := railkit.NewAgentClient(railkit.AgentConfig{
		BaseURL: api, AgentID: made.AgentID, Secret: made.AgentSecret, HTTPSignatures: true,
	})
	if err != nil {
		t.Fatal(err)
	}
	s, err := mcpserver.New(mcpserver.Config{
		Client: client, MaxAmount: most, Version: "1", Log: slog.New(slog.NewJSONHandler(h.log, nil)),
	})
	if err != nil {
		t.Fatal(err)
	}
	h.connect(s)
	t.Cleanup(func() {
		if said := h.heard.String() + h.log.String(); strings.Contains(said, made.AgentSecret) {
			t.Error("the secret was told or logged")
		}
	})
	return h
}

// connect connects over pipes, in lines of JSON as over stdio.
func (h *host) connect(s *mcpserver.Server) {
	h.t.Helper()
	toServer, fromHost := io.Pipe()
	toHost, fromServer := io.Pipe()
	serving, stop := context.WithCancel(ctx)
	done := make(chan error, 1)
	go func() { done <- s.Serve(serving, toServer, fromServer) }()
	client := mcp.NewClient(&mcp.Implementation{Name: "host", Version: "1"}, &mcp.ClientOptions{
		ProgressNotificationHandler: func(context.Context, *mcp.ProgressNotificationClientRequest) { h.notices.Add(1) },
	})
	var err error
	if h.session, err = client.Connect(ctx, &mcp.IOTransport{Reader: toHost, Writer: fromHost}, nil); err != nil {
		h.t.Fatal(err)
	}
	h.t.Cleanup(func() {
		_ = h.session.Close()
		stop()
		select {
		case err := <-done:
			if err != nil {
				h.t.Error(err)
			}
		case <-time.After(testwait.Bound):
			h.t.Error("the server goes on")
		}
	})
}

// onceHeard does something when the model has heard so many times that its call goes on, or never will.
func (h *host) onceHeard(notices int32, do func()) {
	go func() {
		for end := time.Now().Add(testwait.Bound); h.notices.Load() < notices && time.Now().Before(end); {
			time.Sleep(10 * time.Millisecond) // between two looks
		}
		do()
	}()
}

type object = map[string]any

// call calls a tool, and gives its structured answer, or the words of its error.
func (h *host) call(tool string, arguments object) (answer object, refused string) {
	h.t.Helper()
	return h.callWith(ctx, &mcp.CallToolParams{Name: tool, Arguments: arguments})
}

func (h *host) callWith(ctx context.Context, p *mcp.CallToolParams) (answer object, refused string) {
	h.t.Helper()
	res, err := h.session.CallTool(ctx, p)
	if err != nil {
		return nil, "protocol: " + err.Error()
	}
	raw, err := json.Marshal(res)
	if err != nil {
		h.t.Fatal(err)
	}
	h.heard.Write(raw)
	if res.IsError {
		return nil, res.Content[0].(*mcp.TextContent).Text
	}
	answer, ok := res.StructuredContent.(object)
	if !ok {
		h.t.Fatalf("%s answers %s", p.Name, raw)
	}
	return answer, ""
}
