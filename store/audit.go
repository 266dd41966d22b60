package store

import (
	"context"
	"encoding/json"
	"fmt"
	"unicode/utf8"

	"github.com/google/uuid"

	"github.com/railkit/railkit/platform/audit"
	"github.com/railkit/railkit/platform/command"
	"github.com/railkit/railkit/store/db"
	"github.com/railkit/railkit/store/postgres"
)

// audit writes the entry as the next of its workspace's chain. It comes last in a
// transaction: until that ends, nobody else of the workspace can commit, and who
// waits for the head holds all its other rows already, so that no two wait for
// each other.
func (t *tx) audit(ctx context.Context, e audit.Entry, done command.Audit) error {
	id, err := uuid.NewV7()
	if err != nil {
		return fmt.Errorf("writing the audit row: %w", err)
	}
	e.ID, e.At, e.Action, e.Resource = id.String(), t.now, done.Action, done.Resource
	if err := tell(&e, done); err != nil {
		return fmt.Errorf("writing the audit row: %w", err)
	}
	head, err := t.q.TakeAuditHead(ctx, e.WorkspaceID)
	if err != nil {
		return fmt.Errorf("taking the head of the audit chain: %w", err)
	}
	e = e.Follow(head.Seq, head.Hash)
	if err := t.q.InsertAudit(ctx, db.InsertAuditParams(auditRow(e))); err != nil {
		return fmt.Errorf("writing the audit row: %w", err)
	}
	return doing("moving the head of the audit chain", t.q.MoveAuditHead(ctx, e.WorkspaceID, e.Hash))
}

// tell puts what a change says of itself into the entry.
func tell(e *audit.Entry, done command.Audit) error {
	e.Detail = "{}"
	for _, part := range []struct {
		text   *string
		fields any
		given  bool
	}{
		{&e.Detail, done.Detail, done.Detail != nil}, {&e.Before, done.Before, done.Before != nil}, {&e.After, done.After, done.After != nil},
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
		WorkspaceID: e.WorkspaceID, ID: e.ID, At: micros(e.At), Actor: string(e.Actor), ActorID: e.ActorID,
		Operation: e.Operation, Action: e.Action, Resource: e.Resource, RequestID: e.RequestID, RemoteIp: e.RemoteIP,
		Detail: e.Detail, Before: e.Before, After: e.After, Seq: e.Seq, PreviousHash: e.Previous, Hash: e.Hash,
	}
}

func auditEntry(r db.Audit) (audit.Entry, error) {
	return audit.Entry{
		WorkspaceID: r.WorkspaceID, ID: r.ID, At: instant(r.At), Actor: audit.ActorKind(r.Actor), ActorID: r.ActorID,
		Operation: r.Operation, Action: r.Action, Resource: r.Resource, RequestID: r.RequestID, RemoteIP: r.RemoteIp,
		Detail: r.Detail, Before: r.Before, After: r.After,
		Link: audit.Link{Seq: r.Seq, Previous: r.PreviousHash, Hash: r.Hash},
	}, nil
}

// AuditWorkspaces lists whoever has entries or a head, by id.
func (s *Store) AuditWorkspaces(ctx context.Context) ([]string, error) {
	ids, err := s.read.AuditWorkspaces(ctx)
	return ids, doing("listing the workspaces of the audit record", postgres.Tell(err))
}

// AuditHead is the last link of a workspace's chain, zero where there is none.
func (s *Store) AuditHead(ctx context.Context, workspaceID string) (audit.Head, error) {
	row, err := s.read.AuditHead(ctx, workspaceID)
	if none(err) {
		return audit.Head{}, nil
	}
	return audit.Head(row), doing("reading the head of an audit chain", postgres.Tell(err))
}

// AuditAfter lists a workspace's entries in order of place and id, those after the place.
func (s *Store) AuditAfter(ctx context.Context, workspaceID string, p audit.Place, most int) ([]audit.Entry, error) {
	rows, err := s.read.AuditAfter(ctx, db.AuditAfterParams{WorkspaceID: workspaceID, Seq: p.Seq, ID: p.ID, Most: int32(most)})
	return many(rows, err, auditEntry)
}

// AuditEntries lists a page of what the filter selects, newest first, and counts all of it.
func (s *Store) AuditEntries(ctx context.Context, f audit.Filter) ([]audit.Entry, int, error) {
	total, err := db.New(s.selected(f)).CountAudit(ctx, f.WorkspaceID)
	if err != nil {
		return nil, 0, doing("counting audit entries", postgres.Tell(err))
	}
	q := s.selected(f)
	if f.After != nil {
		q.add(" AND (seq, id) < (?, ?)", f.After.Seq, f.After.ID)
	}
	q.add(" ORDER BY seq DESC, id DESC LIMIT ?", f.Limit)
	if f.After == nil {
		q.add(" OFFSET ?", f.Offset)
	}
	rows, err := db.New(q).ListAudit(ctx, f.WorkspaceID)
	entries, err := many(rows, err, auditEntry)
	return entries, int(total), err
}

func (s *Store) selected(f audit.Filter) *query {
	q := s.query(1).equal("actor", string(f.Actor)).equal("actor_id", f.ActorID).equal("resource", f.Resource)
	if prefix, is := f.Prefix(); is {
		q.add(" AND SUBSTR(action, 1, ?) = ?", utf8.RuneCountInString(prefix), prefix) // LIKE has no case on SQLite
	} else {
		q.equal("action", f.Action)
	}
	if !f.From.IsZero() {
		q.add(" AND at >= ?", micros(f.From))
	}
	if !f.To.IsZero() {
		q.add(" AND at < ?", micros(f.To))
	}
	return q
}
