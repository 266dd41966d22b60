package workspace

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/railkit/railkit/clock"
	"github.com/railkit/railkit/fault"
	"github.com/railkit/railkit/platform/auth"
	"github.com/railkit/railkit/platform/command"
	"github.com/railkit/railkit/platform/page"
)

// mostKeys is how many active keys a workspace may have.
const mostKeys = 100

// APIKeyInput is a key to be.
type APIKeyInput struct {
	Name        string       `json:"name" minLength:"1" maxLength:"255"`
	Description string       `json:"description,omitempty" maxLength:"1000"`
	Scopes      []auth.Scope `json:"scopes,omitempty" minItems:"1" uniqueItems:"true" enum:"integrator,integrator:read,integrator:write,payout:write,agent,client,audit:read,webhooks,internal,admin" doc:"Default integrator; none that opens more than the caller may do itself"`
	IPAllowlist []string     `json:"ipAllowlist,omitempty" minItems:"1" maxItems:"50" doc:"Addresses and networks (CIDR), IPv4 or IPv6; without it the key may be used from everywhere"`
	ExpiresAt   string       `json:"expiresAt,omitempty" format:"date-time" doc:"Without it the key does not expire"`
	RateLimits  *RateLimits  `json:"rateLimits,omitempty" doc:"Calls a minute; with an ADMIN key only"`
}

// CreateKey makes a key of the caller's workspace and shows its text once.
func (s *Service) CreateKey(ctx context.Context, cmd *command.Command, in APIKeyInput) (command.Answer, error) {
	w, err := s.own(ctx, cmd.Principal)
	if err != nil {
		return command.Answer{}, err
	}
	key, text, err := s.newKey(w, in)
	if err != nil {
		return command.Answer{}, err
	}
	if !mayMake(cmd.Principal, key) {
		return command.Answer{}, ErrBeyond
	}
	if cmd.Principal.Kind == auth.BySession {
		key.CreatedBy = cmd.Principal.ID
	}
	return s.store.Commit(ctx, cmd, func(ctx context.Context, tx Tx) (command.Reply, error) {
		if err := s.room(ctx, tx, cmd.Principal); err != nil {
			return command.Reply{}, err
		}
		made := CreatedAPIKey{keyView(key, key.CreatedAt), text}
		return command.Reply{Status: 201, Message: "API key created", Data: made, Audit: command.Audit{
			Action: "api_key.create", Resource: key.ID, WorkspaceID: w.ID,
			Detail: map[string]string{
				"name":        key.Name,
				"scopes":      fmt.Sprint(key.Scopes),
				"ipAllowlist": fmt.Sprint(made.IPAllowlist),
				"expiresAt":   made.ExpiresAt,
			},
		}}, tx.InsertKey(ctx, key)
	})
}

// room holds the workspace, so that of two keys at once the second sees the first, and a member who is removed or gets
// another role meanwhile makes no key that the answer to that does not list.
func (s *Service) room(ctx context.Context, tx Tx, p auth.Principal) error {
	w, err := Hold(ctx, tx, p)
	if err != nil {
		return err
	}
	if p.Kind == auth.BySession {
		if role, err := tx.RoleOf(ctx, w.ID, p.ID); err != nil || role != p.Role {
			return cmp.Or[error](err, auth.ErrScope)
		}
	}
	n, err := tx.ActiveKeys(ctx, w.ID)
	if err == nil && n >= mostKeys {
		return ErrTooManyKeys
	}
	return err
}

// newKey is the key that the input asks for, and its text.
func (s *Service) newKey(w Workspace, in APIKeyInput) (auth.Key, string, error) {
	if err := checkName(in.Name); err != nil {
		return auth.Key{}, "", err
	}
	text, err := auth.GenerateKey()
	if err != nil {
		return auth.Key{}, "", err
	}
	k, err := s.key(w, text)
	if err != nil {
		return auth.Key{}, "", err
	}
	k.Name, k.Description = in.Name, in.Description
	if k.Scopes, err = scopesOf(in.Scopes); err != nil {
		return auth.Key{}, "", err
	}
	if k.Networks, err = parseNetworks(in.IPAllowlist); err != nil {
		return auth.Key{}, "", err
	}
	if k.ExpiresAt, err = s.expiry(in.ExpiresAt); err != nil {
		return auth.Key{}, "", err
	}
	k.Limits, err = limitsOf(in.RateLimits)
	return k, text, err
}

