package store

import (
	"context"
	"fmt"

	"github.com/railkit/railkit/platform/auth"
	"github.com/railkit/railkit/platform/workspace"
	"github.com/railkit/railkit/store/db"
	"github.com/railkit/railkit/store/postgres"
)

// EnsureWorkspace inserts the workspace or, where its id is taken, does nothing.
func (s *Store) EnsureWorkspace(ctx context.Context, w workspace.Workspace) error {
	return s.transact(ctx, func(tx *tx) error {
		return doing("inserting a workspace", tx.q.InsertWorkspace(ctx, db.InsertWorkspaceParams{
			ID: w.ID, Name: w.Name, Environment: w.Environment, KybStatus: w.KYBStatus,
			Modules: list(w.Modules), CreatedAt: micros(w.CreatedAt),
		}))
	})
}

// Workspace finds one.
func (s *Store) Workspace(ctx context.Context, id string) (workspace.Workspace, error) {
	row, err := s.read.Workspace(ctx, id)
	return one("Workspace", row, err, workspaceRow)
}

// EnsureKey inserts the key and its directory row or, where its hash is known, does nothing.
func (s *Store) EnsureKey(ctx context.Context, k auth.Key) error {
	return s.transact(ctx, func(tx *tx) error {
		n, err := tx.q.ClaimKeyHash(ctx, k.Hash, k.WorkspaceID, k.ID)
		if err != nil || n == 0 {
			return doing("listing an API key in the directory", err)
		}
		return doing("inserting an API key", tx.q.InsertKey(ctx, db.InsertKeyParams{
			WorkspaceID: k.WorkspaceID, ID: k.ID, Name: k.Name, Hash: k.Hash, Prefix: k.Prefix, LastFour: k.LastFour,
			Scopes: list(k.Scopes), Environment: k.Environment,
			LimitStandard: int64(k.Limits.Standard), LimitFinancial: int64(k.Limits.Financial),
			CreatedAt: micros(k.CreatedAt), ExpiresAt: micros(k.ExpiresAt), RevokedAt: micros(k.RevokedAt),
		}))
	})
}

// KeyByHash finds an API key and its workspace.
func (s *Store) KeyByHash(ctx context.Context, hash string) (auth.Key, auth.Tenant, error) {
	row, err := s.read.KeyByHash(ctx, hash)
	if none(err) {
		return auth.Key{}, auth.Tenant{}, auth.ErrNoKey
	}
	if err != nil {
		return auth.Key{}, auth.Tenant{}, fmt.Errorf("reading an API key: %w", postgres.Tell(err))
	}
	modules, err := unlist[auth.Module](row.Modules)
	if err != nil {
		return auth.Key{}, auth.Tenant{}, err
	}
	scopes, err := unlist[auth.Scope](row.ApiKey.Scopes)
	if err != nil {
		return auth.Key{}, auth.Tenant{}, err
	}
	k := row.ApiKey
	return auth.Key{
		WorkspaceID: k.WorkspaceID, ID: k.ID, Name: k.Name, Hash: k.Hash, Prefix: k.Prefix, LastFour: k.LastFour,
		Scopes: scopes, Environment: k.Environment,
		Limits:    auth.Limits{Standard: int(k.LimitStandard), Financial: int(k.LimitFinancial)},
		CreatedAt: instant(k.CreatedAt), ExpiresAt: instant(k.ExpiresAt), RevokedAt: instant(k.RevokedAt),
	}, auth.Tenant{WorkspaceID: k.WorkspaceID, Modules: modules, Verified: row.KybStatus == workspace.KYBApproved}, nil
}
