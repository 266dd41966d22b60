package storetest

import (
	"context"
	"net/netip"
	"strings"
	"testing"
	"time"

	"github.com/railkit/railkit/kit/signing"
	"github.com/railkit/railkit/kit/signing/activity"
	"github.com/railkit/railkit/kit/signing/passkey"
	"github.com/railkit/railkit/kit/signing/transaction"
	"github.com/railkit/railkit/kit/signing/wallet"
	"github.com/railkit/railkit/platform/auth"
	"github.com/railkit/railkit/platform/page"
	"github.com/railkit/railkit/platform/record"
	"github.com/railkit/railkit/platform/workspace"
)

// absent wants that the workspace sees nothing of what seed writes.
func (b *bench) absent(t *testing.T, ws string) {
	t.Helper()
	ctx := t.Context()
	_, err := b.SubOrganization(ctx, ws, "sub-1")
	missing(t, "Sub-organization", err)
	_, err = b.Passkey(ctx, ws, "passkey-1")
	missing(t, "Passkey", err)
	_, err = b.Activity(ctx, ws, "activity-1")
	missing(t, "Wallet request", err)
	for _, id := range []string{"wallet-1", "enclave-wallet-1"} {
		_, err = b.Wallet(ctx, ws, id)
		missing(t, "Wallet", err)
	}
	for _, id := range []string{"address-1", checksummed} {
		_, err = b.Address(ctx, ws, id)
		missing(t, "Address", err)
	}
	_, err = b.Transaction(ctx, ws, "tx-1")
	missing(t, "Transaction", err)
	b.nothingListed(t, ws)
}

func (b *bench) nothingListed(t *testing.T, ws string) {
	t.Helper()
	ctx := t.Context()
	subs, err := b.SubOrganizations(ctx, ws)
	empty(t, "sub-organizations", subs, err)
	keys, err := b.Passkeys(ctx, ws, "")
	empty(t, "passkeys", keys, err)
	keys, err = b.Passkeys(ctx, ws, "sub-1")
	empty(t, "passkeys of a sub-organization", keys, err)
	paths, err := b.PendingPaths(ctx, ws, "wallet-1", start)
	empty(t, "pending paths", paths, err)
	addresses, err := b.Addresses(ctx, ws, "wallet-1")
	empty(t, "addresses", addresses, err)
	wallets, total, err := b.Wallets(ctx, wallet.Filter{WorkspaceID: ws, Page: page.Page{Limit: 10}})
	empty(t, "wallets", wallets, err)
	equal(t, "total of wallets", total, 0)
	transactions, total, err := b.Transactions(ctx, transaction.Filter{WorkspaceID: ws, Page: page.Page{Limit: 10}})
	empty(t, "transactions", transactions, err)
	equal(t, "total of transactions", total, 0)
}

// empty wants a list that is empty but there: the API shows [] and not null.
func empty[T any](t *testing.T, what string, rows []T, err error) {
	t.Helper()
	if err != nil || rows == nil || len(rows) != 0 {
		t.Errorf("%s: got %v, %v, want an empty list", what, rows, err)
	}
}

func testEmpty(t *testing.T, b *bench) {
	ok(t, b.Ping(t.Context()))
	b.absent(t, ours)
	_, err := b.Workspace(t.Context(), ours)
	missing(t, "Workspace", err)
	if _, _, err := b.KeyByHash(t.Context(), "hash"); err != auth.ErrNoKey {
		t.Errorf("unknown key: got %v", err)
	}
	if _, found, err := b.Answer(t.Context(), ours, "hash", start); found || err != nil {
		t.Errorf("unknown idempotency key: got %v, %v", found, err)
	}
	waiting, err := b.WaitingTransactions(t.Context(), []transaction.State{transaction.Pending}, start, page.Cursor{}, 10)
	empty(t, "waiting transactions", waiting, err)
	activities, err := b.WaitingActivities(t.Context(), start, page.Cursor{}, 10)
	empty(t, "waiting activities", activities, err)
}

func testRoundTrip(t *testing.T, b *bench) {
	ctx := t.Context()
	b.seed(t, ours)
	full := sent(ours, "tx-2", 0)
	b.write(t, func(ctx context.Context, tx signing.Tx) error { return tx.InsertTransaction(ctx, full) })

	sub, err := b.SubOrganization(ctx, ours, "sub-1")
	ok(t, err)
	equal(t, "sub-organization", sub, aSubOrganization(ours, "sub-1"))
	key, err := b.Passkey(ctx, ours, "passkey-1")
	ok(t, err)
	equal(t, "passkey", key, aPasskey(ours, "passkey-1"))
	act, err := b.Activity(ctx, ours, "activity-1")
	ok(t, err)
	equal(t, "activity", act, anActivity(ours, "activity-1"))
	addr, err := b.Address(ctx, ours, "address-1")
	ok(t, err)
	equal(t, "address", addr, anAddress(ours, "address-1"))
	for _, id := range []string{"wallet-1", "enclave-wallet-1"} {
		w, err := b.Wallet(ctx, ours, id)
		ok(t, err)
		want := aWallet(ours, "wallet-1")
		want.LastActivity = start
		equal(t, "wallet "+id, w, want)
	}
	for id, want := range map[string]transaction.Transaction{"tx-1": aTransaction(ours, "tx-1"), "tx-2": full} {
		x, err := b.Transaction(ctx, ours, id)
		ok(t, err)
		equal(t, "transaction", x, want)
	}
}

