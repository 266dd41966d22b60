// Package withdraw keeps withdrawal addresses. Stablecoins that arrive at a withdrawal address
// are paid out to its bank account. A bank account has one such address for each chain and
// stablecoin.
//
// An address is provisioning until the partner has created it and the wallet behind it, and
// active for ever after (package provision). Refunds of its deposits go to its return address.
// A stolen API key could name the thief's wallet. So a return address takes effect, the first
// one as any later one, only after a waiting period as long as that of a new bank account,
// unless a member confirms it, and the members are alerted. Until then refunds go to the old
// return address or, without one, stay at the withdrawal address.
//
// Owners of wallets name their payees in books that the signer keeps. To an owner whose wallet
// gets the refunds, creating an address also gives what to stamp for the address's place there.
//
// Read address.go (the row), pair.go (the chains and stablecoins), create.go, payee.go, then
// return_address.go.
package withdraw

import (
	"context"
	"errors"
	"log/slog"
	"time"

	"github.com/railkit/railkit/clock"
	"github.com/railkit/railkit/fault"
	"github.com/railkit/railkit/fiat"
	"github.com/railkit/railkit/kit/payout/account"
	"github.com/railkit/railkit/kit/payout/alert"
	"github.com/railkit/railkit/kit/payout/customer"
	"github.com/railkit/railkit/kit/payout/pair"
	"github.com/railkit/railkit/kit/payout/provision"
	"github.com/railkit/railkit/kit/payout/reference"
	"github.com/railkit/railkit/money"
	"github.com/railkit/railkit/platform/auth"
	"github.com/railkit/railkit/platform/record"
	"github.com/railkit/railkit/rest"
)

// Address is a withdrawal address: stablecoins that arrive there are paid out to its bank account.
type Address struct {
	WorkspaceID, ID, Reference string
	RecipientID, BankAccountID string
	Chain                      string
	Currency                   money.Currency
	Destination                money.Currency // of the bank account
	Rail                       fiat.Rail
	// WalletID is the wallet that gets refunds, ReturnAddress its address on Chain; empty: refunds cannot be sent.
	WalletID, ReturnAddress string
	Next                    ReturnChange // the return address that is waiting, the first one or another
	provision.Provision
	CustomerID, PartnerWalletID, PartnerID string // the partner's ids of the workspace, the wallet and the address
	Address                                string // the address on Chain; empty until the partner has created it
	CreatedAt, UpdatedAt                   time.Time
}

// Store keeps withdrawal addresses.
type Store interface {
	record.Writer[Tx]
	WithdrawAddress(ctx context.Context, workspaceID, id string) (Address, error)
	// WithdrawAddressOf finds the withdrawal address of a bank account for a chain and stablecoin.
	WithdrawAddressOf(ctx context.Context, workspaceID, bankAccountID, chain string, c money.Currency) (Address, error)
	// WaitingWithdrawAddresses lists, for all workspaces, addresses that are still provisioning and were
	// last claimed before the instant.
	WaitingWithdrawAddresses(ctx context.Context, before time.Time, limit int) ([]Address, error)
}

// Tx writes withdrawal addresses. The first four methods are those of provision.Maker. The error is record.ErrStale
// if another request has claimed or changed the row meanwhile.
type Tx interface {
	InsertWithdrawAddress(context.Context, Address) error
	TakeWithdrawAddress(ctx context.Context, a Address, was time.Time) error
	LeaveWithdrawAddress(context.Context, Address) error
	// FinishWithdrawAddress also adds the address to those that the chain watchers look for.
	FinishWithdrawAddress(context.Context, Address) error
	// SetReturnAddress writes the return address and its waiting change, if the row still has those of was.
	SetReturnAddress(ctx context.Context, a, was Address) error
	// HoldBankAccount reads a bank account and locks its row until the transaction ends.
	HoldBankAccount(ctx context.Context, workspaceID, id string) (account.Account, error)
	reference.Claims
	alert.RaiseTx
}

// Wallets finds the addresses of the platform's own wallets. The error is fault.Missing for
// an unknown wallet; address is "" if the wallet has none on the chain.
type Wallets interface {
	AddressOn(ctx context.Context, workspaceID, walletID, chain string) (id, address string, err error)
}

// Service creates and changes the withdrawal addresses of all workspaces.
type Service struct{ c Config }

// Config wires a Service.
type Config struct {
	Store     Store
	Partner   fiat.Partner
	Customers *customer.Service
	Accounts  *account.Service
	Wallets   Wallets
	Payees    Payees        // nil: answers name no payees
	Pairs     pair.Pairs    // of which there are addresses
	Cooling   time.Duration // how long a return address waits
	Clock     clock.Clock
	Log       *slog.Logger
}

// New makes a Service.
func New(c Config) *Service { return &Service{c} }

// View is the address as the API's off-ramp calls show it, with the return address in force at the instant.
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

// Short is the address as the answer to SetUp shows it.
func (a Address) Short() rest.LiquidationAddress {
	return rest.LiquidationAddress{ID: a.ID, Address: a.Address, Chain: a.Chain, Currency: string(a.Currency)}
}

// Get is the withdrawal address with the id, with its payee in the book of the owners of the wallet that gets refunds,
// or is the first that was named for them.
func (s *Service) Get(ctx context.Context, p auth.Principal, id string) (rest.WithdrawAddress, error) {
	a, err := s.c.Store.WithdrawAddress(ctx, p.WorkspaceID, id)
	if err != nil {
		return rest.WithdrawAddress{}, err
	}
	v := a.View(s.c.Clock.Now())
	if v.Payee, err = s.inBook(ctx, a, a.At(s.c.Clock.Now()).namedWallet()); errors.Is(err, fault.ErrNotFound) {
		err = nil // the wallet's row is lost: the address is still to be shown
	}
	return v, err
}
