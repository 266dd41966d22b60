package payout

import (
	"context"

	"github.com/railkit/railkit/fault"
	"github.com/railkit/railkit/kit/payout/match"
	"github.com/railkit/railkit/kit/payout/reconcile"
	"github.com/railkit/railkit/kit/payout/withdraw"
	"github.com/railkit/railkit/money"
	"github.com/railkit/railkit/platform/page"
	"github.com/railkit/railkit/store/db"
	"github.com/railkit/railkit/store/internal/sqldb"
	"github.com/railkit/railkit/store/platform"
)

// WalletsInUse lists wallets and account numbers at the partner after one, by workspace and place.
func (s orderReads) WalletsInUse(
	ctx context.Context, after reconcile.UsedWallet, limit int,
) ([]reconcile.UsedWallet, error) {
	rows, err := s.db.Read.WalletsInUse(ctx, after.WorkspaceID, after.Place(), int32(limit))
	return sqldb.Many(rows, err, func(r db.WalletsInUseRow) (reconcile.UsedWallet, error) {
		return reconcile.UsedWallet{
			WorkspaceID: r.WorkspaceID, CustomerID: r.CustomerID, WalletID: r.WalletID, AccountID: r.AccountID,
			PartnerID: r.PartnerID, AddressID: r.AddressID,
		}, nil
	})
}

// AddressesOfWallet are the withdrawal addresses that lead to a wallet.
func (s orderReads) AddressesOfWallet(ctx context.Context, workspaceID, walletID string) ([]withdraw.Address, error) {
	rows, err := s.db.Read.AddressesOfWallet(ctx, workspaceID, walletID)
	return sqldb.Many(rows, err, withdrawAddress)
}

// BooksOfWallet is what the ledger says lies in a wallet.
func (s orderReads) BooksOfWallet(ctx context.Context, workspaceID, walletID string) ([]match.Held, error) {
	rows, err := s.db.Read.BooksOfWallet(ctx, workspaceID, walletID)
	return sqldb.Many(rows, err, func(r db.BooksOfWalletRow) (match.Held, error) {
		return match.Held{Currency: money.Currency(r.Currency), Posted: r.Posted, Reserved: r.Reserved}, nil
	})
}

// DepositsOf lists what came to an address, oldest first, from a cursor on.
func (s orderReads) DepositsOf(
	ctx context.Context, workspaceID, addressID string, after page.Cursor, limit int,
) ([]match.Deposit, error) {
	q := s.db.Query(1).Equal("owner_id", addressID).After("created_at", " > ", after).Add(
		" ORDER BY created_at, id LIMIT ?", limit,
	)
	rows, err := db.New(q).ListDeposits(ctx, workspaceID)
	return sqldb.Many(rows, err, matchedDeposit)
}

// DepositOf finds one.
func (s orderReads) DepositOf(ctx context.Context, workspaceID, id string) (match.Deposit, error) {
	rows, err := db.New(s.db.Query(1).Add(" AND id = ?", id)).ListDeposits(ctx, workspaceID)
	all, err := sqldb.Many(rows, err, matchedDeposit)
	if err != nil {
		return match.Deposit{}, err
	}
	if len(all) == 0 {
		return match.Deposit{}, fault.Missing("Deposit")
	}
	return all[0], nil
}

func matchedDeposit(r db.ListDepositsRow) (match.Deposit, error) {
	t, err := platform.TransferRow(r.Transfer)
	return match.Deposit{Transfer: t, OrderID: r.OrderID, Reason: r.Reason, Booked: r.Booked == 1}, err
}

// matchingPartner is the name of the one comparison that there is.
const matchingPartner = "partner"

// MatchRun is how far the comparison with the partner is; before the first it is zero.
func (s orderReads) MatchRun(ctx context.Context) (reconcile.MatchRun, error) {
	r, err := s.db.Read.Matching(ctx, matchingPartner)
	if sqldb.None(err) {
		return reconcile.MatchRun{}, nil
	}
	return reconcile.MatchRun{
		Version: r.Version, TakenAt: sqldb.Instant(r.TakenAt),
		At:      reconcile.UsedWallet{WorkspaceID: r.WorkspaceID, WalletID: r.WalletID},
		BeganAt: sqldb.Instant(r.BeganAt),
		Found:   reconcile.MatchTally{Wallets: r.Wallets, Differences: r.Differences, Failed: r.Failed},
		EndedAt: sqldb.Instant(r.EndedAt),
		Last:    reconcile.MatchTally{Wallets: r.LastWallets, Differences: r.LastDifferences, Failed: r.LastFailed},
	}, sqldb.Reading("reading the comparison", err)
}

// PutMatchRun inserts the first version, and replaces the one before; else ErrStale.
func (s orderReads) PutMatchRun(ctx context.Context, r reconcile.MatchRun) error {
	return s.db.Transact(ctx, func(t *sqldb.Tx) error {
		n, err := t.Q.PutMatching(ctx, db.PutMatchingParams{
			Name: matchingPartner, Version: r.Version, TakenAt: sqldb.Micros(r.TakenAt), WorkspaceID: r.At.WorkspaceID,
			WalletID: r.At.Place(),
			BeganAt:  sqldb.Micros(r.BeganAt), Wallets: r.Found.Wallets, Differences: r.Found.Differences,
			Failed:  r.Found.Failed,
			EndedAt: sqldb.Micros(r.EndedAt), LastWallets: r.Last.Wallets, LastDifferences: r.Last.Differences,
			LastFailed: r.Last.Failed,
		})
		return sqldb.Swapped("writing the comparison", n, err)
	})
}
