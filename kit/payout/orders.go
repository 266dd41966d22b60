package payout

import (
	"context"
	"time"

	"github.com/railkit/railkit/fiat"
	"github.com/railkit/railkit/job"
	"github.com/railkit/railkit/kit/payout/ledger"
	"github.com/railkit/railkit/kit/payout/match"
	"github.com/railkit/railkit/kit/payout/order"
	"github.com/railkit/railkit/money"
	"github.com/railkit/railkit/platform/page"
)

// JobOrder does what an order asks for next; the id is the order's.
const JobOrder job.Kind = "payout_order"

// OrderFilter selects orders, newest first. Zero fields do not filter.
type OrderFilter struct {
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

// OrderCounts is how many orders of each status the rest of a filter selects.
type OrderCounts map[order.Status]int

// DueOrder is one that the sweeper has to look at.
type DueOrder struct {
	order.Order
	DueAt time.Time
}

// OrderStore reads orders and the ledger.
type OrderStore interface {
	// Order finds one by its id, or the newest of those that a reference names.
	Order(ctx context.Context, workspaceID, idOrReference string) (order.Order, error)
	// Orders lists a page and counts by status, as if the filter named none.
	Orders(ctx context.Context, f OrderFilter) ([]order.Order, OrderCounts, error)
	Timeline(ctx context.Context, workspaceID, id string) ([]order.Entry, error)
	// OrdersDue lists orders of every workspace that were due by then, longest
	// first, from after one on (its DueAt and ID).
	OrdersDue(ctx context.Context, by time.Time, after page.Cursor, limit int) ([]DueOrder, error)
	// OrderOf finds whose something is: a transfer of the partner's or on chain.
	// An order that gave it up and nobody else took it still has it.
	OrderOf(ctx context.Context, kind order.ClaimKind, id string) (workspaceID, orderID string, err error)
	// Balance is what an account has. Of hot accounts it is summed up.
	Balance(ctx context.Context, workspaceID string, a ledger.Account, c money.Currency) (ledger.Balance, error)
	// BooksOfWallet is what the ledger says lies in a wallet at the partner.
	BooksOfWallet(ctx context.Context, workspaceID, walletID string) ([]match.Held, error)
}

// OrderTx writes them.
type OrderTx interface {
	// Apply does all of one change: the row (the first version is inserted, else
	// work.ErrStale unless the row is of the version before), its timeline, references
	// and claims (another order's: ErrTaken), the ledger (ledger.ErrShort,
	// ledger.ErrState), and the job of what comes next.
	Apply(ctx context.Context, c order.Change) error
	// Book does steps on the ledger that are no order's, such as dust.
	Book(ctx context.Context, workspaceID string, at time.Time, ops ...ledger.Op) error
	// ClaimReference takes a reference for an order, or tells that it is taken.
	ClaimReference(ctx context.Context, reference, workspaceID, orderID string) (bool, error)
	// DeferOrder says when the sweeper is to look again, if the row is still of the version.
	DeferOrder(ctx context.Context, o order.Order, until time.Time) error
}
