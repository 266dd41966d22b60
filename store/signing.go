package store

import (
	"context"
	"time"

	"github.com/railkit/railkit/kit/signing"
	"github.com/railkit/railkit/kit/signing/activity"
	"github.com/railkit/railkit/kit/signing/broadcast"
	"github.com/railkit/railkit/kit/signing/ceremony"
	"github.com/railkit/railkit/kit/signing/change"
	"github.com/railkit/railkit/kit/signing/faucet"
	"github.com/railkit/railkit/kit/signing/passkey"
	"github.com/railkit/railkit/kit/signing/recovery"
	"github.com/railkit/railkit/kit/signing/rule"
	"github.com/railkit/railkit/kit/signing/transaction"
	"github.com/railkit/railkit/kit/signing/vote"
	"github.com/railkit/railkit/kit/signing/wallet"
	"github.com/railkit/railkit/platform/page"
	"github.com/railkit/railkit/store/db"
	"github.com/railkit/railkit/store/postgres"
)

// Signing is the store as the signing kit sees it: what it reads, and for each of its nouns a store that writes with the
// noun's own part of a transaction.
type Signing struct{ scope[signing.Tx] }

// Signing returns it.
func (s *Store) Signing() Signing {
	return Signing{scope[signing.Tx]{s, func(t *tx) signing.Tx { return t }}}
}

// noun is the store of one noun of the kit.
type noun[T any] struct {
	Signing
	scope[T]
}

func nounOf[T any](s Signing, narrow func(*tx) T) noun[T] {
	return noun[T]{s, scope[T]{s.Store, narrow}}
}

// Stores are those of all nouns.
func (s Signing) Stores() signing.Stores {
	return signing.Stores{
		Denials:      s,
		Links:        s,
		Activities:   nounOf(s, func(t *tx) activity.Tx { return t }),
		Passkeys:     nounOf(s, func(t *tx) passkey.Tx { return t }),
		Wallets:      nounOf(s, func(t *tx) wallet.Tx { return t }),
		Transactions: nounOf(s, func(t *tx) transaction.Tx { return t }),
		Broadcasts:   nounOf(s, func(t *tx) broadcast.Tx { return t }),
		Rules:        nounOf(s, func(t *tx) rule.Tx { return t }),
		Recoveries:   nounOf(s, func(t *tx) recovery.Tx { return t }),
		Changes:      nounOf(s, func(t *tx) change.Tx { return t }),
		Votes:        nounOf(s, func(t *tx) vote.Tx { return t }),
		Ceremonies:   nounOf(s, func(t *tx) ceremony.Tx { return t }),
		Faucet:       nounOf(s, func(t *tx) faucet.Tx { return t }),
	}
}

// SubOrganizations lists a workspace's sub-organizations, oldest first.
func (s Signing) SubOrganizations(ctx context.Context, workspaceID string) ([]passkey.SubOrganization, error) {
	rows, err := s.read.SubOrganizations(ctx, workspaceID)
	return many(rows, err, subOrganizationRow)
}

// SubOrganization finds one.
func (s Signing) SubOrganization(ctx context.Context, workspaceID, id string) (passkey.SubOrganization, error) {
	row, err := s.read.SubOrganization(ctx, workspaceID, id)
	return one("Sub-organization", row, err, subOrganizationRow)
}

// Passkeys lists the passkeys of a sub-organization, or of all, oldest first.
func (s Signing) Passkeys(ctx context.Context, workspaceID, subOrganizationID string) ([]passkey.Passkey, error) {
	if subOrganizationID == "" {
		rows, err := s.read.Passkeys(ctx, workspaceID)
		return many(rows, err, passkeyRow)
	}
	rows, err := s.read.PasskeysOf(ctx, workspaceID, subOrganizationID)
	return many(rows, err, passkeyRow)
}

// Passkey finds one.
func (s Signing) Passkey(ctx context.Context, workspaceID, id string) (passkey.Passkey, error) {
	row, err := s.read.Passkey(ctx, workspaceID, id)
	return one("Passkey", row, err, passkeyRow)
}

// Activity finds a prepared wallet or account.
func (s Signing) Activity(ctx context.Context, workspaceID, id string) (activity.Activity, error) {
	row, err := s.read.Activity(ctx, workspaceID, id)
	return one("Wallet request", row, err, activityRow)
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

// Transaction finds one.
func (s Signing) Transaction(ctx context.Context, workspaceID, id string) (transaction.Transaction, error) {
	row, err := s.read.Transaction(ctx, workspaceID, id)
	return one("Transaction", row, err, transactionRow)
}

// TransactionSigned finds the row of a body that was signed for a nonce.
func (s Signing) TransactionSigned(ctx context.Context, workspaceID, chain, from string, nonce int64, fingerprint string) (transaction.Transaction, error) {
	row, err := s.read.TransactionSigned(ctx, db.TransactionSignedParams{
		WorkspaceID: workspaceID, Chain: chain, FromAddress: from, Nonce: nonce, Fingerprint: fingerprint,
	})
	return one("Transaction", row, err, transactionRow)
}

// Unsent lists the ids of an address's transactions that are signed for nonces
// below the one given and are on no chain, highest nonce first, 200 at most.
func (s Signing) Unsent(ctx context.Context, workspaceID, chain, from string, below int64) ([]string, error) {
	ids, err := s.read.Unsent(ctx, db.UnsentParams{WorkspaceID: workspaceID, Chain: chain, FromAddress: from, Below: below})
	return ids, doing("listing what is not sent", postgres.Tell(err))
}

// WaitingActivities lists activities of every workspace that have waited for
// their stamp since before the instant, oldest first, and from after a row on.
func (s Signing) WaitingActivities(ctx context.Context, before time.Time, after page.Cursor, limit int) ([]activity.Activity, error) {
	rows, err := s.read.WaitingActivities(ctx, db.WaitingActivitiesParams{
		State: string(activity.Awaiting), Before: micros(before), After: micros(after.CreatedAt), AfterID: after.ID, Most: int32(limit),
	})
	return many(rows, err, activityRow)
}
