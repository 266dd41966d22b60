package storetest

import (
	"context"
	"errors"
	"strconv"
	"testing"
	"time"

	"github.com/railkit/railkit/fault"
	"github.com/railkit/railkit/kit/signing"
	"github.com/railkit/railkit/kit/signing/activity"
	"github.com/railkit/railkit/kit/signing/transaction"
	"github.com/railkit/railkit/kit/signing/wallet"
	"github.com/railkit/railkit/platform/page"
)

// What is signed and held waits for its owner; what is held and not signed yet
// waits for the server.
func testWaitingHeld(t *testing.T, b *bench) {
	b.transactions(t, 3, func(i int, x *transaction.Transaction) {
		x.State = []transaction.State{transaction.Pending, transaction.Pending, transaction.Awaiting}[i]
		x.Held = i > 0
	})
	rows, err := b.WaitingTransactions(t.Context(), []transaction.State{transaction.Pending, transaction.Awaiting}, start.Add(time.Hour), page.Cursor{}, 10)
	ok(t, err)
	equal(t, "waiting", ids(rows, txID), []string{"tx-00", "tx-02"})
	ok(t, b.move(t, "tx-01", []transaction.State{transaction.Pending}, transaction.Pending, transaction.Change{Now: start, Held: ptr(false)}))
	x, err := b.Transaction(t.Context(), ours, "tx-01")
	ok(t, err)
	equal(t, "held", x.Held, false)
}

func testWaitingGoesOn(t *testing.T, b *bench) {
	b.transactions(t, 4, func(i int, x *transaction.Transaction) {
		if i < 3 {
			x.UpdatedAt = start // of one instant: the id decides
		}
	})
	b.write(t, func(ctx context.Context, tx signing.Tx) error {
		later := anActivity(ours, "activity-2")
		later.CreatedAt = start.Add(time.Second)
		return all(tx.InsertActivity(ctx, anActivity(ours, "activity-1")), tx.InsertActivity(ctx, later))
	})
	after := page.Cursor{CreatedAt: start, ID: "tx-01"}
	rows, err := b.WaitingTransactions(t.Context(), []transaction.State{transaction.Awaiting}, start.Add(time.Hour), after, 10)
	ok(t, err)
	equal(t, "transactions", ids(rows, txID), []string{"tx-02", "tx-03"})
	activities, err := b.WaitingActivities(t.Context(), start.Add(time.Hour), page.Cursor{CreatedAt: start, ID: "activity-1"}, 10)
	ok(t, err)
	equal(t, "activities", ids(activities, func(a activity.Activity) string { return a.ID }), []string{"activity-2"})
}

func testCursorBothWays(t *testing.T, b *bench) {
	b.transactions(t, 5, func(i int, x *transaction.Transaction) {
		if i < 3 {
			x.CreatedAt = start
		}
	})
	after := &page.Cursor{CreatedAt: start, ID: "tx-01"}
	page := page.Page{Limit: 2, After: after}
	b.selected(t, transaction.Filter{Page: page, SortDir: "asc"}, 5, "tx-02", "tx-03")
	b.selected(t, transaction.Filter{Page: page}, 5, "tx-00")
}

func testAddressesOf(t *testing.T, b *bench) {
	b.seed(t, ours)
	b.seed(t, theirs)
	b.write(t, func(ctx context.Context, tx signing.Tx) error {
		second, third := anAddress(ours, "address-2"), anAddress(ours, "address-3")
		second.WalletID, third.WalletID, third.Path = "wallet-2", "wallet-2", "m/1"
		second.CreatedAt = start.Add(time.Second)
		return all(tx.InsertWallet(ctx, aWallet(ours, "wallet-2")), tx.InsertAddress(ctx, second), tx.InsertAddress(ctx, third))
	})
	of := func(wallets ...string) []string {
		rows, err := b.AddressesOf(t.Context(), ours, wallets)
		ok(t, err)
		return ids(rows, func(a wallet.Address) string { return a.ID })
	}
	equal(t, "of both", of("wallet-1", "wallet-2"), []string{"address-1", "address-3", "address-2"})
	equal(t, "of one", of("wallet-2"), []string{"address-3", "address-2"})
	equal(t, "of none", of(), []string{})
}

