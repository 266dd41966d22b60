package payout

import (
	"context"
	"fmt"

	"github.com/railkit/railkit/kit/payout/ledger"
	"github.com/railkit/railkit/kit/payout/reconcile"
	"github.com/railkit/railkit/money"
	"github.com/railkit/railkit/store/db"
	"github.com/railkit/railkit/store/internal/sqldb"
)

// WorkspacesWithBooks are those that have a ledger.
func (s orderReads) WorkspacesWithBooks(ctx context.Context) ([]string, error) {
	ids, err := s.db.Read.WorkspacesWithBooks(ctx)
	return ids, sqldb.Reading("listing workspaces with books", err)
}

// CurrencySums sums all accounts up.
func (s orderReads) CurrencySums(ctx context.Context, workspaceID string) ([]reconcile.CurrencySum, error) {
	rows, err := s.db.Read.SumsOfCurrencies(ctx, workspaceID)
	return sqldb.Many(rows, err, func(r db.SumsOfCurrenciesRow) (reconcile.CurrencySum, error) {
		c := money.Currency(r.Currency)
		return reconcile.CurrencySum{
			Currency: c, Entries: int(r.Entries), Posted: money.Of(r.Posted, c), Pending: money.Of(r.Pending, c),
		}, nil
	})
}

// WrongBalances are the rows that are not what their entries say.
func (s orderReads) WrongBalances(ctx context.Context, workspaceID string) ([]reconcile.Misfit, error) {
	rows, err := s.db.Read.WrongBalances(ctx, workspaceID)
	return sqldb.Many(rows, err, func(r db.WrongBalancesRow) (reconcile.Misfit, error) {
		return reconcile.Misfit{
			Account: ledger.Account(r.Account), Currency: money.Currency(r.Currency), Posted: r.Posted,
			PendingIn: r.PendingIn, PendingOut: r.PendingOut,
		}, nil
	})
}

// WrongCheckpoints are those that are not what the entries marked as counted say.
func (s orderReads) WrongCheckpoints(ctx context.Context, workspaceID string) ([]reconcile.Misfit, error) {
	rows, err := s.db.Read.WrongCheckpoints(ctx, workspaceID)
	return sqldb.Many(rows, err, func(r db.WrongCheckpointsRow) (reconcile.Misfit, error) {
		return reconcile.Misfit{
			Account: ledger.Account(r.Account), Currency: money.Currency(r.Currency), Posted: r.Posted,
			Entries: r.Entries,
		}, nil
	})
}

// StrayEntries are the refs of entries without a transaction, and of
// transactions without entries.
func (s orderReads) StrayEntries(ctx context.Context, workspaceID string) ([]string, error) {
	refs, err := s.db.Read.StrayEntries(ctx, workspaceID)
	return refs, sqldb.Reading("looking for stray entries", err)
}

// OrdersWithBooks lists orders by id, each beside what is booked for it.
func (s orderReads) OrdersWithBooks(
	ctx context.Context, workspaceID, after string, limit int,
) ([]reconcile.OrderBooks, error) {
	rows, err := s.db.Read.OrdersWithBooks(ctx, workspaceID, after, int32(limit))
	return sqldb.Many(rows, err, func(r db.OrdersWithBooksRow) (reconcile.OrderBooks, error) {
		o, err := orderRow(r.Body)
		return reconcile.OrderBooks{
			Order: o, Posted: r.Posted, Fiat: r.Fiat, Reserved: r.PendingOut, Paid: r.Paid, Pending: r.Pending,
			Events: r.Events,
		}, err
	})
}

// Checkpoint counts entries of hot accounts, a batch of each account that has at
// least so many that are not counted.
func (s orderReads) Checkpoint(ctx context.Context, least, batch int) (counted int, err error) {
	accounts, err := s.db.Read.UnsummedAccounts(ctx, int64(least))
	if err != nil {
		return 0, sqldb.Reading("looking for entries to count", err)
	}
	for _, a := range accounts {
		err := s.db.Transact(ctx, func(t *sqldb.Tx) error {
			n, err := checkpoint(ctx, t, a, batch)
			counted += n
			return err
		})
		if err != nil {
			return counted, err
		}
	}
	return counted, nil
}

func checkpoint(ctx context.Context, t *sqldb.Tx, a db.UnsummedAccountsRow, batch int) (int, error) {
	amounts, err := t.Q.SumEntries(ctx, db.SumEntriesParams{
		WorkspaceID: a.WorkspaceID, Account: a.Account, Currency: a.Currency, Most: int32(batch),
	})
	if err != nil || len(amounts) == 0 {
		return 0, sqldb.Doing("marking entries", err)
	}
	sum := money.Of(0, money.Currency(a.Currency))
	for _, minor := range amounts {
		if sum, err = sum.Add(money.Of(minor, sum.Currency)); err != nil {
			return 0, fmt.Errorf("summing up %s: %w", a.Account, err)
		}
	}
	return len(amounts), sqldb.Doing("writing a checkpoint", t.Q.AddCheckpoint(ctx, db.AddCheckpointParams{
		WorkspaceID: a.WorkspaceID, Account: a.Account, Currency: a.Currency,
		Posted: sum.Minor, Entries: int64(len(amounts)), UpdatedAt: sqldb.Micros(t.Begun),
	}))
}
