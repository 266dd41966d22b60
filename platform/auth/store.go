package auth

import (
	"context"
	"net/netip"
	"time"
)

// Key is an API key as it is stored: only its hash.
type Key struct {
	WorkspaceID, ID  string
	Name             string
	Description      string
	Hash             string // hex SHA-256 of the whole key
	Prefix, LastFour string // all that is ever shown again
	Scopes           []Scope
	Environment      string
	Limits           Limits
	Networks         []netip.Prefix // from which it may be used; none: from everywhere
	CreatedAt        time.Time
	ExpiresAt        time.Time // zero: never
	RevokedAt        time.Time // zero: valid
	LastUsedAt       time.Time // zero: never; up to a minute behind
}

// Active reports whether the key is neither revoked nor expired.
func (k Key) Active(now time.Time) bool {
	return k.RevokedAt.IsZero() && (k.ExpiresAt.IsZero() || now.Before(k.ExpiresAt))
}

// Store finds keys. The workspace comes along, so that one read answers who
// calls and what is switched on. ErrNoKey where there is none.
type Store interface {
	KeyByHash(ctx context.Context, hash string) (Key, Tenant, error)
}
