package sqldb

import (
	"context"
	"encoding/json"
	"maps"
	"slices"

	"github.com/google/uuid"

	"github.com/railkit/railkit/platform/audit"
	"github.com/railkit/railkit/platform/command"
	"github.com/railkit/railkit/platform/event"
	"github.com/railkit/railkit/store/db"
)

// Audit has the entry be written as the next of its workspace's chain.
func (t *Tx) Audit(e audit.Entry, done command.Audit) error {
	id, err := uuid.NewV7()
	if err != nil {
		return Doing("writing the audit row", err)
	}
	e.ID, e.At, e.Action, e.Resource = id.String(), t.Begun, done.Action, done.Resource
	if err := tell(&e, done); err != nil {
		return Doing("writing the audit row", err)
	}
	t.tellAudited(e, done)
	t.entries = append(t.entries, e)
	return nil
}

// WriteRecord writes the entries and events so far, for who looks at them in the same transaction.
func (t *Tx) WriteRecord(ctx context.Context) error {
	err := t.batch.record(ctx, []*change{{tx: t}})
	t.entries, t.told = nil, nil
	return err
}

// tell puts what a change says of itself into the entry.
func tell(e *audit.Entry, done command.Audit) error {
	e.Detail = "{}"
	for _, part := range []struct {
		text   *string
		fields any
		given  bool
	}{
		{&e.Detail, done.Detail, done.Detail != nil},
		{&e.Before, done.Before, done.Before != nil},
		{&e.After, done.After, done.After != nil},
	} {
		if !part.given {
			continue
		}
		text, err := json.Marshal(part.fields)
		if err != nil {
			return err
		}
		*part.text = string(text)
	}
	return nil
}

// chain is what a transaction adds to the record of one workspace: entries of its audit chain, and events.
type chain struct {
	entries []audit.Entry
	told    []event.Change
}

// chainsOf sorts what changes leave by workspace.
func chainsOf(done []*change) map[string]*chain {
	all := map[string]*chain{}
	of := func(workspaceID string) *chain {
		if all[workspaceID] == nil {
			all[workspaceID] = &chain{}
		}
		return all[workspaceID]
	}
	for _, c := range done {
		for _, e := range c.tx.entries {
			of(e.WorkspaceID).entries = append(of(e.WorkspaceID).entries, e)
		}
		for _, told := range c.tx.told {
			of(told.WorkspaceID).told = append(of(told.WorkspaceID).told, told)
		}
	}
	return all
}

var (
	eventRows = &Set[db.InsertEventsParams]{What: "writing events", Insert: (*db.Queries).InsertEvents}
	auditRows = &Set[db.InsertAuditParams]{What: "writing the audit row", Insert: (*db.Queries).InsertAudit}
	headRows  = &Set[movedHead]{
		What: "moving the head of the audit chain",
		Insert: func(q *db.Queries, ctx context.Context, h movedHead) error {
			return q.MoveAuditHeads(ctx, h.WorkspaceID, h.Hash)
		},
	}
)

// movedHead is where the audit chain of a workspace ends now. The head is there, and held.
type movedHead struct{ WorkspaceID, Hash string }

// record writes the answers, audit entries and events of all changes. It comes last in a transaction: from when a
// workspace's head is taken until the commit, nobody else of that workspace can commit. Heads are taken in the order of
// their names by who holds all other rows already, so that no two transactions wait for each other.
func (b *batch) record(ctx context.Context, done []*change) error {
	chains := chainsOf(done)
	heads, err := b.takeHeads(ctx, slices.Sorted(maps.Keys(chains)), chains)
	if err != nil {
		return Doing("taking the head of the audit chain", err)
	}
	var entries, events, moved []any
	for _, head := range heads {
		c := chains[head.WorkspaceID]
		numbered, err := b.number(c.told, head.Events)
		if err != nil {
			return Doing("writing events", err)
		}
		events = append(events, numbered...)
		seq, hash := head.Seq-int64(len(c.entries)), head.Hash
		for _, e := range c.entries {
			seq++
			e = e.Follow(seq, hash)
			hash = e.Hash
			entries = append(entries, db.InsertAuditParams(auditRow(e)))
		}
		if hash != head.Hash {
			moved = append(moved, movedHead{head.WorkspaceID, hash})
		}
	}
	return b.send(ctx, slices.Concat(
		inserts(ctx, answerRows, answersOf(done)), inserts(ctx, eventRows, events),
		inserts(ctx, auditRows, entries), inserts(ctx, headRows, moved),
	)...)
}

func (b *batch) takeHeads(
	ctx context.Context, workspaces []string, chains map[string]*chain,
) ([]db.TakeAuditHeadsRow, error) {
	if len(workspaces) == 0 {
		return nil, nil
	}
	rows := make([][]any, len(workspaces))
	for i, id := range workspaces {
		rows[i] = []any{id, int64(len(chains[id].entries)), int64(len(chains[id].told))}
	}
	first := workspaces[0]
	return b.repeat(3, rows[1:]).TakeAuditHeads(
		ctx, first, int64(len(chains[first].entries)), int64(len(chains[first].told)),
	)
}

func auditRow(e audit.Entry) db.Audit {
	return db.Audit{
		WorkspaceID: e.WorkspaceID, ID: e.ID, At: Micros(e.At), Actor: string(e.Actor), ActorID: e.ActorID,
		Operation: e.Operation, Action: e.Action, Resource: e.Resource, RequestID: e.RequestID, RemoteIp: e.RemoteIP,
		Detail: e.Detail, Before: e.Before, After: e.After, Seq: e.Seq, PreviousHash: e.Previous, Hash: e.Hash,
	}
}
