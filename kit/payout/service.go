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
	"github.com/railkit/railkit/kit/payout/account"
	"github.com/railkit/railkit/kit/payout/alert"
	"github.com/railkit/railkit/kit/payout/customer"
	"github.com/railkit/railkit/kit/payout/fx"
	"github.com/railkit/railkit/kit/payout/mail"
	"github.com/railkit/railkit/kit/payout/price"
	"github.com/railkit/railkit/kit/payout/recipient"
	"github.com/railkit/railkit/kit/payout/virtual"
	"github.com/railkit/railkit/kit/payout/withdraw"
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
	Customers  *customer.Service
	Recipients *recipient.Service
	Alerts     *alert.Service
	Accounts   *account.Service
	Addresses  *withdraw.Service
	Virtuals   *virtual.Service

	store      Store
	partner    fiat.Partner
	workspaces Workspaces
	vault      *vault.Vault
	cooling    time.Duration
	clock      clock.Clock
	log        *slog.Logger
	invitePage string
	mailer     mail.Mailer

	transfers   Transfers
	wallets     withdraw.Wallets
	rates       Rates
	fees        price.Fees
	band        fx.Band
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
	InvitePage string      // address of the page that invites lead to; "": nobody can be invited
	Mailer     mail.Mailer // nil: mail waits until there is one

	Transfers   Transfers
	Wallets     withdraw.Wallets
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
	s := &Service{
		store: c.Store, partner: c.Partner, workspaces: c.Workspaces, vault: c.Vault, cooling: c.Cooling, clock: c.Clock, log: c.Log,
		transfers: c.Transfers, wallets: c.Wallets, rates: c.Rates, fees: c.Fees, band: fx.Band{Points: c.Band, Log: c.Log}, least: c.Least, quoting: c.Quoting, chains: c.Chains, environment: c.Environment,
		depth: c.Depth, invitePage: c.InvitePage, mailer: c.Mailer,
	}
	s.Customers = customer.New(c.Store.Customers(), c.Partner, c.Workspaces, c.Clock)
	s.Recipients = recipient.New(c.Store.Recipients(), s.ordersOfRecipient, c.Clock)
	s.Alerts = alert.NewService(alert.Config{
		Store: c.Store.Alerts(), Workspaces: c.Workspaces, Vault: c.Vault, InvitePage: c.InvitePage, Mailer: c.Mailer, Clock: c.Clock, Log: c.Log,
	})
	s.Accounts = account.New(account.Config{
		Store: c.Store.Accounts(), Partner: c.Partner, Customers: s.Customers, Alerts: s.Alerts, Waiting: s.ordersOfAccount,
		Vault: c.Vault, Cooling: c.Cooling, Clock: c.Clock, Log: c.Log,
	})
	s.Addresses = withdraw.New(withdraw.Config{
		Store: c.Store.Addresses(), Partner: c.Partner, Customers: s.Customers, Accounts: s.Accounts, Wallets: c.Wallets, Chains: c.Chains,
		Cooling: c.Cooling, Clock: c.Clock, Log: c.Log,
	})
	s.Virtuals = virtual.New(c.Store.Virtuals(), c.Partner, s.Accounts, c.Clock, c.Log)
	return s
}

// Sweep finds the rows that have waited too long, and does what they wait for.
func (s *Service) Sweep(ctx context.Context) error {
	return errors.Join(
		s.Accounts.Sweep(ctx), s.sweepOrders(ctx), s.sweepTransfers(ctx), s.Addresses.Sweep(ctx), s.Virtuals.Sweep(ctx), s.sweepInvites(ctx), s.Alerts.Sweep(ctx),
		s.store.DropInviteTokens(ctx, s.clock.Now().Add(-inviteTrace)),
	)
}
