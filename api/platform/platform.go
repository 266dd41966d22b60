// Package platform is the operations about workspaces, their keys and people, and about the service itself.
package platform

import (
	"github.com/railkit/railkit/api/edge"
	"github.com/railkit/railkit/platform/audit"
	"github.com/railkit/railkit/platform/event"
	"github.com/railkit/railkit/platform/kyb"
	"github.com/railkit/railkit/platform/ready"
	"github.com/railkit/railkit/platform/session"
	"github.com/railkit/railkit/platform/team"
	"github.com/railkit/railkit/platform/webhook"
	"github.com/railkit/railkit/platform/workspace"
)

// Deps is what the operations stand on.
type Deps struct {
	Environment string
	Release     string
	Ready       *ready.Probe
	Audit       audit.Lister
	Workspaces  *workspace.Service
	Team        *team.Service
	KYB         *kyb.Service
	Sessions    *session.Service
	Events      *event.Service
	Webhooks    *webhook.Service
}

// Register lists the operations.
func Register(s *edge.Server, d Deps) {
	registerSystem(s, d)
	registerAudit(s, d.Audit)
	registerEvents(s, d.Events)
	registerWebhooks(s, d.Webhooks)
	registerWorkspaces(s, d.Workspaces, d.KYB)
	registerKYB(s, d.KYB)
	registerTeam(s, d.Team)
	registerAuth(s, d.Sessions)
}
