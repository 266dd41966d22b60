// Package event is what happens in a workspace, for programs that wait for it. The store writes an event in the
// transaction of the change that it tells of, and numbers it under the head of the workspace's audit chain, so that
// the order of the numbers is the order of the commits: whoever has read up to a number has missed nothing before it.
//
// Read catalogue.go (which types there are), access.go (who reads which), service.go (the list) and tail.go (how a
// stream learns of new ones).
package event

import (
	"strings"
	"time"
)

// Kept is for how long events can be read.
const Kept = 30 * 24 * time.Hour

// Version is that of the form of events. Fields are only added within one.
const Version = "v1"

// Type names what happened: the kind of object, a dot, and what became of it.
type Type string

// Object is the kind of object that events of the type are about.
func (t Type) Object() string {
	object, _, _ := strings.Cut(string(t), ".")
	return object
}

// Change is an event on its way into the database.
type Change struct {
	Type        Type
	WorkspaceID string
	Object      string // id
	AgentID     string // whose it is; "": no agent's
	Data        any    // one of rest's types of the catalogue
}

// Event is a stored one.
type Event struct {
	WorkspaceID string
	Seq         int64
	ID          string // UUIDv7
	At          time.Time
	Type        Type
	Object      string
	Data        []byte // JSON
}

// Filter selects events of a workspace, in the order of their numbers.
type Filter struct {
	WorkspaceID string
	After       int64
	Types       []Type
	Object      string // id; "": any
	AgentID     string // whose; "": anybody's
	Limit       int
}

// Ends are the last number of a workspace, and the last one that was removed.
type Ends struct{ Last, Removed int64 }
