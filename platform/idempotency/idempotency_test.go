package idempotency

import (
	"bytes"
	"context"
	"errors"
	"net/url"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/railkit/railkit/clock"
	"github.com/railkit/railkit/platform/command"
)

const text = "6f0e1c2d-3b4a-4c5d-8e6f-708192a3b4c5"

var request = Request{Method: "POST", Path: "/v1/x", Query: url.Values{"a": {"1"}, "b": {"2"}},
	Body: []byte(`{"c":3}`), Caller: "api_key:1"}

type rows map[string]Row

func (r rows) Answer(_ context.Context, workspaceID, hash string, since time.Time) (Row, bool, error) {
	row, ok := r[workspaceID+hash]
	return row, ok && row.CreatedAt.After(since), nil
}

func (r rows) put(t *testing.T, workspaceID string, key *command.Key, at time.Time, answer string) {
	t.Helper()
	sealed, err := key.Seal([]byte(answer))
	if err != nil {
		t.Fatal(err)
	}
	r[workspaceID+key.Hash] = Row{Request: key.Request, Status: 201, Sealed: sealed, CreatedAt: at}
}

func mustKey(t *testing.T, workspaceID, header string, r Request) *command.Key {
	t.Helper()
	key, err := Key(workspaceID, header, r)
	if err != nil {
		t.Fatal(err)
	}
	return key
}

func TestKeyHashes(t *testing.T) {
	base := mustKey(t, "w", text, request)
	of := func(caller string) *command.Key {
		r := request
		r.Caller = caller
		return mustKey(t, "w", text, r)
	}
	other := func(change func(*Request)) string {
		r := request
		change(&r)
		return mustKey(t, "w", text, r).Request
	}
	if mustKey(t, "w2", text, request).Hash == base.Hash || mustKey(t, "w", "7"+text[1:], request).Hash == base.Hash {
		t.Error("the hash does not depend on workspace and key")
	}
	for _, caller := range []string{"api_key:2", "agent:1", "session:1", ""} {
		if of(caller).Hash == base.Hash {
			t.Errorf("%q has the key of another caller", caller)
		}
	}
	for name, hash := range map[string]string{
		"method": other(func(r *Request) { r.Method = "PATCH" }),
		"path":   other(func(r *Request) { r.Path = "/v1/y" }),
		"query":  other(func(r *Request) { r.Query = url.Values{"a": {"1"}} }),
		"body":   other(func(r *Request) { r.Body = []byte(`{"c": 3}`) }),
		"border": other(func(r *Request) { r.Method, r.Path = "POST/", "v1/x" }),
	} {
		if hash == base.Request {
			t.Errorf("another %s has the same hash", name)
		}
	}
	if other(func(r *Request) { r.Query = url.Values{"b": {"2"}, "a": {"1"}} }) != base.Request {
		t.Error("the order of the query counts")
	}
}

func TestKeyForm(t *testing.T) {
	for _, bad := range []string{
		"", "x", text + "0", "6f0e1c2d-3b4a-5c5d-8e6f-708192a3b4c5", "6f0e1c2d3b4a4c5d8e6f708192a3b4c5", " " + text,
	} {
		if _, err := Key("w", bad, request); !errors.Is(err, ErrBadKey) {
			t.Errorf("%q: %v", bad, err)
		}
	}
}

func TestSealedAnswer(t *testing.T) {
	key := mustKey(t, "w", text, request)
	answer := []byte("the secret that is shown once")
	sealed, err := key.Seal(answer)
	if err != nil {
		t.Fatal(err)
	}
	if bytes.Contains(sealed, []byte("secret")) {
		t.Error("the answer is readable")
	}
	if got, err := key.Open(sealed); err != nil || !bytes.Equal(got, answer) {
		t.Errorf("%q %v", got, err)
	}
	weaker := request
	weaker.Caller = "api_key:2"
	for name, other := range map[string]*command.Key{
		"workspace": mustKey(t, "w2", text, request), "key": mustKey(t, "w", "7"+text[1:], request),
		"caller": mustKey(t, "w", text, weaker),
	} {
		if _, err := other.Open(sealed); err == nil {
			t.Errorf("opened under another %s", name)
		}
	}
	sealed[len(sealed)-1] ^= 1
	if _, err := key.Open(sealed); err == nil {
		t.Error("opened what was changed")
	}
	if _, err := key.Open(nil); err == nil {
		t.Error("opened nothing")
	}
}

func TestBegin(t *testing.T) {
	now := time.Date(2026, 3, 4, 5, 6, 7, 0, time.UTC)
	store := rows{}
	s := New(store, clock.Func(func() time.Time { return now }))
	key := mustKey(t, "w", text, request)

	first, end, err := s.Begin(t.Context(), "w", key)
	if first != nil || err != nil {
		t.Fatal(first, err)
	}
	store.put(t, "w", key, now, "answer")
	end()
	end() // twice does no harm

	now = now.Add(Retention - 1)
	first, _, err = s.Begin(t.Context(), "w", key)
	if err != nil || first == nil || !first.Replayed || first.Status != 201 || string(first.Body) != "answer" {
		t.Fatal(first, err)
	}
	r := request
	r.Body = nil
	if _, _, err := s.Begin(t.Context(), "w", mustKey(t, "w", text, r)); !errors.Is(err, ErrOtherRequest) {
		t.Errorf("another request: %v", err)
	}
	now = now.Add(1)
	first, end, err = s.Begin(t.Context(), "w", key)
	if first != nil || err != nil {
		t.Fatal("a day later:", first, err)
	}
	end()
	if len(s.flights) != 0 {
		t.Errorf("%d claims are left", len(s.flights))
	}
}

func TestOnlyOneOfManyRuns(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		store := rows{}
		s := New(store, clock.System{})
		key := mustKey(t, "w", text, request)
		var ran, replayed atomic.Int32
		for range 20 {
			go func() {
				first, end, err := s.Begin(t.Context(), "w", key)
				switch {
				case err != nil:
					t.Error(err)
				case first != nil:
					replayed.Add(1)
				default:
					ran.Add(1)
					time.Sleep(Patience - time.Second)
					store.put(t, "w", key, time.Now(), "answer")
					end()
				}
			}()
		}
		time.Sleep(2 * Patience)
		synctest.Wait()
		if ran.Load() != 1 || replayed.Load() != 19 {
			t.Errorf("%d ran, %d replayed", ran.Load(), replayed.Load())
		}
	})
}

func TestWaitingEnds(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := New(rows{}, clock.System{})
		key := mustKey(t, "w", text, request)
		_, end, err := s.Begin(t.Context(), "w", key)
		if err != nil {
			t.Fatal(err)
		}
		defer end()
		began := time.Now()
		if _, _, err := s.Begin(t.Context(), "w", key); !errors.Is(err, ErrInFlight) || time.Since(began) != Patience {
			t.Errorf("%v after %v", err, time.Since(began))
		}
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		if _, _, err := s.Begin(ctx, "w", key); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("%v", err)
		}
	})
}
