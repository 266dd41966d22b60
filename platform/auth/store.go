package auth

import (
	"context"
	"net/netip"
	"time"
)

// Key is an API key as the store holds it: with the hash of its text, not the text.
type Key struct {
	WorkspaceID, ID  string
	Name             string
	Description      string
	Hash             string // hex SHA-256 of the whole key
	Prefix, LastFour string // the only parts of the text that the server shows again
	Scopes           []Scope
	Environment      string
	Limits           Limits
	Networks         []netip.Prefix // the networks from which it may be used; none: from everywhere
	CreatedBy        string         // the member who made it; "": the operator
	CreatedAt        time.Time
	ExpiresAt        time.Time // zero: never
	RevokedAt        time.Time // zero: valid
	LastUsedAt       time.Time // zero: never; up to a minute behind
}

// Active reports whether the key is neither revoked nor expired.
func (k Key) Active(now time.Time) bool {
	return k.RevokedAt.IsZero() && (k.ExpiresAt.IsZero() || now.Before(k.ExpiresAt))
}

// Store finds an API key by its hash, together with its workspace, so that one read shows both the caller and the
// modules of its workspace. If no key has the hash, it returns ErrNoKey.
type Store interface {
	KeyByHash(ctx context.Context, hash string) (Key, Tenant, error)
}
