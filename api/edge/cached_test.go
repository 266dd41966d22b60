package edge_test

import (
	"context"
	"log/slog"
	"net/http/httptest"
	"testing"
	"time"

	"github.com/railkit/railkit/api/edge"
	"github.com/railkit/railkit/clock"
)

// An answer that anybody may keep has a tag of its data, by which it is asked for again without its body.
func TestCachedAnswers(t *testing.T) {
	now := time.Date(2026, 3, 4, 5, 6, 7, 0, time.UTC)
	clk := clock.Func(func() time.Time { return now })
	_, strangers := edge.DefaultLimiters(clk)
	s := edge.New(edge.Config{Clock: clk, Log: slog.New(slog.DiscardHandler), Strangers: strangers})
	name := "a"
	edge.Public(s, edge.Op{
		ID: "keep", Path: "/keep", Tag: "T", MaxAge: 5 * time.Minute, AnyOrigin: true,
	}, func(context.Context, *struct{}) (thing, error) { return thing{"t1", name}, nil })
	ask := func(tag string) *httptest.ResponseRecorder {
		now = now.Add(time.Second)
		r := httptest.NewRequest("GET", "/keep", nil)
		if tag != "" {
			r.Header.Set("If-None-Match", tag)
		}
		w := httptest.NewRecorder()
		s.ServeHTTP(w, r)
		return w
	}
	first := ask("")
	tag := first.Header().Get("ETag")
	if first.Code != 200 || first.Header().Get("Cache-Control") != "public, max-age=300" || len(tag) != 26 {
		t.Fatalf("%d, %v", first.Code, first.Header())
	}
	for _, has := range []string{tag, `"other", ` + tag, tag[2:], "*"} {
		if again := ask(has); again.Code != 304 || again.Body.Len() != 0 || again.Header().Get("ETag") != tag ||
			again.Header().Get("Access-Control-Allow-Origin") != "*" {
			t.Errorf("%s: %d, %s, %v", has, again.Code, again.Body, again.Header())
		}
	}
	name = "b"
	if other := ask(tag); other.Code != 200 || other.Header().Get("ETag") == tag {
		t.Errorf("other data: %d, %v", other.Code, other.Header())
	}
}
