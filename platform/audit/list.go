package audit

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/railkit/railkit/clock"
	"github.com/railkit/railkit/rest"
)

// Filter selects entries of a workspace, newest first. An empty field selects all.
type Filter struct {
	WorkspaceID string
	Actor       ActorKind
	ActorID     string
	Action      string // with a * at its end: all actions with this prefix
	Resource    string
	RequestID   string    // of the call that made the entry, or of the one that a job works for
	AgentID     string    // whose agent, or what is about it, the resource is
	Actions     []string  // exactly these
	From, To    time.Time // an entry at To itself is not selected

	Limit, Offset int
	After         *Place // of the last entry of the page before; if set, Offset has no effect
}

// Prefix is the common beginning of the selected actions, if Action ends in a *.
func (f Filter) Prefix() (prefix string, is bool) { return strings.CutSuffix(f.Action, "*") }

// Lister finds one page of the entries that a filter selects, and counts all that it selects.
type Lister interface {
	AuditEntries(ctx context.Context, f Filter) ([]Entry, int, error)
}

// Page lists entries, and names the place where the next page begins.
func Page(ctx context.Context, l Lister, f Filter) (views []rest.AuditEntry, next *Place, total int, err error) {
	asked := f
	asked.Limit++ // one more shows whether there is a next page
	entries, total, err := l.AuditEntries(ctx, asked)
	if err != nil {
		return nil, nil, 0, err
	}
	if len(entries) > f.Limit {
		entries = entries[:f.Limit]
		last := entries[f.Limit-1]
		next = &Place{last.Seq, last.ID}
	}
	views = make([]rest.AuditEntry, 0, len(entries))
	for _, e := range entries {
		v, err := e.view()
		if err != nil {
			return nil, nil, 0, err
		}
		views = append(views, v)
	}
	return views, next, total, nil
}

func (e Entry) view() (rest.AuditEntry, error) {
	v := rest.AuditEntry{
		ID: e.ID, Seq: e.Seq, Hash: e.Hash, PreviousHash: e.Previous, Timestamp: clock.ISO(e.At),
		Actor: rest.AuditActor{Type: string(e.Actor), ID: e.ActorID}, Action: e.Action, Operation: e.Operation,
		Resource: e.Resource, RequestID: e.RequestID, IP: e.RemoteIP,
	}
	err := errors.Join(object(e.Detail, &v.Detail), object(e.Before, &v.Before), object(e.After, &v.After))
	return v, err
}

// object decodes a JSON object, and keeps its numbers digit by digit.
func object(text string, into *map[string]any) error {
	if text == "" {
		return nil
	}
	d := json.NewDecoder(strings.NewReader(text))
	d.UseNumber()
	if err := d.Decode(into); err != nil {
		return fmt.Errorf("reading an audit entry: %w", err)
	}
	return nil
}
