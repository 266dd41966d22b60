// Package wallet is wallets and their addresses. The enclave makes the seed of a wallet and derives its addresses; the
// server remembers names, paths and the enclave's proofs.
//
// A wallet is prepared, stamped and confirmed, and an address of it likewise; from then on they are there for good. A
// request that nobody stamps in 15 minutes expires. Asked again after a crash, the enclave gives its first result, and
// the same rows are written.
//
// Read wallet.go for the rows, create.go and address.go for how they are made, view.go, history.go and known.go for how
// they are shown, and sender.go for who signs a transaction.
package wallet

import (
	"context"
	"time"

	"github.com/railkit/railkit/clock"
	"github.com/railkit/railkit/kit/signing/activity"
	"github.com/railkit/railkit/kit/signing/nodes"
	"github.com/railkit/railkit/kit/signing/passkey"
	"github.com/railkit/railkit/kit/signing/payee"
	"github.com/railkit/railkit/kit/signing/signer"
	"github.com/railkit/railkit/platform/record"
)

// Tx is what wallets need of a transaction of the database.
type Tx interface {
	activity.Tx
	InsertWallet(context.Context, Wallet) error   // a second one with the same enclave id: no-op
	InsertAddress(context.Context, Address) error // same, by wallet and path; also the directory row
}

// Store is what wallets need of a database.
type Store interface {
	Activity(ctx context.Context, workspaceID, id string) (activity.Activity, error)
	// of activities that wait
	PendingPaths(ctx context.Context, workspaceID, walletID string, now time.Time) ([]string, error)
	Wallets(ctx context.Context, f Filter) ([]Wallet, int, error)
	Wallet(ctx context.Context, workspaceID, idOrEnclaveID string) (Wallet, error)
	Addresses(ctx context.Context, workspaceID, walletID string) ([]Address, error) // oldest first
	// of several wallets, oldest first
	AddressesOf(ctx context.Context, workspaceID string, walletIDs []string) ([]Address, error)
	Address(ctx context.Context, workspaceID, idOrAddress string) (Address, error)
	AddressOwned(ctx context.Context, kind, address string) (bool, error) // by a wallet of any workspace
	History(ctx context.Context, f HistoryFilter) ([]HistoryLine, int, error)
	// the newest, of all its wallets
	OwnAddresses(ctx context.Context, workspaceID, subOrganizationID string, most int) ([]Named, error)
	// by so many of the newest transactions
	PaidAddresses(ctx context.Context, workspaceID, walletID string, newest int) ([]Paid, error)
	record.Writer[Tx]
}

// Service makes and shows wallets and addresses.
type Service struct{ c Config }

// Config wires a Service.
type Config struct {
	Store      Store
	Enclave    signer.Enclave
	Activities *activity.Service
	Passkeys   *passkey.Service
	Payees     *payee.Service
	Nodes      *nodes.Set
	Clock      clock.Clock
}

// New makes a Service.
func New(c Config) *Service { return &Service{c} }
