package signing

import (
	"context"
	"time"

	"github.com/railkit/railkit/chain/families"
	"github.com/railkit/railkit/kit/signing/activity"
	"github.com/railkit/railkit/kit/signing/wallet"
	"github.com/railkit/railkit/platform/event"
	"github.com/railkit/railkit/rest"
	"github.com/railkit/railkit/store/db"
	"github.com/railkit/railkit/store/internal/sqldb"
)

// Wallet finds one by its own id or the enclave's.
func (s walletReads) Wallet(ctx context.Context, workspaceID, idOrEnclaveID string) (wallet.Wallet, error) {
	row, err := s.db.Read.Wallet(ctx, workspaceID, idOrEnclaveID)
	return sqldb.One("Wallet", row, err, walletRow)
}

// WalletIDs finds a wallet by either of its ids, and gives both.
func (s walletReads) WalletIDs(
	ctx context.Context, workspaceID, idOrEnclaveID string,
) (localID, enclaveID string, err error) {
	w, err := s.Wallet(ctx, workspaceID, idOrEnclaveID)
	return w.ID, w.EnclaveID, err
}

// Wallets lists a page of wallets and counts all that the filter selects.
func (s walletReads) Wallets(ctx context.Context, f wallet.Filter) ([]wallet.Wallet, int, error) {
	q := s.db.Query(1).Equal("sub_organization_id", f.SubOrganizationID).Part("folded_name", f.Search)
	total, err := db.New(q).CountWallets(ctx, f.WorkspaceID)
	if err != nil {
		return nil, 0, sqldb.Reading("counting wallets", err)
	}
	sort := "created_at"
	if f.SortBy == "name" {
		sort = "folded_name"
	}
	rows, err := db.New(q.Page(sort, f.SortDir, f.Page)).ListWallets(ctx, f.WorkspaceID)
	return sqldb.Listed(total, rows, err, walletRow)
}

// PendingPaths lists the paths that prepared accounts of the wallet may still take.
func (s walletReads) PendingPaths(ctx context.Context, workspaceID, walletID string, now time.Time) ([]string, error) {
	rows, err := s.db.Read.PendingPaths(ctx, db.PendingPathsParams{
		WorkspaceID: workspaceID, WalletID: walletID, State: string(activity.Awaiting), ExpiresAt: sqldb.Micros(now),
	})
	lists, err := sqldb.Many(rows, err, sqldb.Unlist[string])
	if err != nil {
		return nil, err
	}
	paths := []string{}
	for _, l := range lists {
		paths = append(paths, l...)
	}
	return paths, nil
}

// Addresses lists a wallet's addresses, oldest first.
func (s walletReads) Addresses(ctx context.Context, workspaceID, walletID string) ([]wallet.Address, error) {
	rows, err := s.db.Read.Addresses(ctx, workspaceID, walletID)
	return sqldb.Many(rows, err, addressRow)
}

// AddressesOf lists the addresses of several wallets at once, oldest first.
func (s walletReads) AddressesOf(
	ctx context.Context, workspaceID string, walletIDs []string,
) ([]wallet.Address, error) {
	if len(walletIDs) == 0 {
		return nil, nil
	}
	rows, err := db.New(s.db.Query(1).In("wallet_id",
		walletIDs).Add(" ORDER BY created_at, id")).ListAddresses(ctx, workspaceID)
	return sqldb.Many(rows, err, addressRow)
}

// Address finds one by its id or by the address itself.
func (s walletReads) Address(ctx context.Context, workspaceID, idOrAddress string) (wallet.Address, error) {
	row, err := s.address(ctx, workspaceID, idOrAddress)
	return sqldb.One("Address", row, err, addressRow)
}

// address asks twice at most for what one statement with OR, or a union, would find: of a table that was empty when it
// was planned, PostgreSQL and SQLite go through all addresses of the workspace for either.
func (s walletReads) address(ctx context.Context, workspaceID, idOrAddress string) (db.Address, error) {
	if _, _, is := families.ParseAddress(idOrAddress); !is { // no id is one
		if row, err := s.db.Read.Address(ctx, workspaceID, idOrAddress); !sqldb.None(err) {
			return row, err
		}
	}
	return s.db.Read.AddressSpelled(ctx, workspaceID, families.Lookup(idOrAddress))
}

// AddressOwned tells whether an address is of a wallet of any workspace.
func (s walletReads) AddressOwned(ctx context.Context, kind, address string) (bool, error) {
	n, err := s.db.Read.AddressOwned(ctx, kind, families.Lookup(address))
	return n > 0, sqldb.Reading("looking for an address", err)
}

// OwnAddresses lists the newest addresses of a sub-organization, with the names of their wallets.
func (s walletReads) OwnAddresses(
	ctx context.Context, workspaceID, subOrganizationID string, most int,
) ([]wallet.Named, error) {
	rows, err := s.db.Read.OwnAddresses(ctx, workspaceID, subOrganizationID, int32(most))
	return sqldb.Many(rows, err, func(r db.OwnAddressesRow) (wallet.Named, error) {
		return wallet.Named{Name: r.Name, Address: r.Address}, nil
	})
}

