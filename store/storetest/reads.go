package storetest

import (
	"context"
	"errors"
	"fmt"
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
	Missing(t, "Sub-organization", err)
	_, err = b.Passkey(ctx, ws, "passkey-1")
	Missing(t, "Passkey", err)
	_, err = b.Activity(ctx, ws, "activity-1")
	Missing(t, "Wallet request", err)
	for _, id := range []string{"wallet-1", "enclave-wallet-1"} {
		_, err = b.Wallet(ctx, ws, id)
		Missing(t, "Wallet", err)
	}
	for _, id := range []string{"address-1", checksummed} {
		_, err = b.Address(ctx, ws, id)
		Missing(t, "Address", err)
	}
	_, err = b.Transaction(ctx, ws, "tx-1")
	Missing(t, "Transaction", err)
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
	paths, err := b.PendingPaths(ctx, ws, "wallet-1", Start)
	empty(t, "pending paths", paths, err)
	addresses, err := b.Addresses(ctx, ws, "wallet-1")
	empty(t, "addresses", addresses, err)
	wallets, total, err := b.Wallets(ctx, wallet.Filter{WorkspaceID: ws, Page: page.Page{Limit: 10}})
	empty(t, "wallets", wallets, err)
	Equal(t, "total of wallets", total, 0)
	transactions, total, err := b.Transactions(ctx, transaction.Filter{WorkspaceID: ws, Page: page.Page{Limit: 10}})
	empty(t, "transactions", transactions, err)
	Equal(t, "total of transactions", total, 0)
}

// empty wants a list that is empty but there: the API shows [] and not null.
func empty[T any](t *testing.T, what string, rows []T, err error) {
	t.Helper()
	if err != nil || rows == nil || len(rows) != 0 {
		t.Errorf("%s: got %v, %v, want an empty list", what, rows, err)
	}
}

func testEmpty(t *testing.T, b *bench) {
	OK(t, b.Ping(t.Context()))
	b.absent(t, Ours)
	_, err := b.Workspace(t.Context(), Ours)
	Missing(t, "Workspace", err)
	if _, _, err := b.KeyByHash(t.Context(), "hash"); err != auth.ErrNoKey {
		t.Errorf("unknown key: got %v", err)
	}
	if _, found, err := b.Answer(t.Context(), Ours, "hash", Start); found || err != nil {
		t.Errorf("unknown idempotency key: got %v, %v", found, err)
	}
	waiting, err := b.WaitingTransactions(
		t.Context(), []transaction.State{transaction.Pending}, Start, page.Cursor{}, 10,
	)
	empty(t, "waiting transactions", waiting, err)
	activities, err := b.WaitingActivities(t.Context(), Start, page.Cursor{}, 10)
	empty(t, "waiting activities", activities, err)
}

func testRoundTrip(t *testing.T, b *bench) {
	ctx := t.Context()
	b.seed(t, Ours)
	full := sent(Ours, "tx-2", 0)
	b.write(t, func(ctx context.Context, tx signing.Tx) error { return tx.InsertTransaction(ctx, full) })

	sub, err := b.SubOrganization(ctx, Ours, "sub-1")
	OK(t, err)
	Equal(t, "sub-organization", sub, aSubOrganization(Ours, "sub-1"))
	key, err := b.Passkey(ctx, Ours, "passkey-1")
	OK(t, err)
	Equal(t, "passkey", key, aPasskey(Ours, "passkey-1"))
	act, err := b.Activity(ctx, Ours, "activity-1")
	OK(t, err)
	Equal(t, "activity", act, anActivity(Ours, "activity-1"))
	addr, err := b.Address(ctx, Ours, "address-1")
	OK(t, err)
	Equal(t, "address", addr, anAddress(Ours, "address-1"))
	for _, id := range []string{"wallet-1", "enclave-wallet-1"} {
		w, err := b.Wallet(ctx, Ours, id)
		OK(t, err)
		want := aWallet(Ours, "wallet-1")
		want.LastActivity = Start
		Equal(t, "wallet "+id, w, want)
	}
	for id, want := range map[string]transaction.Transaction{"tx-1": aTransaction(Ours, "tx-1"), "tx-2": full} {
		x, err := b.Transaction(ctx, Ours, id)
		OK(t, err)
		Equal(t, "transaction", x, want)
	}
}

