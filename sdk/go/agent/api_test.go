package agent_test

import (
	"bytes"
	"context"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/railkit/railkit/enclave/wire"
	railkit "github.com/railkit/railkit/sdk/go"
	"github.com/railkit/railkit/sdk/go/agent"
)

const (
	bot    = "7d1f0c7e-1111-4222-8333-944455556666"
	secret = "the secret of the agent, which is in no log"
)

// pipes is a listener whose connections are in memory: in a bubble of synctest, time goes on while they are quiet.
type pipes struct {
	conns chan net.Conn
	done  chan struct{}
	once  sync.Once
}

func (p *pipes) Accept() (net.Conn, error) {
	select {
	case c := <-p.conns:
		return c, nil
	case <-p.done:
		return nil, net.ErrClosed
	}
}

func (p *pipes) Close() error {
	p.once.Do(func() { close(p.done) })
	return nil
}

func (p *pipes) Addr() net.Addr { return &net.TCPAddr{IP: net.IPv4(127, 0, 0, 1), Port: 80} }

func (p *pipes) dial(ctx context.Context, _, _ string) (net.Conn, error) {
	ours, theirs := net.Pipe()
	select {
	case p.conns <- theirs:
		return ours, nil
	case <-p.done:
		return nil, net.ErrClosed
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// api is a server that checks each signature, keeps what it was told, and answers as the test says.
type api struct {
	t   *testing.T
	url string
	net *http.Client
	log *bytes.Buffer // what the runtime logged

	mu       sync.Mutex
	status   map[string]any
	polls    int
	payments []string                                            // keys of the payments that were asked for, in order
	paid     map[string]object                                   // what was paid, by key
	batches  [][]string                                          // ids of the events that were reported
	seen     map[string]bool                                     // ids of the events that count
	pay      func(w http.ResponseWriter, key string, n int) bool // true: it answered
	approval func(w http.ResponseWriter, n int)
	asked    int                   // how often an approval was
	bought   []railkit.X402Request // what was asked to be signed for
	buy      func(w http.ResponseWriter, key string, q railkit.X402Request, n int) bool
	events   func(w http.ResponseWriter, n int) bool
	poll     func(w http.ResponseWriter, n int) bool
}

type object = map[string]any

func newAPI(t *testing.T) *api {
	t.Helper()
	a := &api{
		t: t, log: &bytes.Buffer{}, status: object{"agentId": bot, "killSwitch": false, "status": "active"},
		paid: map[string]object{}, seen: map[string]bool{},
	}
	line := &pipes{conns: make(chan net.Conn), done: make(chan struct{})}
	s := httptest.NewUnstartedServer(a)
	_ = s.Listener.Close()
	s.Listener = line
	s.Start()
	transport := &http.Transport{DialContext: line.dial, DisableKeepAlives: true}
	t.Cleanup(s.Close)
	a.url, a.net = s.URL, &http.Client{Transport: transport, Timeout: 30 * time.Second} // of a bubble's clock
	return a
}

func (a *api) runtime(change ...func(*agent.Config)) *agent.Runtime {
	a.t.Helper()
	cfg := agent.Config{
		BaseURL: a.url, AgentID: bot, Secret: secret, HTTPClient: a.net,
		Logger: slog.New(slog.NewTextHandler(&locked{to: a.log}, &slog.HandlerOptions{Level: slog.LevelDebug})),
	}
	for _, f := range change {
		f(&cfg)
	}
	r, err := agent.New(cfg)
	if err != nil {
		a.t.Fatal(err)
	}
	a.t.Cleanup(func() {
		_ = r.Close(context.Background())
		if bytes.Contains(a.log.Bytes(), []byte(secret)) {
			a.t.Errorf("the log has the secret:\n%s", a.log)
		}
	})
	return r
}

// locked is a writer of several callers.
type locked struct {
	mu sync.Mutex
	to io.Writer
}

func (l *locked) Write(b []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.to.Write(b)
}

// do changes the server while it runs.
func (a *api) do(change func()) {
	a.mu.Lock()
	defer a.mu.Unlock()
	change()
}

func (a *api) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, _ := io.ReadAll(r.Body)
	if !signedWell(r, body) {
		a.t.Errorf("%s %s is not signed well", r.Method, r.URL)
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	switch r.Method + " " + r.URL.Path {
	case "GET /v1/agents/" + bot + "/status":
		a.polls++
		if a.poll == nil || !a.poll(w, a.polls) {
			answer(w, http.StatusOK, a.status)
		}
	case "POST /v1/agents/" + bot + "/sign-transaction":
		a.servePayment(w, r.Header.Get("Idempotency-Key"))
	case "POST /v1/agents/" + bot + "/x402-pay":
		var q railkit.X402Request
		if err := json.Unmarshal(body, &q); err != nil {
			a.t.Error(err)
		}
		a.signFor(w, r.Header.Get("Idempotency-Key"), q)
	case "GET /v1/signing/approvals/" + approvalID:
		a.asked++
		a.approval(w, a.asked)
	case "POST /v1/agents/events/batch":
		a.serveEvents(w, body)
	default:
		a.t.Errorf("asked for %s %s", r.Method, r.URL)
	}
}

// signedWell says whether a request has an HTTP signature of the agent's that is not a minute old.
func signedWell(r *http.Request, body []byte) bool {
	input := r.Header.Get("Signature-Input")
	said := wire.HTTPSignature{Authority: strings.TrimSuffix(r.Host, ":80"), Query: "?" + r.URL.RawQuery}
	for name, to := range map[string]*string{
		"created=": &said.Created, "expires=": &said.Expires, `nonce="`: &said.Nonce,
	} {
		_, rest, _ := strings.Cut(input, name)
		*to = rest[:max(0, strings.IndexAny(rest, `;"`))]
	}
	base, want := said.Base(bot, r.Method, r.URL.EscapedPath(), wire.Digest(string(body)))
	mac, _ := hex.DecodeString(wire.AgentMAC(secret, base)) // is hex
	created, _ := strconv.ParseInt(said.Created, 10, 64)
	return input == "agent="+want && r.Header.Get("X-Agent-Id") == bot &&
		r.Header.Get("Signature") == "agent=:"+base64.StdEncoding.EncodeToString(mac)+":" &&
		time.Until(time.Unix(created, 0)).Abs() < time.Minute
}

func (a *api) servePayment(w http.ResponseWriter, key string) {
	a.payments = append(a.payments, key)
	if a.pay != nil && a.pay(w, key, len(a.payments)) {
		return
	}
	a.execute(key)
	answer(w, http.StatusOK, a.paid[key])
}

// execute pays once under a key.
func (a *api) execute(key string) {
	if a.paid[key] == nil {
		a.paid[key] = object{"transactionId": "tx-" + strconv.Itoa(len(a.paid)+1), "status": "broadcast"}
	}
}

func (a *api) serveEvents(w http.ResponseWriter, body []byte) {
	var in struct{ Events []railkit.AgentEvent }
	if err := json.Unmarshal(body, &in); err != nil {
		a.t.Error(err)
	}
	var ids []string
	for _, e := range in.Events {
		ids = append(ids, e.ID)
	}
	a.batches = append(a.batches, ids)
	if a.events != nil && a.events(w, len(a.batches)) {
		return
	}
	a.count(ids)
	answer(w, http.StatusOK, object{"accepted": len(ids)})
}

func (a *api) count(ids []string) {
	for _, id := range ids {
		a.seen[id] = true
	}
}

func answer(w http.ResponseWriter, status int, data any) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(object{"success": true, "data": data})
}

func refuse(w http.ResponseWriter, status int, code string, details object) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(object{
		"success": false, "error": code, "message": code, "details": details,
	})
}

// cut ends the connection without an answer.
func cut(http.ResponseWriter) { panic(http.ErrAbortHandler) }
