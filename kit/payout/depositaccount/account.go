// Package depositaccount keeps deposit accounts. A deposit account is an account number at the partner's bank. The
// partner converts what arrives there into a stablecoin and sends it to a wallet of the workspace. A wallet has one
// such account for each pair of source and destination currency, on one chain.
//
// The coins go to the wallet's own address on the chain, and to no other: the signer's proof of the address is checked
// before the partner is asked, and an answer that names another address, chain, currency or fee is refused.
//
// An account is provisioning until the partner has created it (package provision). While the partner is slow it is
// shown without a number. It is active or deactivated. The operator and the partner can switch it off, and on again. It
// keeps its reference and its number for life.
//
// Read account.go (the row), create.go, active.go (switching), list.go and view.go, then event.go.
package depositaccount

import (
	"context"
	"log/slog"
	"time"

	"github.com/railkit/railkit/clock"
	"github.com/railkit/railkit/fiat"
	"github.com/railkit/railkit/kit/payout/customer"
	"github.com/railkit/railkit/kit/payout/pair"
	"github.com/railkit/railkit/kit/payout/price"
	"github.com/railkit/railkit/kit/payout/provision"
	"github.com/railkit/railkit/kit/payout/reference"
	"github.com/railkit/railkit/money"
	"github.com/railkit/railkit/platform/page"
	"github.com/railkit/railkit/platform/record"
	"github.com/railkit/railkit/platform/vault"
)

// Account is a deposit account: what arrives at its number in Source becomes Destination at Address.
type Account struct {
	WorkspaceID, ID, Reference string
	WalletID                   string // the platform's own id of the wallet
	Source, Destination        money.Currency
	Chain, Address             string // where the coins go: the wallet's own address
	FeePoints                  int64  // ours, in basis points of what arrives
	// Provision is that of the call that creates the account, and later of the one that switches it.
	provision.Provision
	Deactivated           bool   // by the partner's last word
	Wanted                Wanted // what the partner has yet to be told
	CustomerID, PartnerID string // the partner's ids of the workspace and the account
	Sealed                string // the partner's instructions to depositors, encrypted; "" until it has told them

	PolledAt        time.Time // when the partner was last asked what happened
	ActivitiesUntil time.Time // how far what happened was taken in
	Version         int64
	CreatedAt       time.Time
	UpdatedAt       time.Time
}

// Wanted is what the operator wants an account to be, until the partner has been told.
type Wanted string

// What can be wanted.
const (
	WantNothing     Wanted = ""
	WantActive      Wanted = "active"
	WantDeactivated Wanted = "deactivated"
)

// Active tells whether the account takes deposits: the partner said so, and nobody has switched it off since.
func (a Account) Active() bool {
	return a.Status == provision.Active && !a.Deactivated && a.Wanted != WantDeactivated
}

// Store keeps deposit accounts and their events.
type Store interface {
	record.Writer[Tx]
	DepositAccount(ctx context.Context, workspaceID, id string) (Account, error)
	// DepositAccountOf finds the account of a wallet and a pair of currencies.
	DepositAccountOf(ctx context.Context, workspaceID, walletID string, from, to money.Currency) (Account, error)
	// DepositAccountByPartner finds, in all workspaces, the account with the partner's id.
	DepositAccountByPartner(ctx context.Context, partnerID string) (Account, error)
	// DepositAccounts lists a page of the accounts of a workspace, newest first, and counts them.
	DepositAccounts(ctx context.Context, workspaceID string, p page.Page) ([]Account, int, error)
	// AllDepositAccounts lists a page of the accounts of a workspace, or of all if it is empty, newest first.
	AllDepositAccounts(ctx context.Context, workspaceID string, p page.Page) ([]Account, error)
	// WaitingDepositAccounts lists, for all workspaces, accounts that are still provisioning and were last claimed
	// before the instant.
	WaitingDepositAccounts(ctx context.Context, before time.Time, limit int) ([]Account, error)
	// SwitchingDepositAccounts lists, for all workspaces, accounts with something wanted of which the partner was last
	// told before the instant.
	SwitchingDepositAccounts(ctx context.Context, before time.Time, limit int) ([]Account, error)
	// DepositAccountsToPoll lists, for all workspaces, accounts of which the partner was last asked before the instant
	// what happened, longest first. Deactivated ones are among them: a deposit may have been on its way.
	DepositAccountsToPoll(ctx context.Context, before time.Time, limit int) ([]Account, error)
	// DepositEvents lists a page of what happened at an account, oldest first, and counts it.
	DepositEvents(ctx context.Context, workspaceID, accountID string, p page.Page) ([]Event, int, error)
}

// Tx writes deposit accounts. The first four methods are those of provision.Maker. The error is record.ErrStale if
// another request has claimed or changed the row meanwhile.
type Tx interface {
	InsertDepositAccount(context.Context, Account) error
	TakeDepositAccount(ctx context.Context, a Account, was time.Time) error
	LeaveDepositAccount(context.Context, Account) error
	FinishDepositAccount(context.Context, Account) error
	// DropDepositAccount deletes a provisioning account that still has the claim.
	DropDepositAccount(context.Context, Account) error
	// UpdateDepositAccount writes what can change of an account that the partner has created, if the row still has the
	// version. The row's version is then one more.
	UpdateDepositAccount(context.Context, Account) error
	// PolledDepositAccount notes when the partner was asked what happened, and how far that was taken in. It never
	// goes back.
	PolledDepositAccount(ctx context.Context, workspaceID, id string, at, until time.Time) error
	// InsertDepositEvent inserts an event once for each account and partner's id. It tells whether it was new.
	InsertDepositEvent(context.Context, Event) (bool, error)
	reference.Claims
}

// Place is where coins go: a wallet's address on a chain.
type Place struct{ WalletID, Chain, Address string }

// Wallets finds the addresses of the platform's own wallets.
type Wallets interface {
	// Proved is a wallet's address on a chain. An empty chain is the wallet's own, an empty address the first that the
	// wallet has on the chain. The wallet is named by either of its ids. The error is fault.Missing for an unknown
	// wallet, and ErrUnproved unless the signer has proved that it made the address for the wallet. A Place without
	// an address means that the wallet has none on the chain.
	Proved(ctx context.Context, workspaceID, walletID, chain, address string) (Place, error)
	// Shown is the id by which the API shows a wallet, of the platform's own id of it.
	Shown(ctx context.Context, workspaceID, walletID string) (string, error)
	// With is the id of the workspace's wallet that has an address, or fault.Missing.
	With(ctx context.Context, workspaceID, address string) (walletID string, err error)
}

// Service creates, lists and switches the deposit accounts of all workspaces.
type Service struct{ c Config }

// Config wires a Service.
type Config struct {
	Store     Store
	Partner   fiat.Partner // nil: only lists
	Customers *customer.Service
	Wallets   Wallets
	Limits    price.Deposits // what deposits may be, and cost
	Vault     *vault.Vault   // seals the account numbers
	Pairs     pair.Pairs     // of which there are accounts
	Clock     clock.Clock
	Log       *slog.Logger
}

// New makes a Service.
func New(c Config) *Service { return &Service{c} }
