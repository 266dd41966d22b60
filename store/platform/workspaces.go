package platform

import (
	"context"
	"encoding/json"
	"net/netip"

	"github.com/railkit/railkit/platform/auth"
	"github.com/railkit/railkit/platform/event"
	"github.com/railkit/railkit/platform/workspace"
	"github.com/railkit/railkit/rest"
	"github.com/railkit/railkit/store/db"
	"github.com/railkit/railkit/store/internal/sqldb"
)

// Workspaces is the database as platform/workspace sees it.
type Workspaces struct {
	Store
	sqldb.Writer[workspace.Tx]
}

// Workspaces returns it.
func (s Store) Workspaces() Workspaces {
	return Workspaces{s, sqldb.WriterOf(s.db, func(t *sqldb.Tx) workspace.Tx { return tx{t} })}
}

var _ workspace.Store = Workspaces{}

// EnsureWorkspace inserts the workspace or, where its id is taken, does nothing.
func (s Store) EnsureWorkspace(ctx context.Context, w workspace.Workspace) error {
	return s.db.Transact(ctx, func(t *sqldb.Tx) error { return tx{t}.InsertWorkspace(ctx, w) })
}

// EnsureKey inserts the key and its directory row or, where its hash is known, does nothing.
func (s Store) EnsureKey(ctx context.Context, k auth.Key) error {
	return s.db.Transact(ctx, func(t *sqldb.Tx) error { return tx{t}.InsertKey(ctx, k) })
}

// Workspace finds one.
func (s Store) Workspace(ctx context.Context, id string) (workspace.Workspace, error) {
	row, err := s.db.Read.Workspace(ctx, id)
	return sqldb.One("Workspace", row, err, workspaceRow)
}

// Workspaces lists a page of an environment's workspaces, newest first, and
// counts all that the filter selects.
func (s Workspaces) Workspaces(ctx context.Context, f workspace.Filter) ([]workspace.Workspace, int, error) {
	q := s.db.Query(1).Equal("folded_email", sqldb.Fold(f.Email))
	if f.Search != "" {
		like := sqldb.Like(f.Search)
		q.Add(` AND (folded_name LIKE ? ESCAPE '\' OR folded_email LIKE ? ESCAPE '\')`, like, like)
	}
	total, err := db.New(q).CountWorkspaces(ctx, f.Environment)
	if err != nil {
		return nil, 0, sqldb.Reading("counting workspaces", err)
	}
	rows, err := db.New(q.Newest(f.Page)).ListWorkspaces(ctx, f.Environment)
	return sqldb.Listed(total, rows, err, workspaceRow)
}

// Keys lists a page of a workspace's keys, newest first, and counts them.
func (s Store) Keys(ctx context.Context, f workspace.KeyFilter) ([]auth.Key, int, error) {
	total, err := s.db.Read.CountKeys(ctx, f.WorkspaceID)
	if err != nil {
		return nil, 0, sqldb.Reading("counting API keys", err)
	}
	rows, err := db.New(s.db.Query(1).Newest(f.Page)).ListKeys(ctx, f.WorkspaceID)
	return sqldb.Listed(total, rows, err, keyRow)
}

// Key finds a key of the workspace, also one that is revoked.
func (s Store) Key(ctx context.Context, workspaceID, id string) (auth.Key, error) {
	row, err := s.db.Read.Key(ctx, workspaceID, id)
	return sqldb.One("API key", row, err, keyRow)
}

// KeyByHash finds an API key and its workspace.
func (s Store) KeyByHash(ctx context.Context, hash string) (auth.Key, auth.Tenant, error) {
	row, err := s.db.Read.KeyByHash(ctx, hash)
	if sqldb.None(err) {
		return auth.Key{}, auth.Tenant{}, auth.ErrNoKey
	}
	if err != nil {
		return auth.Key{}, auth.Tenant{}, sqldb.Reading("reading an API key", err)
	}
	modules, err := sqldb.Unlist[auth.Module](row.Modules)
	if err != nil {
		return auth.Key{}, auth.Tenant{}, err
	}
	key, err := keyRow(row.ApiKey)
	return key, auth.Tenant{
		WorkspaceID: key.WorkspaceID, Modules: modules, Verified: row.KybStatus == workspace.KYBApproved,
		Rejected: row.KybStatus == workspace.KYBRejected,
	}, err
}

