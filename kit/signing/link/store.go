// Package link is the links of the passkey page: each carries a token with which whoever holds it can see and finish
// one thing. The database has the hash of the token only.
//
// A link is open until what it is for is done, or until it expires. A page that sends the same stamp twice gets the
// first answer. What the page shows, and what finishing does, is package ceremony.
package link

import (
	"context"
)

// Tx is what it takes to write a link.
type Tx interface {
	InsertCeremony(context.Context, Ceremony) error
}

// Store is what the links need of a database.
type Store interface {
	Ceremony(ctx context.Context, tokenHash string) (Ceremony, error)
}

// Links makes and finds links.
type Links struct {
	store          Store
	ceremonyOrigin string // of the passkey page; empty: there is none, and no answer links to it
}

// New makes a Links for a page on the origin; an empty origin makes no links.
func New(s Store, origin string) *Links { return &Links{s, origin} }
