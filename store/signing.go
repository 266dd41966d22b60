package store

import (
	"context"
	"time"

	"github.com/railkit/railkit/kit/signing"
	"github.com/railkit/railkit/store/db"
	"github.com/railkit/railkit/store/postgres"
)

// Signing is the store as the signing kit sees it.
type Signing struct{ scope[signing.Tx] }

var _ signing.Store = Signing{}

// Signing returns it.
func (s *Store) Signing() Signing {
	return Signing{scope[signing.Tx]{s, func(t *tx) signing.Tx { return t }}}
}

// SubOrganizations lists a workspace's sub-organizations, oldest first.
func (s Signing) SubOrganizations(ctx context.Context, workspaceID string) ([]signing.SubOrganization, error) {
	rows, err := s.read.SubOrganizations(ctx, workspaceID)
	return many(rows, err, subOrganization)
}

// SubOrganization finds one.
func (s Signing) SubOrganization(ctx context.Context, workspaceID, id string) (signing.SubOrganization, error) {
	row, err := s.read.SubOrganization(ctx, workspaceID, id)
	return one("Sub-organization", row, err, subOrganization)
}

// Passkeys lists the passkeys of a sub-organization, or of all, oldest first.
func (s Signing) Passkeys(ctx context.Context, workspaceID, subOrganizationID string) ([]signing.Passkey, error) {
	if subOrganizationID == "" {
		rows, err := s.read.Passkeys(ctx, workspaceID)
		return many(rows, err, passkey)
	}
	rows, err := s.read.PasskeysOf(ctx, workspaceID, subOrganizationID)
	return many(rows, err, passkey)
}

// Passkey finds one.
func (s Signing) Passkey(ctx context.Context, workspaceID, id string) (signing.Passkey, error) {
	row, err := s.read.Passkey(ctx, workspaceID, id)
	return one("Passkey", row, err, passkey)
}

// Activity finds a prepared wallet or account.
func (s Signing) Activity(ctx context.Context, workspaceID, id string) (signing.Activity, error) {
	row, err := s.read.Activity(ctx, workspaceID, id)
	return one("Wallet request", row, err, activity)
}

// PendingPaths lists the paths that prepared accounts of the wallet may still take.
func (s Signing) PendingPaths(ctx context.Context, workspaceID, walletID string, now time.Time) ([]string, error) {
	rows, err := s.read.PendingPaths(ctx, db.PendingPathsParams{
		WorkspaceID: workspaceID, WalletID: walletID, State: string(signing.Awaiting), ExpiresAt: micros(now),
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

// Wallet finds one by its own id or the enclave's.
func (s Signing) Wallet(ctx context.Context, workspaceID, idOrEnclaveID string) (signing.Wallet, error) {
	row, err := s.read.Wallet(ctx, workspaceID, idOrEnclaveID)
	return one("Wallet", row, err, wallet)
}

// Addresses lists a wallet's addresses, oldest first.
func (s Signing) Addresses(ctx context.Context, workspaceID, walletID string) ([]signing.Address, error) {
	rows, err := s.read.Addresses(ctx, workspaceID, walletID)
	return many(rows, err, address)
}

// AddressesOf lists the addresses of several wallets at once, oldest first.
func (s Signing) AddressesOf(ctx context.Context, workspaceID string, walletIDs []string) ([]signing.Address, error) {
	if len(walletIDs) == 0 {
		return nil, nil
	}
	rows, err := db.New(s.query(1).in("wallet_id", walletIDs).add(" ORDER BY created_at, id")).ListAddresses(ctx, workspaceID)
	return many(rows, err, address)
}

// Address finds one by its id or by the address itself.
func (s Signing) Address(ctx context.Context, workspaceID, idOrAddress string) (signing.Address, error) {
	row, err := s.read.Address(ctx, workspaceID, idOrAddress, lookup(idOrAddress))
	return one("Address", row, err, address)
}

// AddressOwned tells whether an address is of a wallet of any workspace.
func (s Signing) AddressOwned(ctx context.Context, kind, address string) (bool, error) {
	n, err := s.read.AddressOwned(ctx, kind, lookup(address))
	return n > 0, doing("looking for an address", postgres.Tell(err))
}

// Transaction finds one.
func (s Signing) Transaction(ctx context.Context, workspaceID, id string) (signing.Transaction, error) {
	row, err := s.read.Transaction(ctx, workspaceID, id)
	return one("Transaction", row, err, transaction)
}

// TransactionSigned finds the row of a body that was signed for a nonce.
func (s Signing) TransactionSigned(ctx context.Context, workspaceID, chain, from string, nonce int64, fingerprint string) (signing.Transaction, error) {
	row, err := s.read.TransactionSigned(ctx, db.TransactionSignedParams{
		WorkspaceID: workspaceID, Chain: chain, FromAddress: from, Nonce: nonce, Fingerprint: fingerprint,
	})
	return one("Transaction", row, err, transaction)
}

// Unsent lists the ids of an address's transactions that are signed for nonces
// below the one given and are on no chain, highest nonce first, 200 at most.
func (s Signing) Unsent(ctx context.Context, workspaceID, chain, from string, below int64) ([]string, error) {
	ids, err := s.read.Unsent(ctx, db.UnsentParams{WorkspaceID: workspaceID, Chain: chain, FromAddress: from, Below: below})
	return ids, doing("listing what is not sent", postgres.Tell(err))
}

// WaitingActivities lists activities of every workspace that have waited for
// their stamp since before the instant, oldest first, and from after a row on.
func (s Signing) WaitingActivities(ctx context.Context, before time.Time, after signing.Cursor, limit int) ([]signing.Activity, error) {
	rows, err := s.read.WaitingActivities(ctx, db.WaitingActivitiesParams{
		State: string(signing.Awaiting), Before: micros(before), After: micros(after.CreatedAt), AfterID: after.ID, Most: int32(limit),
	})
	return many(rows, err, activity)
}
