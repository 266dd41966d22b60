// Package arrival records transfers of stablecoin to withdrawal addresses, as the watcher sees them on the chain, and
// finds the order that each one pays for. The API calls an arrival a drain. The partner's own drains, its record of
// the same money, are in package fiat.
//
// An arrival is detected with its first block and confirmed once it is final; a reorg may remove it, restore it, or
// replace it by another amount. It pays for the order that it belonged to before a reorg; else for the waiting quote
// of exactly this amount; else for the oldest waiting quote; else it opens an order of its own. Say that quotes of 50
// and 61 USDC wait at an address. If 61 USDC arrive, they pay for the second quote. If 54 USDC arrive, they pay for
// the first, whose order gets the label over. An arrival that is too small, of another token or too large to count is
// not paid out, but kept in the ledger.
//
// A final arrival can still vanish in a very deep reorg. Its order gets that event before it pays any more money out
// (SyncFinalDeposit).
//
// Read arrival.go (the row, and what the API shows), take.go (what becomes of a
// transfer), assign.go (which order it pays for, and what the order hears), senders.go (whose money an order has),
// sweep.go.
package arrival

import (
	"context"
	"log/slog"
	"time"

	"github.com/railkit/railkit/chain"
	"github.com/railkit/railkit/clock"
	"github.com/railkit/railkit/kit/payout/account"
	"github.com/railkit/railkit/kit/payout/ledger"
	"github.com/railkit/railkit/kit/payout/order"
	"github.com/railkit/railkit/kit/payout/orderview"
	"github.com/railkit/railkit/kit/payout/payin"
	"github.com/railkit/railkit/kit/payout/reference"
	"github.com/railkit/railkit/kit/payout/withdraw"
	"github.com/railkit/railkit/money"
	"github.com/railkit/railkit/platform/auth"
	"github.com/railkit/railkit/platform/page"
	"github.com/railkit/railkit/platform/record"
	"github.com/railkit/railkit/platform/watch"
	"github.com/railkit/railkit/rest"
)

// Reason is the reason why an arrival is not paid out.
type Reason string

// The reasons.
const (
	Dust       Reason = "dust"         // less than is paid out
	WrongToken Reason = "wrong_token"  // the address is for another one
	WrongChain Reason = "wrong_chain"  // the address is for another one
	TooMuch    Reason = "out_of_range" // more than can be counted
)

// Arrival is one transfer to a withdrawal address, with the id of that transfer. If it is paid out, its order has the
// further state.
type Arrival struct {
	WorkspaceID, ID, AddressID string
	OrderID                    string
	Chain, Currency, Amount    string // where, what, and how much in whole units
	From, Hash                 string
	LogIndex, Block            int64
	Confirmations, Required    int64
	State                      watch.State
	Reason                     Reason
	Booked                     bool // of one that is not paid out: it is in the ledger
	Version                    int64
	TransferAt                 time.Time // how far the transfer's changes were taken in
	CreatedAt, UpdatedAt       time.Time
}

// Store keeps arrivals.
type Store interface {
	record.Writer[Tx]
	Arrival(ctx context.Context, workspaceID, id string) (Arrival, error)
	// ArrivalsAt lists those at an address, oldest first, and counts them.
	ArrivalsAt(ctx context.Context, workspaceID, addressID string, p page.Page) ([]Arrival, int, error)
	Order(ctx context.Context, workspaceID, idOrReference string) (order.Order, error)
	Orders(ctx context.Context, f orderview.Filter) ([]order.Order, error)
	WithdrawAddress(ctx context.Context, workspaceID, id string) (withdraw.Address, error)
}

// Tx writes them, and the events of the orders that they pay for.
type Tx interface {
	// PutArrival inserts the first version, and replaces the one before; else record.ErrStale.
	PutArrival(context.Context, Arrival) error
	// Book does steps on the ledger that are no order's, such as dust.
	Book(ctx context.Context, workspaceID string, at time.Time, ops ...ledger.Op) error
	// Now is the time by the database's clock, which all servers share.
	Now(context.Context) (time.Time, error)
	orderview.Tx
	reference.Claims
	record.Queue
}

// Coming finds the global payment whose coins a transaction brings to a withdrawal address.
type Coming interface {
	// ComingTo fails with payin.ErrWait as long as that cannot be told.
	ComingTo(ctx context.Context, withdrawAddressID string, t watch.Transfer) (payin.Coins, error)
}

// Service is the arrivals of every workspace.
type Service struct {
	c     Config
	swept page.Cursor // transfers; the sweeper's own
	aside asides
}

