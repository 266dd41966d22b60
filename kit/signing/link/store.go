// Package link is the links of the passkey page: each carries a token with which whoever holds it can see and finish
// one thing. The database has the hash of the token only.
//
// A link is open until what it is for is done or declined, or until it expires. A page that sends the same stamp twice
// gets the first answer. What the page shows, and what finishing does, is package ceremony.
//
// Read link.go for the links, return.go for where the page leads back to once a link has ended, and origins.go for the
// origins that it may lead back to: members register them, and the workspace's admins are mailed.
package link

import (
	"context"
	"time"

	"github.com/railkit/railkit/chain"
	"github.com/railkit/railkit/clock"
	"github.com/railkit/railkit/platform/mail"
	"github.com/railkit/railkit/platform/record"
)

// Tx is what it takes to write a link.
type Tx interface {
	InsertCeremony(context.Context, Ceremony) error
	ReturnOrigin(ctx context.Context, workspaceID, id string) (Origin, error) // also a removed one
}

// OriginTx is what return origins need of a transaction of the database.
type OriginTx interface {
	record.Queue
	ReturnOrigin(ctx context.Context, workspaceID, id string) (Origin, error)
	CountReturnOrigins(ctx context.Context, workspaceID string) (int, error)
	// InsertReturnOrigin writes one that is new, or was removed; one that is there stays as it is: record.ErrStale.
	InsertReturnOrigin(context.Context, Origin) error
	// RemoveReturnOrigin answers record.ErrStale of one that was removed already.
	RemoveReturnOrigin(ctx context.Context, workspaceID, id string, at time.Time) error
	// NoteReturnOriginMail writes Mailed and UpdatedAt, where nobody has registered it anew since.
	NoteReturnOriginMail(context.Context, Origin) error
}

// Store is what the links need of a database.
type Store interface {
	Ceremony(ctx context.Context, tokenHash string) (Ceremony, error)
	ReturnOrigin(ctx context.Context, workspaceID, id string) (Origin, error) // also a removed one
	ReturnOrigins(ctx context.Context, workspaceID string) ([]Origin, error)  // oldest first, without removed ones
	// that are not mailed, and were not touched since before then
	UnmailedReturnOrigins(ctx context.Context, before time.Time, limit int) ([]Origin, error)
	AdminEmails(ctx context.Context, workspaceID string) ([]string, error)
	record.Writer[OriginTx]
}

// Links makes and finds links.
type Links struct{ Deps }

// Deps is what Links stand on.
type Deps struct {
	Store          Store
	CeremonyOrigin string // of the passkey page; empty: there is none, and no answer links to it
	Dashboard      string // origin of the operator's dashboard, which the page may lead back to; empty: there is none
	Environment    chain.Environment
	Post           *mail.Post // nil: mail waits until there is one
	Clock          clock.Clock
}

// New makes Links.
func New(d Deps) *Links { return &Links{d} }
