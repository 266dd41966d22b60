package stories_test

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"log"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"os"
	"os/exec"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/railkit/railkit/internal/test/apptest"
	"github.com/railkit/railkit/internal/test/testwait"
	"github.com/railkit/railkit/platform/auth"
	railkit "github.com/railkit/railkit/sdk/go"
)

func clientOf(t *testing.T, a *apptest.App, key string) *railkit.Client {
	t.Helper()
	c, err := railkit.New(railkit.Config{BaseURL: a.BaseURL, APIKey: key, InsecureSkipProofs: true})
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func newRecipient(t *testing.T, a *apptest.App, key, name string) {
	t.Helper()
	if answer := makeRecipient(t, a, key, name); answer.Status != 201 {
		t.Fatalf("making a recipient: %d %s", answer.Status, answer.Body)
	}
}

func makeRecipient(t *testing.T, a *apptest.App, key, name string) apptest.Answer {
	t.Helper()
	return a.Do(key, "POST", "/v1/payout/recipients", apptest.JSON(t, railkit.RecipientRequest{
		Name: name, Email: strings.ToLower(name) + "@example.com", OwnerType: "individual",
		Address: railkit.PostalAddress{Street: "Av. Reforma 1", City: "CDMX", PostalCode: "06600", Country: "MX"},
	}))
}

// moving is an address that stays the same while servers come and go behind it.
func moving(t *testing.T, a *apptest.App) (base string, move func(*apptest.App)) {
	t.Helper()
	var to atomic.Pointer[url.URL]
	move = func(a *apptest.App) {
		u, err := url.Parse(a.BaseURL)
		if err != nil {
			t.Fatal(err)
		}
		to.Store(u)
	}
	move(a)
	proxy := &httputil.ReverseProxy{
		Rewrite: func(r *httputil.ProxyRequest) { r.SetURL(to.Load()) }, FlushInterval: -1,
		ErrorLog: log.New(io.Discard, "", 0),
	}
	server := httptest.NewServer(proxy)
	t.Cleanup(server.Close)
	return server.URL, move
}

// stream is an open stream of events.
type stream struct {
	body interface{ Close() error }
	in   *bufio.Scanner
}

// openStream is a stream about recipients, by a key.
func openStream(t *testing.T, a *apptest.App, key, last string) (*stream, int) {
	t.Helper()
	return openStreamAs(t, a, "ApiKey "+key, "recipient.*", last)
}

func openStreamAs(t *testing.T, a *apptest.App, who, types, last string) (*stream, int) {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), testwait.Bound)
	t.Cleanup(cancel)
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, a.BaseURL+"/v1/events/stream?types="+types, nil)
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Authorization", who)
	req.Header.Set("Accept", "text/event-stream")
	if last != "" {
		req.Header.Set("Last-Event-ID", last)
	}
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = res.Body.Close() })
	return &stream{res.Body, bufio.NewScanner(res.Body)}, res.StatusCode
}

// next is the next event's name of a recipient and its id, "" at the end of the stream.
func (s *stream) next() (name, id string) {
	for s.in.Scan() {
		if n, is := strings.CutPrefix(s.in.Text(), "id: "); is {
			id = n
		}
		if data, is := strings.CutPrefix(s.in.Text(), "data: "); is {
			var e struct{ Data struct{ Name string } }
			_ = json.Unmarshal([]byte(data), &e) // then it has no name
			return e.Data.Name, id
		}
	}
	return "", ""
}

// wantEnd wants the server to end the stream, with no event more.
func (s *stream) wantEnd(t *testing.T, what string) {
	t.Helper()
	if name, id := s.next(); id != "" {
		t.Errorf("%s: the stream goes on with event %s %s", what, id, name)
	} else if err := s.in.Err(); err != nil {
		t.Errorf("%s: the stream does not end: %v", what, err)
	}
}

