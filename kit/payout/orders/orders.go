// Package orders finds, lists, shows and cancels orders. What an order is, and what may
// happen to it, is decided by package order, which is pure; packages arrival, payment
// and refund move orders on.
//
// An order is known by its id, its reference (OFR-20261121-7K3M), the hash of its
// deposit, and whatever else the partner and the rails call it. The API shows it as an
// order, in more words, and as a payment, in fewer.
//
// Read orders.go (what is kept), find.go, list.go, view.go and detail.go (an order as
// the API shows it), payment.go (the same as a payment), cancel.go.
package orders

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

// Filter selects orders, newest first. Zero fields do not filter.
type Filter struct {
	WorkspaceID       string
	Statuses          []order.Status
	Types             []order.Type
	Rails             []fiat.Rail
	Pair              string // "USDC/MXN"
	RecipientID       string
	RecipientName     string // part of it, any case
	BankAccountID     string
	WithdrawAddressID string
	From, To          time.Time // of creation, both included
	Search            string    // part of reference, name or an amount
	References        []string  // all of them name it
	Page              page.Page
}

// Counts is how many orders of each status the rest of a filter selects.
type Counts map[order.Status]int

// Total is how many orders have one of the statuses; of none given, all.
func (c Counts) Total(of []order.Status) int {
	total := 0
	for status, n := range c {
		if len(of) == 0 || slices.Contains(of, status) {
			total += n
		}
	}
	return total
}

// ByName is the counts as lists show them.
func (c Counts) ByName() map[string]int {
	all := map[string]int{}
	for status, n := range c {
		all[string(status)] = n
	}
	return all
}

// ErrTaken is the claim of something that is another order's: a transfer that
// pays for two, or a partner that answers two calls with one payout.
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
	// Order finds one by its id, or the newest of those that a reference names.
	Order(ctx context.Context, workspaceID, idOrReference string) (order.Order, error)
	// Orders lists a page and counts by status, as if the filter named none.
	Orders(ctx context.Context, f Filter) ([]order.Order, Counts, error)
	Timeline(ctx context.Context, workspaceID, id string) ([]order.Entry, error)
	// OrderOf finds whose something is: a transfer of the partner's or on chain.
	// An order that gave it up and nobody else took it still has it.
	OrderOf(ctx context.Context, kind order.ClaimKind, id string) (workspaceID, orderID string, err error)
	QuoteRates(ctx context.Context, workspaceID, quoteID string) (Rates, error)
	Recipient(ctx context.Context, workspaceID, id string) (recipient.Recipient, error)
	WithdrawAddress(ctx context.Context, workspaceID, id string) (withdraw.Address, error)
}

// Tx writes them.
type Tx interface {
	// Apply does all of one change: the row (the first version is inserted, else
	// record.ErrStale unless the row is of the version before), its timeline, references
	// and claims (another order's: ErrTaken), the ledger (ledger.ErrShort,
	// ledger.ErrState), and the job of what comes next.
	Apply(ctx context.Context, c order.Change) error
}

// Write applies an event to an order and writes that down. An event that is known
// already changes nothing.
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

// Most is how many orders of one address, recipient or account are looked at.
const Most = 200

// Service finds, lists, shows and cancels the orders of every workspace.
type Service struct {
	store Store
	clock clock.Clock
}

// New makes it.
func New(s Store, clk clock.Clock) *Service { return &Service{s, clk} }

// Timeline is what happened to an order, in its order.
func (s *Service) Timeline(ctx context.Context, workspaceID, orderID string) ([]order.Entry, error) {
	return s.store.Timeline(ctx, workspaceID, orderID)
}
