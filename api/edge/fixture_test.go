package edge_test

import (
	"context"
	"encoding/json"
	"errors"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/railkit/railkit/api/edge"
	"github.com/railkit/railkit/clock"
	"github.com/railkit/railkit/fault"
	"github.com/railkit/railkit/internal/test/testlog"
	"github.com/railkit/railkit/platform/auth"
	"github.com/railkit/railkit/platform/command"
	"github.com/railkit/railkit/platform/idempotency"
	"github.com/railkit/railkit/platform/workspace"
)

const (
	home    = "11111111-1111-4111-8111-111111111111"
	foreign = "22222222-2222-4222-8222-222222222222"
)

// The server under test, over stores in memory.
type fixture struct {
	*edge.Server
	*memory
	now  time.Time
	log  *testlog.Log
	gate chan struct{} // "slow" waits for it
	runs int           // of "makeThing"

	agents signers
}

type thing struct {
	ID   string `json:"id"`
	Name string `json:"name"`
}

type place struct {
	City    string  `json:"city" minLength:"2"`
	Country string  `json:"country" pattern:"^[A-Z]{2}$" patternDescription:"a country code"`
	Zip     *string `json:"zip,omitempty"`
}

type makeThing struct {
	Shape string `query:"shape" enum:"round,square"`
	Wide  bool   `query:"wide"`
	Body  struct {
		Name     string            `json:"name" minLength:"1" maxLength:"20"`
		Kind     string            `json:"kind,omitempty" enum:"small,large" default:"small"`
		Email    string            `json:"email,omitempty" format:"email"`
		Count    int32             `json:"count,omitempty" minimum:"1"`
		Price    float64           `json:"price,omitempty" exclusiveMinimum:"0"`
		On       bool              `json:"on,omitempty"`
		GasLimit string            `json:"gasLimit,omitempty"`
		Place    *place            `json:"place,omitempty"`
		Places   []place           `json:"places,omitempty" maxItems:"2"`
		Labels   map[string]string `json:"labels,omitempty"`
	}
}

type oneThing struct {
	ID    string `path:"id" maxLength:"40"`
	Shape string `query:"shape" enum:"round,square"`
	Wide  bool   `query:"wide"`
}

type manyThings struct{ edge.Paging }

type nothingIn struct{}

func newFixture(t *testing.T) *fixture {
	t.Helper()
	f := &fixture{
		memory: newMemory(), now: time.Date(2026, 3, 4, 5, 6, 7, 89e6, time.UTC), log: &testlog.Log{},
		gate: make(chan struct{}),
	}
	clk := clock.Func(func() time.Time { return f.now })
	keys, strangers := edge.DefaultLimiters(clk)
	f.Server = edge.New(edge.Config{
		Clock: clk, Log: slog.New(slog.NewJSONHandler(f.log, nil)),
		Auth:       &auth.Authenticator{Store: f.memory, Agents: &f.agents, Clock: clk, Environment: "sandbox"},
		Workspaces: f.memory, Once: idempotency.New(f.memory, clk), Keys: keys, Strangers: strangers,
		Examples: map[string]any{
			"kind:string": "text", "kind:number": 1, "kind:integer": 1, "format:date-time": "2026-11-22T18:24:19.123Z",
		},
	})
	f.registerReads()
	f.registerWrites()
	return f
}

