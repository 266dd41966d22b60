package auth

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/railkit/railkit/clock"
	"github.com/railkit/railkit/fault"
)

// What a caller without a valid key is told. An unknown, a revoked and an
// expired key and one of another environment all look the same.
var (
	ErrNoHeader = fault.Define(fault.Unauthenticated, "authorization_missing", "Authorization header is missing",
		"The request has no Authorization header")
	ErrBadHeader = fault.Define(fault.Unauthenticated, "authorization_malformed", "Authorization header is malformed",
		"The header is not of the form: ApiKey, a space, the key; or there is more than one")
	ErrScheme = fault.Define(fault.Unauthenticated, "authorization_scheme", "Unsupported authorization scheme",
		"The operation does not accept this authorization scheme")
	ErrNoKey = fault.Define(fault.NotFound, "api_key_not_found", "API key not found",
		"The key is unknown, revoked, expired or of another environment")
	ErrScope = fault.Define(fault.Forbidden, "insufficient_scope", "Insufficient permissions for this resource",
		"The key's scopes do not open this operation, or the key is of another workspace than integratorId names")
	ErrModule = fault.Define(fault.Forbidden, "module_inactive", "The %s module is not active for this workspace",
		"The workspace has not switched on the kit that the operation belongs to")
)

// Authenticator turns an Authorization header into a principal.
type Authenticator struct {
	Store       Store
	Clock       clock.Clock
	Environment string // sandbox | production; keys of the other one are unknown here
}

// Authenticate finds the caller. The header is the whole value of Authorization.
func (a *Authenticator) Authenticate(ctx context.Context, header string) (Principal, error) {
	text, err := keyOf(header)
	if err != nil {
		return Principal{}, err
	}
	if !WellFormed(text) {
		return Principal{}, ErrNoKey
	}
	key, modules, err := a.Store.KeyByHash(ctx, Hash(text))
	if errors.Is(err, ErrNoKey) {
		return Principal{}, ErrNoKey
	}
	if err != nil {
		return Principal{}, fmt.Errorf("finding an API key: %w", err)
	}
	if !a.valid(key) {
		return Principal{}, ErrNoKey
	}
	return Principal{WorkspaceID: key.WorkspaceID, KeyID: key.ID, Scopes: key.Scopes, Modules: modules,
		Environment: key.Environment, Limits: key.Limits}, nil
}

func (a *Authenticator) valid(k Key) bool {
	expired := !k.ExpiresAt.IsZero() && !a.Clock.Now().Before(k.ExpiresAt)
	return k.RevokedAt.IsZero() && !expired && k.Environment == a.Environment
}

func keyOf(header string) (string, error) {
	if header == "" {
		return "", ErrNoHeader
	}
	scheme, text, _ := strings.Cut(header, " ")
	if !strings.EqualFold(scheme, "ApiKey") {
		return "", ErrScheme
	}
	if text == "" || strings.ContainsAny(text, " \t") {
		return "", ErrBadHeader
	}
	return text, nil
}
