// Package audit is the record of all changes and of the callers that made them. The store writes one entry in the
// transaction of each change, so there is no change without an entry and no entry without a change. The entries of a
// workspace are a chain: each entry holds the hash of the entry before it.
package audit

import "time"

// ActorKind says what kind of caller made a change.
type ActorKind string

// The kinds of actors.
const (
	APIKey   ActorKind = "api_key"
	Agent    ActorKind = "agent"
	Member   ActorKind = "session"
	Operator ActorKind = "operator" // a person with a shell on the server
	System   ActorKind = "system"   // a job or the sweeper
	Ceremony ActorKind = "ceremony" // a person with the link of a passkey page
	Invite   ActorKind = "invite"   // a person with the link that a recipient was sent
)

// Entry is one row of the record. The server never changes and never deletes an entry.
type Entry struct {
	WorkspaceID string
	ID          string // UUIDv7
	At          time.Time
	Actor       ActorKind
	ActorID     string // id of the API key, ceremony or recipient; empty for the system
	Operation   string // operation id, or the name of a job
	Action      string // "wallet.create"
	Resource    string // id of the object that changed
	RequestID   string
	RemoteIP    string
	Detail      string // JSON object; never holds a secret
	Before      string // JSON object: the changed settings with their old values; may be empty
	After       string // the same settings with their new values
	Link
}

// Link is an entry's place in its workspace's chain. An entry written before the chains were introduced has Seq 0.
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
