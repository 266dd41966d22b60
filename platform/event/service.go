package event

import (
	"context"
	"strconv"
	"sync"
	"time"

	"github.com/railkit/railkit/clock"
	"github.com/railkit/railkit/fault"
	"github.com/railkit/railkit/platform/auth"
	"github.com/railkit/railkit/rest"
)

// ErrRemoved is the answer to a place in the list behind which events are gone.
var ErrRemoved = fault.Define(fault.Gone, "events_removed",
	"Events after this number were removed: read the objects anew, and go on after %s",
	"Events are kept for 30 days, and the number given as after is older: what came next is gone")

// Store keeps events.
type Store interface {
	Events(ctx context.Context, f Filter) ([]Event, error)
	EventEnds(ctx context.Context, workspaceID string) (Ends, error)
	LastEvents(ctx context.Context, workspaceIDs []string) (map[string]int64, error)
	DropEvents(ctx context.Context, before time.Time) error
}

// Service reads events for callers.
type Service struct {
	store   Store
	clock   clock.Clock
	tail    *tail
	callers callers
	stopped chan struct{}
	stop    sync.Once
}

// New makes it.
func New(store Store, clk clock.Clock) *Service {
	return &Service{store: store, clock: clk, tail: newTail(store), stopped: make(chan struct{})}
}

// Stop ends all streams. Their clients go on at another server.
func (s *Service) Stop() { s.stop.Do(func() { close(s.stopped) }) }

// Asked is what a caller wants to read.
type Asked struct {
	After  *int64   // the number of the last event that the caller has; nil: the first that is kept is wanted
	Types  []string // of the catalogue, or with .* at the end; none: all
	Object string   // id; "": any
	Limit  int
}

// filter is what of it the caller may read.
func (a Asked) filter(p auth.Principal) (Filter, error) {
	types, err := Readable(p, a.Types)
	f := Filter{WorkspaceID: p.WorkspaceID, Types: types, Object: a.Object, Limit: a.Limit}
	if a.After != nil {
		f.After = *a.After
	}
	if p.Kind == auth.ByAgent {
		f.AgentID = p.ID
	}
	return f, err
}

// List lists events in the order of their numbers, and says where the next call goes on. That may be beyond the last of
// the list, so that who reads few types does not look through all others again.
func (s *Service) List(ctx context.Context, p auth.Principal, asked Asked) (views []rest.Event, next int64, err error) {
	f, err := asked.filter(p)
	if err != nil {
		return nil, 0, err
	}
	ends, err := s.store.EventEnds(ctx, p.WorkspaceID) // before the list: what is committed meanwhile is not skipped
	if err != nil {
		return nil, 0, err
	}
	if asked.After != nil && *asked.After < ends.Removed {
		return nil, 0, ErrRemoved.Msg(strconv.FormatInt(ends.Last, 10))
	}
	if len(f.Types) == 0 {
		return []rest.Event{}, max(ends.Last, f.After), nil
	}
	events, err := s.store.Events(ctx, f)
	if err != nil {
		return nil, 0, err
	}
	views = make([]rest.Event, len(events))
	for i, e := range events {
		views[i] = e.View()
	}
	if len(events) == f.Limit {
		return views, events[len(events)-1].Seq, nil
	}
	next = max(ends.Last, f.After)
	if len(events) > 0 {
		next = max(next, events[len(events)-1].Seq)
	}
	return views, next, nil
}

// View is the event as it is read and delivered.
func (e Event) View() rest.Event {
	return rest.Event{
		ID: e.ID, Sequence: e.Seq, Type: string(e.Type), APIVersion: Version, Timestamp: clock.ISO(e.At),
		Object: rest.EventObject{Type: e.Type.Object(), ID: e.Object}, Data: e.Data,
	}
}

// Sweep removes what is older than 30 days.
func (s *Service) Sweep(ctx context.Context) error {
	return s.store.DropEvents(ctx, s.clock.Now().Add(-Kept))
}
