package audit

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/railkit/railkit/clock"
)

// Filter selects entries of a workspace, newest first. An empty field selects all.
type Filter struct {
	WorkspaceID string
	Actor       ActorKind
	ActorID     string
	Action      string // with a * at its end: all actions with this prefix
	Resource    string
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

// View is an entry as the API shows it.
type View struct {
	ID           string         `json:"id"`
	Seq          int64          `json:"seq" doc:"Place in the workspace's chain, from 1; 0: written before there were chains"`
	Hash         string         `json:"hash,omitempty" doc:"SHA-256 of the entry and of previousHash"`
	PreviousHash string         `json:"previousHash,omitempty" doc:"Of the entry with the seq before"`
	Timestamp    string         `json:"timestamp" format:"date-time"`
	Actor        ActorView      `json:"actor"`
	Action       string         `json:"action"`
	Operation    string         `json:"operation" doc:"Of this interface; empty for the server's own work"`
	Resource     string         `json:"resource" doc:"Id of what changed"`
	RequestID    string         `json:"requestId"`
	IP           string         `json:"ip"`
	Detail       map[string]any `json:"detail"`
	Before       map[string]any `json:"before,omitempty" doc:"Settings that changed, as they were"`
	After        map[string]any `json:"after,omitempty" doc:"And as they are since"`
}

// ActorView is the caller that made the change.
type ActorView struct {
	Type ActorKind `json:"type" enum:"api_key,agent,session,operator,system,ceremony,invite"`
	ID   string    `json:"id" doc:"Of the API key, the agent or the member"`
}

// Page lists entries, and names the place where the next page begins.
func Page(ctx context.Context, l Lister, f Filter) (views []View, next *Place, total int, err error) {
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
	views = make([]View, 0, len(entries))
	for _, e := range entries {
		v, err := e.view()
		if err != nil {
			return nil, nil, 0, err
		}
		views = append(views, v)
	}
	return views, next, total, nil
}

func (e Entry) view() (View, error) {
	v := View{
		ID: e.ID, Seq: e.Seq, Hash: e.Hash, PreviousHash: e.Previous, Timestamp: clock.ISO(e.At),
		Actor: ActorView{e.Actor, e.ActorID}, Action: e.Action, Operation: e.Operation, Resource: e.Resource,
		RequestID: e.RequestID, IP: e.RemoteIP,
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
