package store

import (
	"context"
	"time"

	"github.com/railkit/railkit/chain"
	"github.com/railkit/railkit/kit/signing/activity"
	"github.com/railkit/railkit/kit/signing/wallet"
	"github.com/railkit/railkit/store/db"
	"github.com/railkit/railkit/store/postgres"
)

// Wallet finds one by its own id or the enclave's.
func (s Signing) Wallet(ctx context.Context, workspaceID, idOrEnclaveID string) (wallet.Wallet, error) {
	row, err := s.read.Wallet(ctx, workspaceID, idOrEnclaveID)
	return one("Wallet", row, err, walletRow)
}

// WalletIDs finds a wallet by either of its ids, and gives both.
func (s Signing) WalletIDs(ctx context.Context, workspaceID, idOrEnclaveID string) (localID, enclaveID string, err error) {
	w, err := s.Wallet(ctx, workspaceID, idOrEnclaveID)
	return w.ID, w.EnclaveID, err
}

// Wallets lists a page of wallets and counts all that the filter selects.
func (s Signing) Wallets(ctx context.Context, f wallet.Filter) ([]wallet.Wallet, int, error) {
	selected := func() *query {
		q := s.query(1).equal("sub_organization_id", f.SubOrganizationID)
		if f.Search != "" {
			q.add(` AND folded_name LIKE ? ESCAPE '\'`, "%"+escapeLike.Replace(fold(f.Search))+"%")
		}
		return q
	}
	total, err := db.New(selected()).CountWallets(ctx, f.WorkspaceID)
	if err != nil {
		return nil, 0, doing("counting wallets", postgres.Tell(err))
	}
	paged := selected().page(sorted(walletSort, f.SortBy), sorted(directions, f.SortDir), f.Page)
	rows, err := db.New(paged).ListWallets(ctx, f.WorkspaceID)
	wallets, err := many(rows, err, walletRow)
	return wallets, int(total), err
}

