package sqldb

import (
	"encoding/json"

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

// number gives the events of a workspace their numbers, up to last.
func (b *batch) number(told []event.Change, last int64) ([]any, error) {
	rows := make([]any, len(told))
	for i, c := range told {
		id, err := uuid.NewV7()
		if err != nil {
			return nil, err
		}
		data, err := json.Marshal(c.Data)
		if err != nil {
			return nil, err
		}
		rows[i] = db.InsertEventsParams{
			WorkspaceID: c.WorkspaceID, Seq: last - int64(len(told)-1-i), ID: id.String(), At: Micros(b.begun),
			Type: string(c.Type), ObjectID: c.Object, AgentID: c.AgentID, Data: string(data),
		}
	}
	return rows, nil
}
