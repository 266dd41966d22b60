package auth

import (
	"context"
	"time"
)

// Key is an API key as it is stored: only its hash.
type Key struct {
	WorkspaceID, ID  string
	Name             string
	Hash             string // hex SHA-256 of the whole key
	Prefix, LastFour string // all that is ever shown again
	Scopes           []Scope
	Environment      string
	Limits           Limits
	CreatedAt        time.Time
	ExpiresAt        time.Time // zero: never
	RevokedAt        time.Time // zero: valid
}

// Store finds keys. A workspace's modules come along, so that one read answers
// who calls and what is switched on. ErrNoKey where there is none.
type Store interface {
	KeyByHash(ctx context.Context, hash string) (Key, []Module, error)
}
