package platform

import (
	"context"
	"time"

	"github.com/railkit/railkit/platform/event"
	"github.com/railkit/railkit/store/db"
	"github.com/railkit/railkit/store/internal/sqldb"
)

var _ event.Store = Store{}

// Events lists what a filter selects, in the order of the numbers.
func (s Store) Events(ctx context.Context, f event.Filter) ([]event.Event, error) {
	q := s.db.Query(2).In("type", sqldb.Texts(f.Types)).Equal("object_id", f.Object).Equal("agent_id", f.AgentID).
		Add(" ORDER BY seq LIMIT ?", f.Limit)
	rows, err := db.New(q).ListEvents(ctx, f.WorkspaceID, f.After)
	return sqldb.Many(rows, err, func(r db.Event) (event.Event, error) {
		return event.Event{
			WorkspaceID: r.WorkspaceID, Seq: r.Seq, ID: r.ID, At: sqldb.Instant(r.At), Type: event.Type(r.Type),
			Object: r.ObjectID, Data: []byte(r.Data),
		}, nil
	})
}

// EventEnds is where a workspace's events begin and end.
func (s Store) EventEnds(ctx context.Context, workspaceID string) (event.Ends, error) {
	row, err := s.db.Read.EventEnds(ctx, workspaceID)
	if sqldb.None(err) {
		return event.Ends{}, nil
	}
	return event.Ends{Last: row.Events, Removed: row.EventsRemoved}, sqldb.Reading("reading where events end", err)
}

// LastEvents are the last numbers of some workspaces. One that has no events is not among them.
func (s Store) LastEvents(ctx context.Context, workspaceIDs []string) (map[string]int64, error) {
	rows, err := db.New(s.db.Query(0).In("workspace_id", workspaceIDs)).LastEvents(ctx)
	last := make(map[string]int64, len(rows))
	for _, r := range rows {
		last[r.WorkspaceID] = r.Events
	}
	return last, sqldb.Reading("reading where events end", err)
}

// eventsRemovedAtOnce bounds how long a workspace's head is held.
const eventsRemovedAtOnce = 1000

// DropEvents removes events that are older than an instant: of each workspace some, and the rest with the next calls.
func (s Store) DropEvents(ctx context.Context, before time.Time) error {
	heads, err := s.db.Read.EventHeads(ctx)
	if err != nil {
		return sqldb.Reading("listing workspaces with events", err)
	}
	for _, h := range heads {
		if err := s.dropEvents(ctx, h, before); err != nil {
			return err
		}
	}
	return nil
}

func (s Store) dropEvents(ctx context.Context, h db.EventHeadsRow, before time.Time) error {
	last, err := s.db.Read.LastEventBefore(
		ctx, h.WorkspaceID, h.EventsRemoved+eventsRemovedAtOnce, sqldb.Micros(before),
	)
	if err != nil || last <= h.EventsRemoved {
		return sqldb.Reading("looking for old events", err)
	}
	return s.db.Transact(ctx, func(t *sqldb.Tx) error {
		if err := t.Q.NoteRemovedEvents(ctx, last, h.WorkspaceID); err != nil {
			return sqldb.Doing("noting that events are removed", err)
		}
		return sqldb.Doing("removing events", t.Q.RemoveEvents(ctx, h.WorkspaceID, last))
	})
}
