// Package payout is the payout kit: recipients and their bank accounts, and what
// is paid out to them. The partner holds the money and reaches the banks; what it
// is told to do, and when, is decided here.
package payout

import (
	"context"
	"errors"
	"log/slog"
	"time"

	"github.com/google/uuid"

	"github.com/railkit/railkit/clock"
	"github.com/railkit/railkit/fiat"
	"github.com/railkit/railkit/platform/vault"
	"github.com/railkit/railkit/platform/workspace"
)

// Workspaces tells who a workspace is.
type Workspaces interface {
	Workspace(ctx context.Context, id string) (workspace.Workspace, error)
}

// Service is the kit.
type Service struct {
	store      Store
	partner    fiat.Partner
	workspaces Workspaces
	vault      *vault.Vault
	cooling    time.Duration
	clock      clock.Clock
	log        *slog.Logger
}

// Config wires a Service.
type Config struct {
	Store      Store
	Partner    fiat.Partner // nil: nothing that needs it can be done
	Workspaces Workspaces
	Vault      *vault.Vault
	Cooling    time.Duration // for which a new or changed bank account is not paid
	Clock      clock.Clock
	Log        *slog.Logger
}

// New makes the kit.
func New(c Config) *Service {
	return &Service{
		store: c.Store, partner: c.Partner, workspaces: c.Workspaces, vault: c.Vault, cooling: c.Cooling, clock: c.Clock, log: c.Log,
	}
}

// newID is the id of a new row: UUIDv7, so that rows lie in the order of time.
func newID() string { return uuid.Must(uuid.NewV7()).String() }

// Sweep finds the rows that have waited too long, and does what they wait for.
func (s *Service) Sweep(ctx context.Context) error {
	return errors.Join(s.sweepAccounts(ctx), s.sweepOrders(ctx))
}
