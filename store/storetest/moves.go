package storetest

import (
	"context"
	"errors"
	"sync"
	"testing"
	"time"

	"github.com/railkit/railkit/kit/signing"
	"github.com/railkit/railkit/kit/signing/activity"
	"github.com/railkit/railkit/kit/signing/transaction"
	"github.com/railkit/railkit/platform/record"
)

func ptr[T any](v T) *T { return &v }

func (b *bench) move(t *testing.T, id string, from []transaction.State, to transaction.State, c transaction.Change) error {
	t.Helper()
	return b.try(t, func(ctx context.Context, tx signing.Tx) error {
		return tx.MoveTransaction(ctx, ours, id, from, to, c)
	})
}

func testMoveTransaction(t *testing.T, b *bench) {
	b.seed(t, ours)
	later := start.Add(time.Minute)
	ok(t, b.move(t, "tx-1", []transaction.State{transaction.Pending, transaction.Awaiting}, transaction.Broadcast, transaction.Change{
		Now: later, Reason: ptr("r"), Nonce: ptr(int64(0)), SignedTransaction: ptr("0x02ff"), TxHash: ptr("0xaa"), Proof: ptr("{}"),
		BlockNumber: ptr(int64(1)), BlockHash: ptr("0xbb"), Confirmations: ptr(int64(2)), BroadcastAt: ptr(later),
		MinedAt: ptr(later), ConfirmedAt: ptr(later), FailedAt: ptr(later), Attempts: ptr(3),
		LookAt: ptr(later), NonceUsedHead: ptr(int64(12)),
	}))
	want := aTransaction(ours, "tx-1")
	want.State, want.UpdatedAt, want.Reason, want.Nonce = transaction.Broadcast, later, "r", ptr(int64(0))
	want.SignedTransaction, want.TxHash, want.Proof = "0x02ff", "0xaa", "{}"
	want.BlockNumber, want.BlockHash, want.Confirmations, want.Attempts = 1, "0xbb", 2, 3
	want.BroadcastAt, want.MinedAt, want.ConfirmedAt, want.FailedAt = later, later, later, later
	want.LookAt, want.NonceUsedHead = later, 12
	x, err := b.Transaction(t.Context(), ours, "tx-1")
	ok(t, err)
	equal(t, "moved", x, want)
}

func testMoveClears(t *testing.T, b *bench) {
	full := sent(ours, "tx-1", 4)
	b.write(t, func(ctx context.Context, tx signing.Tx) error { return tx.InsertTransaction(ctx, full) })
	later := start.Add(time.Hour)
	ok(t, b.move(t, "tx-1", []transaction.State{transaction.Confirmed}, transaction.Broadcast, transaction.Change{
		Now: later, BlockNumber: ptr(int64(0)), BlockHash: ptr(""), Confirmations: ptr(int64(0)),
		MinedAt: &time.Time{}, ConfirmedAt: &time.Time{},
	}))
	want := full
	want.State, want.UpdatedAt, want.BlockNumber, want.BlockHash, want.Confirmations = transaction.Broadcast, later, 0, "", 0
	want.MinedAt, want.ConfirmedAt = time.Time{}, time.Time{}
	x, err := b.Transaction(t.Context(), ours, "tx-1")
	ok(t, err)
	equal(t, "after a reorg", x, want)
}

func testMoveLoser(t *testing.T, b *bench) {
	b.seed(t, ours)
	ok(t, b.move(t, "tx-1", []transaction.State{transaction.Awaiting}, transaction.Cancelled, transaction.Change{Now: start}))
	audits := b.count(t, "audit")
	for name, err := range map[string]error{
		"another state": b.move(t, "tx-1", []transaction.State{transaction.Awaiting, transaction.Pending}, transaction.Broadcast, transaction.Change{Now: start, TxHash: ptr("0xaa")}),
		"no row":        b.move(t, "tx-2", []transaction.State{transaction.Awaiting}, transaction.Cancelled, transaction.Change{Now: start}),
		"no states":     b.move(t, "tx-1", nil, transaction.Cancelled, transaction.Change{Now: start}),
	} {
		if !errors.Is(err, record.ErrStale) {
			t.Errorf("%s: got %v", name, err)
		}
	}
	x, err := b.Transaction(t.Context(), ours, "tx-1")
	ok(t, err)
	equal(t, "state", x.State, transaction.Cancelled)
	equal(t, "hash", x.TxHash, "")
	equal(t, "audit rows", b.count(t, "audit"), audits)
}

func testMoveRace(t *testing.T, b *bench) {
	b.seed(t, ours)
	var wg sync.WaitGroup
	results := make([]error, 16)
	for i := range results {
		wg.Go(func() {
			results[i] = b.move(t, "tx-1", []transaction.State{transaction.Awaiting}, transaction.Cancelled, transaction.Change{Now: start})
		})
	}
	wg.Wait()
	won := 0
	for _, err := range results {
		if err == nil {
			won++
		} else if !errors.Is(err, record.ErrStale) {
			t.Errorf("loser got %v", err)
		}
	}
	equal(t, "winners", won, 1)
}

func testMoveActivity(t *testing.T, b *bench) {
	b.seed(t, ours)
	move := func(walletID string) error {
		return b.try(t, func(ctx context.Context, tx signing.Tx) error {
			return tx.MoveActivity(ctx, ours, "activity-1", activity.Awaiting, activity.Done, walletID, start)
		})
	}
	ok(t, move("wallet-9"))
	equal(t, "second move", move("wallet-8"), record.ErrStale)
	a, err := b.Activity(t.Context(), ours, "activity-1")
	ok(t, err)
	equal(t, "state", a.State, activity.Done)
	equal(t, "wallet", a.WalletID, "wallet-9")

	b.write(t, func(ctx context.Context, tx signing.Tx) error {
		return tx.InsertActivity(ctx, anActivity(ours, "activity-2"))
	})
	b.write(t, func(ctx context.Context, tx signing.Tx) error {
		return tx.MoveActivity(ctx, ours, "activity-2", activity.Awaiting, activity.Expired, "", start)
	})
	a, err = b.Activity(t.Context(), ours, "activity-2")
	ok(t, err)
	equal(t, "wallet of a move without one", a.WalletID, "wallet-1")
}

