package edge_test

import (
	"context"
	"encoding/json"
	"log/slog"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/railkit/railkit/api/edge"
	"github.com/railkit/railkit/clock"
	"github.com/railkit/railkit/platform/command"
)

const page = "https://stamp.example.com"

// newPage is a server for callers without a key, from one page.
func newPage(t *testing.T) *edge.Server {
	t.Helper()
	clk := clock.Func(func() time.Time { return time.Date(2026, 3, 4, 5, 6, 7, 0, time.UTC) })
	_, strangers := edge.DefaultLimiters(clk)
	s := edge.New(edge.Config{
		Clock: clk, Log: slog.New(slog.DiscardHandler), Strangers: strangers, Origin: page, MaxBody: 1 << 10,
		StrangerLimit: 200,
	})
	edge.PublicCall(s, edge.Op{
		ID: "ask", Path: "/ask", Tag: "T",
	}, func(_ context.Context, in *makeThing) (thing, error) {
		return thing{"t1", in.Body.Name}, nil
	})
	edge.PublicWrite[thing](s, edge.Op{
		ID: "tell", Path: "/tell", Tag: "T",
	}, func(_ context.Context, cmd *command.Command, in *makeThing) (command.Answer, error) {
		body, err := cmd.Render(command.Reply{Status: 200, Data: thing{cmd.Operation + cmd.Principal.ID, in.Body.Name}})
		if cmd.Key != nil {
			t.Error("a stranger has an idempotency key")
		}
		return command.Answer{Status: 200, Body: body}, err
	})
	return s
}

func TestStrangersOfOnePage(t *testing.T) {
	s := newPage(t)
	good := []string{page}
	for _, c := range []struct {
		name, path, body string
		origins          []string
		status           int
		want             string
	}{
		{"ask", "/ask", `{"name":"n"}`, good, 200, `"id":"t1"`},
		{"tell", "/tell", `{"name":"n"}`, good, 200, `"id":"tell"`},
		{"from nowhere", "/ask", `{"name":"n"}`, nil, 403, "origin_refused"},
		{"from elsewhere", "/tell", `{"name":"n"}`, []string{page + ".evil.example"}, 403, "origin_refused"},
		{"from two", "/tell", `{"name":"n"}`, []string{page, page}, 403, "origin_refused"},
		{"from http", "/tell", `{"name":"n"}`, []string{"http://stamp.example.com"}, 403, "origin_refused"},
		{"too large", "/ask", `{"name":"` + strings.Repeat("n", 1<<10) + `"}`, good, 413, "Request body exceeds 1 KiB"},
		{"checked", "/tell", `{"name":""}`, good, 400, "name"},
	} {
		r := httptest.NewRequest("POST", c.path, strings.NewReader(c.body))
		r.Header["Origin"] = c.origins
		r.Header.Set("Content-Type", "application/json")
		r.Header.Set("Idempotency-Key", "not even a UUID")
		w := httptest.NewRecorder()
		s.ServeHTTP(w, r)
		if w.Code != c.status || !strings.Contains(w.Body.String(), c.want) || !json.Valid(w.Body.Bytes()) {
			t.Errorf("%s: %d %s", c.name, w.Code, w.Body)
		}
		if counted := strings.Contains(
			w.Header().Get("RateLimit-Policy"), "q=200;",
		); counted != (c.status != 403) { // of another page: not
			t.Errorf("%s: policy %q", c.name, w.Header().Get("RateLimit-Policy"))
		}
	}
}