// PaidAddresses lists whom the newest transactions of a wallet paid, with the time of the first of these payments.
func (s walletReads) PaidAddresses(
	ctx context.Context, workspaceID, walletID string, newest int,
) ([]wallet.Paid, error) {
	rows, err := s.db.Read.PaidAddresses(ctx, workspaceID, walletID, int32(newest))
	return sqldb.Many(rows, err, func(r db.PaidAddressesRow) (wallet.Paid, error) {
		return wallet.Paid{Address: r.ToAddress, First: sqldb.Instant(r.FirstAt)}, nil
	})
}

// History lists a page of what left a wallet and what came to it, and counts all
// that the filter selects.
func (s walletReads) History(ctx context.Context, f wallet.HistoryFilter) ([]wallet.HistoryLine, int, error) {
	selected := func() *sqldb.Query {
		return s.db.Query(1).Add(" AND wallet_id = ?", f.WalletID).Equal("type", f.Type).Equal("status", f.Status).
			Equal("token_symbol", f.TokenSymbol)
	}
	rows, err := db.New(selected().Page("created_at", f.SortDir, f.Page)).ListHistory(ctx, f.WorkspaceID)
	total, err := counted(f.Page, len(rows), err, func() (int64, error) {
		return db.New(selected()).CountHistory(ctx, f.WorkspaceID)
	})
	return sqldb.Listed(total, rows, err, historyLine)
}

func (t tx) InsertWallet(ctx context.Context, w wallet.Wallet) error {
	n, err := t.Q.InsertWallet(ctx, db.InsertWalletParams{
		WorkspaceID: w.WorkspaceID, ID: w.ID, EnclaveID: w.EnclaveID, SubOrganizationID: w.SubOrganizationID,
		Name: w.Name, FoldedName: sqldb.Fold(w.Name), Proof: w.Proof, CreatedAt: sqldb.Micros(w.CreatedAt),
		LastActivity: sqldb.Micros(w.LastActivity),
	})
	return t.Told("inserting a wallet", n, err, event.Change{
		Type: event.WalletCreated, WorkspaceID: w.WorkspaceID, Object: w.ID,
		Data: rest.EventWallet{Name: w.Name, SubOrganizationID: w.SubOrganizationID},
	})
}

func (t tx) InsertAddress(ctx context.Context, a wallet.Address) error {
	n, err := t.Q.InsertAddress(ctx, db.InsertAddressParams{
		WorkspaceID: a.WorkspaceID, ID: a.ID, WalletID: a.WalletID,
		Address: a.Address, Lookup: families.Lookup(a.Address),
		Kind: a.Kind, Chain: a.Chain, Name: a.Name, Path: a.Path, Curve: a.Curve, AddressFormat: a.AddressFormat,
		PublicKey: a.PublicKey, Proof: a.Proof, CreatedAt: sqldb.Micros(a.CreatedAt),
	})
	if err != nil || n == 0 {
		return sqldb.Doing("inserting an address", err)
	}
	t.Tell(event.Change{
		Type: event.AddressCreated, WorkspaceID: a.WorkspaceID, Object: a.ID,
		Data: rest.EventAddress{WalletID: a.WalletID, Address: a.Address, Chain: a.Chain},
	})
	err = t.Q.ClaimAddress(ctx, db.ClaimAddressParams{
		Kind: a.Kind, Lookup: families.Lookup(a.Address), WorkspaceID: a.WorkspaceID, AddressID: a.ID,
	})
	if err != nil {
		return sqldb.Doing("listing an address in the directory", err)
	}
	if err := t.LookBack(ctx, families.Lookup(a.Address)); err != nil {
		return err
	}
	touchWallet(t.Tx, a.WorkspaceID, a.WalletID, a.CreatedAt)
	return nil
}

func walletRow(r db.Wallet) (wallet.Wallet, error) {
	return wallet.Wallet{
		WorkspaceID: r.WorkspaceID, ID: r.ID, EnclaveID: r.EnclaveID, SubOrganizationID: r.SubOrganizationID,
		Name: r.Name, Proof: r.Proof, CreatedAt: sqldb.Instant(r.CreatedAt),
		LastActivity: sqldb.Instant(r.LastActivity),
	}, nil
}

func addressRow(r db.Address) (wallet.Address, error) {
	return wallet.Address{
		WorkspaceID: r.WorkspaceID, ID: r.ID, WalletID: r.WalletID, Address: r.Address, Kind: r.Kind, Chain: r.Chain,
		Name: r.Name, Path: r.Path, Curve: r.Curve, AddressFormat: r.AddressFormat, PublicKey: r.PublicKey,
		Proof: r.Proof, CreatedAt: sqldb.Instant(r.CreatedAt),
	}, nil
}

func historyLine(r db.WalletHistory) (wallet.HistoryLine, error) {
	return wallet.HistoryLine{
		ID: r.ID, Type: r.Type, TxHash: r.TxHash, From: r.FromAddress, To: r.ToAddress, Amount: r.Amount,
		TokenSymbol: r.TokenSymbol,
		Chain:       r.Chain, Status: r.Status, BlockNumber: r.BlockNumber, CreatedAt: sqldb.Instant(r.CreatedAt),
	}, nil
}