// Config wires a Service.
type Config struct {
	Store       Store
	Transfers   Transfers
	Accounts    *account.Service
	Coming      Coming
	Least       money.Amount // less than that is dust
	Environment chain.Environment
	Depth       int // of every network, instead of its own
	Clock       clock.Clock
	Log         *slog.Logger
}

// New makes it.
func New(c Config) *Service { return &Service{c: c} }

// The states of a drain in few words.
const (
	drainPending   = "pending"
	drainCompleted = "completed"
	drainFailed    = "failed"
)

// List lists what arrived at a withdrawal address, oldest first.
func (s *Service) List(
	ctx context.Context, p auth.Principal, addressID string, at page.Page,
) ([]rest.Drain, *page.Cursor, int, error) {
	if _, err := s.c.Store.WithdrawAddress(ctx, p.WorkspaceID, addressID); err != nil {
		return nil, nil, 0, err
	}
	rows, total, err := s.c.Store.ArrivalsAt(ctx, p.WorkspaceID, addressID, at)
	if err != nil {
		return nil, nil, 0, err
	}
	views := make([]rest.Drain, len(rows))
	for i, d := range rows {
		var o order.Order
		if d.OrderID != "" {
			if o, err = s.c.Store.Order(ctx, p.WorkspaceID, d.OrderID); err != nil {
				return nil, nil, 0, err
			}
		}
		views[i] = d.view(o)
	}
	return views, nextPage(at, rows, total), total, nil
}

// view is the arrival with the state of its order.
func (d Arrival) view(o order.Order) rest.Drain {
	v := rest.Drain{
		ID: d.ID, WithdrawAddressID: d.AddressID, Amount: d.Amount, Currency: d.Currency, Chain: d.Chain,
		DepositTxHash: d.Hash,
		LogIndex:      d.LogIndex, BlockNumber: d.Block, Confirmations: d.Confirmations,
		RequiredConfirmations: d.Required, FromAddress: d.From,
		OccurredAt: clock.ISO(d.CreatedAt), CreatedAt: clock.ISO(d.CreatedAt),
		UpdatedAt: clock.ISO(later(d.UpdatedAt, o.UpdatedAt)),
	}
	v.Status, v.State, v.Reason = d.status(o)
	if d.pays(o) {
		addOrder(&v, o)
	}
	return v
}

func later(a, b time.Time) time.Time {
	if b.After(a) {
		return b
	}
	return a
}

// pays tells whether this arrival pays for an order.
func (d Arrival) pays(o order.Order) bool { return o.Deposit != nil && o.Deposit.TransferID == d.ID }

// status is the state of the arrival in the partner's names, which the API uses.
func (d Arrival) status(o order.Order) (status, state, reason string) {
	switch {
	case d.Reason != "":
		return "canceled", drainFailed, string(d.Reason)
	case !d.pays(o):
		return "canceled", drainFailed, "dropped"
	case !o.Deposit.Final:
		return "detected", drainPending, ""
	}
	switch o.Status {
	case order.Completed:
		return "payment_processed", drainCompleted, ""
	case order.Returned:
		if o.Refund != nil && o.Refund.Status == order.RefundCompleted {
			return "refunded", drainFailed, ""
		}
		return "returned", drainFailed, ""
	case order.Error:
		return "error", drainFailed, ""
	}
	return string(o.Status), drainPending, ""
}

// addOrder adds what the order knows.
func addOrder(v *rest.Drain, o order.Order) {
	t := o.Terms
	v.OrderID, v.OrderReference, v.PartnerTransferID = o.ID, o.Reference, o.Payout.TransferID
	if f := o.Failure; f != nil {
		v.Failure = &rest.PaymentFailure{Code: f.Code, Message: f.Message, ReturnCode: f.ReturnCode}
	}
	v.Destination = &rest.DrainDestination{
		Rail: string(o.Rail), Currency: string(o.Destination), BankAccountID: o.BankAccountID,
		AccountLastFour: o.LastFour,
		TrackingKey:     o.Payout.TrackingKey, TraceNumber: o.Payout.TraceNumber, IMAD: o.Payout.IMAD,
	}
	if t.Net.Minor <= 0 || t.Rate.IsZero() {
		return
	}
	v.ExchangeRate, v.Destination.Amount = t.Rate.String(), t.Net.String()
	for _, f := range []rest.DrainFee{
		{Kind: "network", Amount: t.Network.String(), Currency: string(t.Network.Currency)},
		{Kind: "platform", Amount: t.Platform.String(), Currency: string(t.Platform.Currency)},
	} {
		if f.Currency != "" {
			v.Fees = append(v.Fees, f)
		}
	}
}
