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
	rows, err := b.WaitingTransactions(
		t.Context(), []transaction.State{transaction.Pending, transaction.Awaiting}, Start.Add(time.Hour),
		page.Cursor{}, 10,
	)
	OK(t, err)
	Equal(t, "waiting", IDs(rows, txID), []string{"tx-00", "tx-02"})
	OK(t, b.move(
		t, "tx-01", []transaction.State{transaction.Pending}, transaction.Pending,
		transaction.Change{Now: Start, Held: ptr(false)},
	))
	x, err := b.Transaction(t.Context(), Ours, "tx-01")
	OK(t, err)
	Equal(t, "held", x.Held, false)
}

func testWaitingGoesOn(t *testing.T, b *bench) {
	b.transactions(t, 4, func(i int, x *transaction.Transaction) {
		if i < 3 {
			x.UpdatedAt = Start // of one instant: the id decides
		}
	})
	b.write(t, func(ctx context.Context, tx signing.Tx) error {
		later := anActivity(Ours, "activity-2")
		later.CreatedAt = Start.Add(time.Second)
		return errors.Join(tx.InsertActivity(ctx, anActivity(Ours, "activity-1")), tx.InsertActivity(ctx, later))
	})
	after := page.Cursor{CreatedAt: Start, ID: "tx-01"}
	rows, err := b.WaitingTransactions(
		t.Context(), []transaction.State{transaction.Awaiting}, Start.Add(time.Hour), after, 10,
	)
	OK(t, err)
	Equal(t, "transactions", IDs(rows, txID), []string{"tx-02", "tx-03"})
	activities, err := b.WaitingActivities(
		t.Context(), Start.Add(time.Hour), page.Cursor{CreatedAt: Start, ID: "activity-1"}, 10,
	)
	OK(t, err)
	Equal(t, "activities", IDs(activities, func(a activity.Activity) string { return a.ID }), []string{"activity-2"})
}

func testCursorBothWays(t *testing.T, b *bench) {
	b.transactions(t, 5, func(i int, x *transaction.Transaction) {
		if i < 3 {
			x.CreatedAt = Start
		}
	})
	after := &page.Cursor{CreatedAt: Start, ID: "tx-01"}
	page := page.Page{Limit: 2, After: after}
	b.selected(t, transaction.Filter{Page: page, SortDir: "asc"}, 5, "tx-02", "tx-03")
	b.selected(t, transaction.Filter{Page: page}, 5, "tx-00")
}

func testAddressesOf(t *testing.T, b *bench) {
	b.seed(t, Ours)
	b.seed(t, Theirs)
	b.write(t, func(ctx context.Context, tx signing.Tx) error {
		second, third := anAddress(Ours, "address-2"), anAddress(Ours, "address-3")
		second.WalletID, third.WalletID, third.Path = "wallet-2", "wallet-2", "m/1"
		second.CreatedAt = Start.Add(time.Second)
		return errors.Join(
			tx.InsertWallet(ctx, aWallet(Ours, "wallet-2")), tx.InsertAddress(ctx, second),
			tx.InsertAddress(ctx, third),
		)
	})
	of := func(wallets ...string) []string {
		rows, err := b.AddressesOf(t.Context(), Ours, wallets)
		OK(t, err)
		return IDs(rows, func(a wallet.Address) string { return a.ID })
	}
	Equal(t, "of both", of("wallet-1", "wallet-2"), []string{"address-1", "address-3", "address-2"})
	Equal(t, "of one", of("wallet-2"), []string{"address-3", "address-2"})
	Equal(t, "of none", of(), []string{})
}

func testTouchPasskey(t *testing.T, b *bench) {
	b.seed(t, Ours)
	touch := func(sub, credential string, at time.Time) time.Time {
		b.write(t, func(ctx context.Context, tx signing.Tx) error {
			tx.TouchPasskey(Ours, sub, credential, at)
			return nil
		})
		key, err := b.Passkey(t.Context(), Ours, "passkey-1")
		OK(t, err)
		return key.LastUsedAt
	}
	was, later := aPasskey(Ours, "passkey-1").LastUsedAt, Start.Add(48*time.Hour)
	Equal(t, "of another sub-organization", touch("sub-2", "credential-passkey-1", later), was)
	Equal(t, "another credential", touch("sub-1", "credential-x", later), was)
	Equal(t, "earlier", touch("sub-1", "credential-passkey-1", Start), was)
	Equal(t, "later", touch("sub-1", "credential-passkey-1", later), later)
}

