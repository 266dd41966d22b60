// Package reconcile compares records of money: our ledger with itself and with the orders (Books), and our orders and
// ledger with the chains and the partner (Matcher). It changes nothing. Differences are logged as errors at once, and
// shown by railkit admin reconcile.
//
// The books are checked each hour by every server: sums, balances, checkpoints, and each
// order against what is booked for it. The comparison with the partner goes wallet by wallet,
// and account number by account number, one server at a time, in rounds of which the first begins an hour after the
// last one ended. Its progress is a row (MatchRun), so that any server can continue it.
//
// Read books.go, matcher.go (one wallet), payins.go (one account number), match_run.go (the rounds). What is compared
// with what is package match, which is pure.
package reconcile

import (
	"context"
	"fmt"
	"log/slog"
	"strconv"
	"sync"
	"time"

	"github.com/railkit/railkit/clock"
	"github.com/railkit/railkit/kit/payout/ledger"
	"github.com/railkit/railkit/kit/payout/order"
	"github.com/railkit/railkit/money"
	"github.com/railkit/railkit/rest"
)

// Difference is a value that two records do not agree on.
type Difference struct {
	WorkspaceID string
	Check       string // "balance"
	About       string // an account, a transaction, an order
	Want, Got   string
}

// Reconciliation is what a check of a workspace's books found.
type Reconciliation struct {
	WorkspaceID string
	At          time.Time
	Entries     int // of the ledger
	Orders      int
	Differences []Difference
}

func (r *Reconciliation) differs(check, about, want, got string) {
	r.Differences = append(r.Differences, Difference{r.WorkspaceID, check, about, want, got})
}

// CurrencySum is the sum of all accounts in a currency, which has to be zero.
type CurrencySum struct {
	Currency        money.Currency
	Entries         int
	Posted, Pending money.Amount
}

// Misfit is by how much two ways to count an account differ.
type Misfit struct {
	Account                                ledger.Account
	Currency                               money.Currency
	Posted, PendingIn, PendingOut, Entries int64
}

// OrderBooks is an order beside what is booked for it.
type OrderBooks struct {
	order.Order
	Posted, Reserved int64 // stablecoin of its own account
	Fiat             int64 // fiat of its own account
	Paid             int64 // to banks, in the destination's currency
	Pending          int64 // transactions
	Events           int64
}

// BookStore reads what the checks compare. Each method sees one moment.
type BookStore interface {
	WorkspacesWithBooks(ctx context.Context) ([]string, error)
	CurrencySums(ctx context.Context, workspaceID string) ([]CurrencySum, error)
	// rows of accounts with a floor, less their entries
	WrongBalances(ctx context.Context, workspaceID string) ([]Misfit, error)
	WrongCheckpoints(ctx context.Context, workspaceID string) ([]Misfit, error) // less what is marked as counted
	StrayEntries(ctx context.Context, workspaceID string) (refs []string, err error)
	OrdersWithBooks(ctx context.Context, workspaceID, after string, limit int) ([]OrderBooks, error) // by id
	// Checkpoint counts the posted entries of hot accounts that have at least so
	// many that are not counted, a batch of each.
	Checkpoint(ctx context.Context, least, batch int) (counted int, err error)
}

// Books checks what is kept of money against itself.
type Books struct {
	store BookStore
	clock clock.Clock
	log   *slog.Logger
	last  time.Time // the sweeper's own

	mu    sync.Mutex
	at    time.Time               // of the last check of all
	found map[string][]Difference // differences then, by workspace
}

// NewBooks makes one.
func NewBooks(s BookStore, clk clock.Clock, log *slog.Logger) *Books {
	return &Books{store: s, clock: clk, log: log}
}

// Reconcile checks the books of a workspace, or of all. It changes nothing.
func (b *Books) Reconcile(ctx context.Context, workspaceID string) ([]Reconciliation, error) {
	ids := []string{workspaceID}
	if workspaceID == "" {
		var err error
		if ids, err = b.store.WorkspacesWithBooks(ctx); err != nil {
			return nil, err
		}
	}
	all := make([]Reconciliation, 0, len(ids))
	for _, id := range ids {
		r := Reconciliation{WorkspaceID: id, At: b.clock.Now()}
		for _, check := range []func(context.Context, *Reconciliation) error{
			b.checkSums, b.checkBalances, b.checkEntries, b.checkOrders,
		} {
			if err := check(ctx, &r); err != nil {
				return all, fmt.Errorf("checking the books: %w", err)
			}
		}
		all = append(all, r)
	}
	return all, nil
}

// checkSums is the trial balance: the accounts of each currency sum to zero.
func (b *Books) checkSums(ctx context.Context, r *Reconciliation) error {
	sums, err := b.store.CurrencySums(ctx, r.WorkspaceID)
	for _, sum := range sums {
		r.Entries += sum.Entries
		for what, a := range map[string]money.Amount{"posted": sum.Posted, "pending": sum.Pending} {
			if !a.IsZero() {
				r.differs("sum", "all accounts, "+what, money.Of(0, sum.Currency).Display(), a.Display())
			}
		}
	}
	return err
}

func (b *Books) checkBalances(ctx context.Context, r *Reconciliation) error {
	wrong, err := b.store.WrongBalances(ctx, r.WorkspaceID)
	if err != nil {
		return err
	}
	for _, m := range wrong {
		r.differs("balance", string(m.Account), "as its entries",
			fmt.Sprintf("%s more, %s more pending in, %s more pending out",
				money.Of(m.Posted, m.Currency), money.Of(m.PendingIn, m.Currency), money.Of(m.PendingOut, m.Currency)))
	}
	wrong, err = b.store.WrongCheckpoints(ctx, r.WorkspaceID)
	for _, m := range wrong {
		r.differs(
			"checkpoint", string(m.Account), "as its entries",
			fmt.Sprintf("%s more, of %d entries more", money.Of(m.Posted, m.Currency), m.Entries),
		)
	}
	return err
}

