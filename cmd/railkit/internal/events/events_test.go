package events

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	standardwebhooks "github.com/standard-webhooks/standard-webhooks/libraries/go"

	"github.com/railkit/railkit/cmd/railkit/internal/cli"
	"github.com/railkit/railkit/internal/test/testwait"
	railkit "github.com/railkit/railkit/sdk/go"
)

// output is what a command has printed so far.
type output struct {
	mu   sync.Mutex
	text bytes.Buffer
}

func (o *output) Write(p []byte) (int, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.text.Write(p)
}

func (o *output) String() string {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.text.String()
}

// breaking is an API whose streams break off after each event.
func breaking(t *testing.T) string {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path != "/v1/events/stream" {
			_, _ = io.WriteString(w, `{"success":true,"statusCode":200,"data":{"events":[],"after":0,"hasMore":false}}`)
			return
		}
		var last int
		_, _ = fmt.Sscan(r.Header.Get("Last-Event-ID"), &last)
		if last == 3 {
			<-r.Context().Done()
			return
		}
		w.Header().Set("Content-Type", "text/event-stream")
		e, _ := json.Marshal(railkit.Event{
			ID: fmt.Sprint("event-", last+1), Sequence: int64(last + 1), Type: "order.completed", Timestamp: "now",
			Object: railkit.EventObject{Type: "order", ID: "\x1b[31mred"}, Data: json.RawMessage(`{"a":1}`),
		})
		fmt.Fprintf(w, "id: %d\ndata: %s\n\n", last+1, e)
	}))
	t.Cleanup(server.Close)
	return server.URL
}

// Each event is printed once and forwarded with a signature that others verify, over broken connections; one that the
// receiver refuses is told, and does not hold up the next.
func TestListen(t *testing.T) {
	t.Parallel()
	var mu sync.Mutex
	var requests []*http.Request
	var bodies [][]byte
	receiver := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		mu.Lock()
		defer mu.Unlock()
		body, _ := io.ReadAll(r.Body)
		requests, bodies = append(requests, r), append(bodies, body)
		if r.Header.Get("webhook-id") == "event-2" {
			w.WriteHeader(500)
		}
	}))
	t.Cleanup(receiver.Close)
	secret := newSecret()
	dir := t.TempDir()
	for name, text := range map[string]string{"key": "rk_client_key_v1_x", "secret": secret} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	out := &output{}
	ctx, cancel := context.WithCancel(t.Context())
	ended, slept := make(chan error, 1), &output{} // nobody waits: what would be waited for is written down
	l := listening{access: access{sleep: func(ctx context.Context, d time.Duration) error {
		if d > 0 {
			fmt.Fprint(slept, d, " ")
		}
		return ctx.Err()
	}}}
	go func() {
		ended <- l.run(ctx, cli.Env{Out: out, Err: out}, []string{
			"--api", breaking(t), "--key-file", filepath.Join(dir, "key"),
			"--secret-file", filepath.Join(dir, "secret"), "--forward-to",
			strings.TrimPrefix(receiver.URL, "http://") + "/hook", "--types", "order.*",
		})
	}()
	testwait.Until(t, "three events", func() bool { return strings.Count(out.String(), "\n") == 3 })
	cancel()
	if err := <-ended; err != nil {
		t.Error(err)
	}
	lines := strings.Split(out.String(), "\n")
	if !strings.HasSuffix(lines[0], "-> 200") ||
		!strings.HasSuffix(lines[1], "not taken after 4 tries: answered 500") ||
		!strings.HasSuffix(lines[2], "-> 200") || strings.Contains(out.String(), "\x1b") {
		t.Errorf("%q", lines)
	}
	verifier, err := standardwebhooks.NewWebhook(secret)
	if err != nil {
		t.Fatal(err)
	}
	mu.Lock()
	defer mu.Unlock()
	for i, r := range requests {
		if err := verifier.Verify(bodies[i], r.Header); err != nil || r.URL.Path != "/hook" {
			t.Errorf("%s: %v", r.URL, err)
		}
	}
	if len(requests) != 6 {
		t.Errorf("%d requests", len(requests))
	}
	// Connections that broke off after an event, and what the receiver refused.
	if want := "250ms 1s 2s 4s 250ms "; !strings.HasPrefix(slept.String(), want) {
		t.Errorf("waited for %s", slept)
	}
}

// Production is refused before anything is asked of it but what it is.
func TestTrigger_Production(t *testing.T) {
	t.Parallel()
	asked := 0
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if asked++; r.Method != http.MethodGet || r.URL.Path != "/v1/" {
			t.Errorf("%s %s", r.Method, r.URL)
		}
		_, _ = io.WriteString(w, `{"success":true,"statusCode":200,"data":{"status":"ok","environment":"production"}}`)
	}))
	t.Cleanup(server.Close)
	key := filepath.Join(t.TempDir(), "key")
	if err := os.WriteFile(key, []byte("rk_client_key_v1_x"), 0o600); err != nil {
		t.Fatal(err)
	}
	out := &output{}
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	err := Trigger(ctx, cli.Env{Out: out, Err: out}, []string{
		"order.completed", "--api", server.URL, "--key-file", key,
	})
	if err == nil || !strings.Contains(err.Error(), "this is production") || asked != 1 {
		t.Errorf("%v, after %d calls", err, asked)
	}
}
