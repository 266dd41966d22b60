// Package tamper is the host that was taken over. A Proxy stands between a client and the real server: it passes every
// call on, and changes the answers that a test names. So what a test's liar says is what the server said, but for the
// lie.
//
//	a := apptest.Shared(t)
//	host := tamper.New(t, a.Handler)
//	client := ... // with BaseURL: host.URL
//	host.On("POST /v1/transactions/confirm", tamper.Set("data.txHash", "0x12"))
//	_, err := client.Transactions.Confirm(...) // has to be refused
//	host.On("POST /v1/transactions/confirm")   // honest again
//
// A Change is a function over an Answer, so a test writes its own where Set, Drop, Replay and Cut do not say it.
// One that signs a changed proof anew takes the signer's key from enclavetest.IdentityKey; one that delays sleeps.
// To swap the answers of two calls, each is answered with a Replay of the other.
package tamper

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/http/httptest"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
)

// Proxy serves what its handler answers, changed by the rules of On.
type Proxy struct {
	URL string

	next  http.Handler
	mu    sync.Mutex
	rules map[string][]Change
	match *http.ServeMux // of the rules' patterns
	calls []Call
}

// Call is a request that the proxy has seen, and the server's honest answer to it.
type Call struct {
	Method, Path string
	Header       http.Header
	Answer       Answer
}

// Answer is what goes back to the client. Numbers of the body are json.Number.
type Answer struct {
	Status int
	Header http.Header
	Body   map[string]any // nil where the body is no JSON object
	raw    []byte         // as the server wrote it
	cut    bool
}

// Change makes another answer of the server's.
type Change func(*Answer)

// New serves a proxy before the handler until the test ends.
func New(t testing.TB, next http.Handler) *Proxy {
	t.Helper()
	p := &Proxy{next: next, rules: map[string][]Change{}, match: http.NewServeMux()}
	s := httptest.NewServer(p)
	t.Cleanup(s.Close)
	p.URL = s.URL
	return p
}

// On changes every answer to a call from now on, in place of what an earlier On of the same pattern said. Without any
// changes the answers are honest again. The pattern is one of http.ServeMux: "GET /v1/transactions/sign/{id}".
func (p *Proxy) On(pattern string, changes ...Change) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.rules[pattern] = changes
	p.match = http.NewServeMux()
	for pattern := range p.rules {
		p.match.Handle(pattern, http.NotFoundHandler())
	}
}

// Calls are the requests so far, oldest first.
func (p *Proxy) Calls() []Call {
	p.mu.Lock()
	defer p.mu.Unlock()
	return slices.Clone(p.calls)
}

// ServeHTTP has the handler answer, and changes the answer where a rule says so.
func (p *Proxy) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	rec := httptest.NewRecorder()
	p.next.ServeHTTP(rec, r)
	a := Answer{Status: rec.Code, Header: rec.Header(), raw: rec.Body.Bytes()}
	p.mu.Lock()
	p.calls = append(p.calls, Call{r.Method, r.URL.Path, r.Header.Clone(), a})
	_, pattern := p.match.Handler(r)
	changes := p.rules[pattern]
	p.mu.Unlock()
	if len(changes) > 0 {
		a = a.changed(changes)
	}
	if a.cut {
		panic(http.ErrAbortHandler) // net/http closes the connection
	}
	maps.Copy(w.Header(), a.Header)
	w.WriteHeader(a.Status)
	_, _ = io.Copy(w, bytes.NewReader(a.raw)) // the client sees a short answer
}

func (a Answer) changed(changes []Change) Answer {
	a.Header = a.Header.Clone()
	a.Header.Del("Content-Length")
	a.Body = decode(a.raw)
	for _, change := range changes {
		change(&a)
	}
	raw, err := json.Marshal(a.Body)
	if err != nil {
		panic(fmt.Sprintf("tamper: a change made what is no JSON: %v", err))
	}
	a.raw = raw
	return a
}

func decode(raw []byte) (body map[string]any) {
	d := json.NewDecoder(bytes.NewReader(raw))
	d.UseNumber()
	_ = d.Decode(&body) // what is no object stays nil
	return body
}

// Set puts a value in the place that a path names: members and places of lists, as in "data.addresses.0.address".
func Set(path string, value any) Change {
	return func(a *Answer) {
		at, name := a.holder(path)
		switch at := at.(type) {
		case map[string]any:
			at[name] = value
		case []any:
			at[place(name, len(at))] = value
		default:
			panic("tamper: the answer has no " + path)
		}
	}
}

// Drop leaves out the member that a path names.
func Drop(path string) Change {
	return func(a *Answer) {
		at, name := a.holder(path)
		members, ok := at.(map[string]any)
		if _, there := members[name]; !ok || !there {
			panic("tamper: the answer has no " + path)
		}
		delete(members, name)
	}
}

// Replay answers what was answered to an older call, or to another client's.
func Replay(c Call) Change {
	return func(a *Answer) { a.Status, a.Body = c.Answer.Status, decode(c.Answer.raw) }
}

// Cut closes the connection in place of the first n answers. The server has done what was asked.
func Cut(n int) Change {
	var mu sync.Mutex
	return func(a *Answer) {
		mu.Lock()
		defer mu.Unlock()
		n--
		a.cut = n >= 0
	}
}

// holder is the object or list that has the path's last name, and that name.
func (a *Answer) holder(path string) (at any, name string) {
	names := strings.Split(path, ".")
	at = a.Body
	for _, name := range names[:len(names)-1] {
		switch in := at.(type) {
		case map[string]any:
			at = in[name]
		case []any:
			at = in[place(name, len(in))]
		}
	}
	return at, names[len(names)-1]
}

func place(name string, of int) int {
	n, err := strconv.Atoi(name)
	if err != nil || n < 0 || n >= of {
		panic(fmt.Sprintf("tamper: a list of %d has no place %q", of, name))
	}
	return n
}