func (b *Books) checkEntries(ctx context.Context, r *Reconciliation) error {
	refs, err := b.store.StrayEntries(ctx, r.WorkspaceID)
	for _, ref := range refs {
		r.differs("entries", ref, "a transaction and its entries", "one without the other")
	}
	return err
}

// checkOrders compares the amounts of each order with the ledger.
func (b *Books) checkOrders(ctx context.Context, r *Reconciliation) error {
	for after := ""; ; {
		rows, err := b.store.OrdersWithBooks(ctx, r.WorkspaceID, after, ordersPage)
		if err != nil {
			return err
		}
		for _, o := range rows {
			r.checkOrder(o)
			after = o.ID
		}
		if len(rows) < ordersPage {
			return nil
		}
	}
}

func (r *Reconciliation) checkOrder(o OrderBooks) {
	r.Orders++
	posted, reserved := o.Owns()
	for _, c := range []struct {
		what      string
		want, got int64
		in        money.Currency
	}{
		{"its own", posted, o.Posted, o.Coin()}, {"set aside", reserved, o.Reserved, o.Coin()},
		{"not converted", o.OwnsFiat(), o.Fiat, o.Fiats()},
		{"paid", o.Order.Paid(), o.Paid, o.Destination},
	} {
		if c.want != c.got {
			r.differs(
				"order", o.Reference+", "+string(o.Status)+", "+c.what, money.Of(c.want, c.in).Display(),
				money.Of(c.got, c.in).Display(),
			)
		}
	}
	if want := o.Order.Pending(); want != o.Pending {
		r.differs(
			"order", o.Reference+", "+string(o.Status)+", pending", strconv.FormatInt(want, 10),
			strconv.FormatInt(o.Pending, 10),
		)
	}
	if o.Lost() {
		r.differs(
			"deposit", o.Reference+", "+string(o.Status)+", "+o.Deposit.Hash, o.Deposit.Amount.Display(),
			"nothing: a reorg took it away",
		)
	}
	if p := o.PayIn; o.Recalled() {
		r.differs(
			"receivable", o.Reference+", "+string(o.Status)+", "+p.DepositID,
			money.Of(0, p.Receivable.Currency).Display(),
			p.Receivable.Display()+": the bank took it back after the coins were sent",
		)
	}
	if o.Version != o.Events {
		r.differs("order", o.Reference+", events", strconv.FormatInt(o.Version, 10), strconv.FormatInt(o.Events, 10))
	}
}

const (
	ordersPage      = 500 // that are compared at once
	reconcileEvery  = time.Hour
	checkpointLeast = 1000   // entries since the last one: a sum of so many is quick
	checkpointBatch = 10_000 // in one transaction
)

// Sweep writes checkpoints, and once an hour checks the books, on each server. Differences are logged as errors.
func (b *Books) Sweep(ctx context.Context) error {
	if _, err := b.store.Checkpoint(ctx, checkpointLeast, checkpointBatch); err != nil {
		return err
	}
	if now := b.clock.Now(); now.Sub(b.last) >= reconcileEvery {
		b.last = now
		all, err := b.Reconcile(ctx, "")
		b.report(ctx, all)
		if err == nil {
			b.keep(now, all)
		}
		return err
	}
	return nil
}

func (b *Books) keep(now time.Time, all []Reconciliation) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.at, b.found = now, map[string][]Difference{}
	for _, r := range all {
		if len(r.Differences) > 0 {
			b.found[r.WorkspaceID] = r.Differences
		}
	}
}

// Last is when the books of all were checked, and how many differences there were.
func (b *Books) Last() (at time.Time, differences int) {
	b.mu.Lock()
	defer b.mu.Unlock()
	for _, of := range b.found {
		differences += len(of)
	}
	return b.at, differences
}

// mostTold is how many differences a workspace is told of: one mistake may make many.
const mostTold = 100

// Of tells a workspace what the last check found in its books. Each server checks for itself, and has checked nothing
// in its first minute.
func (b *Books) Of(workspaceID string) rest.Reconciliation {
	b.mu.Lock()
	defer b.mu.Unlock()
	found := b.found[workspaceID]
	r := rest.Reconciliation{Total: len(found), Differences: []rest.Difference{}}
	if !b.at.IsZero() {
		at := clock.ISO(b.at)
		r.CheckedAt = &at
	}
	for _, d := range found[:min(len(found), mostTold)] {
		r.Differences = append(r.Differences, rest.Difference{Check: d.Check, About: d.About, Want: d.Want, Got: d.Got})
	}
	return r
}

func (b *Books) report(ctx context.Context, all []Reconciliation) {
	orders, entries, differences := 0, 0, 0
	for _, r := range all {
		orders, entries, differences = orders+r.Orders, entries+r.Entries, differences+len(r.Differences)
		for _, d := range r.Differences {
			b.log.ErrorContext(ctx,
				"the books differ", "workspace", d.WorkspaceID, "check", d.Check, "about", d.About, "want", d.Want,
				"got", d.Got,
			)
		}
	}
	if len(all) > 0 {
		b.log.InfoContext(ctx,
			"books checked", "workspaces", len(all), "orders", orders, "entries", entries, "differences", differences,
		)
	}
}