// TouchKeys writes down when keys were used last; an earlier instant than is
// known changes nothing.
func (s Store) TouchKeys(ctx context.Context, uses []workspace.Use) error {
	return s.db.Transact(ctx, func(t *sqldb.Tx) error {
		for _, u := range uses {
			if err := t.Q.TouchKey(ctx, sqldb.Micros(u.At), u.WorkspaceID, u.KeyID); err != nil {
				return sqldb.Doing("touching an API key", err)
			}
		}
		return nil
	})
}

func (t tx) InsertWorkspace(ctx context.Context, w workspace.Workspace) error {
	return sqldb.Doing("inserting a workspace", t.Q.InsertWorkspace(ctx, db.InsertWorkspaceParams{
		ID: w.ID, Name: w.Name, Environment: w.Environment, KybStatus: w.KYBStatus, Modules: sqldb.List(w.Modules),
		CreatedAt: sqldb.Micros(w.CreatedAt),
		Email:     w.Email, KybReason: w.KYBReason, UpdatedAt: sqldb.Micros(w.UpdatedAt),
		FoldedName: sqldb.Fold(w.Name), FoldedEmail: sqldb.Fold(w.Email),
	}))
}

// HoldWorkspace finds a workspace and keeps other writers of it and of its keys
// waiting until the commit.
func (t tx) HoldWorkspace(ctx context.Context, id string) (workspace.Workspace, error) {
	row, err := t.Q.HoldWorkspace(ctx, id)
	return sqldb.One("Workspace", row, err, workspaceRow)
}

// TellWorkspace tells who listens that settings of a workspace changed, or the form about its business.
func (t tx) TellWorkspace(w workspace.Workspace) {
	t.Tell(event.Change{Type: event.WorkspaceUpdated, WorkspaceID: w.ID, Object: w.ID, Data: rest.EventWorkspace{
		Name: w.Name, KYBStatus: w.KYBStatus, KYBReason: w.KYBReason, Modules: sqldb.Texts(w.Modules),
	}})
}

func (t tx) UpdateWorkspace(ctx context.Context, w workspace.Workspace) error {
	t.TellWorkspace(w)
	return sqldb.Doing("updating a workspace", t.Q.UpdateWorkspace(ctx, db.UpdateWorkspaceParams{
		ID: w.ID, Name: w.Name, FoldedName: sqldb.Fold(w.Name), Email: w.Email, FoldedEmail: sqldb.Fold(w.Email),
		KybStatus: w.KYBStatus, KybReason: w.KYBReason, Modules: sqldb.List(w.Modules),
		AgentLimitStandard: int64(w.AgentLimits.Standard), AgentLimitFinancial: int64(w.AgentLimits.Financial),
		UpdatedAt: sqldb.Micros(w.UpdatedAt),
	}))
}

func (t tx) InsertKey(ctx context.Context, k auth.Key) error {
	n, err := t.Q.ClaimKeyHash(ctx, k.Hash, k.WorkspaceID, k.ID)
	if err != nil || n == 0 {
		return sqldb.Doing("listing an API key in the directory", err)
	}
	t.Tell(keyChange(event.APIKeyCreated, k))
	return sqldb.Doing("inserting an API key", t.Q.InsertKey(ctx, db.InsertKeyParams{
		WorkspaceID: k.WorkspaceID, ID: k.ID, Name: k.Name, Description: k.Description, Hash: k.Hash, Prefix: k.Prefix,
		LastFour: k.LastFour,
		Scopes:   sqldb.List(k.Scopes), Environment: k.Environment,
		LimitStandard: int64(k.Limits.Standard), LimitFinancial: int64(k.Limits.Financial),
		Networks:  sqldb.List(k.Networks),
		CreatedAt: sqldb.Micros(k.CreatedAt), ExpiresAt: sqldb.Micros(k.ExpiresAt),
		RevokedAt: sqldb.Micros(k.RevokedAt), LastUsedAt: sqldb.Micros(k.LastUsedAt), CreatedBy: k.CreatedBy,
	}))
}