func testTouchPasskey(t *testing.T, b *bench) {
	b.seed(t, ours)
	touch := func(sub, credential string, at time.Time) time.Time {
		b.write(t, func(ctx context.Context, tx signing.Tx) error { return tx.TouchPasskey(ctx, ours, sub, credential, at) })
		key, err := b.Passkey(t.Context(), ours, "passkey-1")
		ok(t, err)
		return key.LastUsedAt
	}
	was, later := aPasskey(ours, "passkey-1").LastUsedAt, start.Add(48*time.Hour)
	equal(t, "of another sub-organization", touch("sub-2", "credential-passkey-1", later), was)
	equal(t, "another credential", touch("sub-1", "credential-x", later), was)
	equal(t, "earlier", touch("sub-1", "credential-passkey-1", start), was)
	equal(t, "later", touch("sub-1", "credential-passkey-1", later), later)
}

// What is signed and in no block is due at its time, be it held, replaced or
// failed; the earliest comes first.
func testUnsentDue(t *testing.T, b *bench) {
	b.transactions(t, 8, func(i int, x *transaction.Transaction) {
		x.State, x.Held = transaction.Pending, i == 0
		x.LookAt = start.Add(-time.Duration(i) * time.Second)
		switch i {
		case 1:
			x.State = transaction.Failed
		case 2:
			x.ReplacedBy = "tx-00"
		case 3:
			x.LookAt = time.Time{} // its nonce is used
		case 4:
			x.LookAt = start.Add(time.Microsecond)
		case 5:
			x.State = transaction.Broadcast // a job follows it
		case 6:
			x.State, x.MinedAt = transaction.Failed, start // reverted
		case 7:
			x.State = transaction.Awaiting
		}
	})
	rows, err := b.UnsentDue(t.Context(), start, 10)
	ok(t, err)
	equal(t, "due", ids(rows, txID), []string{"tx-02", "tx-01", "tx-00"})
	rows, err = b.UnsentDue(t.Context(), start, 1)
	ok(t, err)
	equal(t, "at most one", ids(rows, txID), []string{"tx-02"})
}

// Of the rows of one nonce the one of the body is found.
func testTransactionSigned(t *testing.T, b *bench) {
	b.transactions(t, 3, func(i int, x *transaction.Transaction) {
		nonce := int64(7)
		x.Nonce, x.Fingerprint, x.State = &nonce, "sha256:"+strconv.Itoa(i), transaction.Broadcast
		if i == 0 {
			x.ReplacedBy = "tx-01"
		}
		if i == 2 {
			*x.Nonce = 8
		}
	})
	for fingerprint, want := range map[string]string{"sha256:0": "tx-00", "sha256:1": "tx-01"} {
		got, err := b.TransactionSigned(t.Context(), ours, "base", checksummed, 7, fingerprint)
		ok(t, err)
		equal(t, "row of the body", got.ID, want)
	}
	for what, find := range map[string]func() (transaction.Transaction, error){
		"another nonce": func() (transaction.Transaction, error) {
			return b.TransactionSigned(t.Context(), ours, "base", checksummed, 7, "sha256:2")
		},
		"another chain": func() (transaction.Transaction, error) {
			return b.TransactionSigned(t.Context(), ours, "polygon", checksummed, 7, "sha256:1")
		},
		"another workspace": func() (transaction.Transaction, error) {
			return b.TransactionSigned(t.Context(), theirs, "base", checksummed, 7, "sha256:1")
		},
	} {
		_, err := find()
		equal(t, what+" finds none", errors.Is(err, fault.ErrNotFound), true)
	}
}

// What an address has signed and not sent, down to its last mined nonce.
func testUnsent(t *testing.T, b *bench) {
	b.transactions(t, 9, func(i int, x *transaction.Transaction) {
		nonce := int64(i)
		x.Nonce = &nonce
		x.State = []transaction.State{
			transaction.Pending, transaction.Confirmed, transaction.Failed, transaction.Broadcast, transaction.Failed, transaction.Pending,
			transaction.Pending, transaction.Pending, transaction.Pending,
		}[i]
		switch i {
		case 1, 2: // 2 was mined and failed there; 0 can never be mined any more
			x.MinedAt = start
		case 6:
			x.Chain = "polygon"
		case 7:
			x.From = "0x70997970C51812dc3A010C7d01b50e0d17dc79C8"
		}
	})
	for below, want := range map[int64][]string{8: {"tx-05", "tx-04"}, 5: {"tx-04"}, 4: {}, 2: {}, 1: {"tx-00"}, 0: {}} {
		got, err := b.Unsent(t.Context(), ours, "base", checksummed, below)
		ok(t, err)
		equal(t, "unsent", ids(got, func(id string) string { return id }), want)
	}
	got, err := b.Unsent(t.Context(), theirs, "base", checksummed, 8)
	ok(t, err)
	equal(t, "of another workspace", len(got), 0)
}
