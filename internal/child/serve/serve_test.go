package serve_test

import (
	"context"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/railkit/railkit/internal/child/serve"
)

func TestLoopback(t *testing.T) {
	for addr, want := range map[string]string{
		"0.0.0.0:0": "loopback", "192.0.2.1:80": "loopback", "nobody": "reading", "127.0.0.1:http-not": "reading",
	} {
		if _, err := serve.Loopback(addr); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", addr, err)
		}
	}
	l, err := serve.Loopback("127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	if _, err := serve.Listen(l.Addr().String()); err == nil || !strings.Contains(err.Error(), "taken") {
		t.Errorf("a port that is taken: %v", err)
	}
}

// A call that waits for what will not come does not keep the process.
func TestEndsWithItsContext(t *testing.T) {
	l, err := serve.Loopback("127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithCancel(t.Context())
	asked, cut := make(chan bool), make(chan bool)
	handler := http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		close(asked)
		<-r.Context().Done()
		close(cut)
	})
	ended := make(chan error, 1)
	go func() { ended <- serve.HTTP(ctx, "test", l, &http.Server{Handler: handler}, nil) }()
	go func() {
		res, err := http.Get("http://" + l.Addr().String()) // its end is the server's
		if err == nil {
			_ = res.Body.Close()
		}
	}()
	<-asked
	stop()
	<-cut
	if err := <-ended; err != nil {
		t.Error(err)
	}
}

// A page that has given its own name our address is told nothing.
func TestOnlyHere(t *testing.T) {
	h := serve.OnlyHere(http.HandlerFunc(func(http.ResponseWriter, *http.Request) {}))
	for host, want := range map[string]int{
		"localhost:8545": 200, "LocalHost": 200, "127.0.0.1:1": 200, "[::1]:1": 200, "evil.example:8545": 403,
		"localhost.evil.example": 403,
	} {
		r, w := httptest.NewRequest(http.MethodPost, "/", nil), httptest.NewRecorder()
		r.Host = host
		if h.ServeHTTP(w, r); w.Code != want {
			t.Errorf("%s: %d, want %d", host, w.Code, want)
		}
	}
}
