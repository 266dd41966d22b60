// Package orderview finds, lists, shows and cancels orders. Package order defines an order and its
// allowed state changes, without input or output. Packages arrival, payment and refund change
// the state of orders.
//
// An order can be found by its id, its reference (OFR-20261121-7K3M), the hash of its deposit,
// and the references that the partner and the rails give it. The API shows it in two forms: as
// an order, with all fields, and as a payment, with fewer.
//
// Read orders.go (the store), find.go, list.go, view.go and detail.go (an order as the API
// shows it), payment.go (the same as a payment), export.go and csv.go (many as a file), cancel.go.
package orderview

import (
	"context"
	"errors"
	"slices"
	"time"

	"github.com/railkit/railkit/clock"
	"github.com/railkit/railkit/fiat"
	"github.com/railkit/railkit/kit/payout/order"
	"github.com/railkit/railkit/kit/payout/recipient"
	"github.com/railkit/railkit/kit/payout/withdraw"
	"github.com/railkit/railkit/money"
	"github.com/railkit/railkit/platform/page"
	"github.com/railkit/railkit/platform/record"
)

// Filter selects orders, newest first. A field with its zero value does not filter.
type Filter struct {
	WorkspaceID       string
	Statuses          []order.Status
	Types             []order.Type
	Rails             []fiat.Rail
	Pair              string // "USDC/MXN"
	RecipientID       string
	RecipientName     string // a part of the name, in upper or lower case
	BankAccountID     string
	WithdrawAddressID string
	DepositAccountID  string
	From, To          time.Time // of the creation time, both included
	Search            string    // a part of the reference, of the name or of an amount
	References        []string  // the order has every one of them
	Page              page.Page
}

// Measure is how many orders of all workspaces have a status, for monitoring.
type Measure struct {
	Status order.Status
	Orders int64
	Oldest time.Time // when the oldest was made; zero where the status is an end
}

// Counts is the number of orders by status that a filter selects if its statuses are left out.
type Counts map[order.Status]int

// Total is the number of orders with one of the statuses, or of all orders if none is given.
func (c Counts) Total(of []order.Status) int {
	total := 0
	for status, n := range c {
		if len(of) == 0 || slices.Contains(of, status) {
			total += n
		}
	}
	return total
}

// ByName is the counts as the API shows them.
func (c Counts) ByName() map[string]int {
	all := map[string]int{}
	for status, n := range c {
		all[string(status)] = n
	}
	return all
}

// ErrTaken refuses to give an order an id that another order has: one deposit must not pay for
// two orders, and one transfer at the partner must not be the payout of two.
var ErrTaken = errors.New("payout: it is another order's")

// Rates are the rates of the quote that an order was made from.
type Rates struct {
	Midmarket, Sell        money.Rate
	Spread                 int64 // basis points between them
	FetchedAt, PublishedAt time.Time
}

// Store keeps orders.
type Store interface {
	record.Writer[Tx]
	// Order finds an order by its id, or the newest order that has the reference.
	Order(ctx context.Context, workspaceID, idOrReference string) (order.Order, error)
	// Orders lists a page of orders.
	Orders(ctx context.Context, f Filter) ([]order.Order, error)
	// OrderCounts counts the orders that the filter selects, by status. It ignores the filter's statuses and page.
	OrderCounts(ctx context.Context, f Filter) (Counts, error)
	Timeline(ctx context.Context, workspaceID, id string) ([]order.Entry, error)
	// OrderOf finds the order that has claimed an id, such as that of a transfer on chain or at the partner.
	// An id that an order gave up still finds that order, until another order claims the id.
	OrderOf(ctx context.Context, kind order.ClaimKind, id string) (workspaceID, orderID string, err error)
	QuoteRates(ctx context.Context, workspaceID, quoteID string) (Rates, error)
	Recipient(ctx context.Context, workspaceID, id string) (recipient.Recipient, error)
	WithdrawAddress(ctx context.Context, workspaceID, id string) (withdraw.Address, error)
}

// Tx writes orders.
type Tx interface {
	// Apply writes all parts of one change:
	//   - the row: version 1 is inserted, a later one replaces the version before it, else record.ErrStale;
	//   - the timeline, the references, and the claimed ids: ErrTaken if another order has one of them;
	//   - the ledger: ledger.ErrShort, ledger.ErrState;
	//   - the job of the order's next step.
	Apply(ctx context.Context, c order.Change) error
}

// Write applies an event to an order and writes the change. An event that was applied before
// changes nothing.
func Write(ctx context.Context, tx Tx, o order.Order, e order.Event) (order.Order, error) {
	c, err := order.Apply(o, e)
	if errors.Is(err, order.ErrKnown) {
		return o, nil
	}
	if err != nil {
		return o, err
	}
	return c.Order, tx.Apply(ctx, c)
}

// Most is the largest number of orders of one address, recipient or account that are read at once.
const Most = 200

// Service finds, lists, shows and cancels the orders of every workspace.
type Service struct {
	store Store
	clock clock.Clock
}

// New makes a Service.
func New(s Store, clk clock.Clock) *Service { return &Service{s, clk} }

// Timeline lists an order's events, oldest first.
func (s *Service) Timeline(ctx context.Context, workspaceID, orderID string) ([]order.Entry, error) {
	return s.store.Timeline(ctx, workspaceID, orderID)
}
