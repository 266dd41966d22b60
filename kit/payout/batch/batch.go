// Package batch makes many payments together or not at all.
//
// A batch begins as a preview: up to 1,000 rows, each of which is what one quote asks for. Every row is checked and
// priced by itself, so that all that is wrong is told at once. A batch without a wrong row can be executed until its
// prices expire. Executing it makes an order of each row, in one transaction, and once: 64 callers at once get the
// same orders. If anything has changed that would keep one row from being executed, no row is.
//
//	ready ── execute ──▶ executed
//	ready, invalid ── cancel ──▶ canceled
//
// Rows that were paid before, as those of a file that is sent twice, are marked by the preview, and executed only if
// the caller says payAgain.
//
// A batch with a wrong row is invalid and stays so: the caller corrects the rows and has a new one previewed. A row is
// stored as the preview showed it and is never changed. The price of a row is a quote of its own (package quote), which
// no call of the API names before the batch is executed.
//
// Read batch.go, csv.go (rows from a CSV), preview.go and issue.go (what is wrong with rows), repeats.go (what was paid
// before), sums.go, execute.go, cancel.go, view.go.
package batch

import (
	"context"
	"time"

	"github.com/railkit/railkit/clock"
	"github.com/railkit/railkit/kit/payout/order"
	"github.com/railkit/railkit/kit/payout/quote"
	"github.com/railkit/railkit/platform/page"
	"github.com/railkit/railkit/platform/record"
	"github.com/railkit/railkit/rest"
)

// Most is how many rows a batch may have.
const Most = 1000

// Status is how far a batch is. That one has expired is told by its end, and is no status.
type Status string

// The statuses.
const (
	Ready    Status = "ready"   // can be executed
	Invalid  Status = "invalid" // a row is wrong
	Executed Status = "executed"
	Canceled Status = "canceled"
)

// expired is the status that the API shows in place of Ready once the prices do not hold any more.
const expired = "expired"

// Batch is one batch without its rows.
type Batch struct {
	WorkspaceID, ID      string
	Status               Status
	RowCount, WrongRows  int
	Content              Content
	CreatedAt, ExpiresAt time.Time // by the database's clock, like EndedAt
	EndedAt              time.Time // when it was executed or canceled; zero: neither
}

// Content is what a preview found out about all rows together. Executing replaces the addresses.
type Content struct {
	Sources      []rest.BatchSum     `json:"sources"`
	Destinations []rest.BatchSum     `json:"destinations"`
	Errors       []rest.BatchIssue   `json:"errors"`
	Warnings     []rest.BatchIssue   `json:"warnings"`
	Addresses    []rest.BatchAddress `json:"addresses"`
}

// Row is a row of a batch.
type Row struct {
	N       int // from 1
	QuoteID string
	Shown   rest.BatchRow // as the preview showed it
	Order   *order.Order  // nil: not executed
}

// Priced is a row with its quote and the present rows that it refers to.
type Priced struct {
	Row
	quote.Quoted
}

// Store keeps batches.
type Store interface {
	record.Writer[Tx]
	Batch(ctx context.Context, workspaceID, id string) (Batch, error)
	// Batches lists a page of batches, newest first, and counts all.
	Batches(ctx context.Context, workspaceID string, at page.Page) ([]Batch, int, error)
	// BatchRows lists rows of a batch in their order, from an offset on.
	BatchRows(ctx context.Context, workspaceID, id string, offset, limit int) ([]Row, error)
	// PricedRows lists the rows of a batch that have a quote, in their order.
	PricedRows(ctx context.Context, workspaceID, id string) ([]Priced, error)
}

// Tx writes batches, their quotes and their orders.
type Tx interface {
	InsertBatch(ctx context.Context, b Batch, rows []Row) error
	// EndBatch writes status, content and end of a batch that still has the status, else record.ErrStale. It locks the
	// batch until the transaction ends.
	EndBatch(ctx context.Context, b Batch, was Status) error
	EarlierTx
	quote.Tx
}

// Service is the batches of every workspace.
type Service struct {
	store  Store
	quotes *quote.Service
	clock  clock.Clock
}

// New makes it.
func New(s Store, quotes *quote.Service, clk clock.Clock) *Service { return &Service{s, quotes, clk} }
