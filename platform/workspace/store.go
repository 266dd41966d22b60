// Package workspace is about the integrators: the tenants of an installation,
// and the API keys that act for them.
package workspace

import (
	"context"
	"time"

	"github.com/railkit/railkit/platform/auth"
)

// Workspace is a tenant. The spec calls it integrator.
type Workspace struct {
	ID          string // UUID v4
	Name        string
	Environment string
	KYBStatus   string // pending | approved | rejected
	Modules     []auth.Module
	CreatedAt   time.Time
}

// Tenant is what every call needs to know of the workspace.
func (w Workspace) Tenant() auth.Tenant {
	return auth.Tenant{WorkspaceID: w.ID, Modules: w.Modules, Verified: w.KYBStatus == KYBApproved}
}

// What became of the check of a workspace's business, which happens outside of the API.
const (
	KYBPending  = "pending"
	KYBApproved = "approved"
	KYBRejected = "rejected"
)

// Store keeps workspaces and their keys.
type Store interface {
	// EnsureWorkspace inserts the workspace or, where its id is taken, does nothing.
	EnsureWorkspace(ctx context.Context, w Workspace) error
	// EnsureKey inserts the key and its directory row or, where its hash is known, does nothing.
	EnsureKey(ctx context.Context, k auth.Key) error
	Workspace(ctx context.Context, id string) (Workspace, error) // fault.Missing("Workspace")
}
