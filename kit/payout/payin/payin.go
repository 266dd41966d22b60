// Package payin follows fiat that comes in: bank transfers to deposit accounts, which end as stablecoin in a wallet,
// and bank transfers to the account numbers of recipients, which go on to their banks. Each is an order (package order,
// type PayIn). The partner receives the fiat, converts it and sends the coins; here is written down what it tells, and
// the coins count only once the watcher has found them at the address where they belong.
//
// The partner's notices only say that something happened at an account. What, is asked: the partner lists the
// activities of the account, and those of one bank transfer become events of its order. The list is read again and
// again, so that a notice that is lost, doubled or late changes nothing. The order of an activity is found by the
// partner's id of the bank transfer, which belongs to one order for ever.
//
// An example in numbers. Ana sends 5,000.00 MXN to the CLABE of a deposit account. The partner tells funds_received:
// an order is opened, ONR-20261121-7K3M, at funds_received. It takes our fee of 55.00 MXN, converts the rest and tells
// payment_submitted with a transaction and 268.52 USDC: the order is payment_submitted. The watcher has that
// transaction with 268.52 USDC to the wallet's address; once it is final the order is completed. Were they 268.51 USDC,
// the order would wait, with the delay other_amount, for an operator.
//
// Read payin.go (the service), account.go (where fiat arrives), refresh.go (the partner is asked), receive.go (what it
// tells), settle.go (the coins on the chain), follow.go (one order's next step, and the sweeper).
package payin

import (
	"context"
	"log/slog"
	"time"

	"github.com/railkit/railkit/chain"
	"github.com/railkit/railkit/clock"
	"github.com/railkit/railkit/fiat"
	"github.com/railkit/railkit/kit/payout/account"
	"github.com/railkit/railkit/kit/payout/depositaccount"
	"github.com/railkit/railkit/kit/payout/fx"
	"github.com/railkit/railkit/kit/payout/order"
	"github.com/railkit/railkit/kit/payout/orderview"
	"github.com/railkit/railkit/kit/payout/price"
	"github.com/railkit/railkit/kit/payout/reference"
	"github.com/railkit/railkit/kit/payout/screen"
	"github.com/railkit/railkit/kit/payout/virtual"
	"github.com/railkit/railkit/kit/payout/withdraw"
	"github.com/railkit/railkit/money"
	"github.com/railkit/railkit/platform/record"
	"github.com/railkit/railkit/platform/watch"
)

// Store is what pay-ins need of a database.
type Store interface {
	record.Writer[Tx]
	Order(ctx context.Context, workspaceID, idOrReference string) (order.Order, error)
	Orders(ctx context.Context, f orderview.Filter) ([]order.Order, error)
	OrderOf(ctx context.Context, kind order.ClaimKind, id string) (workspaceID, orderID string, err error)
	// OrdersWithClaims lists the orders of a workspace that have claimed any of some ids.
	OrdersWithClaims(ctx context.Context, workspaceID string, k order.ClaimKind, ids []string) ([]order.Order, error)
	// KnownDepositEvents lists those of the partner's ids of events that a deposit account's list has already.
	KnownDepositEvents(ctx context.Context, workspaceID, accountID string, ids []string) ([]string, error)
	DepositAccount(ctx context.Context, workspaceID, id string) (depositaccount.Account, error)
	DepositAccountByPartner(ctx context.Context, partnerID string) (depositaccount.Account, error)
	DepositAccountsToPoll(ctx context.Context, before time.Time, limit int) ([]depositaccount.Account, error)
	VirtualAccount(ctx context.Context, workspaceID, id string) (virtual.Account, error)
	VirtualAccountByPartner(ctx context.Context, partnerID string) (virtual.Account, error)
	// VirtualAccountAt finds the virtual account whose coins go to a withdrawal address.
	VirtualAccountAt(ctx context.Context, workspaceID, withdrawAddressID string) (virtual.Account, error)
	// VirtualAccountsToPoll lists, for all workspaces, accounts of which the partner was last asked before the instant
	// what happened, longest first.
	VirtualAccountsToPoll(ctx context.Context, before time.Time, limit int) ([]virtual.Account, error)
	WithdrawAddress(ctx context.Context, workspaceID, id string) (withdraw.Address, error)
}

// Tx writes events of orders and of deposit accounts.
type Tx interface {
	orderview.Tx
	reference.Claims
	InsertDepositEvent(context.Context, depositaccount.Event) (bool, error)
	PolledDepositAccount(ctx context.Context, workspaceID, id string, at, until time.Time) error
	// PolledVirtualAccount notes when the partner was asked what happened, and how far that was taken in.
	PolledVirtualAccount(ctx context.Context, workspaceID, id string, at, until time.Time) error
}

// Transfers reads the transfers that the watcher wrote.
type Transfers interface {
	Transfer(ctx context.Context, workspaceID, id string) (watch.Transfer, error)
	// TransfersOfTx lists the transfers of a transaction to addresses of a workspace, in their order.
	TransfersOfTx(ctx context.Context, workspaceID, chain, tx string) ([]watch.Transfer, error)
	Head(ctx context.Context, chain string) (watch.Cursor, bool, error)
}

// Rates are the partner's.
type Rates interface {
	Newest(ctx context.Context, from, to money.Currency) (fx.Rate, error)
}

// Config wires a Service.
type Config struct {
	Store       Store
	Partner     fiat.Partner
	Accounts    *account.Service
	Deposits    *depositaccount.Service
	Transfers   Transfers
	Rates       Rates
	Screening   *screen.Service
	Limits      price.Deposits // what deposits may be, and cost
	Band        int64          // basis points that a conversion may be away from the partner's rate; 0: any
	Environment chain.Environment
	Depth       int // of every network, instead of its own
	Clock       clock.Clock
	Log         *slog.Logger
}

// Service follows the pay-ins of every workspace.
type Service struct {
	c    Config
	pace pace
}

// New makes it.
func New(c Config) *Service { return &Service{c: c} }