func testForeignWorkspace(t *testing.T, b *bench) {
	b.seed(t, ours)
	b.absent(t, theirs)
	err := b.try(t, func(ctx context.Context, tx signing.Tx) error {
		return tx.MoveTransaction(ctx, theirs, "tx-1", []transaction.State{transaction.Awaiting}, transaction.Cancelled, transaction.Change{Now: start})
	})
	equal(t, "moving a foreign transaction", err, record.ErrStale)
	err = b.try(t, func(ctx context.Context, tx signing.Tx) error {
		return tx.MoveActivity(ctx, theirs, "activity-1", activity.Awaiting, activity.Cancelled, "", start)
	})
	equal(t, "moving a foreign activity", err, record.ErrStale)
	// The same ids in another workspace are other rows.
	b.seed(t, theirs)
	x, err := b.Transaction(t.Context(), theirs, "tx-1")
	ok(t, err)
	equal(t, "their transaction", x, aTransaction(theirs, "tx-1"))
}

func testDoubleInsert(t *testing.T, b *bench) {
	b.seed(t, ours)
	b.write(t, func(ctx context.Context, tx signing.Tx) error {
		sub, key, again, addr := aSubOrganization(ours, "sub-1"), aPasskey(ours, "passkey-1"), aWallet(ours, "wallet-2"), anAddress(ours, "address-2")
		sub.Name, key.Label, again.EnclaveID, addr.Name = "other", "other", "enclave-wallet-1", "other"
		second := anActivity(ours, "activity-1")
		second.Body = "other"
		return all(tx.InsertSubOrganization(ctx, sub), tx.InsertPasskey(ctx, key), tx.InsertWallet(ctx, again), tx.InsertAddress(ctx, addr),
			tx.InsertActivity(ctx, second))
	})
	ctx := t.Context()
	first, err := b.Activity(ctx, ours, "activity-1")
	ok(t, err)
	equal(t, "activity", first, anActivity(ours, "activity-1"))
	subs, err := b.SubOrganizations(ctx, ours)
	ok(t, err)
	equal(t, "sub-organizations", subs, []passkey.SubOrganization{aSubOrganization(ours, "sub-1")})
	keys, err := b.Passkeys(ctx, ours, "sub-1")
	ok(t, err)
	equal(t, "passkeys", keys, []passkey.Passkey{aPasskey(ours, "passkey-1")})
	w, err := b.Wallet(ctx, ours, "enclave-wallet-1")
	ok(t, err)
	equal(t, "wallet", w.ID, "wallet-1")
	addresses, err := b.Addresses(ctx, ours, "wallet-1")
	ok(t, err)
	equal(t, "addresses", addresses, []wallet.Address{anAddress(ours, "address-1")})

	for name, insert := range map[string]writes{
		"transaction": func(ctx context.Context, tx signing.Tx) error {
			return tx.InsertTransaction(ctx, aTransaction(ours, "tx-1"))
		},
	} {
		if b.try(t, insert) == nil {
			t.Errorf("a second %s with the same id was accepted", name)
		}
	}
}

func testAddressSpelling(t *testing.T, b *bench) {
	b.seed(t, ours)
	const base58 = "7EcDhSYGxXyscszYEp35KHN8vvw3svAuLKTzXwCFLtV" // case matters
	b.write(t, func(ctx context.Context, tx signing.Tx) error {
		a := anAddress(ours, "address-2")
		a.Address, a.Kind, a.Path = base58, "solana", "m/44'/501'/0'/0'"
		return tx.InsertAddress(ctx, a)
	})
	for _, spelling := range []string{checksummed, strings.ToLower(checksummed), "0X" + strings.ToUpper(checksummed[2:])} {
		a, err := b.Address(t.Context(), ours, spelling)
		ok(t, err)
		equal(t, spelling, a.Address, checksummed)
	}
	a, err := b.Address(t.Context(), ours, base58)
	ok(t, err)
	equal(t, "base58", a.ID, "address-2")
	_, err = b.Address(t.Context(), ours, strings.ToLower(base58))
	missing(t, "Address", err)
}

