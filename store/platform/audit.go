package platform

import (
	"context"
	"unicode/utf8"

	"github.com/railkit/railkit/platform/audit"
	"github.com/railkit/railkit/store/db"
	"github.com/railkit/railkit/store/internal/sqldb"
)

func auditEntry(r db.Audit) (audit.Entry, error) {
	return audit.Entry{
		WorkspaceID: r.WorkspaceID, ID: r.ID, At: sqldb.Instant(r.At), Actor: audit.ActorKind(r.Actor),
		ActorID:   r.ActorID,
		Operation: r.Operation, Action: r.Action, Resource: r.Resource, RequestID: r.RequestID, RemoteIP: r.RemoteIp,
		Detail: r.Detail, Before: r.Before, After: r.After,
		Link: audit.Link{Seq: r.Seq, Previous: r.PreviousHash, Hash: r.Hash},
	}, nil
}

// AuditWorkspaces lists whoever has entries or a head, by id.
func (s Store) AuditWorkspaces(ctx context.Context) ([]string, error) {
	ids, err := s.db.Read.AuditWorkspaces(ctx)
	return ids, sqldb.Reading("listing the workspaces of the audit record", err)
}

// AuditHead is the last link of a workspace's chain, zero where there is none.
func (s Store) AuditHead(ctx context.Context, workspaceID string) (audit.Head, error) {
	row, err := s.db.Read.AuditHead(ctx, workspaceID)
	if sqldb.None(err) {
		return audit.Head{}, nil
	}
	return audit.Head(row), sqldb.Reading("reading the head of an audit chain", err)
}

// AuditAfter lists a workspace's entries in order of place and id, those after the place.
func (s Store) AuditAfter(ctx context.Context, workspaceID string, p audit.Place, most int) ([]audit.Entry, error) {
	rows, err := s.db.Read.AuditAfter(
		ctx, db.AuditAfterParams{WorkspaceID: workspaceID, Seq: p.Seq, ID: p.ID, Most: int32(most)},
	)
	return sqldb.Many(rows, err, auditEntry)
}

// AuditEntries lists a page of what the filter selects, newest first, and counts all of it.
func (s Store) AuditEntries(ctx context.Context, f audit.Filter) ([]audit.Entry, int, error) {
	q := s.selected(f)
	total, err := db.New(q).CountAudit(ctx, f.WorkspaceID)
	if err != nil {
		return nil, 0, sqldb.Reading("counting audit entries", err)
	}
	if f.After != nil {
		q.Add(" AND (seq, id) < (?, ?)", f.After.Seq, f.After.ID)
	}
	order := "seq"
	if f.AgentID != "" {
		order = "+seq" // else SQLite reads the whole chain from its end, and looks for the entries in it
	}
	q.Add(" ORDER BY "+order+" DESC, id DESC LIMIT ?", f.Limit)
	if f.After == nil {
		q.Add(" OFFSET ?", f.Offset)
	}
	rows, err := db.New(q).ListAudit(ctx, f.WorkspaceID)
	return sqldb.Listed(total, rows, err, auditEntry)
}

// selected has no index for a request: one would cost each commit a write, and who asks for a request is a person who
// waits. The index of the workspace's chain bounds what is read.
func (s Store) selected(f audit.Filter) *sqldb.Query {
	q := s.db.Query(1).Equal("actor", string(f.Actor)).Equal("actor_id", f.ActorID).Equal("resource", f.Resource).
		Equal("request_id", f.RequestID)
	if prefix, is := f.Prefix(); is {
		q.Add(" AND SUBSTR(action, 1, ?) = ?", utf8.RuneCountInString(prefix), prefix) // LIKE has no case on SQLite
	} else {
		q.Equal("action", f.Action)
	}
	if f.AgentID != "" {
		q.Add(" AND resource IN (SELECT subject FROM agent_subjects WHERE workspace_id = ? AND agent_id = ?)",
			f.WorkspaceID, f.AgentID)
	}
	q.In("action", f.Actions)
	if !f.From.IsZero() {
		q.Add(" AND at >= ?", sqldb.Micros(f.From))
	}
	if !f.To.IsZero() {
		q.Add(" AND at < ?", sqldb.Micros(f.To))
	}
	return q
}
