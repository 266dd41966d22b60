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

func (b *bench) move(
	t *testing.T, id string, from []transaction.State, to transaction.State, c transaction.Change,
) error {
	t.Helper()
	return b.try(t, func(ctx context.Context, tx signing.Tx) error {
		return tx.MoveTransaction(ctx, Ours, id, from, to, c)
	})
}

func testMoveTransaction(t *testing.T, b *bench) {
	b.seed(t, Ours)
	later := Start.Add(time.Minute)
	OK(t, b.move(t, "tx-1", []transaction.State{
		transaction.Pending, transaction.Awaiting,
	}, transaction.Broadcast, transaction.Change{
		Now: later, Reason: ptr("r"), Nonce: ptr(int64(0)), SignedTransaction: ptr("0x02ff"), TxHash: ptr("0xaa"),
		Proof:       ptr("{}"),
		BlockNumber: ptr(int64(1)), BlockHash: ptr("0xbb"), Confirmations: ptr(int64(2)), BroadcastAt: ptr(later),
		MinedAt: ptr(later), ConfirmedAt: ptr(later), FailedAt: ptr(later), Attempts: ptr(3),
		LookAt: ptr(later), NonceUsedHead: ptr(int64(12)), Received: ptr("990"), ReceivedLess: ptr(true),
	}))
	want := aTransaction(Ours, "tx-1")
	want.State, want.UpdatedAt, want.Reason, want.Nonce = transaction.Broadcast, later, "r", ptr(int64(0))
	want.SignedTransaction, want.TxHash, want.Proof = "0x02ff", "0xaa", "{}"
	want.BlockNumber, want.BlockHash, want.Confirmations, want.Attempts = 1, "0xbb", 2, 3
	want.BroadcastAt, want.MinedAt, want.ConfirmedAt, want.FailedAt = later, later, later, later
	want.LookAt, want.NonceUsedHead = later, 12
	want.Received, want.ReceivedLess = "990", true
	x, err := b.Transaction(t.Context(), Ours, "tx-1")
	OK(t, err)
	Equal(t, "moved", x, want)
}

func testMoveClears(t *testing.T, b *bench) {
	full := sent(Ours, "tx-1", 4)
	b.write(t, func(ctx context.Context, tx signing.Tx) error { return tx.InsertTransaction(ctx, full) })
	later := Start.Add(time.Hour)
	OK(t, b.move(t, "tx-1", []transaction.State{transaction.Confirmed}, transaction.Broadcast, transaction.Change{
		Now: later, BlockNumber: ptr(int64(0)), BlockHash: ptr(""), Confirmations: ptr(int64(0)),
		MinedAt: &time.Time{}, ConfirmedAt: &time.Time{},
	}))
	want := full
	want.State, want.UpdatedAt, want.BlockNumber = transaction.Broadcast, later, 0
	want.BlockHash, want.Confirmations = "", 0
	want.MinedAt, want.ConfirmedAt = time.Time{}, time.Time{}
	x, err := b.Transaction(t.Context(), Ours, "tx-1")
	OK(t, err)
	Equal(t, "after a reorg", x, want)
}

func testMoveLoser(t *testing.T, b *bench) {
	b.seed(t, Ours)
	OK(t, b.move(
		t, "tx-1", []transaction.State{transaction.Awaiting}, transaction.Cancelled, transaction.Change{Now: Start},
	))
	audits := b.Count(t, "audit")
	for name, err := range map[string]error{
		"another state": b.move(
			t, "tx-1", []transaction.State{transaction.Awaiting, transaction.Pending}, transaction.Broadcast,
			transaction.Change{Now: Start, TxHash: ptr("0xaa")},
		),
		"no row": b.move(
			t, "tx-2", []transaction.State{transaction.Awaiting}, transaction.Cancelled, transaction.Change{Now: Start},
		),
		"no states": b.move(t, "tx-1", nil, transaction.Cancelled, transaction.Change{Now: Start}),
	} {
		if !errors.Is(err, record.ErrStale) {
			t.Errorf("%s: got %v", name, err)
		}
	}
	x, err := b.Transaction(t.Context(), Ours, "tx-1")
	OK(t, err)
	Equal(t, "state", x.State, transaction.Cancelled)
	Equal(t, "hash", x.TxHash, "")
	Equal(t, "audit rows", b.Count(t, "audit"), audits)
}

