package store

import (
	"context"
	"fmt"
	"net/netip"

	"github.com/railkit/railkit/platform/auth"
	"github.com/railkit/railkit/platform/workspace"
	"github.com/railkit/railkit/store/db"
	"github.com/railkit/railkit/store/postgres"
)

// Workspaces is the store as platform/workspace knows it.
type Workspaces struct{ scope[workspace.Tx] }

// Workspaces returns it.
func (s *Store) Workspaces() Workspaces {
	return Workspaces{scope[workspace.Tx]{s, func(t *tx) workspace.Tx { return t }}}
}

// EnsureWorkspace inserts the workspace or, where its id is taken, does nothing.
func (s *Store) EnsureWorkspace(ctx context.Context, w workspace.Workspace) error {
	return s.transact(ctx, func(tx *tx) error { return tx.InsertWorkspace(ctx, w) })
}

// EnsureKey inserts the key and its directory row or, where its hash is known, does nothing.
func (s *Store) EnsureKey(ctx context.Context, k auth.Key) error {
	return s.transact(ctx, func(tx *tx) error { return tx.InsertKey(ctx, k) })
}

// Workspace finds one.
func (s *Store) Workspace(ctx context.Context, id string) (workspace.Workspace, error) {
	row, err := s.read.Workspace(ctx, id)
	return one("Workspace", row, err, workspaceRow)
}

// Workspaces lists a page of an environment's workspaces, newest first, and
// counts all that the filter selects.
func (s Workspaces) Workspaces(ctx context.Context, f workspace.Filter) ([]workspace.Workspace, int, error) {
	selected := func() *query {
		q := s.query(1).equal("folded_email", fold(f.Email))
		if f.Search != "" {
			like := "%" + escapeLike.Replace(fold(f.Search)) + "%"
			q.add(` AND (folded_name LIKE ? ESCAPE '\' OR folded_email LIKE ? ESCAPE '\')`, like, like)
		}
		return q
	}
	total, err := db.New(selected()).CountWorkspaces(ctx, f.Environment)
	if err != nil {
		return nil, 0, doing("counting workspaces", postgres.Tell(err))
	}
	rows, err := db.New(selected().page("created_at", directions[""], f.Page)).ListWorkspaces(ctx, f.Environment)
	workspaces, err := many(rows, err, workspaceRow)
	return workspaces, int(total), err
}

// Keys lists a page of a workspace's keys, newest first, and counts them.
func (s *Store) Keys(ctx context.Context, f workspace.KeyFilter) ([]auth.Key, int, error) {
	total, err := s.read.CountKeys(ctx, f.WorkspaceID)
	if err != nil {
		return nil, 0, doing("counting API keys", postgres.Tell(err))
	}
	rows, err := db.New(s.query(1).page("created_at", directions[""], f.Page)).ListKeys(ctx, f.WorkspaceID)
	keys, err := many(rows, err, keyRow)
	return keys, int(total), err
}

// Key finds a key of the workspace, also one that is revoked.
func (s *Store) Key(ctx context.Context, workspaceID, id string) (auth.Key, error) {
	row, err := s.read.Key(ctx, workspaceID, id)
	return one("API key", row, err, keyRow)
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
	key, err := keyRow(row.ApiKey)
	return key, auth.Tenant{WorkspaceID: key.WorkspaceID, Modules: modules, Verified: row.KybStatus == workspace.KYBApproved}, err
}

// TouchKeys writes down when keys were used last; an earlier instant than is
// known changes nothing.
func (s *Store) TouchKeys(ctx context.Context, uses []workspace.Use) error {
	return s.transact(ctx, func(tx *tx) error {
		for _, u := range uses {
			if err := tx.q.TouchKey(ctx, micros(u.At), u.WorkspaceID, u.KeyID); err != nil {
				return doing("touching an API key", err)
			}
		}
		return nil
	})
}

func (t *tx) InsertWorkspace(ctx context.Context, w workspace.Workspace) error {
	return doing("inserting a workspace", t.q.InsertWorkspace(ctx, db.InsertWorkspaceParams{
		ID: w.ID, Name: w.Name, Environment: w.Environment, KybStatus: w.KYBStatus, Modules: list(w.Modules), CreatedAt: micros(w.CreatedAt),
		Email: w.Email, KybReason: w.KYBReason, UpdatedAt: micros(w.UpdatedAt), FoldedName: fold(w.Name), FoldedEmail: fold(w.Email),
	}))
}

// HoldWorkspace finds a workspace and keeps other writers of it and of its keys
// waiting until the commit.
func (t *tx) HoldWorkspace(ctx context.Context, id string) (workspace.Workspace, error) {
	row, err := t.q.HoldWorkspace(ctx, id)
	return one("Workspace", row, err, workspaceRow)
}

func (t *tx) UpdateWorkspace(ctx context.Context, w workspace.Workspace) error {
	return doing("updating a workspace", t.q.UpdateWorkspace(ctx, db.UpdateWorkspaceParams{
		ID: w.ID, Name: w.Name, FoldedName: fold(w.Name), Email: w.Email, FoldedEmail: fold(w.Email),
		KybStatus: w.KYBStatus, KybReason: w.KYBReason, Modules: list(w.Modules), UpdatedAt: micros(w.UpdatedAt),
	}))
}

func (t *tx) InsertKey(ctx context.Context, k auth.Key) error {
	n, err := t.q.ClaimKeyHash(ctx, k.Hash, k.WorkspaceID, k.ID)
	if err != nil || n == 0 {
		return doing("listing an API key in the directory", err)
	}
	return doing("inserting an API key", t.q.InsertKey(ctx, db.InsertKeyParams{
		WorkspaceID: k.WorkspaceID, ID: k.ID, Name: k.Name, Description: k.Description, Hash: k.Hash, Prefix: k.Prefix, LastFour: k.LastFour,
		Scopes: list(k.Scopes), Environment: k.Environment,
		LimitStandard: int64(k.Limits.Standard), LimitFinancial: int64(k.Limits.Financial), Networks: networkList(k.Networks),
		CreatedAt: micros(k.CreatedAt), ExpiresAt: micros(k.ExpiresAt), RevokedAt: micros(k.RevokedAt), LastUsedAt: micros(k.LastUsedAt),
	}))
}

func networkList(networks []netip.Prefix) string {
	texts := make([]string, len(networks))
	for i, n := range networks {
		texts[i] = n.String()
	}
	return list(texts)
}

func (t *tx) Key(ctx context.Context, workspaceID, id string) (auth.Key, error) {
	row, err := t.q.Key(ctx, workspaceID, id)
	return one("API key", row, err, keyRow)
}

// ActiveKeys counts the keys that are neither revoked nor expired.
func (t *tx) ActiveKeys(ctx context.Context, workspaceID string) (int, error) {
	n, err := t.q.CountActiveKeys(ctx, workspaceID, micros(t.now))
	return int(n), doing("counting API keys", err)
}

// RevokeKey revokes a key, unless that is done already.
func (t *tx) RevokeKey(ctx context.Context, k auth.Key) error {
	_, err := t.q.RevokeKey(ctx, micros(k.RevokedAt), k.WorkspaceID, k.ID)
	return doing("revoking an API key", err)
}
