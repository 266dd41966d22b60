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
	"strings"
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
	answer := a.Do(key, "POST", "/v1/payout/recipients", apptest.JSON(t, railkit.RecipientRequest{
		Name: name, Email: strings.ToLower(name) + "@example.com", OwnerType: "individual",
		Address: railkit.PostalAddress{Street: "Av. Reforma 1", City: "CDMX", PostalCode: "06600", Country: "MX"},
	}))
	if answer.Status != 201 {
		t.Fatalf("making a recipient: %d %s", answer.Status, answer.Body)
	}
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

func openStream(t *testing.T, a *apptest.App, key, last string) (*stream, int) {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), testwait.Bound)
	t.Cleanup(cancel)
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, a.BaseURL+"/v1/events/stream?types=recipient.*", nil)
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Authorization", "ApiKey "+key)
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
	if name, _ = twin.next(); name != "Bea" {
		t.Errorf("at another server, after Ana: %s", name)
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
	for _, each := range []*stream{s, twin} {
		if name, _ = each.next(); name != "" {
			t.Errorf("after the key was revoked: %s", name)
		}
	}
	if _, status = openStream(t, a, key, ""); status != 404 {
		t.Errorf("a revoked key: %d", status)
	}
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
	ctx, cancel := context.WithTimeout(t.Context(), testwait.Bound)
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