func (f *fixture) registerReads() {
	edge.Public(f.Server, edge.Op{
		ID: "health", Path: "/v1/", Tag: "T",
	}, func(context.Context, *nothingIn) (thing, error) {
		return thing{ID: "health"}, nil
	})
	edge.Public(f.Server, edge.Op{
		ID: "directory", Path: "/v1/directory", Tag: "T",
	}, func(context.Context, *nothingIn) (thing, error) {
		return thing{ID: "directory"}, nil
	})
	edge.Get(f.Server, edge.Op{
		ID: "getThing", Path: "/v1/signing/things/{id}", Tag: "T", Module: auth.Signing, Message: "Thing retrieved",
	},
		func(_ context.Context, p auth.Principal, in *oneThing) (thing, error) {
			if in.ID != "t1" || p.WorkspaceID != home {
				return thing{}, fault.Missing("Thing")
			}
			return thing{in.ID, in.Shape}, nil
		})
	edge.List(f.Server, edge.Op{ID: "listThings", Path: "/v1/signing/things", Tag: "T"},
		func(_ context.Context, _ auth.Principal, in *manyThings) (edge.Page[thing], error) {
			return edge.Page[thing]{
				Data:   []thing{{ID: "a"}},
				Listed: edge.Listed{Page: in.Page, Limit: in.Limit, Total: 101, NextCursor: "n"},
			}, nil
		})
	edge.Get(f.Server, edge.Op{
		ID: "getPanic", Path: "/v1/panic", Tag: "T",
	}, func(context.Context, auth.Principal, *nothingIn) (thing, error) {
		panic("out of cheese")
	})
	edge.Get(f.Server, edge.Op{
		ID: "getBroken", Path: "/v1/broken", Tag: "T",
	}, func(context.Context, auth.Principal, *nothingIn) (thing, error) {
		return thing{}, errors.New("disk on fire")
	})
	edge.Get(f.Server, edge.Op{
		ID: "getBusy", Path: "/v1/busy", Tag: "T",
	}, func(context.Context, auth.Principal, *nothingIn) (thing, error) {
		return thing{}, fault.ErrUnavailable.After(1500*time.Millisecond).With("part", "enclave")
	})
	edge.Get(f.Server, edge.Op{ID: "getPaid", Path: "/v1/payout/things", Tag: "T", Module: auth.Payout},
		func(context.Context, auth.Principal, *nothingIn) (thing, error) { return thing{ID: "paid"}, nil })
	edge.Get(f.Server, edge.Op{ID: "getManaged", Path: "/v1/managed", Tag: "T", Access: auth.AccessManage},
		func(_ context.Context, p auth.Principal, _ *nothingIn) (thing, error) {
			return thing{ID: p.WorkspaceID}, nil
		})
}

func (f *fixture) registerWrites() {
	edge.Write[thing](f.Server, edge.Op{
		ID: "makeThing", Path: "/v1/signing/things", Tag: "T", Status: 201, Module: auth.Signing,
		Aliases: edge.Aliases{"title": "name", "gas.limit": "gasLimit"},
	}, func(ctx context.Context, cmd *command.Command, in *makeThing) (command.Answer, error) {
		f.runs++
		return f.commit(cmd, command.Reply{
			Status: 201, Message: "Thing made",
			Data: map[string]any{"id": "t1", "name": in.Body.Name, "kind": in.Body.Kind, "gasLimit": in.Body.GasLimit},
		})
	})
	edge.Write[edge.Empty](f.Server, edge.Op{
		ID: "dropThing", Method: http.MethodDelete, Path: "/v1/signing/things/{id}", Tag: "T", Queued: true,
	},
		func(_ context.Context, cmd *command.Command, _ *oneThing) (command.Answer, error) {
			return f.commit(cmd, command.Reply{
				Status: 202, Message: "Queued for approval", Data: map[string]any{"approvalId": "a1"},
				Top: map[string]any{"approvalId": "a1"},
			})
		})
	edge.Write[thing](f.Server, edge.Op{ID: "slow", Path: "/v1/slow", Tag: "T"},
		func(ctx context.Context, cmd *command.Command, _ *nothingIn) (command.Answer, error) {
			select {
			case <-f.gate:
			case <-ctx.Done():
				return command.Answer{}, ctx.Err()
			}
			return f.commit(cmd, command.Reply{Status: 200, Data: thing{ID: "slow"}})
		})
	edge.Write[thing](f.Server, edge.Op{ID: "fragile", Path: "/v1/fragile", Tag: "T"},
		func(_ context.Context, cmd *command.Command, _ *nothingIn) (command.Answer, error) {
			if f.runs++; f.runs == 1 {
				return command.Answer{}, fault.ErrUnavailable
			}
			return f.commit(cmd, command.Reply{Status: 200, Data: thing{ID: "second try"}})
		})
}

// send makes a request with a good key. Options change it.
func (f *fixture) send(method, target, body string, options ...func(*http.Request)) *httptest.ResponseRecorder {
	r := httptest.NewRequest(method, target, strings.NewReader(body))
	r.Header.Set("Authorization", "ApiKey "+f.key)
	if body != "" {
		r.Header.Set("Content-Type", "application/json")
	}
	for _, o := range options {
		o(r)
	}
	w := httptest.NewRecorder()
	f.ServeHTTP(w, r)
	return w
}