func testForeignWorkspace(t *testing.T, b *bench) {
	b.seed(t, Ours)
	b.absent(t, Theirs)
	err := b.try(t, func(ctx context.Context, tx signing.Tx) error {
		return tx.MoveTransaction(
			ctx, Theirs, "tx-1", []transaction.State{transaction.Awaiting}, transaction.Cancelled,
			transaction.Change{Now: Start},
		)
	})
	Equal(t, "moving a foreign transaction", err, record.ErrStale)
	err = b.try(t, func(ctx context.Context, tx signing.Tx) error {
		return tx.MoveActivity(ctx, Theirs, "activity-1", activity.Awaiting, activity.Cancelled, "", Start)
	})
	Equal(t, "moving a foreign activity", err, record.ErrStale)
	// The same ids in another workspace are other rows.
	b.seed(t, Theirs)
	x, err := b.Transaction(t.Context(), Theirs, "tx-1")
	OK(t, err)
	Equal(t, "their transaction", x, aTransaction(Theirs, "tx-1"))
}

func testDoubleInsert(t *testing.T, b *bench) {
	b.seed(t, Ours)
	b.write(t, func(ctx context.Context, tx signing.Tx) error {
		sub, key, again, addr := aSubOrganization(Ours,
			"sub-1"), aPasskey(Ours, "passkey-1"), aWallet(Ours, "wallet-2"), anAddress(Ours, "address-2")
		sub.Name, key.Label, again.EnclaveID, addr.Name = "other", "other", "enclave-wallet-1", "other"
		second := anActivity(Ours, "activity-1")
		second.Body = "other"
		return errors.Join(tx.InsertSubOrganization(ctx, sub), tx.InsertPasskey(ctx, key), tx.InsertWallet(ctx, again),
			tx.InsertAddress(ctx, addr),
			tx.InsertActivity(ctx, second))
	})
	ctx := t.Context()
	first, err := b.Activity(ctx, Ours, "activity-1")
	OK(t, err)
	Equal(t, "activity", first, anActivity(Ours, "activity-1"))
	subs, err := b.SubOrganizations(ctx, Ours)
	OK(t, err)
	Equal(t, "sub-organizations", subs, []passkey.SubOrganization{aSubOrganization(Ours, "sub-1")})
	keys, err := b.Passkeys(ctx, Ours, "sub-1")
	OK(t, err)
	Equal(t, "passkeys", keys, []passkey.Passkey{aPasskey(Ours, "passkey-1")})
	for _, f := range []passkey.Filter{
		{}, {SubOrganizationID: "sub-1"}, {Email: strings.ToUpper(keys[0].Email)}, {Email: "nobody@example.com"},
	} {
		want := 1
		if f.Email == "nobody@example.com" {
			want = 0
		}
		f.WorkspaceID, f.Page = Ours, page.Page{Limit: 9}
		got, total, err := b.PasskeyPage(ctx, f)
		OK(t, err)
		Equal(t, fmt.Sprintf("passkeys of %+v", f), []int{len(got), total}, []int{want, want})
	}
	w, err := b.Wallet(ctx, Ours, "enclave-wallet-1")
	OK(t, err)
	Equal(t, "wallet", w.ID, "wallet-1")
	addresses, err := b.Addresses(ctx, Ours, "wallet-1")
	OK(t, err)
	Equal(t, "addresses", addresses, []wallet.Address{anAddress(Ours, "address-1")})

	for name, insert := range map[string]writes{
		"transaction": func(ctx context.Context, tx signing.Tx) error {
			return tx.InsertTransaction(ctx, aTransaction(Ours, "tx-1"))
		},
	} {
		if b.try(t, insert) == nil {
			t.Errorf("a second %s with the same id was accepted", name)
		}
	}
}

func testAddressSpelling(t *testing.T, b *bench) {
	b.seed(t, Ours)
	const base58 = "7EcDhSYGxXyscszYEp35KHN8vvw3svAuLKTzXwCFLtV" // case matters
	b.write(t, func(ctx context.Context, tx signing.Tx) error {
		a := anAddress(Ours, "address-2")
		a.Address, a.Kind, a.Path = base58, "solana", "m/44'/501'/0'/0'"
		return tx.InsertAddress(ctx, a)
	})
	for _, spelling := range []string{
		checksummed, strings.ToLower(checksummed), "0X" + strings.ToUpper(checksummed[2:]),
	} {
		a, err := b.Address(t.Context(), Ours, spelling)
		OK(t, err)
		Equal(t, spelling, a.Address, checksummed)
	}
	a, err := b.Address(t.Context(), Ours, base58)
	OK(t, err)
	Equal(t, "base58", a.ID, "address-2")
	_, err = b.Address(t.Context(), Ours, strings.ToLower(base58))
	Missing(t, "Address", err)
}

