// Package payment pays orders out: it does what an order's state asks for next, until
// the bank has the money, or whoever sent it has it back.
//
// A job advances one order at a time (Advance). A deposit that is final is priced and
// reserved in our books (pay.go), the partner is asked for the transfer under the
// attempt's key (ask.go), and asked about it until it is over. Before money leaves, the
// chain is looked at once more: a deposit may have vanished. What speaks against paying
// now puts the order into review, with the reason, and is looked at again (hold.go):
// the account cools down, the recipient is archived, the workspace may not pay out, the
// rate has moved too far, the wallet has too little.
//
// An example in numbers. 100.00 USDC arrive without a quote. At 18.4075 MXN and fees of
// 0.75 USDC, 99.25 USDC are converted, and 1,826.94 MXN are reserved and asked for. The
// connection breaks. The next run asks under the same key, and gets the same transfer.
// The partner says that it is sent, and the order is payment_submitted; then that the
// bank has it, and it is completed. Days later the bank sends it back: the order is
// returned, and package refund sends the money to the return address.
//
// Read advance.go, pay.go, terms.go (the price), hold.go, ask.go, follow.go (what the
// partner's notices do), sweep.go.
package payment

import (
	"context"
	"log/slog"
	"time"

	"github.com/railkit/railkit/clock"
	"github.com/railkit/railkit/job"
	"github.com/railkit/railkit/kit/payout/account"
	"github.com/railkit/railkit/kit/payout/arrival"
	"github.com/railkit/railkit/kit/payout/fx"
	"github.com/railkit/railkit/kit/payout/order"
	"github.com/railkit/railkit/kit/payout/orderview"
	"github.com/railkit/railkit/kit/payout/payin"
	"github.com/railkit/railkit/kit/payout/price"
	"github.com/railkit/railkit/kit/payout/recipient"
	"github.com/railkit/railkit/kit/payout/refund"
	"github.com/railkit/railkit/kit/payout/transfer"
	"github.com/railkit/railkit/kit/payout/withdraw"
	"github.com/railkit/railkit/platform/page"
	"github.com/railkit/railkit/platform/record"
	"github.com/railkit/railkit/platform/workspace"
)

// Job does what an order asks for next; the id is the order's.
const Job job.Kind = "payout_order"

// DueOrder is an order that the sweeper has to look at.
type DueOrder struct {
	order.Order
	DueAt time.Time
}

// Store is what payments need of a database.
type Store interface {
	record.Writer[Tx]
	Order(ctx context.Context, workspaceID, idOrReference string) (order.Order, error)
	Orders(ctx context.Context, f orderview.Filter) ([]order.Order, error)
	OrderOf(ctx context.Context, kind order.ClaimKind, id string) (workspaceID, orderID string, err error)
	// OrdersDue lists orders of every workspace that were due by then, longest
	// first, from after one on (its DueAt and ID).
	OrdersDue(ctx context.Context, by time.Time, after page.Cursor, limit int) ([]DueOrder, error)
	WithdrawAddress(ctx context.Context, workspaceID, id string) (withdraw.Address, error)
	WithdrawAddressByPartner(ctx context.Context, partnerID string) (withdraw.Address, error)
}

// Tx writes them.
type Tx interface {
	transfer.Tx
	HoldRecipient(ctx context.Context, workspaceID, id string) (recipient.Recipient, error)
	HoldBankAccount(ctx context.Context, workspaceID, id string) (account.Account, error)
	// DeferOrder says when the sweeper is to look again, if the row is still of the version.
	DeferOrder(ctx context.Context, o order.Order, until time.Time) error
	// Now is the time by the database's clock, which all servers share.
	Now(context.Context) (time.Time, error)
	record.Queue
}

// Service pays the orders of every workspace.
type Service struct{ c Config }

// Config wires a Service.
type Config struct {
	Store      Store
	Workspaces workspace.Reader
	Accounts   *account.Service
	Arrivals   *arrival.Service
	PayIns     *payin.Service
	Transfers  *transfer.Service
	Refunds    *refund.Service
	Rates      Rates
	Fees       price.Fees
	Band       fx.Band
	Clock      clock.Clock
	Log        *slog.Logger
}

// New makes it.
func New(c Config) *Service { return &Service{c} }
