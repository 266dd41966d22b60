package event_test

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"testing"
	"time"

	"github.com/railkit/railkit/clock"
	"github.com/railkit/railkit/fault"
	"github.com/railkit/railkit/internal/test/testwait"
	"github.com/railkit/railkit/platform/auth"
	"github.com/railkit/railkit/platform/event"
	"github.com/railkit/railkit/rest"
)

// memory keeps the events of one workspace.
type memory struct {
	mu  sync.Mutex
	all []event.Event
}

func (m *memory) add(t event.Type) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.all = append(m.all, event.Event{WorkspaceID: "ws", Seq: int64(len(m.all) + 1), Type: t, Data: []byte("{}")})
}

func (m *memory) Events(_ context.Context, f event.Filter) ([]event.Event, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	found := m.all[min(f.After, int64(len(m.all))):]
	return found[:min(len(found), f.Limit)], nil
}

func (m *memory) EventEnds(context.Context, string) (event.Ends, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	return event.Ends{Last: int64(len(m.all))}, nil
}

func (m *memory) LastEvents(context.Context, []string) (map[string]int64, error) {
	ends, err := m.EventEnds(context.Background(), "ws")
	return map[string]int64{"ws": ends.Last}, err
}

func (m *memory) DropEvents(context.Context, time.Time) error { return nil }

var reader = auth.Principal{
	Tenant: auth.Tenant{WorkspaceID: "ws", Modules: auth.AllModules, Verified: true}, Kind: auth.ByKey, ID: "key",
	Scopes: []auth.Scope{auth.Integrator},
}

// following is a stream from the first event on. It may be read until revoke.
type following struct {
	mu      sync.Mutex
	got     []int64
	revoked bool
	ended   chan error
}

func follow(ctx context.Context, s *event.Service) *following {
	f, begin := &following{ended: make(chan error, 1)}, int64(0)
	go func() {
		f.ended <- s.Follow(ctx, reader, event.Asked{After: &begin}, event.Stream{Again: f.again, Send: f.send})
	}()
	return f
}

func (f *following) again(context.Context) (auth.Principal, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.revoked {
		return auth.Principal{}, auth.ErrNoKey
	}
	return reader, nil
}

func (f *following) send(e *rest.Event) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	if e != nil {
		f.got = append(f.got, e.Sequence)
	}
	return nil
}

func (f *following) seen() string {
	f.mu.Lock()
	defer f.mu.Unlock()
	return fmt.Sprint(f.got)
}

// Several streams get each event once, while others come; a caller has a bounded number; and each ends with its right,
// with its context or with the server.
func TestFollow(t *testing.T) {
	m := &memory{}
	s := event.New(m, clock.System{})
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	want := []int64{}
	all := []*following{follow(ctx, s), follow(ctx, s)}
	for i := range 18 {
		m.add(event.OrderCreated)
		want = append(want, int64(i+1))
		all = append(all, follow(ctx, s))
	}
	for _, f := range all {
		testwait.Until(t, "a stream has all", func() bool { return f.seen() == fmt.Sprint(want) })
	}
	var refused *fault.Error
	if err := <-follow(ctx, s).ended; !errors.As(err, &refused) || refused.Code != "too_many_streams" {
		t.Errorf("one more stream: %v", err)
	}
	all[0].mu.Lock()
	all[0].revoked = true
	all[0].mu.Unlock()
	m.add(event.OrderCreated)
	if err := <-all[0].ended; err != nil || all[0].seen() != fmt.Sprint(want) {
		t.Errorf("after its key was revoked: %v, %s", err, all[0].seen())
	}
	s.Stop()
	for _, f := range all[1:] {
		if err := <-f.ended; err != nil {
			t.Error(err)
		}
	}
}

// The right to read on is asked before each event, also of those that were read from the database at once.
func TestFollow_AsksBeforeEachEvent(t *testing.T) {
	unverified, elsewhere := reader, reader
	unverified.Verified, elsewhere.WorkspaceID = false, "ws-2"
	for name, now := range map[string]struct {
		who auth.Principal
		err error
	}{
		"a key that was revoked":      {auth.Principal{}, auth.ErrNoKey},
		"a right that was taken away": {unverified, nil},
		"another workspace's":         {elsewhere, nil},
	} {
		m, begin, got := &memory{}, int64(0), 0
		for range 3 {
			m.add(event.OrderCreated)
		}
		ctx, cancel := context.WithTimeout(t.Context(), testwait.Bound)
		err := event.New(m, clock.System{}).Follow(ctx, reader, event.Asked{After: &begin}, event.Stream{
			Again: func(context.Context) (auth.Principal, error) {
				if got == 2 {
					return now.who, now.err
				}
				return reader, nil
			},
			Send: func(e *rest.Event) error {
				if e != nil {
					got++
				}
				return nil
			},
		})
		ended := ctx.Err() == nil
		cancel()
		if err != nil || got != 2 || !ended {
			t.Errorf("%s: %d events, %v, ended %v; want the first two and the end", name, got, err, ended)
		}
	}
}