// What is signed and in no block is due at its time, be it held, replaced or
// failed; the earliest comes first.
func testUnsentDue(t *testing.T, b *bench) {
	b.transactions(t, 8, func(i int, x *transaction.Transaction) {
		x.State, x.Held = transaction.Pending, i == 0
		x.LookAt = Start.Add(-time.Duration(i) * time.Second)
		switch i {
		case 1:
			x.State = transaction.Failed
		case 2:
			x.ReplacedBy = "tx-00"
		case 3:
			x.LookAt = time.Time{} // its nonce is used
		case 4:
			x.LookAt = Start.Add(time.Microsecond)
		case 5:
			x.State = transaction.Broadcast // a job follows it
		case 6:
			x.State, x.MinedAt = transaction.Failed, Start // reverted
		case 7:
			x.State = transaction.Awaiting
		}
	})
	rows, err := b.UnsentDue(t.Context(), Start, 10)
	OK(t, err)
	Equal(t, "due", IDs(rows, txID), []string{"tx-02", "tx-01", "tx-00"})
	rows, err = b.UnsentDue(t.Context(), Start, 1)
	OK(t, err)
	Equal(t, "at most one", IDs(rows, txID), []string{"tx-02"})
}

// The next look is a tenth of the age later, ten seconds at least and ten minutes at most, at those that are still due.
func testLookLater(t *testing.T, b *bench) {
	ages := []time.Duration{0, time.Minute, 20 * time.Minute, 24 * time.Hour, time.Minute, time.Minute, time.Minute}
	var rows []transaction.Transaction
	b.transactions(t, len(ages), func(i int, x *transaction.Transaction) {
		x.State, x.CreatedAt, x.LookAt = transaction.Pending, Start.Add(-ages[i]), Start.Add(-time.Second)
		switch i {
		case 4:
			x.State = transaction.Broadcast // sent meanwhile
		case 5:
			x.LookAt = Start.Add(time.Second) // looked at by another server meanwhile
		}
		rows = append(rows, *x)
	})
	var looks []transaction.Look
	for _, row := range rows[:6] {
		looks = append(looks, transaction.Look{
			WorkspaceID: row.WorkspaceID, ID: row.ID, CreatedAt: row.CreatedAt, NonceUsedHead: 7,
		})
	}
	OK(t, b.LookLater(t.Context(), Start, looks))
	for i, after := range []time.Duration{10 * time.Second, 10 * time.Second, 2 * time.Minute, 10 * time.Minute} {
		x, err := b.Transaction(t.Context(), Ours, rows[i].ID)
		OK(t, err)
		Equal(t, rows[i].ID, x.LookAt, Start.Add(after))
		Equal(t, "its head", x.NonceUsedHead, int64(7))
		Equal(t, "untouched", x.UpdatedAt, rows[i].UpdatedAt)
	}
	for _, row := range rows[4:] {
		x, err := b.Transaction(t.Context(), Ours, row.ID)
		OK(t, err)
		Equal(t, row.ID+" is as it was", x.LookAt, row.LookAt)
	}
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
		got, err := b.TransactionSigned(t.Context(), Ours, "base", checksummed, 7, fingerprint)
		OK(t, err)
		Equal(t, "row of the body", got.ID, want)
	}
	for what, find := range map[string]func() (transaction.Transaction, error){
		"another nonce": func() (transaction.Transaction, error) {
			return b.TransactionSigned(t.Context(), Ours, "base", checksummed, 7, "sha256:2")
		},
		"another chain": func() (transaction.Transaction, error) {
			return b.TransactionSigned(t.Context(), Ours, "polygon", checksummed, 7, "sha256:1")
		},
		"another workspace": func() (transaction.Transaction, error) {
			return b.TransactionSigned(t.Context(), Theirs, "base", checksummed, 7, "sha256:1")
		},
	} {
		_, err := find()
		Equal(t, what+" finds none", errors.Is(err, fault.ErrNotFound), true)
	}
}

// What an address has signed and not sent, down to its last mined nonce.
func testUnsent(t *testing.T, b *bench) {
	b.transactions(t, 9, func(i int, x *transaction.Transaction) {
		nonce := int64(i)
		x.Nonce = &nonce
		x.State = []transaction.State{
			transaction.Pending, transaction.Confirmed, transaction.Failed, transaction.Broadcast, transaction.Failed,
			transaction.Pending,
			transaction.Pending, transaction.Pending, transaction.Pending,
		}[i]
		switch i {
		case 1, 2: // 2 was mined and failed there; 0 can never be mined any more
			x.MinedAt = Start
		case 6:
			x.Chain = "polygon"
		case 7:
			x.From = "0x70997970C51812dc3A010C7d01b50e0d17dc79C8"
		}
	})
	for below, want := range map[int64][]string{
		8: {"tx-05", "tx-04"}, 5: {"tx-04"}, 4: {}, 2: {}, 1: {"tx-00"}, 0: {},
	} {
		got, err := b.Unsent(t.Context(), Ours, "base", checksummed, below)
		OK(t, err)
		Equal(t, "unsent", IDs(got, func(id string) string { return id }), want)
	}
	got, err := b.Unsent(t.Context(), Theirs, "base", checksummed, 8)
	OK(t, err)
	Equal(t, "of another workspace", len(got), 0)
}
