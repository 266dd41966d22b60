// Package workspace keeps the workspaces, which are the tenants of an installation, and their API keys. The API calls
// a workspace an integrator.
package workspace

import (
	"context"
	"time"

	"github.com/railkit/railkit/platform/auth"
	"github.com/railkit/railkit/platform/command"
	"github.com/railkit/railkit/platform/page"
)

// Workspace is a tenant. The spec calls it integrator.
type Workspace struct {
	ID          string // UUID v4
	Name        string
	Email       string // of whom to write to; may be empty
	Environment string
	KYBStatus   string // pending | approved | rejected
	KYBReason   string // of the status, as the operator gave it
	Modules     []auth.Module
	AgentLimits auth.Limits // of each of its agents
	CreatedAt   time.Time
	UpdatedAt   time.Time
}

// Tenant is what every call needs to know of the workspace.
func (w Workspace) Tenant() auth.Tenant {
	return auth.Tenant{WorkspaceID: w.ID, Modules: w.Modules, Verified: w.KYBStatus == KYBApproved,
		Rejected: w.KYBStatus == KYBRejected, AgentLimits: w.AgentLimits}
}

// Results of the check of a workspace's business. The operator makes that check outside of the API.
const (
	KYBPending  = "pending"
	KYBApproved = "approved"
	KYBRejected = "rejected"
)

// Filter selects workspaces. Zero fields, but for the environment, do not filter.
type Filter struct {
	Environment string
	Email       string // whole, in any case
	Search      string // part of name or e-mail, in any case
	Page        page.Page
}

// KeyFilter selects a workspace's keys.
type KeyFilter struct {
	WorkspaceID string
	Page        page.Page
}

// Use is when a key was used.
type Use struct {
	WorkspaceID, KeyID string
	At                 time.Time
}

// Store keeps workspaces and their keys.
type Store interface {
	// EnsureWorkspace inserts the workspace or, where its id is taken, does nothing.
	EnsureWorkspace(ctx context.Context, w Workspace) error
	// EnsureKey inserts the key and its directory row or, where its hash is known, does nothing.
	EnsureKey(ctx context.Context, k auth.Key) error
	Workspace(ctx context.Context, id string) (Workspace, error)        // fault.Missing("Workspace")
	Workspaces(ctx context.Context, f Filter) ([]Workspace, int, error) // newest first, and how many in all
	Key(ctx context.Context, workspaceID, id string) (auth.Key, error)  // fault.Missing("API key")
	Keys(ctx context.Context, f KeyFilter) ([]auth.Key, int, error)     // newest first, and how many in all
	TouchKeys(ctx context.Context, uses []Use) error                    // never backwards
	Commit(
		ctx context.Context, cmd *command.Command, fn func(context.Context, Tx) (command.Reply, error),
	) (command.Answer, error)
}

// Tx is the writing half, inside one commit.
type Tx interface {
	InsertWorkspace(ctx context.Context, w Workspace) error
	// HoldWorkspace finds the workspace and keeps other writers of it waiting.
	HoldWorkspace(ctx context.Context, id string) (Workspace, error)
	UpdateWorkspace(ctx context.Context, w Workspace) error
	InsertKey(ctx context.Context, k auth.Key) error
	Key(ctx context.Context, workspaceID, id string) (auth.Key, error)
	ActiveKeys(ctx context.Context, workspaceID string) (int, error)
	// RoleOf is what a member is now, and is until the transaction ends. fault.Missing("Member"): it is removed.
	RoleOf(ctx context.Context, workspaceID, memberID string) (auth.Role, error)
	RevokeKey(ctx context.Context, k auth.Key) error // at its RevokedAt, unless it is revoked already
}