func testAddressDirectory(t *testing.T, b *bench) {
	b.seed(t, Ours)
	b.seed(t, Theirs)
	Equal(t, "owners of one address", b.Count(t, "address_directory"), 1)
	Equal(t, "first owner", b.Count(t, "address_directory WHERE kind = 'evm' AND lookup = $1 AND workspace_id = $2 AND address_id = 'address-1'",
		strings.ToLower(checksummed), Ours), 1)
	for address, want := range map[string]bool{
		checksummed: true, strings.ToLower(checksummed): true, "0x" + strings.Repeat("12", 20): false,
	} {
		owned, err := b.AddressOwned(t.Context(), "evm", address)
		OK(t, err)
		Equal(t, address+" owned", owned, want)
	}
	owned, err := b.AddressOwned(t.Context(), "solana", checksummed)
	OK(t, err)
	Equal(t, "owned on another chain", owned, false)
}

func testRenamePasskey(t *testing.T, b *bench) {
	b.seed(t, Ours)
	rename := func(ws, id string) error {
		return b.try(t, func(ctx context.Context, tx signing.Tx) error {
			return tx.RenamePasskey(ctx, ws, id, "Phone")
		})
	}
	Missing(t, "Passkey", rename(Theirs, "passkey-1"))
	Missing(t, "Passkey", rename(Ours, "passkey-2"))
	OK(t, rename(Ours, "passkey-1"))
	p, err := b.Passkey(t.Context(), Ours, "passkey-1")
	OK(t, err)
	Equal(t, "label", p.Label, "Phone")
}

func testLastActivity(t *testing.T, b *bench) {
	b.seed(t, Ours)
	signed := "0x02ff"
	move := func(to transaction.State, at time.Time, signed *string) {
		b.write(t, func(ctx context.Context, tx signing.Tx) error {
			return tx.MoveTransaction(ctx, Ours, "tx-1", []transaction.State{
				transaction.Awaiting, transaction.Broadcast,
			}, to,
				transaction.Change{Now: at, SignedTransaction: signed})
		})
	}
	move(transaction.Broadcast, Start.Add(time.Minute), &signed)
	move(transaction.Confirmed, Start.Add(time.Hour), nil)
	w, err := b.Wallet(t.Context(), Ours, "wallet-1")
	OK(t, err)
	Equal(t, "last activity", w.LastActivity, Start.Add(time.Minute))
}

func testWorkspaces(t *testing.T, b *bench) {
	ctx := t.Context()
	w := workspace.Workspace{
		ID: Ours, Name: "Ours", Environment: "sandbox", KYBStatus: "approved",
		Email: "ops@ours.example", KYBReason: "all papers are here", Modules: []auth.Module{auth.Signing, auth.Payout},
		CreatedAt: Start, UpdatedAt: Start.Add(time.Hour),
	}
	OK(t, b.EnsureWorkspace(ctx, w))
	other := w
	other.Name = "Other"
	OK(t, b.EnsureWorkspace(ctx, other))
	got, err := b.Workspace(ctx, Ours)
	OK(t, err)
	Equal(t, "workspace", got, w)
}

func testKeys(t *testing.T, b *bench) {
	ctx := t.Context()
	k := auth.Key{
		WorkspaceID: Ours, ID: "key-1", Name: "Server", Hash: "hash-1", Prefix: "rk_client_key_v1_", LastFour: "abcd",
		Scopes: []auth.Scope{auth.Integrator, auth.PayoutWrite}, Environment: "sandbox", Description: "Of the shop",
		Networks:   []netip.Prefix{netip.MustParsePrefix("192.0.2.0/24"), netip.MustParsePrefix("2001:db8::1/128")},
		LastUsedAt: Start.Add(time.Second),
		Limits:     auth.Limits{Standard: 1000, Financial: 500}, CreatedAt: Start, ExpiresAt: Start.Add(time.Hour),
		RevokedAt: Start.Add(time.Minute),
	}
	if b.EnsureKey(ctx, k) == nil {
		t.Error("a key of no workspace was accepted")
	}
	modules := []auth.Module{auth.Signing}
	OK(t, b.EnsureWorkspace(
		ctx, workspace.Workspace{ID: Ours, Modules: modules, KYBStatus: workspace.KYBApproved, CreatedAt: Start},
	))
	OK(t, b.EnsureWorkspace(ctx, workspace.Workspace{ID: Theirs, CreatedAt: Start}))
	OK(t, b.EnsureKey(ctx, k))
	again := k
	again.WorkspaceID, again.ID, again.Name = Theirs, "key-2", "Other"
	OK(t, b.EnsureKey(ctx, again))
	got, tenant, err := b.KeyByHash(ctx, "hash-1")
	OK(t, err)
	Equal(t, "key", got, k)
	Equal(t, "tenant", tenant, auth.Tenant{WorkspaceID: Ours, Modules: modules, Verified: true})
	Equal(t, "keys", b.Count(t, "api_keys"), 1)
}
