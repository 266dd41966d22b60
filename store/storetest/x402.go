package storetest

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/railkit/railkit/kit/agent/x402pay"
	"github.com/railkit/railkit/platform/record"
)

var x402Tests = map[string]func(*testing.T, *bench){
	"X402TwoWriters":   testX402TwoWriters,
	"X402Undelivered":  testX402Undelivered,
	"X402OlderServers": testX402OlderServers,
}

// buy has purchases written.
func (b *bench) buy(t *testing.T, fn func(context.Context, x402pay.Tx) error) error {
	t.Helper()
	return record.Do(t.Context(), b.Signing().Others().X402Payments, Ours, fn)
}

func signedPayment(t *testing.T, b *bench, id string) x402pay.Payment {
	t.Helper()
	p := x402pay.Payment{
		WorkspaceID: Ours, ID: id, AgentID: "agent-1", State: x402pay.Prepared, Resource: "https://shop.example/",
		Request: "sealed", Answer: "{}", Network: "base", Transfer: "eip3009", From: "0x01", PayTo: "0x02",
		Micro: 10_000, Counted: 10_000, Nonce: "0x" + id, Since: 7, Delivery: x402pay.Pending,
		CreatedAt: Start, UpdatedAt: Start,
	}
	OK(t, b.buy(t, func(ctx context.Context, tx x402pay.Tx) error { return tx.InsertX402Payment(ctx, p) }))
	p.State, p.Signature, p.ValidBefore = x402pay.Signed, "0xsigned", 1_800_000_000
	OK(t, b.buy(t, func(ctx context.Context, tx x402pay.Tx) error { return tx.SignX402Payment(ctx, p) }))
	return hasPayment(t, b, id, p)
}

// hasPayment compares a payment's row.
func hasPayment(t *testing.T, b *bench, what string, want x402pay.Payment) x402pay.Payment {
	t.Helper()
	got, err := b.X402Payment(t.Context(), Ours, want.ID)
	OK(t, err)
	Equal(t, what, got, want)
	return got
}

func endPayment(t *testing.T, b *bench, p x402pay.Payment) (row x402pay.Payment, err error) {
	t.Helper()
	err = b.buy(t, func(ctx context.Context, tx x402pay.Tx) (err error) {
		row, err = tx.EndX402Payment(ctx, p)
		return err
	})
	return row, err
}

func noteAnswer(t *testing.T, b *bench, p x402pay.Payment, was x402pay.Delivery) (row x402pay.Payment, err error) {
	t.Helper()
	err = b.buy(t, func(ctx context.Context, tx x402pay.Tx) (err error) {
		row, err = tx.NoteX402Answer(ctx, p, was)
		return err
	})
	return row, err
}

// The job that asks the chain and the request that asks the seller each write what they know, from rows that they read
// before the other wrote. Whoever is second leaves the other's part as it is, and sees it in the row that it gets.
func testX402TwoWriters(t *testing.T, b *bench) {
	for _, first := range []string{"chain", "seller"} {
		row := signedPayment(t, b, first)
		chain, seller := row, row
		chain.State, chain.Tx, chain.Moved, chain.UpdatedAt = x402pay.Settled, "0xaa", 9_000, Start.Add(time.Second)
		seller.HTTPStatus, seller.Delivery, seller.Reason = 200, x402pay.Delivered, "the seller says so"
		seller.UpdatedAt = Start.Add(time.Second)
		want := chain
		want.HTTPStatus, want.Delivery, want.Reason = 200, x402pay.Delivered, "the seller says so"
		var got x402pay.Payment
		var err error
		if first == "chain" {
			_, err = endPayment(t, b, chain)
			OK(t, err)
			got, err = noteAnswer(t, b, seller, row.Delivery)
		} else {
			_, err = noteAnswer(t, b, seller, row.Delivery)
			OK(t, err)
			got, err = endPayment(t, b, chain)
		}
		OK(t, err)
		Equal(t, first, got, want)
		hasPayment(t, b, first, want)
		if _, err := endPayment(t, b, chain); !errors.Is(err, record.ErrStale) {
			t.Errorf("%s: it ends twice: %v", first, err)
		}
		if _, err := noteAnswer(t, b, seller, row.Delivery); !errors.Is(err, record.ErrStale) {
			t.Errorf("%s: an answer is noted over one that nobody read: %v", first, err)
		}
		hasPayment(t, b, first, want)
	}
}

// A payment that came to nothing is undelivered by that, and keeps the chain's reason. One that was made waits for its
// seller, and is listed until that is known.
func testX402Undelivered(t *testing.T, b *bench) {
	unused := signedPayment(t, b, "unused")
	unused.State, unused.Reason = x402pay.Unused, "not taken in time"
	got, err := endPayment(t, b, unused)
	OK(t, err)
	unused.Delivery = x402pay.Undelivered
	Equal(t, "unused", got, unused)
	unused.HTTPStatus, unused.Reason = 500, "the seller's server failed"
	got, err = noteAnswer(t, b, unused, x402pay.Undelivered)
	OK(t, err)
	Equal(t, "reason", got.Reason, "not taken in time")

	made := signedPayment(t, b, "made")
	made.State = x402pay.Settled
	_, err = endPayment(t, b, made)
	OK(t, err)
	open := func() (ids []string) {
		rows, err := b.OpenX402Payments(t.Context(), Start.Add(time.Minute), 10)
		OK(t, err)
		for _, p := range rows {
			ids = append(ids, p.ID)
		}
		return ids
	}
	Equal(t, "open", open(), []string{"made"})
	made.Delivery = x402pay.Undelivered
	_, err = noteAnswer(t, b, made, x402pay.Pending)
	OK(t, err)
	Equal(t, "open", open(), []string(nil))
}

// A server of before the four words, which runs beside this one during an upgrade, writes the older column alone.
func testX402OlderServers(t *testing.T, b *bench) {
	want := signedPayment(t, b, "p")
	for change, delivery := range map[string]x402pay.Delivery{
		"delivered = 1": x402pay.Delivered, "delivered = 0, request = ''": x402pay.Unseen,
	} {
		if _, err := b.Store.Writer().ExecContext(t.Context(), "UPDATE x402_payments SET "+change); err != nil {
			t.Fatal(err)
		}
		got, err := b.X402Payment(t.Context(), Ours, want.ID)
		OK(t, err)
		Equal(t, change, got.Delivery, delivery)
	}
}