func testNonce(t *testing.T, b *bench) {
	b.transactions(t, 3, nil)
	sign := func(id string, nonce int64) error {
		return b.move(t, id, []transaction.State{transaction.Awaiting}, transaction.Pending, transaction.Change{Now: start, Nonce: &nonce})
	}
	ok(t, sign("tx-00", 0))
	if sign("tx-01", 0) == nil {
		t.Error("two transactions of one address got one nonce")
	}
	ok(t, sign("tx-01", 1))
	x, err := b.Transaction(t.Context(), ours, "tx-02")
	ok(t, err)
	equal(t, "nonce before signing", x.Nonce, (*int64)(nil))
	b.write(t, func(ctx context.Context, tx signing.Tx) error {
		elsewhere := sent(ours, "tx-03", 0)
		elsewhere.Chain = "polygon"
		outside, twice := sent(ours, "tx-04", 0), sent(ours, "tx-05", 0) // signed outside, where nobody counts
		outside.WalletID, twice.WalletID = "", ""
		return all(tx.InsertTransaction(ctx, elsewhere), tx.InsertTransaction(ctx, sent(theirs, "tx-03", 0)),
			tx.InsertTransaction(ctx, outside), tx.InsertTransaction(ctx, twice))
	})
}

// One nonce has one holder: the newest of a row of replacements.
func testReplaced(t *testing.T, b *bench) {
	b.transactions(t, 4, func(i int, x *transaction.Transaction) {
		x.Replaces = []string{"", "tx-00", "tx-01", ""}[i]
	})
	sign := func(id, replaces string) error {
		return b.try(t, func(ctx context.Context, tx signing.Tx) error {
			if replaces != "" {
				if err := tx.ReplaceTransaction(ctx, ours, replaces, id, start.Add(time.Hour)); err != nil {
					return err
				}
			}
			return tx.MoveTransaction(ctx, ours, id, []transaction.State{transaction.Awaiting}, transaction.Pending,
				transaction.Change{Now: start, Nonce: ptr(int64(0)), Held: ptr(true), Stuck: ptr(true), Reason: ptr("why")})
		})
	}
	equal(t, "one that is not signed", sign("tx-01", "tx-00"), record.ErrStale)
	ok(t, sign("tx-00", ""))
	ok(t, sign("tx-01", "tx-00"))
	ok(t, b.try(t, func(ctx context.Context, tx signing.Tx) error {
		return tx.ReplaceTransaction(ctx, ours, "tx-00", "tx-01", start.Add(time.Hour)) // a retry
	}))
	equal(t, "a second successor", sign("tx-02", "tx-00"), record.ErrStale)
	if sign("tx-02", "") == nil {
		t.Error("a nonce that was taken over has two holders")
	}
	ok(t, sign("tx-02", "tx-01"))
	x, err := b.Transaction(t.Context(), ours, "tx-00")
	ok(t, err)
	equal(t, "successor", x.ReplacedBy, "tx-01")
	equal(t, "stuck", x.Stuck, false)
	equal(t, "reason", x.Reason, "")
	equal(t, "touched", x.UpdatedAt, start.Add(time.Hour))
	for _, unsent := range []struct {
		state transaction.State // of the first
		want  []string
	}{{transaction.Pending, []string{"tx-02"}}, {transaction.Broadcast, []string{}}} {
		ok(t, b.move(t, "tx-00", []transaction.State{transaction.Pending}, unsent.state, transaction.Change{Now: start.Add(time.Hour)}))
		got, err := b.Unsent(t.Context(), ours, "base", checksummed, 1)
		ok(t, err)
		equal(t, "unsent", ids(got, func(id string) string { return id }), unsent.want)
	}
	ok(t, b.move(t, "tx-00", []transaction.State{transaction.Broadcast}, transaction.Pending, transaction.Change{Now: start.Add(time.Hour)}))
	rows, err := b.UnsentDue(t.Context(), start.Add(2*time.Hour), 10)
	ok(t, err)
	equal(t, "to be looked for, once they are replaced", ids(rows, txID), []string{"tx-00", "tx-01"})
}

func testRetryActivity(t *testing.T, b *bench) {
	b.seed(t, ours)
	want := anActivity(ours, "activity-1")
	want.Name, want.Body, want.Fingerprint = "Second", `{"type":"z"}`, "fp-2"
	want.CreatedAt, want.ExpiresAt = start.Add(time.Minute), start.Add(time.Hour)
	retry := func() error {
		return b.try(t, func(ctx context.Context, tx signing.Tx) error { return tx.RetryActivity(ctx, "fp-activity-1", want) })
	}
	ok(t, retry())
	equal(t, "another than was tried", retry(), record.ErrStale)
	got, err := b.Activity(t.Context(), ours, "activity-1")
	ok(t, err)
	equal(t, "retried", got, want)
	b.write(t, func(ctx context.Context, tx signing.Tx) error {
		return tx.MoveActivity(ctx, ours, "activity-1", activity.Awaiting, activity.Done, "", start)
	})
	equal(t, "one that is done", b.try(t, func(ctx context.Context, tx signing.Tx) error { return tx.RetryActivity(ctx, "fp-2", want) }), record.ErrStale)
}