func header(name, value string) func(*http.Request) {
	return func(r *http.Request) {
		r.Header.Del(name)
		if value != "" {
			r.Header.Set(name, value)
		}
	}
}

func as(key string) func(*http.Request) { return header("Authorization", "ApiKey "+key) }

// message decodes the envelope, checks what every one has, and returns its text.
func message(t *testing.T, w *httptest.ResponseRecorder, path string) string {
	t.Helper()
	e := envelopeOf(t, w)
	if e["success"] != (w.Code < 300) || e["statusCode"] != float64(w.Code) || e["path"] != path {
		t.Errorf("envelope of status %d at %s: %v", w.Code, path, e)
	}
	if _, err := time.Parse("2006-01-02T15:04:05.000Z", e["timestamp"].(string)); err != nil {
		t.Errorf("timestamp %v", e["timestamp"])
	}
	if ct := w.Header().Get("Content-Type"); ct != "application/json" {
		t.Errorf("Content-Type %q", ct)
	}
	if w.Header().Get("X-Request-Id") == "" {
		t.Error("no request id")
	}
	return e["message"].(string)
}

func envelopeOf(t *testing.T, w *httptest.ResponseRecorder) map[string]any {
	t.Helper()
	var e map[string]any
	if err := json.Unmarshal(w.Body.Bytes(), &e); err != nil {
		t.Fatalf("not an envelope: %v: %s", err, w.Body)
	}
	return e
}

// memory is every store that the edge needs.
type memory struct {
	mu       sync.Mutex
	key      string // a good key of home
	keys     map[string]auth.Key
	modules  map[string][]auth.Module
	verified bool
	rows     map[string]idempotency.Row
}

func newMemory() *memory {
	m := &memory{keys: map[string]auth.Key{}, rows: map[string]idempotency.Row{},
		modules: map[string][]auth.Module{home: {auth.Signing}, foreign: {auth.Signing}}}
	m.key = m.addKey(auth.Key{WorkspaceID: home, Scopes: []auth.Scope{auth.Integrator}})
	return m
}

func (m *memory) addKey(k auth.Key) string {
	text, err := auth.GenerateKey()
	if err != nil {
		panic(err)
	}
	k.Hash, k.ID = auth.Hash(text), auth.Hash(text)[:32]
	if k.Environment == "" {
		k.Environment = "sandbox"
	}
	m.keys[k.Hash] = k
	return text
}

func (m *memory) KeyByHash(_ context.Context, hash string) (auth.Key, auth.Tenant, error) {
	k, ok := m.keys[hash]
	if !ok {
		return auth.Key{}, auth.Tenant{}, auth.ErrNoKey
	}
	return k, auth.Tenant{WorkspaceID: k.WorkspaceID, Modules: m.modules[k.WorkspaceID], Verified: m.verified}, nil
}

func (m *memory) Workspace(_ context.Context, id string) (workspace.Workspace, error) {
	modules, ok := m.modules[id]
	if !ok {
		return workspace.Workspace{}, fault.Missing("Workspace")
	}
	return workspace.Workspace{ID: id, Environment: "sandbox", Modules: modules}, nil
}

func (m *memory) Answer(
	_ context.Context, workspaceID, keyHash string, since time.Time,
) (idempotency.Row, bool, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	row, ok := m.rows[workspaceID+keyHash]
	return row, ok && row.CreatedAt.After(since), nil
}

// commit does what a store's commit does with a command.
func (f *fixture) commit(cmd *command.Command, reply command.Reply) (command.Answer, error) {
	body, err := cmd.Render(reply)
	if err != nil {
		return command.Answer{}, err
	}
	if cmd.Key != nil {
		sealed, err := cmd.Key.Seal(body)
		if err != nil {
			return command.Answer{}, err
		}
		f.mu.Lock()
		defer f.mu.Unlock()
		f.rows[cmd.Principal.WorkspaceID+cmd.Key.Hash] = idempotency.Row{
			Request: cmd.Key.Request, Status: reply.Status, Sealed: sealed, CreatedAt: f.now,
		}
	}
	return command.Answer{Status: reply.Status, Body: body}, nil
}