func testAddressDirectory(t *testing.T, b *bench) {
	b.seed(t, ours)
	b.seed(t, theirs)
	equal(t, "owners of one address", b.count(t, "address_directory"), 1)
	equal(t, "first owner", b.count(t, "address_directory WHERE kind = 'evm' AND lookup = $1 AND workspace_id = $2 AND address_id = 'address-1'",
		strings.ToLower(checksummed), ours), 1)
	for address, want := range map[string]bool{checksummed: true, strings.ToLower(checksummed): true, "0x" + strings.Repeat("12", 20): false} {
		owned, err := b.AddressOwned(t.Context(), "evm", address)
		ok(t, err)
		equal(t, address+" owned", owned, want)
	}
	owned, err := b.AddressOwned(t.Context(), "solana", checksummed)
	ok(t, err)
	equal(t, "owned on another chain", owned, false)
}

func testRenamePasskey(t *testing.T, b *bench) {
	b.seed(t, ours)
	rename := func(ws, id string) error {
		return b.try(t, func(ctx context.Context, tx signing.Tx) error { return tx.RenamePasskey(ctx, ws, id, "Phone") })
	}
	missing(t, "Passkey", rename(theirs, "passkey-1"))
	missing(t, "Passkey", rename(ours, "passkey-2"))
	ok(t, rename(ours, "passkey-1"))
	p, err := b.Passkey(t.Context(), ours, "passkey-1")
	ok(t, err)
	equal(t, "label", p.Label, "Phone")
}

func testLastActivity(t *testing.T, b *bench) {
	b.seed(t, ours)
	signed := "0x02ff"
	move := func(to transaction.State, at time.Time, signed *string) {
		b.write(t, func(ctx context.Context, tx signing.Tx) error {
			return tx.MoveTransaction(ctx, ours, "tx-1", []transaction.State{transaction.Awaiting, transaction.Broadcast}, to,
				transaction.Change{Now: at, SignedTransaction: signed})
		})
	}
	move(transaction.Broadcast, start.Add(time.Minute), &signed)
	move(transaction.Confirmed, start.Add(time.Hour), nil)
	w, err := b.Wallet(t.Context(), ours, "wallet-1")
	ok(t, err)
	equal(t, "last activity", w.LastActivity, start.Add(time.Minute))
}

func testWorkspaces(t *testing.T, b *bench) {
	ctx := t.Context()
	w := workspace.Workspace{
		ID: ours, Name: "Ours", Environment: "sandbox", KYBStatus: "approved",
		Email: "ops@ours.example", KYBReason: "all papers are here", Modules: []auth.Module{auth.Signing, auth.Payout},
		CreatedAt: start, UpdatedAt: start.Add(time.Hour),
	}
	ok(t, b.EnsureWorkspace(ctx, w))
	other := w
	other.Name = "Other"
	ok(t, b.EnsureWorkspace(ctx, other))
	got, err := b.Workspace(ctx, ours)
	ok(t, err)
	equal(t, "workspace", got, w)
}

func testKeys(t *testing.T, b *bench) {
	ctx := t.Context()
	k := auth.Key{
		WorkspaceID: ours, ID: "key-1", Name: "Server", Hash: "hash-1", Prefix: "rk_client_key_v1_", LastFour: "abcd",
		Scopes: []auth.Scope{auth.Integrator, auth.PayoutWrite}, Environment: "sandbox", Description: "Of the shop",
		Networks: []netip.Prefix{netip.MustParsePrefix("192.0.2.0/24"), netip.MustParsePrefix("2001:db8::1/128")}, LastUsedAt: start.Add(time.Second),
		Limits: auth.Limits{Standard: 1000, Financial: 500}, CreatedAt: start, ExpiresAt: start.Add(time.Hour), RevokedAt: start.Add(time.Minute),
	}
	if b.EnsureKey(ctx, k) == nil {
		t.Error("a key of no workspace was accepted")
	}
	modules := []auth.Module{auth.Signing}
	ok(t, b.EnsureWorkspace(ctx, workspace.Workspace{ID: ours, Modules: modules, KYBStatus: workspace.KYBApproved, CreatedAt: start}))
	ok(t, b.EnsureWorkspace(ctx, workspace.Workspace{ID: theirs, CreatedAt: start}))
	ok(t, b.EnsureKey(ctx, k))
	again := k
	again.WorkspaceID, again.ID, again.Name = theirs, "key-2", "Other"
	ok(t, b.EnsureKey(ctx, again))
	got, tenant, err := b.KeyByHash(ctx, "hash-1")
	ok(t, err)
	equal(t, "key", got, k)
	equal(t, "tenant", tenant, auth.Tenant{WorkspaceID: ours, Modules: modules, Verified: true})
	equal(t, "keys", b.count(t, "api_keys"), 1)
}
