package store

import (
	"context"
	"database/sql"
	"fmt"
	"strings"
	"time"

	"github.com/railkit/railkit/chain"
	"github.com/railkit/railkit/fault"
	"github.com/railkit/railkit/job"
	"github.com/railkit/railkit/kit/signing/activity"
	"github.com/railkit/railkit/kit/signing/passkey"
	"github.com/railkit/railkit/kit/signing/record"
	"github.com/railkit/railkit/kit/signing/transaction"
	"github.com/railkit/railkit/kit/signing/wallet"
	"github.com/railkit/railkit/store/db"
)

// tx is the writing half. Only the transaction is in its reach.
type tx struct {
	handle  *sql.Tx
	q       *db.Queries
	jobs    Jobs
	now     time.Time
	mark    string // what is done, where the record has no line of it: for the crash suite
	time    string // SQL: the database's own clock
	counts  map[counted]int64
	claimed claimed
}

func (t *tx) InsertSubOrganization(ctx context.Context, o passkey.SubOrganization) error {
	return doing("inserting a sub-organization", t.q.InsertSubOrganization(ctx, db.InsertSubOrganizationParams{
		WorkspaceID: o.WorkspaceID, ID: o.ID, UserID: o.UserID, Email: o.Email, Name: o.Name,
		RecoveryPublicKey: o.RecoveryPublicKey, Proof: o.Proof, CreatedAt: micros(o.CreatedAt),
	}))
}

func (t *tx) InsertPasskey(ctx context.Context, p passkey.Passkey) error {
	return doing("inserting a passkey", t.q.InsertPasskey(ctx, db.InsertPasskeyParams{
		WorkspaceID: p.WorkspaceID, ID: p.ID, SubOrganizationID: p.SubOrganizationID, UserID: p.UserID, Email: p.Email,
		CredentialID: p.CredentialID, PublicKey: p.PublicKey, Aaguid: p.AAGUID, Transports: list(p.Transports),
		Label: p.Label, CreatedAt: micros(p.CreatedAt), LastUsedAt: micros(p.LastUsedAt),
	}))
}

func (t *tx) RenamePasskey(ctx context.Context, workspaceID, id, label string) error {
	n, err := t.q.RenamePasskey(ctx, workspaceID, id, label)
	if err == nil && n == 0 {
		return fault.Missing("Passkey")
	}
	return doing("renaming a passkey", err)
}

func (t *tx) TouchPasskey(ctx context.Context, workspaceID, subOrganizationID, credentialID string, at time.Time) error {
	return doing("touching a passkey", t.q.TouchPasskey(ctx, db.TouchPasskeyParams{
		At: micros(at), WorkspaceID: workspaceID, SubOrganizationID: subOrganizationID, CredentialID: credentialID,
	}))
}

func (t *tx) InsertActivity(ctx context.Context, a activity.Activity) error {
	return doing("inserting an activity", t.q.InsertActivity(ctx, db.InsertActivityParams{
		WorkspaceID: a.WorkspaceID, ID: a.ID, Kind: a.Kind, SubOrganizationID: a.SubOrganizationID, WalletID: a.WalletID,
		Name: a.Name, Chain: a.Chain, Paths: list(a.Paths), Body: a.Body, Fingerprint: a.Fingerprint, Preview: a.Preview,
		State: string(a.State), CreatedAt: micros(a.CreatedAt), UpdatedAt: micros(a.CreatedAt), ExpiresAt: micros(a.ExpiresAt),
	}))
}

// RetryActivity puts another body in the place of one that was tried and refused.
func (t *tx) RetryActivity(ctx context.Context, tried string, a activity.Activity) error {
	n, err := t.q.RetryActivity(ctx, db.RetryActivityParams{
		WorkspaceID: a.WorkspaceID, ID: a.ID, Tried: tried, State: string(activity.Awaiting),
		Name: a.Name, Body: a.Body, Fingerprint: a.Fingerprint, Now: micros(a.CreatedAt), ExpiresAt: micros(a.ExpiresAt),
	})
	if err == nil && n == 0 {
		return record.ErrStale
	}
	return doing("retrying an activity", err)
}

// MoveActivity also names the wallet that came of it, where walletID is given.
func (t *tx) MoveActivity(ctx context.Context, workspaceID, id string, from, to activity.State, walletID string, now time.Time) error {
	n, err := t.q.MoveActivity(ctx, db.MoveActivityParams{
		WorkspaceID: workspaceID, ID: id, FromState: string(from), ToState: string(to), Wallet: walletID, Now: micros(now),
	})
	if err == nil && n == 0 {
		return record.ErrStale
	}
	return doing("moving an activity", err)
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

func (t *tx) InsertTransaction(ctx context.Context, x transaction.Transaction) error {
	if err := t.q.InsertTransaction(ctx, transactionParams(x)); err != nil {
		return doing("inserting a transaction", err)
	}
	return doing("touching a wallet", t.q.TouchWallet(ctx, x.WorkspaceID, x.WalletID, micros(x.CreatedAt)))
}

// MoveTransaction tries each state that the step may start from; at most one of
// them is the row's.
func (t *tx) MoveTransaction(ctx context.Context, workspaceID, id string, from []transaction.State, to transaction.State,
	c transaction.Change,
) error {
	p := changeParams(c)
	p.WorkspaceID, p.ID, p.ToState = workspaceID, id, string(to)
	for _, state := range from {
		p.FromState = string(state)
		n, err := t.q.MoveTransaction(ctx, p)
		if err != nil {
			return doing("moving a transaction", err)
		}
		if n == 1 {
			return t.touchSigned(ctx, workspaceID, id, c)
		}
	}
	return record.ErrStale
}

// ReplaceTransaction frees the nonce of a signed transaction for its successor.
func (t *tx) ReplaceTransaction(ctx context.Context, workspaceID, id, by string, now time.Time) error {
	n, err := t.q.ReplaceTransaction(ctx, db.ReplaceTransactionParams{WorkspaceID: workspaceID, ID: id, By: by, Now: micros(now)})
	if err == nil && n == 0 {
		return record.ErrStale
	}
	return doing("replacing a transaction", err)
}

// touchSigned makes a signature count as the wallet's last activity; what the
// server finds out about a sent transaction does not.
func (t *tx) touchSigned(ctx context.Context, workspaceID, id string, c transaction.Change) error {
	if c.SignedTransaction == nil {
		return nil
	}
	return doing("touching a wallet", t.q.TouchWalletOf(ctx, micros(c.Now), workspaceID, id))
}

func (t *tx) Enqueue(ctx context.Context, j job.Job) error {
	return doing("enqueueing a job", t.jobs.Enqueue(ctx, t.handle, j))
}

// doing says what failed.
func doing(what string, err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("%s: %w", what, err)
}

// fold is how names are searched and sorted, the same on every engine.
func fold(name string) string { return strings.ToLower(name) }

// lookup writes an address in one way: hexadecimal ones differ in case only by
// their checksum, base58 ones differ by case.
func lookup(address string) string {
	if strings.HasPrefix(address, "0x") || strings.HasPrefix(address, "0X") {
		return strings.ToLower(address)
	}
	return address
}
