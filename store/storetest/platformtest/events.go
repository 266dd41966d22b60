package platformtest

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"testing"
	"time"

	"github.com/railkit/railkit/platform/auth"
	"github.com/railkit/railkit/platform/command"
	"github.com/railkit/railkit/platform/event"
	"github.com/railkit/railkit/platform/workspace"
	"github.com/railkit/railkit/store/storetest"
)

var eventTests = map[string]func(*testing.T, *bench){
	"Events":        testEvents,
	"EventsUndone":  testEventsUndone,
	"EventsDropped": testEventsDropped,
	"EventsWriters": testEventsWriters,
}

// makeKeys makes keys of a workspace in one transaction, each of which is told of.
func (b *bench) makeKeys(ctx context.Context, workspaceID, action string, ids ...string) error {
	return b.Workspaces().Work(ctx, workspaceID, func(ctx context.Context, tx workspace.Tx) (command.Audit, error) {
		for _, id := range ids {
			k := auth.Key{WorkspaceID: workspaceID, ID: id, Name: "Key", Hash: workspaceID + id, LastFour: "pxJg"}
			if err := tx.InsertKey(ctx, k); err != nil {
				return command.Audit{}, err
			}
		}
		return command.Audit{Action: action, Resource: "key"}, nil
	})
}

// makeOwners makes the workspaces of the keys.
func (b *bench) makeOwners(t *testing.T) {
	t.Helper()
	for _, id := range []string{storetest.Ours, storetest.Theirs} {
		storetest.OK(t, b.EnsureWorkspace(t.Context(), workspace.Workspace{ID: id, Environment: "sandbox"}))
	}
}

func (b *bench) events(t *testing.T, f event.Filter) (found string) {
	t.Helper()
	events, err := b.Store.Events(t.Context(), f)
	storetest.OK(t, err)
	for _, e := range events {
		found += fmt.Sprintf("%d %s %s;", e.Seq, e.Type, e.Object)
	}
	return found
}

// Numbers are a workspace's own and without gaps, whether the transaction leaves an entry in the record or none.
func testEvents(t *testing.T, b *bench) {
	b.makeOwners(t)
	storetest.OK(t, b.makeKeys(t.Context(), storetest.Ours, "api_key.create", "a", "b"))
	storetest.OK(t, b.makeKeys(t.Context(), storetest.Theirs, "", "c"))
	storetest.OK(t, b.makeKeys(t.Context(), storetest.Ours, "", "d"))
	ours := event.Filter{WorkspaceID: storetest.Ours, Limit: 10}
	storetest.Equal(t, "all", b.events(t, ours), "1 api_key.created a;2 api_key.created b;3 api_key.created d;")
	storetest.Equal(t, "theirs", b.events(t, event.Filter{WorkspaceID: storetest.Theirs, Limit: 10}),
		"1 api_key.created c;")
	ours.After, ours.Limit = 1, 1
	storetest.Equal(t, "a page", b.events(t, ours), "2 api_key.created b;")
	ours.Limit, ours.Object = 10, "d"
	storetest.Equal(t, "of an object", b.events(t, ours), "3 api_key.created d;")
	ours.Object, ours.Types = "", []event.Type{event.APIKeyRevoked}
	storetest.Equal(t, "of a type", b.events(t, ours), "")
	ours.Types, ours.AgentID = nil, "agent"
	storetest.Equal(t, "of an agent", b.events(t, ours), "")
	ends, err := b.EventEnds(t.Context(), storetest.Ours)
	storetest.OK(t, err)
	storetest.Equal(t, "ends", ends, event.Ends{Last: 3})
	last, err := b.LastEvents(t.Context(), []string{storetest.Ours, storetest.Theirs, "nobody"})
	storetest.OK(t, err)
	storetest.Equal(t, "last", last, map[string]int64{storetest.Ours: 3, storetest.Theirs: 1})
}

// What is rolled back was never told, and takes no number.
func testEventsUndone(t *testing.T, b *bench) {
	b.makeOwners(t)
	undone := func(ctx context.Context, tx workspace.Tx) (command.Audit, error) {
		k := auth.Key{WorkspaceID: storetest.Ours, ID: "a", Hash: "a"}
		return command.Audit{}, errors.Join(tx.InsertKey(ctx, k), context.Canceled)
	}
	err := b.Workspaces().Work(t.Context(), storetest.Ours, undone)
	storetest.Equal(t, "undone", err != nil, true)
	storetest.OK(t, b.makeKeys(t.Context(), storetest.Ours, "", "b"))
	storetest.Equal(t, "all", b.events(t, event.Filter{WorkspaceID: storetest.Ours, Limit: 10}), "1 api_key.created b;")
}

// Old events go, the numbers go on, and where they begin is known.
func testEventsDropped(t *testing.T, b *bench) {
	b.makeOwners(t)
	storetest.OK(t, b.makeKeys(t.Context(), storetest.Ours, "", "a", "b"))
	b.At(storetest.Start.Add(time.Hour))
	storetest.OK(t, b.makeKeys(t.Context(), storetest.Ours, "", "c"))
	storetest.OK(t, b.DropEvents(t.Context(), storetest.Start.Add(time.Minute)))
	ours := event.Filter{WorkspaceID: storetest.Ours, Limit: 10}
	storetest.Equal(t, "left", b.events(t, ours), "3 api_key.created c;")
	storetest.OK(t, b.DropEvents(t.Context(), storetest.Start.Add(2*time.Hour)))
	storetest.OK(t, b.makeKeys(t.Context(), storetest.Ours, "", "d"))
	storetest.Equal(t, "goes on", b.events(t, ours), "4 api_key.created d;")
	ends, err := b.EventEnds(t.Context(), storetest.Ours)
	storetest.OK(t, err)
	storetest.Equal(t, "ends", ends, event.Ends{Last: 4, Removed: 3})
}

// Whoever reads on after the last number that it saw misses nothing, whatever is committed at the same time.
func testEventsWriters(t *testing.T, b *bench) {
	b.makeOwners(t)
	const writers, each = 4, 25
	var writing sync.WaitGroup
	for w := range writers {
		writing.Go(func() {
			for i := range each {
				action := map[bool]string{true: "api_key.create"}[i%2 == 0]
				if err := b.makeKeys(t.Context(), storetest.Ours, action, fmt.Sprint(w, "-", i)); err != nil {
					t.Error(err)
				}
			}
		})
	}
	done := make(chan struct{})
	go func() { writing.Wait(); close(done) }()
	seen := int64(0)
	for over := false; !over; {
		select {
		case <-done:
			over = true // and looks once more
		default:
		}
		events, err := b.Store.Events(t.Context(), event.Filter{WorkspaceID: storetest.Ours, After: seen, Limit: 1000})
		storetest.OK(t, err)
		for _, e := range events {
			if e.Seq != seen+1 {
				t.Fatalf("%d comes after %d", e.Seq, seen)
			}
			seen = e.Seq
		}
	}
	storetest.Equal(t, "seen", seen, int64(writers*each))
}
