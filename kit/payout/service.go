// Package payout is the payout kit: recipients and their bank accounts, and what
// is paid out to them. The partner holds the money and reaches the banks; what it
// is told to do, and when, is decided here.
package payout

import (
	"context"
	"errors"
	"log/slog"
	"time"

	"github.com/railkit/railkit/chain"
	"github.com/railkit/railkit/clock"
	"github.com/railkit/railkit/fiat"
	"github.com/railkit/railkit/kit/payout/price"
	"github.com/railkit/railkit/money"
	"github.com/railkit/railkit/platform/page"
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
	invitePage string
	mailer     Mailer

	transfers   Transfers
	wallets     Wallets
	rates       Rates
	fees        price.Fees
	band        int64
	least       money.Amount
	quoting     Quoting
	chains      []string
	environment chain.Environment
	depth       int
	swept       page.Cursor // transfers; the sweeper's own
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
	InvitePage string // address of the page that invites lead to; "": nobody can be invited
	Mailer     Mailer // nil: mail waits until there is one

	Transfers   Transfers
	Wallets     Wallets
	Rates       Rates
	Fees        price.Fees
	Band        int64        // basis points that the partner's rates may be apart; 0: any
	Least       money.Amount // deposits of less are dust
	Quoting     Quoting
	Chains      []string // that are watched
	Environment chain.Environment
	Depth       int // of every network, instead of its own
}

// New makes the kit.
func New(c Config) *Service {
	return &Service{
		store: c.Store, partner: c.Partner, workspaces: c.Workspaces, vault: c.Vault, cooling: c.Cooling, clock: c.Clock, log: c.Log,
		transfers: c.Transfers, wallets: c.Wallets, rates: c.Rates, fees: c.Fees, band: c.Band, least: c.Least, quoting: c.Quoting, chains: c.Chains, environment: c.Environment,
		depth: c.Depth, invitePage: c.InvitePage, mailer: c.Mailer,
	}
}

// Sweep finds the rows that have waited too long, and does what they wait for.
func (s *Service) Sweep(ctx context.Context) error {
	return errors.Join(
		s.sweepAccounts(ctx), s.sweepOrders(ctx), s.sweepTransfers(ctx), s.sweepAddresses(ctx), s.sweepVirtuals(ctx), s.sweepInvites(ctx), s.sweepAlerts(ctx),
		s.store.DropInviteTokens(ctx, s.clock.Now().Add(-inviteTrace)), s.store.DropAlertTokens(ctx, s.clock.Now()),
	)
}
