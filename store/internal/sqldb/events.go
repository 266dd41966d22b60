package sqldb

import (
	"context"
	"encoding/json"
	"slices"
	"strings"

	"github.com/google/uuid"

	"github.com/railkit/railkit/platform/audit"
	"github.com/railkit/railkit/platform/command"
	"github.com/railkit/railkit/platform/event"
	"github.com/railkit/railkit/store/db"
)

// Tell has an event be written with what the transaction changes. Its number is taken when all else is written: from
// then on nobody else of the workspace can commit.
func (t *Tx) Tell(c event.Change) { t.told = append(t.told, c) }

// Told is Doing for a statement that changed n rows: it tells of the change if there is one.
func (t *Tx) Told(what string, n int64, err error, c event.Change) error {
	if err == nil && n > 0 {
		t.Tell(c)
	}
	return Doing(what, err)
}

// ToldSwapped is Swapped, and tells of the change.
func (t *Tx) ToldSwapped(what string, n int64, err error, c event.Change) error {
	err = Swapped(what, n, err)
	if err == nil {
		t.Tell(c)
	}
	return err
}

// tellAudited tells of what leaves an entry in the record and no row.
func (t *Tx) tellAudited(e audit.Entry, done command.Audit) {
	if kind, is := event.Audited[done.Action]; is {
		t.Tell(event.Change{
			Type: kind, WorkspaceID: e.WorkspaceID, Object: done.Resource, AgentID: done.Resource, Data: done.Detail,
		})
	}
}

// toldOf takes what was told of a workspace out of what is still to be written.
func (t *Tx) toldOf(workspaceID string) (all []event.Change) {
	t.told = slices.DeleteFunc(t.told, func(c event.Change) bool {
		if c.WorkspaceID == workspaceID {
			all = append(all, c)
			return true
		}
		return false
	})
	return all
}

// putTold writes what was told of workspaces whose record has no entry in this transaction. Heads are taken in the
// order of their names, so that no two transactions wait for each other.
func (t *Tx) putTold(ctx context.Context) error {
	slices.SortStableFunc(t.told, func(a, b event.Change) int {
		return strings.Compare(a.WorkspaceID, b.WorkspaceID)
	})
	for len(t.told) > 0 {
		workspaceID := t.told[0].WorkspaceID
		all := t.toldOf(workspaceID)
		last, err := t.Q.TakeEventNumbers(ctx, workspaceID, int64(len(all)))
		if err == nil {
			err = t.putEvents(ctx, last, all)
		}
		if err != nil {
			return Doing("writing events", err)
		}
	}
	return nil
}

// eventsAtOnce are inserted by one statement.
const eventsAtOnce = 100

// putEvents writes changes of a workspace under the numbers up to last.
func (t *Tx) putEvents(ctx context.Context, last int64, all []event.Change) error {
	seq := last - int64(len(all))
	for some := range slices.Chunk(all, eventsAtOnce) {
		rows := make([]db.InsertEventsParams, len(some))
		for i, c := range some {
			seq++
			id, err := uuid.NewV7()
			if err != nil {
				return err
			}
			data, err := json.Marshal(c.Data)
			if err != nil {
				return err
			}
			rows[i] = db.InsertEventsParams{
				WorkspaceID: c.WorkspaceID, Seq: seq, ID: id.String(), At: Micros(t.Begun), Type: string(c.Type),
				ObjectID: c.Object, AgentID: c.AgentID, Data: string(data),
			}
		}
		q := t.Query(8)
		for _, p := range rows[1:] {
			q.Add(", (?, ?, ?, ?, ?, ?, ?, ?)", p.WorkspaceID, p.Seq, p.ID, p.At, p.Type, p.ObjectID, p.AgentID, p.Data)
		}
		if err := db.New(q).InsertEvents(ctx, rows[0]); err != nil {
			return err
		}
	}
	return nil
}