func scopesOf(wanted []auth.Scope) ([]auth.Scope, error) {
	if len(wanted) == 0 {
		return []auth.Scope{auth.Integrator}, nil
	}
	for i, scope := range wanted {
		if !slices.Contains(auth.Assignable, scope) {
			return nil, fault.Field(fmt.Sprintf("scopes[%d]", i), "is not a scope of API keys")
		}
	}
	return wanted, nil
}

// limitsOf takes zero for the usual limit.
func limitsOf(l *RateLimits) (auth.Limits, error) {
	if l == nil {
		return auth.Limits{}, nil
	}
	const mostCalls = 1_000_000
	for _, c := range []struct {
		name         string
		limit, stock int
	}{{"standard", l.Standard, auth.Stock.Standard}, {"financial", l.Financial, auth.Stock.Financial}} {
		if c.limit != 0 && (c.limit < c.stock || c.limit > mostCalls) {
			return auth.Limits{}, fault.Field("rateLimits."+c.name,
				fmt.Sprintf("must be from %d to %d", c.stock, mostCalls))
		}
	}
	return auth.Limits(*l), nil
}

func (s *Service) expiry(text string) (time.Time, error) {
	if text == "" {
		return time.Time{}, nil
	}
	at, err := time.Parse(time.RFC3339, text)
	if err != nil {
		return time.Time{}, fault.Field("expiresAt", "must be an ISO 8601 date and time")
	}
	if !at.After(s.clock.Now()) {
		return time.Time{}, fault.Field("expiresAt", "must be in the future")
	}
	return at.UTC(), nil
}

// mayMake refuses a new key with more rights than its maker has. Only the operator may set limits.
func mayMake(p auth.Principal, k auth.Key) bool {
	beyond := slices.ContainsFunc(k.Scopes, func(s auth.Scope) bool { return !p.MayGive(s) })
	return !beyond && (k.Limits == auth.Limits{} || p.Has(auth.Admin))
}

// Keys lists the keys of the caller's workspace, newest first, revoked ones too.
func (s *Service) Keys(ctx context.Context, p auth.Principal, at page.Page) ([]APIKeyView, *page.Cursor, int, error) {
	w, err := s.own(ctx, p)
	if err != nil {
		return nil, nil, 0, err
	}
	rows, total, err := s.store.Keys(ctx, KeyFilter{WorkspaceID: w.ID, Page: at})
	if err != nil {
		return nil, nil, 0, err
	}
	views, now := []APIKeyView{}, s.clock.Now()
	for _, k := range rows {
		views = append(views, keyView(k, now))
	}
	next := page.Next(at, rows, total, func(k auth.Key) page.Cursor {
		return page.Cursor{CreatedAt: k.CreatedAt, ID: k.ID}
	})
	return views, next, total, nil
}

// Key finds a key of the caller's workspace.
func (s *Service) Key(ctx context.Context, p auth.Principal, id string) (APIKeyView, error) {
	w, err := s.own(ctx, p)
	if err != nil {
		return APIKeyView{}, err
	}
	k, err := s.store.Key(ctx, w.ID, id)
	if err != nil {
		return APIKeyView{}, err
	}
	return keyView(k, s.clock.Now()), nil
}

// RevokeKey ends a key of the caller's workspace, from the next call on and for
// good; also the key that asks for it. Of a key that is revoked already it tells
// since when.
func (s *Service) RevokeKey(ctx context.Context, cmd *command.Command, id string) (command.Answer, error) {
	return s.store.Commit(ctx, cmd, func(ctx context.Context, tx Tx) (command.Reply, error) {
		w, err := Hold(ctx, tx, cmd.Principal)
		if err != nil {
			return command.Reply{}, err
		}
		k, err := tx.Key(ctx, w.ID, id)
		if err != nil {
			return command.Reply{}, err
		}
		if operators(k) && !cmd.Principal.AcrossWorkspaces() {
			return command.Reply{}, auth.ErrScope
		}
		already := !k.RevokedAt.IsZero()
		if !already {
			k.RevokedAt = s.clock.Now()
		}
		left := RevokedAPIKey{ID: k.ID, Name: k.Name, Message: "API key revoked", RevokedAt: clock.ISO(k.RevokedAt)}
		return command.Reply{Status: 200, Message: left.Message, Data: left, Audit: command.Audit{
			Action: "api_key.revoke", Resource: k.ID, WorkspaceID: w.ID,
			Detail: map[string]string{"name": k.Name, "already": fmt.Sprint(already)},
		}}, tx.RevokeKey(ctx, k)
	})
}

// operators reports whether the key can act for other workspaces too. Such a key is the operator's, and members of the
// workspace in which it is stored may not revoke it.
func operators(k auth.Key) bool {
	return auth.Principal{Scopes: k.Scopes}.AcrossWorkspaces()
}
