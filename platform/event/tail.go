package event

import (
	"context"
	"maps"
	"slices"
	"sync"
	"time"
)

// lookEvery is how often a server asks for new events of the workspaces that somebody listens to: all of them in one
// query, also those that other servers wrote.
const lookEvery = 250 * time.Millisecond

// tail tells listeners that their workspace has new events. It asks the database only while somebody listens.
type tail struct {
	store Store

	mu        sync.Mutex
	listeners map[string]map[chan struct{}]bool // by workspace
	last      map[string]int64
	running   bool
}

func newTail(store Store) *tail {
	return &tail{store: store, listeners: map[string]map[chan struct{}]bool{}, last: map[string]int64{}}
}

// listen has news sent to the channel that it returns, one at least after each commit that comes after the call.
func (t *tail) listen(workspaceID string) (news <-chan struct{}, end func()) {
	c := make(chan struct{}, 1)
	c <- struct{}{} // whoever begins looks once by itself
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.listeners[workspaceID] == nil {
		t.listeners[workspaceID] = map[chan struct{}]bool{}
	}
	t.listeners[workspaceID][c] = true
	if !t.running {
		t.running = true
		go t.run()
	}
	return c, func() {
		t.mu.Lock()
		defer t.mu.Unlock()
		delete(t.listeners[workspaceID], c)
		if len(t.listeners[workspaceID]) == 0 {
			delete(t.listeners, workspaceID)
			delete(t.last, workspaceID)
		}
	}
}

// run looks until nobody listens any more.
func (t *tail) run() {
	for ; ; time.Sleep(lookEvery) {
		heard := t.heard()
		if len(heard) == 0 {
			return
		}
		ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
		last, err := t.store.LastEvents(ctx, heard)
		cancel()
		if err == nil { // else the next look finds them
			t.tell(last)
		}
	}
}

// heard lists the workspaces that somebody listens to. If there are none, the caller stops.
func (t *tail) heard() []string {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.running = len(t.listeners) > 0
	return slices.Collect(maps.Keys(t.listeners))
}

func (t *tail) tell(last map[string]int64) {
	t.mu.Lock()
	defer t.mu.Unlock()
	for workspaceID, n := range last {
		if t.last[workspaceID] == n {
			continue
		}
		for c := range t.listeners[workspaceID] {
			select {
			case c <- struct{}{}:
			default: // it has news already
			}
		}
		if t.listeners[workspaceID] != nil {
			t.last[workspaceID] = n
		}
	}
}