func testMoveRace(t *testing.T, b *bench) {
	b.seed(t, Ours)
	var wg sync.WaitGroup
	results := make([]error, 16)
	for i := range results {
		wg.Go(func() {
			results[i] = b.move(
				t, "tx-1", []transaction.State{transaction.Awaiting}, transaction.Cancelled,
				transaction.Change{Now: Start},
			)
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
	Equal(t, "winners", won, 1)
}

func testMoveActivity(t *testing.T, b *bench) {
	b.seed(t, Ours)
	move := func(walletID string) error {
		return b.try(t, func(ctx context.Context, tx signing.Tx) error {
			return tx.MoveActivity(ctx, Ours, "activity-1", activity.Awaiting, activity.Done, walletID, Start)
		})
	}
	OK(t, move("wallet-9"))
	Equal(t, "second move", move("wallet-8"), record.ErrStale)
	a, err := b.Activity(t.Context(), Ours, "activity-1")
	OK(t, err)
	Equal(t, "state", a.State, activity.Done)
	Equal(t, "wallet", a.WalletID, "wallet-9")

	b.write(t, func(ctx context.Context, tx signing.Tx) error {
		return tx.InsertActivity(ctx, anActivity(Ours, "activity-2"))
	})
	b.write(t, func(ctx context.Context, tx signing.Tx) error {
		return tx.MoveActivity(ctx, Ours, "activity-2", activity.Awaiting, activity.Expired, "", Start)
	})
	a, err = b.Activity(t.Context(), Ours, "activity-2")
	OK(t, err)
	Equal(t, "wallet of a move without one", a.WalletID, "wallet-1")
}

func testNonce(t *testing.T, b *bench) {
	b.transactions(t, 3, nil)
	sign := func(id string, nonce int64) error {
		return b.move(
			t, id, []transaction.State{transaction.Awaiting}, transaction.Pending,
			transaction.Change{Now: Start, Nonce: &nonce},
		)
	}
	OK(t, sign("tx-00", 0))
	if sign("tx-01", 0) == nil {
		t.Error("two transactions of one address got one nonce")
	}
	OK(t, sign("tx-01", 1))
	x, err := b.Transaction(t.Context(), Ours, "tx-02")
	OK(t, err)
	Equal(t, "nonce before signing", x.Nonce, (*int64)(nil))
	b.write(t, func(ctx context.Context, tx signing.Tx) error {
		elsewhere := sent(Ours, "tx-03", 0)
		elsewhere.Chain = "polygon"
		outside, twice := sent(Ours, "tx-04", 0), sent(Ours, "tx-05", 0) // signed outside, where nobody counts
		outside.WalletID, twice.WalletID = "", ""
		return errors.Join(tx.InsertTransaction(ctx, elsewhere), tx.InsertTransaction(ctx, sent(Theirs, "tx-03", 0)),
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
				if err := tx.ReplaceTransaction(ctx, Ours, replaces, id, Start.Add(time.Hour)); err != nil {
					return err
				}
			}
			return tx.MoveTransaction(ctx, Ours, id, []transaction.State{transaction.Awaiting}, transaction.Pending,
				transaction.Change{
					Now: Start, Nonce: ptr(int64(0)), Held: ptr(true), Stuck: ptr(true), Reason: ptr("why"),
				})
		})
	}
	Equal(t, "one that is not signed", sign("tx-01", "tx-00"), record.ErrStale)
	OK(t, sign("tx-00", ""))
	OK(t, sign("tx-01", "tx-00"))
	OK(t, b.try(t, func(ctx context.Context, tx signing.Tx) error {
		return tx.ReplaceTransaction(ctx, Ours, "tx-00", "tx-01", Start.Add(time.Hour)) // a retry
	}))
	Equal(t, "a second successor", sign("tx-02", "tx-00"), record.ErrStale)
	if sign("tx-02", "") == nil {
		t.Error("a nonce that was taken over has two holders")
	}
	OK(t, sign("tx-02", "tx-01"))
	x, err := b.Transaction(t.Context(), Ours, "tx-00")
	OK(t, err)
	Equal(t, "successor", x.ReplacedBy, "tx-01")
	Equal(t, "stuck", x.Stuck, false)
	Equal(t, "reason", x.Reason, "")
	Equal(t, "touched", x.UpdatedAt, Start.Add(time.Hour))
	for _, unsent := range []struct {
		state transaction.State // of the first
		want  []string
	}{{transaction.Pending, []string{"tx-02"}}, {transaction.Broadcast, []string{}}} {
		OK(t, b.move(
			t, "tx-00", []transaction.State{transaction.Pending}, unsent.state,
			transaction.Change{Now: Start.Add(time.Hour)},
		))
		got, err := b.Unsent(t.Context(), Ours, "base", checksummed, 1)
		OK(t, err)
		Equal(t, "unsent", IDs(got, func(id string) string { return id }), unsent.want)
	}
	OK(t, b.move(
		t, "tx-00", []transaction.State{transaction.Broadcast}, transaction.Pending,
		transaction.Change{Now: Start.Add(time.Hour)},
	))
	rows, err := b.UnsentDue(t.Context(), Start.Add(2*time.Hour), 10)
	OK(t, err)
	Equal(t, "to be looked for, once they are replaced", IDs(rows, txID), []string{"tx-00", "tx-01"})
}

func testRetryActivity(t *testing.T, b *bench) {
	b.seed(t, Ours)
	want := anActivity(Ours, "activity-1")
	want.Name, want.Body, want.Fingerprint = "Second", `{"type":"z"}`, "fp-2"
	want.CreatedAt, want.ExpiresAt = Start.Add(time.Minute), Start.Add(time.Hour)
	retry := func() error {
		return b.try(t, func(ctx context.Context, tx signing.Tx) error {
			return tx.RetryActivity(ctx, "fp-activity-1", want)
		})
	}
	OK(t, retry())
	Equal(t, "another than was tried", retry(), record.ErrStale)
	got, err := b.Activity(t.Context(), Ours, "activity-1")
	OK(t, err)
	Equal(t, "retried", got, want)
	b.write(t, func(ctx context.Context, tx signing.Tx) error {
		return tx.MoveActivity(ctx, Ours, "activity-1", activity.Awaiting, activity.Done, "", Start)
	})
	Equal(t, "one that is done", b.try(t, func(ctx context.Context, tx signing.Tx) error {
		return tx.RetryActivity(ctx, "fp-2", want)
	}), record.ErrStale)
}
