package sqldb

import (
	"context"
	"encoding/json"

	"github.com/google/uuid"

	"github.com/railkit/railkit/platform/audit"
	"github.com/railkit/railkit/platform/command"
	"github.com/railkit/railkit/store/db"
)

// Audit writes the entry as the next of its workspace's chain. It comes last in a
// transaction: until that ends, nobody else of the workspace can commit, and who
// waits for the head holds all its other rows already, so that no two wait for
// each other.
func (t *Tx) Audit(ctx context.Context, e audit.Entry, done command.Audit) error {
	id, err := uuid.NewV7()
	if err != nil {
		return Doing("writing the audit row", err)
	}
	e.ID, e.At, e.Action, e.Resource = id.String(), t.Begun, done.Action, done.Resource
	if err := tell(&e, done); err != nil {
		return Doing("writing the audit row", err)
	}
	t.tellAudited(e, done)
	told := t.toldOf(e.WorkspaceID)
	head, err := t.Q.TakeAuditHead(ctx, e.WorkspaceID, int64(len(told)))
	if err != nil {
		return Doing("taking the head of the audit chain", err)
	}
	if err := t.putEvents(ctx, head.Events, told); err != nil {
		return Doing("writing events", err)
	}
	e = e.Follow(head.Seq, head.Hash)
	if err := t.Q.InsertAudit(ctx, db.InsertAuditParams(auditRow(e))); err != nil {
		return Doing("writing the audit row", err)
	}
	return Doing("moving the head of the audit chain", t.Q.MoveAuditHead(ctx, e.WorkspaceID, e.Hash))
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

func auditRow(e audit.Entry) db.Audit {
	return db.Audit{
		WorkspaceID: e.WorkspaceID, ID: e.ID, At: Micros(e.At), Actor: string(e.Actor), ActorID: e.ActorID,
		Operation: e.Operation, Action: e.Action, Resource: e.Resource, RequestID: e.RequestID, RemoteIp: e.RemoteIP,
		Detail: e.Detail, Before: e.Before, After: e.After, Seq: e.Seq, PreviousHash: e.Previous, Hash: e.Hash,
	}
}
