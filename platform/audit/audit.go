// Package audit is the record of who changed what. The store writes one entry
// inside every commit, so that no change is without one and none is without a
// change. The entries of a workspace are a chain: each holds the hash of the one
// before it.
package audit

import "time"

// ActorKind says what kind of caller made a change.
type ActorKind string

// The kinds of actors.
const (
	APIKey   ActorKind = "api_key"
	Agent    ActorKind = "agent"
	Member   ActorKind = "session"
	Operator ActorKind = "operator" // whoever has a shell on the server
	System   ActorKind = "system"   // a job or the sweeper
	Ceremony ActorKind = "ceremony" // whoever holds the link of a passkey page
	Invite   ActorKind = "invite"   // whoever holds the link that a recipient was sent
)

// Entry is one row. It is never changed and never deleted.
type Entry struct {
	WorkspaceID string
	ID          string // UUIDv7
	At          time.Time
	Actor       ActorKind
	ActorID     string // id of the API key, ceremony or recipient; empty for the system
	Operation   string // operation id, or the name of a job
	Action      string // "wallet.create"
	Resource    string // id of what changed
	RequestID   string
	RemoteIP    string
	Detail      string // JSON object; never holds a secret
	Before      string // JSON object of the settings that changed, as they were; or nothing
	After       string // and as they are
	Link
}

// Link is an entry's place in its workspace's chain. Entries from before there were chains have Seq 0.
type Link struct {
	Seq      int64 // counted from 1, without gaps
	Previous string
	Hash     string // hex
}

// Head is the last link of a chain.
type Head struct {
	WorkspaceID string
	Seq         int64
	Hash        string
}
