// Package walk holds one request for every operation that changes something. Its
// tests, and those of internal/test/crash, go through all of them: what is true of one
// change has to be true of each.
package walk

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"testing"

	"github.com/railkit/railkit/internal/test/apptest"
	"github.com/railkit/railkit/internal/test/testwait"
	railkit "github.com/railkit/railkit/sdk/go"
)

// World is a workspace in which everything can be done, and what has been made in
// it so far.
type World struct {
	T           *testing.T
	App         *apptest.App
	WorkspaceID string
	Key         string // of the workspace, scope integrator
	Operator    string // key of scope admin or internal

	owner *apptest.Owner
	made  int
}

// Request is a call that changes something.
type Request struct {
	Method, Path, Body string
	Authorization      string           // the whole header; empty on the passkey page
	Page               bool             // goes to the passkey page's server
	Headers            []string         // further ones, in pairs
	Member             *apptest.Browser // who asks, where a member does
	Agent              *Signer          // who signs, where an agent asks
}

// Send sends the request, with further headers in pairs.
func (r Request) Send(w *World, headers ...string) apptest.Answer {
	w.T.Helper()
	if r.Page {
		return w.App.CallPage(r.Path, r.Body, headers...)
	}
	var a apptest.Answer
	testwait.Until(w.T, "the signer's first second to pass", func() bool {
		a = r.once(w, headers)
		return r.Agent == nil || a.Field("error") != "agent_retry"
	})
	return a
}

// once sends it to the API. A signer that has just started refuses an agent's write of that second, and asks for it
// under a new timestamp.
func (r Request) once(w *World, headers []string) apptest.Answer {
	w.T.Helper()
	headers = slices.Concat(headers, r.Headers)
	if r.Agent != nil {
		headers = append(headers, r.Agent.Sign(r.Method, r.Path, r.Body)...)
	}
	if r.Authorization != "" {
		headers = append(headers, "Authorization", r.Authorization)
	}
	return w.App.Do("", r.Method, r.Path, r.Body, headers...)
}

// by makes a request under the workspace's key.
func (w *World) by(method, path string, body any) Request {
	w.T.Helper()
	text := ""
	if body != nil {
		text = apptest.JSON(w.T, body)
	}
	return Request{Method: method, Path: path, Body: text, Authorization: "ApiKey " + w.Key}
}

func (w *World) post(path string, body any) Request { return w.by("POST", path, body) }

// must sends what a request needs to come first, and reads its answer's data.
func (w *World) must(r Request, data any) {
	w.T.Helper()
	a := r.Send(w)
	if a.Status/100 != 2 {
		w.T.Fatalf("%s %s, which comes first: %d %s", r.Method, r.Path, a.Status, a.Body)
	}
	if data == nil {
		return
	}
	if err := json.Unmarshal([]byte(a.Body), &struct{ Data any }{data}); err != nil {
		w.T.Fatalf("%s %s, which comes first: %v", r.Method, r.Path, err)
	}
}

// name is another one each time, also in other worlds.
func (w *World) name(what string) string {
	w.made++
	return fmt.Sprintf("%s-%d-%s", what, w.made, w.WorkspaceID[:8])
}

func (w *World) email() string { return w.name("someone") + "@example.com" }

func (w *World) client() *railkit.Client { return w.App.ClientWith(w.Key) }

// Owner is the workspace's passkey, with a wallet and money.
func (w *World) Owner() apptest.Owner {
	w.T.Helper()
	if w.owner == nil {
		o := w.App.Fund(w.client(), w.email())
		w.owner = &o
	}
	return *w.owner
}

// stamped is an activity with its stamp.
type stamped struct {
	id     string
	signed railkit.SignedActivity
	link   string // to the passkey page, which would take the stamp too
}

// prepare has an activity prepared and stamps it.
func (w *World) prepare(path string, body any) stamped {
	w.T.Helper()
	var p struct {
		WalletRequestID, WalletAccountRequestID, TransactionID string
		railkit.Prepared
	}
	w.must(w.post(path, body), &p)
	stamp, err := w.Owner().Passkey.Stamp(p.UnsignedActivity.Body)
	if err != nil {
		w.T.Fatal(err)
	}
	return stamped{p.WalletRequestID + p.WalletAccountRequestID + p.TransactionID, p.Signed(stamp), p.CeremonyURL}
}

func (w *World) context() context.Context { return w.T.Context() }
