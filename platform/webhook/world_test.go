package webhook_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"net/http"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/railkit/railkit/clock"
	"github.com/railkit/railkit/job/queue"
	"github.com/railkit/railkit/platform/auth"
	"github.com/railkit/railkit/platform/command"
	"github.com/railkit/railkit/platform/event"
	"github.com/railkit/railkit/platform/fetch"
	"github.com/railkit/railkit/platform/mail"
	"github.com/railkit/railkit/platform/vault"
	"github.com/railkit/railkit/platform/webhook"
	"github.com/railkit/railkit/platform/workspace"
	"github.com/railkit/railkit/rest"
	"github.com/railkit/railkit/store"
)

// world is a database, and endpoints that answer as a test says.
type world struct {
	*testing.T
	store *store.Store
	vault *vault.Vault
	*endpoints
	tenant auth.Tenant
	every  time.Duration // how often servers look

	counting sync.Mutex
	done     map[webhook.State]int // what servers told monitoring

	failing func() error // asked for the rights of a workspace; nil: that works
	log     bytes.Buffer // of all servers
	mails   mailbox

	*webhook.Service // of a caller
}

const (
	ours   = "ws"
	stop   = 0 // answers nothing
	refuse = http.StatusInternalServerError
)

func newWorld(t *testing.T, every time.Duration) *world {
	t.Helper()
	jobs, err := queue.SQLite()
	if err != nil {
		t.Fatal(err)
	}
	st, err := store.OpenSQLite(t.Context(), filepath.Join(t.TempDir(), "railkit.db"), jobs, clock.System{})
	if err != nil {
		t.Fatal(err)
	}
	key, err := vault.NewSandboxKey()
	if err != nil {
		t.Fatal(err)
	}
	v, err := vault.Parse(key, false)
	if err != nil {
		t.Fatal(err)
	}
	w := &world{T: t, every: every, done: map[webhook.State]int{}, store: st, vault: v, endpoints: &endpoints{}}
	w.tenant = auth.Tenant{WorkspaceID: ours, Modules: auth.AllModules, Verified: true}
	w.workspace(ours)
	w.Service = w.server(st.Webhooks())
	return w
}

// close is called in the test's bubble, where the database's goroutines are.
func (w *world) close() {
	if err := w.store.Close(); err != nil {
		w.Error(err)
	}
}

func (w *world) workspace(id string) {
	w.Helper()
	err := w.store.EnsureWorkspace(w.Context(), workspace.Workspace{ID: id, Environment: "sandbox"})
	if err != nil {
		w.Fatal(err)
	}
	w.exec("INSERT INTO audit_heads (workspace_id, seq, hash, events) VALUES ($1, 0, '', 0)", id)
}

func (w *world) exec(query string, args ...any) {
	w.Helper()
	if _, err := w.store.Writer().ExecContext(context.Background(), query, args...); err != nil {
		w.Fatal(err)
	}
}

// Tenant makes a world one that knows what workspaces may do.
func (w *world) Tenant(_ context.Context, id string) (auth.Tenant, error) {
	t := w.tenant
	t.WorkspaceID = id
	if w.failing != nil {
		return t, w.failing()
	}
	return t, nil
}

// server is the service of one more server.
func (w *world) server(s webhook.Store) *webhook.Service {
	policy, err := fetch.NewPolicy(nil, nil)
	if err != nil {
		w.Fatal(err)
	}
	return w.serverWith(s, policy, func() webhook.Sender { return sender{to: w.endpoints} })
}

func (w *world) serverWith(s webhook.Store, policy fetch.Policy, by func() webhook.Sender) *webhook.Service {
	return webhook.New(webhook.Config{
		Store: s, Tenants: w, Vault: w.vault, Policy: policy, Clock: clock.System{}, Sender: by,
		Post: mail.NewPost(&w.mails, nil, slog.New(slog.DiscardHandler)),
		Log:  slog.New(slog.NewTextHandler(&w.log, nil)), Every: w.every, Done: func(s webhook.State) {
			w.counting.Lock()
			defer w.counting.Unlock()
			w.done[s]++
		},
	})
}

// mailbox keeps what admins were mailed.
type mailbox []mail.Message

func (b *mailbox) Send(_ context.Context, m mail.Message) error {
	*b = append(*b, m)
	return nil
}

// told fails where servers told monitoring something else.
func (w *world) told(want map[webhook.State]int) {
	w.Helper()
	w.counting.Lock()
	defer w.counting.Unlock()
	if !maps.Equal(w.done, want) {
		w.Errorf("monitoring was told %v, not %v", w.done, want)
	}
}

// runs runs a server's dispatcher until it is stopped.
func (w *world) runs(s *webhook.Service) (stop func()) {
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		s.Run(ctx)
	}()
	return func() {
		cancel()
		<-ended
	}
}

func caller(operation string) *command.Command {
	return &command.Command{
		Principal: auth.Principal{Tenant: auth.Tenant{WorkspaceID: ours}, Kind: auth.ByKey, ID: "key"},
		Operation: operation, RemoteIP: "192.0.2.7",
		Render: func(r command.Reply) ([]byte, error) { return json.Marshal(r.Data) },
	}
}

// answered is the data of an answer.
func answered[T any](t testing.TB, a command.Answer, err error) (data T) {
	t.Helper()
	if err == nil {
		err = json.Unmarshal(a.Body, &data)
	}
	if err != nil {
		t.Fatal(err)
	}
	return data
}

// endpoint makes one that is active.
func (w *world) endpoint(url string, types ...string) rest.WebhookEndpointCreated {
	w.Helper()
	return w.endpointOf(caller("create"), url, types...)
}

