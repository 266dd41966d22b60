package edge_test

import (
	"bytes"
	"context"
	"fmt"
	"log/slog"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/railkit/railkit/api/edge"
	"github.com/railkit/railkit/clock"
	"github.com/railkit/railkit/platform/auth"
)

const hook = "/v1/payout/rails/webhooks"

// newWebhook answers with what it was given.
func newWebhook() *edge.Server {
	clk := clock.Func(func() time.Time { return time.Date(2026, 3, 4, 5, 6, 7, 0, time.UTC) })
	_, strangers := edge.DefaultLimiters(clk)
	s := edge.New(edge.Config{Clock: clk, Log: slog.New(slog.DiscardHandler), Strangers: strangers, MaxBody: 1 << 10})
	edge.Webhook(s, edge.Op{ID: "hook", Path: hook, Tag: "T", Signature: "X-Signature"},
		func(signature string, body []byte) (thing, error) {
			if signature == "bad" {
				return thing{}, auth.ErrNoKey
			}
			return thing{signature, fmt.Sprintf("%x", body)}, nil
		},
		func(_ context.Context, said thing) (thing, error) { return said, nil })
	edge.PublicCall(s, edge.Op{
		ID: "ask", Path: "/ask", Tag: "T",
	}, func(_ context.Context, in *makeThing) (thing, error) {
		return thing{"t1", in.Body.Name}, nil
	})
	return s
}

// The bytes come to the handler as they were sent, whatever they are.
func TestWebhook(t *testing.T) {
	s := newWebhook()
	for _, c := range []struct {
		name, kind, body string
		signatures       []string
		status           int
		want             string
	}{
		{"as it came", "application/json", "{ \"a\":1, \"a\":2 }\n", []string{"s"}, 200, `"name":"7b20226122`},
		{"no JSON at all", "application/json; charset=utf-8", "\xff\x00", []string{"s"}, 200, `"name":"ff00"`},
		{"nothing", "", "", []string{"s"}, 200, `"name":""`},
		{"two headers", "application/json", "{}", []string{"a", "b"}, 200, `"id":"a,b"`},
		{"no header", "application/json", "{}", nil, 200, `"id":""`},
		{"refused", "application/json", "{}", []string{"bad"}, 404, `api_key_not_found`},
		{"another kind", "text/plain", "{}", []string{"s"}, 415, "unsupported_media_type"},
		{
			"too large", "application/json", strings.Repeat("x", 1<<10+1), []string{"s"}, 413,
			"Request body exceeds 1 KiB",
		},
	} {
		r := httptest.NewRequest("POST", hook, bytes.NewReader([]byte(c.body)))
		r.Header.Set("Content-Type", c.kind)
		r.Header["X-Signature"] = c.signatures
		w := httptest.NewRecorder()
		s.ServeHTTP(w, r)
		if w.Code != c.status || !strings.Contains(w.Body.String(), c.want) {
			t.Errorf("%s: %d %s", c.name, w.Code, w.Body)
		}
	}
}

// A partner may call more often than a stranger, and not without end. Strangers at
// its address, whether they call something else or sign wrongly, use up nothing of it.
func TestWebhookLimit(t *testing.T) {
	s := newWebhook()
	send := func(path, signature string) int {
		r := httptest.NewRequest("POST", path, strings.NewReader(`{"name":"n"}`))
		r.Header.Set("Content-Type", "application/json")
		r.Header.Set("X-Signature", signature)
		w := httptest.NewRecorder()
		s.ServeHTTP(w, r)
		return w.Code
	}
	for i := range 3100 {
		unsigned, ask := send(hook, "bad"), send("/ask", "")
		if unsigned != map[bool]int{true: 404, false: 429}[i < 60] ||
			ask != map[bool]int{true: 200, false: 429}[i < 100] {
			t.Fatalf("stranger's call %d: %d, and elsewhere %d", i, unsigned, ask)
		}
	}
	for i := range 3001 {
		if got := send(hook, "good"); got != map[bool]int{true: 200, false: 429}[i < 3000] {
			t.Fatalf("partner's call %d: %d", i, got)
		}
	}
}
