package payout

import (
	"context"
	"encoding/json"
	"errors"
	"slices"
	"time"

	"github.com/railkit/railkit/kit/payout/batch"
	"github.com/railkit/railkit/kit/payout/order"
	"github.com/railkit/railkit/money"
	"github.com/railkit/railkit/platform/event"
	"github.com/railkit/railkit/platform/page"
	"github.com/railkit/railkit/rest"
	"github.com/railkit/railkit/store/db"
	"github.com/railkit/railkit/store/internal/sqldb"
)

// batchTx writes batches, and reads what was paid before.
type batchTx struct{ *sqldb.Tx }

// Batch finds one.
func (s batchReads) Batch(ctx context.Context, workspaceID, id string) (batch.Batch, error) {
	row, err := s.db.Read.Batch(ctx, workspaceID, id)
	return sqldb.One("Batch", row, err, batchOf)
}

// Batches lists a page of batches, newest first, and counts all.
func (s batchReads) Batches(ctx context.Context, workspaceID string, at page.Page) ([]batch.Batch, int, error) {
	total, err := s.db.Read.CountBatches(ctx, workspaceID)
	if err != nil {
		return nil, 0, sqldb.Reading("counting batches", err)
	}
	rows, err := db.New(s.db.Query(1).Newest(at)).ListBatches(ctx, workspaceID)
	return sqldb.Listed(total, rows, err, batchOf)
}

// BatchRows lists rows of a batch in their order, from an offset on.
func (s batchReads) BatchRows(ctx context.Context, workspaceID, id string, offset, limit int) ([]batch.Row, error) {
	rows, err := s.db.Read.BatchRows(ctx, db.BatchRowsParams{
		WorkspaceID: workspaceID, BatchID: id, After: int64(offset), Until: int64(offset + limit),
	})
	return sqldb.Many(rows, err, func(r db.BatchRowsRow) (batch.Row, error) {
		row, err := batchRow(r.N, r.QuoteID, r.Shown)
		if err == nil && r.Executed != "" {
			var o order.Order
			o, err = orderRow(r.Executed)
			row.Order = &o
		}
		return row, err
	})
}

// PricedRows lists the rows of a batch that have a quote, in their order.
func (s batchReads) PricedRows(ctx context.Context, workspaceID, id string) ([]batch.Priced, error) {
	rows, err := s.db.Read.PricedRows(ctx, workspaceID, id)
	return sqldb.Many(rows, err, func(r db.PricedRowsRow) (p batch.Priced, err error) {
		var wrong error
		p.Row, wrong = batchRow(r.N, r.QuoteID, r.Shown)
		p.Quoted, err = quotedRow(db.QuotedRow{
			Quote: r.Quote, Recipient: r.Recipient, BankAccount: r.BankAccount, WithdrawAddress: r.WithdrawAddress,
		})
		return p, errors.Join(wrong, err)
	})
}

func batchRow(n int64, quoteID, shown string) (batch.Row, error) {
	row := batch.Row{N: int(n), QuoteID: quoteID}
	return row, sqldb.Doing("reading a stored row of a batch", json.Unmarshal([]byte(shown), &row.Shown))
}

func batchOf(r db.Batch) (batch.Batch, error) {
	b := batch.Batch{
		WorkspaceID: r.WorkspaceID, ID: r.ID, Status: batch.Status(r.Status), RowCount: int(r.RowCount),
		WrongRows: int(r.WrongRows), CreatedAt: sqldb.Instant(r.CreatedAt), ExpiresAt: sqldb.Instant(r.ExpiresAt),
		EndedAt: sqldb.Instant(r.EndedAt),
	}
	return b, sqldb.Doing("reading a stored batch", json.Unmarshal([]byte(r.Content), &b.Content))
}

func (t *batchTx) InsertBatch(ctx context.Context, b batch.Batch, rows []batch.Row) error {
	content, err := json.Marshal(b.Content)
	if err != nil {
		return sqldb.Doing("writing a batch", err)
	}
	err = t.Q.InsertBatch(ctx, db.InsertBatchParams{
		WorkspaceID: b.WorkspaceID, ID: b.ID, Status: string(b.Status), RowCount: int64(b.RowCount),
		WrongRows: int64(b.WrongRows), Content: string(content), CreatedAt: sqldb.Micros(b.CreatedAt),
		ExpiresAt: sqldb.Micros(b.ExpiresAt), EndedAt: sqldb.Micros(b.EndedAt),
	})
	for some := range slices.Chunk(rows, batchRowsAtOnce) {
		if err == nil {
			err = t.insertBatchRows(ctx, b, some)
		}
	}
	return t.Told("inserting a batch", 1, err, batchChange(event.BatchCreated, b))
}