// What happens is told in the order in which it happened, by the list and by the stream, to those who may read it.
func TestPlatform_Events(t *testing.T) {
	t.Parallel()
	a := apptest.Rig(t)
	ws, key := a.NewWorkspace([]auth.Scope{auth.Integrator}, auth.Payout)
	newRecipient(t, a, key, "Ana")
	newRecipient(t, a, key, "Bea")
	list, err := clientOf(t, a, key).Events.List(t.Context(), railkit.EventOptions{Types: []string{"recipient.*"}})
	if err != nil || len(list.Events) != 2 || list.HasMore {
		t.Fatalf("%+v, %v", list, err)
	}
	first, second := list.Events[0], list.Events[1]
	if first.Type != "recipient.created" || first.Object.Type != "recipient" || second.Sequence <= first.Sequence ||
		!strings.Contains(string(first.Data), `"Ana"`) {
		t.Errorf("%+v", list.Events)
	}
	one, err := clientOf(t, a, key).Events.List(t.Context(), railkit.EventOptions{
		After: &first.Sequence, Object: second.Object.ID,
	})
	if err != nil || len(one.Events) != 1 || one.Events[0].ID != second.ID || one.After < second.Sequence {
		t.Errorf("%+v, %v", one, err)
	}
	// A key that may not read keys is told of none.
	all, err := clientOf(t, a, key).Events.List(t.Context(), railkit.EventOptions{})
	if err != nil || slices.ContainsFunc(all.Events, func(e railkit.Event) bool { return e.Object.Type == "api_key" }) {
		t.Errorf("%+v, %v", all, err)
	}
	internal := a.Do(a.Keys.InternalKey, "GET", "/v1/events?types=api_key.created&integratorId="+ws, "")
	if !strings.Contains(internal.Body, "api_key.created") || strings.Contains(internal.Body, key) {
		t.Errorf("%s", internal.Body)
	}
	for path, want := range map[string]int{
		"/v1/events?types=order.unknown": 400, "/v1/events/stream": 400, "/v1/events?after=x": 400,
	} {
		if got := a.Do(key, "GET", path, ""); got.Status != want {
			t.Errorf("%s: %d %s", path, got.Status, got.Body)
		}
	}
	refused := a.Do(key, "GET", "/v1/events/stream?types=order.unknown", "", "Accept", "text/event-stream")
	wantCode(t, "a stream of no such type", refused, 400, "validation_failed")
	pastesEvents(t, a, key)
	// 30 days later.
	a.Edit("UPDATE audit_heads SET events_removed = 2 WHERE workspace_id = $1", ws)
	wantCode(t, "an old place", a.Do(key, "GET", "/v1/events?after=1", ""), 410, "events_removed")
	wantCode(t, "the oldest kept", a.Do(key, "GET", "/v1/events", ""), 200, "")
}

// pastesEvents runs the lines of docs/events.md.
func pastesEvents(t *testing.T, a *apptest.App, key string) {
	t.Helper()
	document, err := os.ReadFile("../../../docs/events.md")
	if err != nil {
		t.Fatal(err)
	}
	_, lines, _ := strings.Cut(string(document), "```sh\n")
	lines, _, found := strings.Cut(lines, "```")
	script := exec.Command("sh", "-eu", "-c", lines)
	script.Env = append(os.Environ(), "B="+a.BaseURL, "K="+key)
	out, err := script.CombinedOutput()
	if err != nil || !found || !strings.Contains(string(out), "recipient.created") {
		t.Errorf("%v\n%s", err, out)
	}
}

// A stream goes on at another server where it broke off, and ends with its key.
func TestPlatform_EventStream(t *testing.T) {
	t.Parallel()
	a := apptest.Rig(t)
	other := a.Another()
	ws, key := a.NewWorkspace([]auth.Scope{auth.Integrator}, auth.Payout)
	s, status := openStream(t, a, key, "0")
	if status != 200 {
		t.Fatal(status)
	}
	newRecipient(t, a, key, "Ana")
	newRecipient(t, other, key, "Bea")
	name, last := s.next()
	if name != "Ana" {
		t.Errorf("got %s", name)
	}
	if name, _ = s.next(); name != "Bea" {
		t.Errorf("got %s", name)
	}
	twin, _ := openStream(t, other, key, last)
	if name, last = twin.next(); name != "Bea" {
		t.Errorf("at another server, after Ana: %s", name)
	}
	moves(t, []*apptest.App{a, other}, key, last)
	for _, each := range []*stream{s, twin} {
		for range 8 {
			each.next() // what was made while a reader moved
		}
	}
	keys := a.Do(a.Keys.InternalKey, "GET", "/v1/integrators/"+ws+"/api-keys", "")
	var listed struct{ Data []struct{ ID string } }
	if err := json.Unmarshal([]byte(keys.Body), &listed); err != nil || len(listed.Data) != 1 {
		t.Fatalf("%s, %v", keys.Body, err)
	}
	answer := a.Do(a.Keys.InternalKey, "DELETE", "/v1/integrators/"+ws+"/api-keys/"+listed.Data[0].ID, "")
	wantCode(t, "revoking the key", answer, 200, "")
	// So that the streams look before their next beat.
	a.Edit("UPDATE audit_heads SET events = events + 1 WHERE workspace_id = $1", ws)
	s.wantEnd(t, "after the key was revoked")
	twin.wantEnd(t, "after the key was revoked, at another server")
	if _, status = openStream(t, a, key, ""); status != 404 {
		t.Errorf("a revoked key: %d", status)
	}
}

// moves reads a stream in parts, each at the next server, while all servers write: every number comes once.
func moves(t *testing.T, servers []*apptest.App, key, last string) {
	t.Helper()
	var writers sync.WaitGroup
	for i, a := range servers {
		writers.Go(func() {
			for j := range 4 {
				if got := makeRecipient(t, a, key, fmt.Sprintf("R%d%d", i, j)); got.Status != 201 {
					t.Errorf("%d %s", got.Status, got.Body)
				}
			}
		})
	}
	defer writers.Wait()
	begin, err := strconv.Atoi(last)
	if err != nil {
		t.Fatal(err)
	}
	for part, read := 0, 0; read < 8; part++ {
		s, _ := openStream(t, servers[part%len(servers)], key, last)
		for range min(1+part%2, 8-read) { // one number at a server, two at the other
			read++
			if _, last = s.next(); last != strconv.Itoa(begin+read) {
				t.Fatalf("number %q came, want %d", last, begin+read)
			}
		}
		_ = s.body.Close()
	}
}

