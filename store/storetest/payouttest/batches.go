package payouttest

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/railkit/railkit/kit/payout"
	"github.com/railkit/railkit/kit/payout/batch"
	"github.com/railkit/railkit/kit/payout/order"
	"github.com/railkit/railkit/platform/page"
	"github.com/railkit/railkit/platform/record"
	"github.com/railkit/railkit/rest"
	"github.com/railkit/railkit/store/storetest"
)

var batchTests = map[string]func(*testing.T, *bench){
	"Batches":    testBatches,
	"BatchRows":  testBatchRows,
	"PricedRows": testPricedRows,
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
