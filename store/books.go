package store

import (
	"context"
	"fmt"

	"github.com/railkit/railkit/kit/payout/ledger"
	"github.com/railkit/railkit/kit/payout/reconcile"
	"github.com/railkit/railkit/money"
	"github.com/railkit/railkit/store/db"
	"github.com/railkit/railkit/store/postgres"
)

// WorkspacesWithBooks are those that have a ledger.
func (s booksReads) WorkspacesWithBooks(ctx context.Context) ([]string, error) {
	ids, err := s.read.WorkspacesWithBooks(ctx)
	return ids, doing("listing workspaces with books", postgres.Tell(err))
}

// CurrencySums sums all accounts up.
func (s booksReads) CurrencySums(ctx context.Context, workspaceID string) ([]reconcile.CurrencySum, error) {
	rows, err := s.read.SumsOfCurrencies(ctx, workspaceID)
	return many(rows, err, func(r db.SumsOfCurrenciesRow) (reconcile.CurrencySum, error) {
		c := money.Currency(r.Currency)
		return reconcile.CurrencySum{Currency: c, Entries: int(r.Entries), Posted: money.Of(r.Posted, c), Pending: money.Of(r.Pending, c)}, nil
	})
}

// WrongBalances are the rows that are not what their entries say.
func (s booksReads) WrongBalances(ctx context.Context, workspaceID string) ([]reconcile.Misfit, error) {
	rows, err := s.read.WrongBalances(ctx, workspaceID)
	return many(rows, err, func(r db.WrongBalancesRow) (reconcile.Misfit, error) {
		return reconcile.Misfit{
			Account: ledger.Account(r.Account), Currency: money.Currency(r.Currency), Posted: r.Posted, PendingIn: r.PendingIn, PendingOut: r.PendingOut,
		}, nil
	})
}

// WrongCheckpoints are those that are not what the entries marked as counted say.
func (s booksReads) WrongCheckpoints(ctx context.Context, workspaceID string) ([]reconcile.Misfit, error) {
	rows, err := s.read.WrongCheckpoints(ctx, workspaceID)
	return many(rows, err, func(r db.WrongCheckpointsRow) (reconcile.Misfit, error) {
		return reconcile.Misfit{Account: ledger.Account(r.Account), Currency: money.Currency(r.Currency), Posted: r.Posted, Entries: r.Entries}, nil
	})
}

// StrayEntries are the refs of entries without a transaction, and of
// transactions without entries.
func (s booksReads) StrayEntries(ctx context.Context, workspaceID string) ([]string, error) {
	refs, err := s.read.StrayEntries(ctx, workspaceID)
	return refs, doing("looking for stray entries", postgres.Tell(err))
}

// OrdersWithBooks lists orders by id, each beside what is booked for it.
func (s booksReads) OrdersWithBooks(ctx context.Context, workspaceID, after string, limit int) ([]reconcile.OrderBooks, error) {
	rows, err := s.read.OrdersWithBooks(ctx, workspaceID, after, int32(limit))
	return many(rows, err, func(r db.OrdersWithBooksRow) (reconcile.OrderBooks, error) {
		o, err := orderRow(r.Body)
		return reconcile.OrderBooks{Order: o, Posted: r.Posted, Reserved: r.PendingOut, Paid: r.Paid, Pending: r.Pending, Events: r.Events}, err
	})
}

// Checkpoint counts entries of hot accounts, a batch of each account that has at
// least so many that are not counted.
func (s booksReads) Checkpoint(ctx context.Context, least, batch int) (counted int, err error) {
	accounts, err := s.read.UnsummedAccounts(ctx, int64(least))
	if err != nil {
		return 0, doing("looking for entries to count", postgres.Tell(err))
	}
	for _, a := range accounts {
		err := s.transact(ctx, func(t *tx) error {
			n, err := t.checkpoint(ctx, a, batch)
			counted += n
			return err
		})
		if err != nil {
			return counted, err
		}
	}
	return counted, nil
}

func (t *tx) checkpoint(ctx context.Context, a db.UnsummedAccountsRow, batch int) (int, error) {
	amounts, err := t.q.SumEntries(ctx, db.SumEntriesParams{
		WorkspaceID: a.WorkspaceID, Account: a.Account, Currency: a.Currency, Most: int32(batch),
	})
	if err != nil || len(amounts) == 0 {
		return 0, doing("marking entries", err)
	}
	sum := money.Of(0, money.Currency(a.Currency))
	for _, minor := range amounts {
		if sum, err = sum.Add(money.Of(minor, sum.Currency)); err != nil {
			return 0, fmt.Errorf("summing up %s: %w", a.Account, err)
		}
	}
	return len(amounts), doing("writing a checkpoint", t.q.AddCheckpoint(ctx, db.AddCheckpointParams{
		WorkspaceID: a.WorkspaceID, Account: a.Account, Currency: a.Currency,
		Posted: sum.Minor, Entries: int64(len(amounts)), UpdatedAt: micros(t.now),
	}))
}