func (w *world) endpointOf(cmd *command.Command, url string, types ...string) rest.WebhookEndpointCreated {
	w.Helper()
	a, err := w.Create(w.Context(), cmd, rest.WebhookEndpointRequest{URL: url, Types: types})
	e := answered[rest.WebhookEndpointCreated](w, a, err)
	w.pingedBy(cmd, e.ID)
	return e
}

func (w *world) pinged(id string) {
	w.Helper()
	w.pingedBy(caller("ping"), id)
}

func (w *world) pingedBy(cmd *command.Command, id string) {
	w.Helper()
	a, err := w.Ping(w.Context(), cmd, id)
	if p := answered[rest.WebhookPing](w, a, err); p.Endpoint.Status != "active" {
		w.Fatalf("%+v", p)
	}
}

func (w *world) get(id string) rest.WebhookEndpoint {
	w.Helper()
	e, err := w.Get(w.Context(), caller("").Principal, id)
	if err != nil {
		w.Fatal(err)
	}
	return e
}

// tell writes events about objects, in one transaction.
func (w *world) tell(objects ...string) { w.tellOf(ours, event.OrderUpdated, objects...) }

func (w *world) tellOf(workspaceID string, kind event.Type, objects ...string) {
	w.Helper()
	tx, err := w.store.Writer().Begin()
	if err != nil {
		w.Fatal(err)
	}
	defer tx.Rollback()
	var last int64
	err = tx.QueryRow("UPDATE audit_heads SET events = events + $1 WHERE workspace_id = $2 RETURNING events",
		len(objects), workspaceID).Scan(&last)
	for i, object := range objects {
		if err == nil {
			seq := last - int64(len(objects)-i-1)
			_, err = tx.Exec(`INSERT INTO events (workspace_id, seq, id, at, type, object_id, agent_id, data)
				VALUES ($1, $2, $3, $4, $5, $6, '', '{}')`,
				workspaceID, seq, fmt.Sprintf("%s-%d", workspaceID, seq), time.Now().UnixMicro(), string(kind), object)
		}
	}
	if err = errors.Join(err, tx.Commit()); err != nil {
		w.Fatal(err)
	}
}

// states counts the deliveries of an endpoint by their state.
func (w *world) states(id string) string {
	w.Helper()
	rows, err := w.store.Writer().Query(
		"SELECT status, COUNT(*) FROM webhook_deliveries WHERE endpoint_id = $1 GROUP BY status ORDER BY status", id)
	if err != nil {
		w.Fatal(err)
	}
	defer rows.Close()
	var all []string
	for rows.Next() {
		var status string
		var n int
		if err := rows.Scan(&status, &n); err != nil {
			w.Fatal(err)
		}
		all = append(all, fmt.Sprint(status, " ", n))
	}
	return strings.Join(all, ", ")
}

// request is one that an endpoint got.
type request struct {
	url, id string
	header  http.Header
	body    rest.Event
	raw     []byte
	at      time.Time
	status  int
	of      *mortal // the server that sent it, where that may die
}

// endpoints are servers that answer as a test says, 200 where it says nothing.
type endpoints struct {
	mu     sync.Mutex
	answer func(ctx context.Context, r request) (status int, header http.Header)
	got    []request
}

// answering sets how endpoints answer from now on.
func (e *endpoints) answering(f func(ctx context.Context, r request) (int, http.Header)) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.answer = f
}

// always answers all with a status.
func (e *endpoints) always(status int) {
	e.answering(func(context.Context, request) (int, http.Header) { return status, nil })
}

// events are the requests that an endpoint got, without pings, in the order of their answers.
func (e *endpoints) events(url string) []request {
	e.mu.Lock()
	defer e.mu.Unlock()
	return slices.DeleteFunc(slices.Clone(e.got), func(r request) bool {
		return r.url != url || r.body.Type == webhook.TypePing
	})
}

func (e *endpoints) keep(r request, quick bool) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if !quick {
		e.got = append(e.got, r)
	}
}

// forget forgets what was got.
func (e *endpoints) forget() {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.got = nil
}

// sender sends to endpoints without a network, so that a test's clock goes on by itself.
type sender struct {
	to    *endpoints
	of    *mortal // the server that sends; nil: one that does not die
	quick bool    // keeps nothing of what it sent
}

// by is how a server sends that may die: then it sends nothing more.
func (w *world) by(m *mortal) func() webhook.Sender {
	return func() webhook.Sender { return sender{w.endpoints, m, true} }
}

func (s sender) Close() {}

func (s sender) Do(ctx context.Context, q fetch.Request) (fetch.Response, error) {
	r := request{
		url: q.URL, id: q.Header.Get("Webhook-Id"), header: q.Header, raw: q.Body, at: time.Now(), status: 200,
		of: s.of,
	}
	if err := json.Unmarshal(q.Body, &r.body); err != nil {
		return fetch.Response{}, err
	}
	if s.of != nil && s.of.dead.Load() {
		return fetch.Response{}, errDead
	}
	s.to.mu.Lock()
	answer := s.to.answer
	s.to.mu.Unlock()
	var header http.Header
	if answer != nil {
		r.status, header = answer(ctx, r)
	}
	s.to.keep(r, s.quick)
	switch {
	case ctx.Err() == context.Canceled:
		return fetch.Response{}, ctx.Err()
	case r.status == stop:
		return fetch.Response{}, fetch.ErrTimeout
	}
	return fetch.Response{Status: r.status, Header: header, Body: []byte("said " + r.body.Object.ID)}, nil
}