func (t tx) Key(ctx context.Context, workspaceID, id string) (auth.Key, error) {
	row, err := t.Q.Key(ctx, workspaceID, id)
	return sqldb.One("API key", row, err, keyRow)
}

// ActiveKeys counts the keys that are neither revoked nor expired.
func (t tx) ActiveKeys(ctx context.Context, workspaceID string) (int, error) {
	n, err := t.Q.CountActiveKeys(ctx, workspaceID, sqldb.Micros(t.Begun))
	return int(n), sqldb.Doing("counting API keys", err)
}

// KeysMadeBy lists a member's keys that are neither revoked nor expired, oldest first.
func (t tx) KeysMadeBy(ctx context.Context, workspaceID, memberID string) ([]auth.Key, error) {
	rows, err := t.Q.ActiveKeysMadeBy(ctx, workspaceID, memberID, sqldb.Micros(t.Begun))
	return sqldb.Many(rows, err, keyRow)
}

// RevokeKey revokes a key, unless that is done already.
func (t tx) RevokeKey(ctx context.Context, k auth.Key) error {
	n, err := t.Q.RevokeKey(ctx, sqldb.Micros(k.RevokedAt), k.WorkspaceID, k.ID)
	return t.Told("revoking an API key", n, err, keyChange(event.APIKeyRevoked, k))
}

func keyChange(kind event.Type, k auth.Key) event.Change {
	return event.Change{Type: kind, WorkspaceID: k.WorkspaceID, Object: k.ID, Data: rest.EventAPIKey{
		Name: k.Name, LastFour: k.LastFour, Scopes: sqldb.Texts(k.Scopes),
	}}
}

func workspaceRow(r db.Workspace) (workspace.Workspace, error) {
	modules, err := sqldb.Unlist[auth.Module](r.Modules)
	return workspace.Workspace{
		ID: r.ID, Name: r.Name, Email: r.Email, Environment: r.Environment, KYBStatus: r.KybStatus,
		KYBReason: r.KybReason,
		AgentLimits: auth.Limits{
			Standard: int(r.AgentLimitStandard), Financial: int(r.AgentLimitFinancial),
		},
		Modules: modules, CreatedAt: sqldb.Instant(r.CreatedAt), UpdatedAt: sqldb.Instant(r.UpdatedAt),
	}, err
}

func keyRow(r db.ApiKey) (auth.Key, error) {
	scopes, err := sqldb.Unlist[auth.Scope](r.Scopes)
	if err != nil {
		return auth.Key{}, err
	}
	networks, err := networkRow(r.Networks)
	if err != nil {
		return auth.Key{}, err
	}
	return auth.Key{
		WorkspaceID: r.WorkspaceID, ID: r.ID, Name: r.Name, Description: r.Description,
		Hash: r.Hash, Prefix: r.Prefix, LastFour: r.LastFour, Scopes: scopes, Environment: r.Environment,
		Limits: auth.Limits{Standard: int(r.LimitStandard), Financial: int(r.LimitFinancial)}, Networks: networks,
		CreatedAt: sqldb.Instant(r.CreatedAt), ExpiresAt: sqldb.Instant(r.ExpiresAt),
		RevokedAt: sqldb.Instant(r.RevokedAt), LastUsedAt: sqldb.Instant(r.LastUsedAt), CreatedBy: r.CreatedBy,
	}, nil
}

func networkRow(text string) (networks []netip.Prefix, err error) {
	if text == "[]" { // as most keys have
		return nil, nil
	}
	if err := json.Unmarshal([]byte(text), &networks); err != nil {
		return nil, sqldb.Doing("reading the networks of an API key", err)
	}
	return networks, nil
}