func batchChange(kind event.Type, b batch.Batch) event.Change {
	return event.Change{Type: kind, WorkspaceID: b.WorkspaceID, Object: b.ID, Data: rest.EventBatch{
		Status: string(b.Status), RowCount: b.RowCount, WrongRows: b.WrongRows,
	}}
}

// batchRowsAtOnce are inserted by one statement.
const batchRowsAtOnce = 100

// namedAtOnce are looked for by one statement.
const namedAtOnce = 500

const oldestFirst = " ORDER BY o.created_at, o.id"

func (t *batchTx) insertBatchRows(ctx context.Context, b batch.Batch, rows []batch.Row) error {
	all := make([]db.InsertBatchRowsParams, len(rows))
	for i, r := range rows {
		shown, err := json.Marshal(r.Shown)
		if err != nil {
			return err
		}
		all[i] = db.InsertBatchRowsParams{
			WorkspaceID: b.WorkspaceID, BatchID: b.ID, N: int64(r.N), QuoteID: r.QuoteID, Shown: string(shown),
		}
		if r.QuoteID != "" { // a wrong row's may have bytes that no database takes
			all[i].Reference = r.Shown.Reference
		}
	}
	q := t.Query(6)
	for _, p := range all[1:] {
		q.Add(", (?, ?, ?, ?, ?, ?)", p.WorkspaceID, p.BatchID, p.N, p.QuoteID, p.Shown, p.Reference)
	}
	return db.New(q).InsertBatchRows(ctx, all[0])
}

// HoldBatches locks the workspace's row until the transaction ends.
func (t *batchTx) HoldBatches(ctx context.Context, workspaceID string) error {
	return sqldb.Doing("holding the batches of a workspace", t.Q.HoldBatches(ctx, workspaceID))
}

// PaidReferences lists earlier rows with these references.
func (t *batchTx) PaidReferences(
	ctx context.Context, workspaceID string, references []string,
) (all []batch.Earlier, _ error) {
	for some := range slices.Chunk(references, namedAtOnce) {
		rows, err := db.New(t.Query(1).In("b.reference", some).Add(oldestFirst)).PaidReferences(ctx, workspaceID)
		if err != nil {
			return nil, sqldb.Reading("looking for references of earlier rows", err)
		}
		for _, r := range rows {
			all = append(all, batch.Earlier{
				Reference: r.Reference, OrderReference: r.OrderReference, At: sqldb.Instant(r.CreatedAt),
			})
		}
	}
	return all, nil
}

// PaidRecipients lists earlier payments to these recipients.
func (t *batchTx) PaidRecipients(
	ctx context.Context, workspaceID string, recipientIDs []string, since time.Time,
) (all []batch.Earlier, _ error) {
	for some := range slices.Chunk(recipientIDs, namedAtOnce) {
		q := t.Query(2).In("o.recipient_id", some).Add(oldestFirst)
		rows, err := db.New(q).PaidRecipients(ctx, workspaceID, sqldb.Micros(since))
		if err != nil {
			return nil, sqldb.Reading("looking for earlier payments", err)
		}
		for _, r := range rows {
			all = append(all, batch.Earlier{
				Reference: r.Reference, RecipientID: r.RecipientID, OrderReference: r.OrderReference,
				Asked: money.Of(r.Asked, money.Currency(r.AskedCurrency)), At: sqldb.Instant(r.CreatedAt),
			})
		}
	}
	return all, nil
}

func (t *batchTx) EndBatch(ctx context.Context, b batch.Batch, was batch.Status) error {
	content, err := json.Marshal(b.Content)
	if err != nil {
		return sqldb.Doing("writing a batch", err)
	}
	n, err := t.Q.EndBatch(ctx, db.EndBatchParams{
		Status: string(b.Status), Content: string(content), EndedAt: sqldb.Micros(b.EndedAt),
		WorkspaceID: b.WorkspaceID, ID: b.ID, Was: string(was),
	})
	return t.ToldSwapped("ending a batch", n, err, batchChange(event.Type("batch."+b.Status), b))
}
