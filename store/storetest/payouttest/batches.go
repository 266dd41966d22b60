package payouttest

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"testing"
	"time"

	"github.com/railkit/railkit/kit/payout"
	"github.com/railkit/railkit/kit/payout/batch"
	"github.com/railkit/railkit/kit/payout/order"
	"github.com/railkit/railkit/platform/page"
	"github.com/railkit/railkit/platform/record"
	"github.com/railkit/railkit/platform/workspace"
	"github.com/railkit/railkit/rest"
	"github.com/railkit/railkit/store/storetest"
)

var batchTests = map[string]func(*testing.T, *bench){
	"Batches":    testBatches,
	"BatchRows":  testBatchRows,
	"PricedRows": testPricedRows,
	"PaidBefore": testPaidBefore,
	"PaidOnce":   testPaidOnce,
}

func batchOf(ws, id string) batch.Batch {
	return batch.Batch{
		WorkspaceID: ws, ID: id, Status: batch.Ready, RowCount: 2, WrongRows: 1,
		Content: batch.Content{
			Sources: []rest.BatchSum{{Currency: "USDC", Rows: 1, Amount: "100.000000", Fees: "0.750000"}},
			Errors:  []rest.BatchIssue{{Row: 2, Field: "amount", Code: "required", Message: "amount is required"}},
		},
		CreatedAt: storetest.Start, ExpiresAt: storetest.Start.Add(time.Minute),
	}
}

func batchRows(n int) (rows []batch.Row) {
	for i := range n {
		rows = append(rows, batch.Row{
			N: i + 1, QuoteID: fmt.Sprint("q-", i+1),
			Shown: rest.BatchRow{Row: i + 1, Reference: fmt.Sprint("é ", i+1)},
		})
	}
	return rows
}

func (b *bench) insertBatch(t *testing.T, row batch.Batch, rows []batch.Row) {
	t.Helper()
	storetest.OK(t, b.pay(t.Context(), func(ctx context.Context, tx payout.Tx) error {
		return tx.InsertBatch(ctx, row, rows)
	}))
}

func testBatches(t *testing.T, b *bench) {
	want, second := batchOf(storetest.Ours, "b-1"), batchOf(storetest.Ours, "b-2")
	second.CreatedAt = storetest.Start.Add(time.Second)
	b.insertBatch(t, want, batchRows(2))
	b.insertBatch(t, second, batchRows(1))
	b.insertBatch(t, batchOf(storetest.Theirs, "b-3"), batchRows(1))
	got, err := b.payout().Batch(t.Context(), storetest.Ours, "b-1")
	storetest.OK(t, err)
	storetest.Equal(t, "batch", got, want)
	_, err = b.payout().Batch(t.Context(), storetest.Theirs, "b-1")
	storetest.Missing(t, "Batch", err)
	all, total, err := b.payout().Batches(t.Context(), storetest.Ours, page.Page{Limit: 1})
	storetest.OK(t, err)
	if total != 2 || len(all) != 1 || all[0].ID != "b-2" {
		t.Errorf("%d in all, the newest %+v", total, all)
	}

	want.Status, want.EndedAt = batch.Executed, storetest.Start.Add(time.Second)
	want.Content.Addresses = []rest.BatchAddress{{Address: "0x1", Transfers: 2}}
	end := func(was batch.Status) error {
		return b.pay(t.Context(), func(ctx context.Context, tx payout.Tx) error { return tx.EndBatch(ctx, want, was) })
	}
	storetest.OK(t, end(batch.Ready))
	if err := end(batch.Ready); !errors.Is(err, record.ErrStale) {
		t.Errorf("ended twice: %v", err)
	}
	got, err = b.payout().Batch(t.Context(), storetest.Ours, "b-1")
	storetest.OK(t, err)
	storetest.Equal(t, "batch", got, want)
}

// Rows come in their order, with the order of their quote.
func testBatchRows(t *testing.T, b *bench) {
	rows := batchRows(250)
	rows[1].QuoteID = ""
	b.insertBatch(t, batchOf(storetest.Ours, "b-1"), rows)
	o, _ := Deposited(storetest.Ours, "o-1", "w-1", storetest.Start)
	o.QuoteID, o.ExpiresAt = "q-3", storetest.Start.Add(time.Minute)
	b.walk(t, o, order.Event{Kind: order.Created, By: order.User, At: storetest.Start})
	got, err := b.payout().BatchRows(t.Context(), storetest.Ours, "b-1", 1, 3)
	storetest.OK(t, err)
	if len(got) != 3 || got[1].Order == nil || got[1].Order.ID != "o-1" || got[0].Order != nil || got[2].Order != nil {
		t.Fatalf("%+v", got)
	}
	got[1].Order = nil
	storetest.Equal(t, "rows", got, rows[1:4])
	all, err := b.payout().BatchRows(t.Context(), storetest.Ours, "b-1", 0, batch.Most)
	storetest.OK(t, err)
	if len(all) != 250 || all[249].N != 250 {
		t.Errorf("%d rows", len(all))
	}
	none, err := b.payout().BatchRows(t.Context(), storetest.Theirs, "b-1", 0, batch.Most)
	storetest.OK(t, err)
	if len(none) != 0 {
		t.Errorf("another workspace finds %+v", none)
	}
}