// PendingPaths lists the paths that prepared accounts of the wallet may still take.
func (s Signing) PendingPaths(ctx context.Context, workspaceID, walletID string, now time.Time) ([]string, error) {
	rows, err := s.read.PendingPaths(ctx, db.PendingPathsParams{
		WorkspaceID: workspaceID, WalletID: walletID, State: string(activity.Awaiting), ExpiresAt: micros(now),
	})
	lists, err := many(rows, err, unlist[string])
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
func (s Signing) Addresses(ctx context.Context, workspaceID, walletID string) ([]wallet.Address, error) {
	rows, err := s.read.Addresses(ctx, workspaceID, walletID)
	return many(rows, err, addressRow)
}

// AddressesOf lists the addresses of several wallets at once, oldest first.
func (s Signing) AddressesOf(ctx context.Context, workspaceID string, walletIDs []string) ([]wallet.Address, error) {
	if len(walletIDs) == 0 {
		return nil, nil
	}
	rows, err := db.New(s.query(1).in("wallet_id", walletIDs).add(" ORDER BY created_at, id")).ListAddresses(ctx, workspaceID)
	return many(rows, err, addressRow)
}

// Address finds one by its id or by the address itself.
func (s Signing) Address(ctx context.Context, workspaceID, idOrAddress string) (wallet.Address, error) {
	row, err := s.read.Address(ctx, workspaceID, idOrAddress, lookup(idOrAddress))
	return one("Address", row, err, addressRow)
}

// AddressOwned tells whether an address is of a wallet of any workspace.
func (s Signing) AddressOwned(ctx context.Context, kind, address string) (bool, error) {
	n, err := s.read.AddressOwned(ctx, kind, lookup(address))
	return n > 0, doing("looking for an address", postgres.Tell(err))
}

// History lists a page of what left a wallet and what came to it, and counts all
// that the filter selects.
func (s Signing) History(ctx context.Context, f wallet.HistoryFilter) ([]wallet.HistoryLine, int, error) {
	selected := func() *query {
		return s.query(1).add(" AND wallet_id = ?", f.WalletID).equal("type", f.Type).equal("status", f.Status).equal("token_symbol", f.TokenSymbol)
	}
	total, err := db.New(selected()).CountHistory(ctx, f.WorkspaceID)
	if err != nil {
		return nil, 0, doing("counting a wallet's history", postgres.Tell(err))
	}
	rows, err := db.New(selected().page("created_at", sorted(directions, f.SortDir), f.Page)).ListHistory(ctx, f.WorkspaceID)
	lines, err := many(rows, err, historyLine)
	return lines, int(total), err
}

func (t *tx) InsertWallet(ctx context.Context, w wallet.Wallet) error {
	return doing("inserting a wallet", t.q.InsertWallet(ctx, db.InsertWalletParams{
		WorkspaceID: w.WorkspaceID, ID: w.ID, EnclaveID: w.EnclaveID, SubOrganizationID: w.SubOrganizationID,
		Name: w.Name, FoldedName: fold(w.Name), Proof: w.Proof, CreatedAt: micros(w.CreatedAt), LastActivity: micros(w.LastActivity),
	}))
}

func (t *tx) InsertAddress(ctx context.Context, a wallet.Address) error {
	n, err := t.q.InsertAddress(ctx, db.InsertAddressParams{
		WorkspaceID: a.WorkspaceID, ID: a.ID, WalletID: a.WalletID, Address: a.Address, Lookup: lookup(a.Address),
		Kind: a.Kind, Chain: a.Chain, Name: a.Name, Path: a.Path, Curve: a.Curve, AddressFormat: a.AddressFormat,
		PublicKey: a.PublicKey, Proof: a.Proof, CreatedAt: micros(a.CreatedAt),
	})
	if err != nil || n == 0 {
		return doing("inserting an address", err)
	}
	err = t.q.ClaimAddress(ctx, db.ClaimAddressParams{
		Kind: a.Kind, Lookup: lookup(a.Address), WorkspaceID: a.WorkspaceID, AddressID: a.ID,
	})
	if err != nil {
		return doing("listing an address in the directory", err)
	}
	if a.Kind == string(chain.EVM) {
		if err := t.lookBack(ctx, lookup(a.Address)); err != nil {
			return err
		}
	}
	return doing("touching a wallet", t.q.TouchWallet(ctx, a.WorkspaceID, a.WalletID, micros(a.CreatedAt)))
}

func walletRow(r db.Wallet) (wallet.Wallet, error) {
	return wallet.Wallet{
		WorkspaceID: r.WorkspaceID, ID: r.ID, EnclaveID: r.EnclaveID, SubOrganizationID: r.SubOrganizationID,
		Name: r.Name, Proof: r.Proof, CreatedAt: instant(r.CreatedAt), LastActivity: instant(r.LastActivity),
	}, nil
}

func addressRow(r db.Address) (wallet.Address, error) {
	return wallet.Address{
		WorkspaceID: r.WorkspaceID, ID: r.ID, WalletID: r.WalletID, Address: r.Address, Kind: r.Kind, Chain: r.Chain,
		Name: r.Name, Path: r.Path, Curve: r.Curve, AddressFormat: r.AddressFormat, PublicKey: r.PublicKey,
		Proof: r.Proof, CreatedAt: instant(r.CreatedAt),
	}, nil
}

func historyLine(r db.WalletHistory) (wallet.HistoryLine, error) {
	return wallet.HistoryLine{
		ID: r.ID, Type: r.Type, TxHash: r.TxHash, From: r.FromAddress, To: r.ToAddress, Amount: r.Amount, TokenSymbol: r.TokenSymbol,
		Chain: r.Chain, Status: r.Status, BlockNumber: r.BlockNumber, CreatedAt: instant(r.CreatedAt),
	}, nil
}
