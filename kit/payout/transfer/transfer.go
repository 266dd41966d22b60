// Package transfer asks the payment partner for the transfers of orders: payouts to
// banks, and refunds on chain. Packages payment and refund say what to ask for.
//
// A transfer belongs to one attempt of an order. The attempt is reserved in our books
// before the partner is asked (package order), the partner is asked under the attempt's
// key as often as it takes (ask.go), and what the partner says of it is written down as
// events of the order (news.go). An answer that does not fit what was asked for moves
// nothing: the order stays as it is, and a person has to look.
//
// Before an attempt is reserved, the partner is asked whether it has made it already (forgotten.go): the database may
// be older than what the partner did.
//
// Read ask.go, forgotten.go, find.go, news.go, hold.go (reviews, and whether screening lets money go), wallet.go
// (whether the money is there), then pace.go (how often the partner is asked).
package transfer

import (
	"context"
	"log/slog"

	"github.com/railkit/railkit/clock"
	"github.com/railkit/railkit/fiat"
	"github.com/railkit/railkit/kit/payout/fx"
	"github.com/railkit/railkit/kit/payout/match"
	"github.com/railkit/railkit/kit/payout/order"
	"github.com/railkit/railkit/kit/payout/orderview"
	"github.com/railkit/railkit/kit/payout/reference"
	"github.com/railkit/railkit/kit/payout/screen"
	"github.com/railkit/railkit/kit/payout/withdraw"
	"github.com/railkit/railkit/platform/record"
)

// Store is what transfers need of a database.
type Store interface {
	record.Writer[Tx]
	WithdrawAddress(ctx context.Context, workspaceID, id string) (withdraw.Address, error)
	// BooksOfWallet is what the ledger says lies in a wallet at the partner.
	BooksOfWallet(ctx context.Context, workspaceID, walletID string) ([]match.Held, error)
	Order(ctx context.Context, workspaceID, idOrReference string) (order.Order, error)
	// OrderOf finds the order that has claimed an id or a reference.
	OrderOf(ctx context.Context, kind order.ClaimKind, id string) (workspaceID, orderID string, err error)
	// Connections is how many connections to the database were made so far. Over a new one the database may be an
	// older one than before: a replica that took over had not got the last changes.
	Connections() int64
}

// Tx writes events of orders, and the reference of a refund that an event opens.
type Tx interface {
	orderview.Tx
	reference.Claims
}

// Service is the transfers of every workspace.
type Service struct {
	store   Store
	partner fiat.Partner
	band    fx.Band
	clock   clock.Clock
	log     *slog.Logger

	screening *screen.Service
	seen      seen
}

// New makes it.
func New(
	s Store, p fiat.Partner, band fx.Band, screening *screen.Service, clk clock.Clock, log *slog.Logger,
) *Service {
	return &Service{store: s, partner: p, band: band, clock: clk, log: log, screening: screening}
}