// Rows with a quote come with what it is for, as it is now.
func testPricedRows(t *testing.T, b *bench) {
	first, second := quoted(storetest.Ours, "q-1"), quoted(storetest.Ours, "q-2")
	who := newRecipient(storetest.Ours, "r-1")
	storetest.OK(t, b.pay(t.Context(), func(ctx context.Context, tx payout.Tx) error {
		return errors.Join(tx.InsertQuote(ctx, first), tx.InsertQuote(ctx, second), tx.InsertRecipient(ctx, who),
			tx.InsertBankAccount(ctx, bankAccount(storetest.Ours, "b-1")),
			tx.InsertWithdrawAddress(ctx, withdrawAddress(storetest.Ours, "w-1")))
	}))
	rows := batchRows(3)
	rows[1].QuoteID, rows[2].QuoteID = "", "q-2"
	b.insertBatch(t, batchOf(storetest.Ours, "b-1"), rows)
	got, err := b.payout().PricedRows(t.Context(), storetest.Ours, "b-1")
	storetest.OK(t, err)
	if len(got) != 2 {
		t.Fatalf("%+v", got)
	}
	storetest.Equal(t, "row", got[1].Row, rows[2])
	storetest.Equal(t, "quote", got[1].Quote, second)
	storetest.Equal(t, "recipient", got[0].Recipient, who)
	storetest.Equal(t, "address", got[0].Address, withdrawAddress(storetest.Ours, "w-1"))
}

// ordered makes an order of a quote in a transaction.
func ordered(ctx context.Context, tx payout.Tx, ws, id, quoteID string, at time.Time) error {
	o, _ := Deposited(ws, id, "w-1", at)
	o.QuoteID, o.ExpiresAt = quoteID, at.Add(time.Minute)
	_, err := Walk(ctx, tx, o, order.Event{Kind: order.Created, By: order.User, At: at})
	return err
}

// Earlier payments are found by their reference and by whom they paid since when, unless their money did not arrive.
func testPaidBefore(t *testing.T, b *bench) {
	rows := batchRows(5)
	rows[3].Shown.Reference, rows[4].Shown.Reference, rows[4].QuoteID = "", "wrong\x00", ""
	b.insertBatch(t, batchOf(storetest.Ours, "b-1"), rows)
	b.insertBatch(t, batchOf(storetest.Theirs, "b-2"), batchRows(4))
	storetest.OK(t, b.pay(t.Context(), func(ctx context.Context, tx payout.Tx) (err error) {
		for i := 1; i <= 5; i++ { // the fifth is of no batch
			id := fmt.Sprint("q-", i)
			at := storetest.Start.Add(time.Duration(i) * time.Minute)
			err = errors.Join(err, tx.InsertQuote(ctx, quoted(storetest.Ours, id)),
				ordered(ctx, tx, storetest.Ours, "o-"+id, id, at))
		}
		return errors.Join(err, tx.InsertQuote(ctx, quoted(storetest.Theirs, "q-1")),
			ordered(ctx, tx, storetest.Theirs, "o-6", "q-1", storetest.Start))
	}))
	second, err := b.payout().Order(t.Context(), storetest.Ours, "o-q-2")
	storetest.OK(t, err)
	b.walk(t, second, order.Event{Kind: order.OrderCanceled, By: order.User, At: storetest.Start})
	storetest.OK(t, b.pay(t.Context(), func(ctx context.Context, tx payout.Tx) error {
		named, err := tx.PaidReferences(ctx, storetest.Ours, []string{"\u00e9 1", "\u00e9 2", "\u00e9 9"})
		storetest.OK(t, err)
		storetest.Equal(t, "by reference", named, []batch.Earlier{{
			Reference: "\u00e9 1", OrderReference: "OFR-20261121-o-q-1", At: storetest.Start.Add(time.Minute),
		}})
		since := storetest.Start.Add(3 * time.Minute)
		recent, err := tx.PaidRecipients(ctx, storetest.Ours, []string{"r-1", "r-2"}, since)
		storetest.OK(t, err)
		var got []string
		for _, e := range recent {
			got = append(got, e.OrderReference+" "+e.Reference)
			storetest.Equal(t, "asked", e.Asked, quoted(storetest.Ours, "q-1").Asked)
			storetest.Equal(t, "recipient", e.RecipientID, "r-1")
		}
		storetest.Equal(t, "by recipient", got, []string{
			"OFR-20261121-o-q-3 \u00e9 3", "OFR-20261121-o-q-4 ", "OFR-20261121-o-q-5 ",
		})
		none, err := tx.PaidRecipients(ctx, storetest.Ours, []string{"r-2"}, storetest.Start)
		storetest.Equal(t, "another recipient's", len(none), 0)
		return err
	}))
}

// Of calls that hold the batches of a workspace, each sees what the one before has paid.
func testPaidOnce(t *testing.T, b *bench) {
	storetest.OK(t, b.EnsureWorkspace(t.Context(), workspace.Workspace{
		ID: storetest.Ours, Name: "Acme", Environment: "sandbox", CreatedAt: storetest.Start,
	}))
	rows := batchRows(6)
	for i := range rows {
		rows[i].Shown.Reference = "A"
	}
	b.insertBatch(t, batchOf(storetest.Ours, "b-1"), rows)
	var callers sync.WaitGroup
	for _, r := range rows {
		callers.Go(func() {
			err := b.pay(t.Context(), func(ctx context.Context, tx payout.Tx) error {
				if err := tx.HoldBatches(ctx, storetest.Ours); err != nil {
					return err
				}
				paid, err := tx.PaidReferences(ctx, storetest.Ours, []string{"A"})
				if err != nil || len(paid) > 0 {
					return err
				}
				return ordered(ctx, tx, storetest.Ours, "o-"+r.QuoteID, r.QuoteID, storetest.Start)
			})
			if err != nil {
				t.Error(err)
			}
		})
	}
	callers.Wait()
	got, err := b.payout().BatchRows(t.Context(), storetest.Ours, "b-1", 0, batch.Most)
	storetest.OK(t, err)
	n := 0
	for _, r := range got {
		if r.Order != nil {
			n++
		}
	}
	storetest.Equal(t, "orders of one reference", n, 1)
}
