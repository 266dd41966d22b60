// Package withdraw keeps withdrawal addresses: where stablecoins arrive that go to a
// bank account. Each bank account has one for each chain and stablecoin.
//
// An address is provisioning while the partner is asked for it and for the wallet that
// it leads to, and active for ever after (package provision). Refunds of what arrived
// go to its return address. A change of the return address waits as long as a new bank
// account does, unless a member confirms it, and each change is told to the members:
// who has stolen an API key would send other people's refunds to a wallet of its own.
//
// Read address.go (the row), pair.go (what can be taken in), create.go, then
// return_address.go.
package withdraw

import (
	"context"
	"log/slog"
	"time"

	"github.com/railkit/railkit/clock"
	"github.com/railkit/railkit/fiat"
	"github.com/railkit/railkit/kit/payout/account"
	"github.com/railkit/railkit/kit/payout/alert"
	"github.com/railkit/railkit/kit/payout/customer"
	"github.com/railkit/railkit/kit/payout/provision"
	"github.com/railkit/railkit/kit/payout/reference"
	"github.com/railkit/railkit/money"
	"github.com/railkit/railkit/platform/auth"
	"github.com/railkit/railkit/platform/record"
	"github.com/railkit/railkit/rest"
)

// Address is where stablecoins arrive that go to a bank account.
type Address struct {
	WorkspaceID, ID, Reference string
	RecipientID, BankAccountID string
	Chain                      string
	Currency                   money.Currency
	Destination                money.Currency
	Rail                       fiat.Rail
	WalletID, ReturnAddress    string // refunds go there; empty: they cannot go anywhere
	Next                       ReturnChange
	provision.Provision
	CustomerID, PartnerWalletID, PartnerID string
	Address                                string // empty while it is made
	CreatedAt, UpdatedAt                   time.Time
}

// Store keeps withdrawal addresses.
type Store interface {
	record.Writer[Tx]
	WithdrawAddress(ctx context.Context, workspaceID, id string) (Address, error)
	WithdrawAddressOf(ctx context.Context, workspaceID, bankAccountID, chain string, c money.Currency) (Address, error)
	// WaitingWithdrawAddresses lists those of every workspace that are not made and that nobody has asked about since.
	WaitingWithdrawAddresses(ctx context.Context, before time.Time, limit int) ([]Address, error)
}

// Tx writes them. A row that somebody else has taken by now is record.ErrStale.
type Tx interface {
	InsertWithdrawAddress(context.Context, Address) error
	TakeWithdrawAddress(ctx context.Context, a Address, was time.Time) error
	LeaveWithdrawAddress(context.Context, Address) error
	FinishWithdrawAddress(context.Context, Address) error // and has it watched
	// SetReturnAddress writes where refunds go, and will go, if both are still as in was.
	SetReturnAddress(ctx context.Context, a, was Address) error
	// HoldBankAccount reads one that nobody else changes until the transaction ends.
	HoldBankAccount(ctx context.Context, workspaceID, id string) (account.Account, error)
	reference.Claims
	alert.RaiseTx
}

// Wallets tells where the platform's own wallets are. A wallet that is not there
// is fault.Missing, one without an address on the chain has "".
type Wallets interface {
	AddressOn(ctx context.Context, workspaceID, walletID, chain string) (id, address string, err error)
}

// Service is the withdrawal addresses of every workspace.
type Service struct {
	store     Store
	partner   fiat.Partner
	customers *customer.Service
	accounts  *account.Service
	wallets   Wallets
	chains    []string
	cooling   time.Duration
	clock     clock.Clock
	log       *slog.Logger
}

// Config wires a Service.
type Config struct {
	Store     Store
	Partner   fiat.Partner
	Customers *customer.Service
	Accounts  *account.Service
	Wallets   Wallets
	Chains    []string      // that are watched
	Cooling   time.Duration // before refunds go to another place
	Clock     clock.Clock
	Log       *slog.Logger
}

// New makes it.
func New(c Config) *Service {
	return &Service{c.Store, c.Partner, c.Customers, c.Accounts, c.Wallets, c.Chains, c.Cooling, c.Clock, c.Log}
}

// View is the address as the off-ramp shows it at an instant.
func (a Address) View(now time.Time) rest.WithdrawAddress {
	a = a.At(now)
	v := rest.WithdrawAddress{
		ID: a.ID, Reference: a.Reference, IntegratorID: a.WorkspaceID, BeneficiaryID: a.RecipientID,
		BeneficiaryAccountID: a.BankAccountID,
		Chain:                a.Chain, Currency: string(a.Currency), Address: a.Address, WalletID: a.WalletID,
		ReturnAddress:       a.ReturnAddress,
		DestinationCurrency: string(a.Destination), DestinationPaymentRail: string(a.Rail),
		LiquidationAddressID: a.PartnerID,
		Status:               string(a.Status),
		CreatedAt:            clock.ISO(a.CreatedAt), UpdatedAt: clock.ISO(a.UpdatedAt),
	}
	if a.Next.Address != "" {
		v.PendingReturn = &rest.Return{
			WalletID: a.Next.WalletID, ReturnAddress: a.Next.Address, EffectiveAt: clock.ISO(a.Next.At),
		}
	}
	return v
}

// Short is the address as the setup shows it.
func (a Address) Short() rest.LiquidationAddress {
	return rest.LiquidationAddress{ID: a.ID, Address: a.Address, Chain: a.Chain, Currency: string(a.Currency)}
}

// Get finds one.
func (s *Service) Get(ctx context.Context, p auth.Principal, id string) (rest.WithdrawAddress, error) {
	a, err := s.store.WithdrawAddress(ctx, p.WorkspaceID, id)
	return a.View(s.clock.Now()), err
}