// A stream ends with what it was opened by, before the next event.
func TestPlatform_EventStreamEnds(t *testing.T) {
	t.Parallel()
	h := &elapsed{}
	a := apptest.Rig(t, apptest.WithClock(h.clock()))
	path := "/v1/integrators/" + a.Keys.WorkspaceID
	ada, bob := a.Join("ada@example.com", auth.RoleAdmin), a.Join("bob@example.com", auth.RoleViewer)
	cem, phone := a.Join("cem@example.com", auth.RoleAdmin), twin(ada)
	phone.Take(phone.Login())
	made := ada.Do("POST", path+"/api-keys", `{"name":"Server"}`)
	var key struct{ ID, Key string }
	if err := made.Into(&key); err != nil || made.Status != 201 {
		t.Fatalf("%d %s", made.Status, made.Body)
	}
	open := func(who, types string) *stream {
		s, status := openStreamAs(t, a, who, types, "")
		if status != 200 {
			t.Fatalf("opening a stream: %d", status)
		}
		return s
	}
	stays, members := open("Bearer "+ada.Access, "recipient.*"), open("Bearer "+cem.Access, "member.*,recipient.*")
	ended, removed := open("Bearer "+phone.Access, "recipient.*"), open("Bearer "+bob.Access, "recipient.*")
	revoked := open("ApiKey "+key.Key, "recipient.*")
	newRecipient(t, a, a.Keys.APIKey, "Ana")
	for i, s := range []*stream{stays, members, ended, removed, revoked} {
		if name, _ := s.next(); name != "Ana" {
			t.Fatalf("stream %d begins with %q", i, name)
		}
	}

	for _, session := range list(t, ada, "/v1/auth/sessions") {
		if !session.Current {
			wantCode(t, "ending a session", ada.Do("DELETE", "/v1/auth/sessions/"+session.ID, ""), 200, "")
		}
	}
	wantCode(t, "lowering", ada.Do("PATCH", path+"/members/"+cem.MemberID, `{"role":"viewer"}`), 200, "")
	wantCode(t, "removing", ada.Do("DELETE", path+"/members/"+bob.MemberID, ""), 200, "")
	wantCode(t, "revoking", ada.Do("DELETE", path+"/api-keys/"+key.ID, ""), 200, "")
	newRecipient(t, a, a.Keys.APIKey, "Bea")
	if name, _ := stays.next(); name != "Bea" {
		t.Errorf("who may read on: %q", name)
	}
	ended.wantEnd(t, "a session that was ended")
	removed.wantEnd(t, "a member who was removed")
	revoked.wantEnd(t, "a key that was revoked")
	members.wantEnd(t, "a role that reads no members")

	h.set(15*time.Minute + time.Second)
	newRecipient(t, a, a.Keys.APIKey, "Cleo")
	stays.wantEnd(t, "an access token of 15 minutes ago")
}

// A caller has twenty streams at a server.
func TestPlatform_EventStreams(t *testing.T) {
	t.Parallel()
	a := apptest.Rig(t)
	_, key := a.NewWorkspace([]auth.Scope{auth.Integrator}, auth.Payout)
	for i := range 20 {
		if _, status := openStream(t, a, key, ""); status != 200 {
			t.Errorf("stream %d: %d", i+1, status)
		}
	}
	more := a.Do(key, "GET", "/v1/events/stream", "", "Accept", "text/event-stream")
	wantCode(t, "one more", more, 429, "too_many_streams")
}

// The client's stream outlives servers: while they stop and start, nothing is missing and nothing comes twice.
func TestPlatform_EventStreamRestart(t *testing.T) {
	t.Parallel()
	a := apptest.Rig(t)
	_, key := a.NewWorkspace([]auth.Scope{auth.Integrator}, auth.Payout)
	base, move := moving(t, a)
	c, err := railkit.New(railkit.Config{BaseURL: base, APIKey: key, InsecureSkipProofs: true})
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 4*testwait.Bound)
	defer cancel()
	got := make(chan string, 100)
	begin := int64(0)
	go func() {
		defer close(got)
		for e, err := range c.Events.Stream(ctx, railkit.EventOptions{After: &begin, Types: []string{"recipient.*"}}) {
			if err != nil {
				return // the test has ended
			}
			var said struct{ Name string }
			_ = json.Unmarshal(e.Data, &said) // then it has no name
			got <- said.Name
		}
	}()
	for i := range 6 {
		name := fmt.Sprint("R", i)
		if i%2 == 1 {
			a.StopServer()
			a.StartServer()
			move(a)
		}
		newRecipient(t, a, key, name)
		select {
		case is := <-got:
			if is != name {
				t.Fatalf("got %s, want %s", is, name)
			}
		case <-time.After(testwait.Bound):
			t.Fatalf("%s did not come", name)
		}
	}
}
