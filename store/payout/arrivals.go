package payout

import (
	"context"

	"github.com/railkit/railkit/kit/payout/arrival"
	"github.com/railkit/railkit/platform/event"
	"github.com/railkit/railkit/platform/page"
	"github.com/railkit/railkit/platform/watch"
	"github.com/railkit/railkit/rest"
	"github.com/railkit/railkit/store/db"
	"github.com/railkit/railkit/store/internal/sqldb"
)

// Arrival finds one by its transfer.
func (s orderReads) Arrival(ctx context.Context, workspaceID, id string) (arrival.Arrival, error) {
	row, err := s.db.Read.Drain(ctx, workspaceID, id)
	return sqldb.One("Drain", row, err, arrivalRow)
}

// ArrivalsAt lists a page of what arrived at an address, oldest first, and counts it.
func (s orderReads) ArrivalsAt(
	ctx context.Context, workspaceID, addressID string, p page.Page,
) ([]arrival.Arrival, int, error) {
	total, err := s.db.Read.CountDrains(ctx, workspaceID, addressID)
	if err != nil {
		return nil, 0, sqldb.Reading("counting drains", err)
	}
	rows, err := db.New(s.db.Query(2).Page("created_at", "asc", p)).ListDrains(ctx, workspaceID, addressID)
	return sqldb.Listed(total, rows, err, arrivalRow)
}

// PutArrival inserts the first version, and replaces the one before.
func (t *orderTx) PutArrival(ctx context.Context, d arrival.Arrival) error {
	if d.Version > 1 {
		n, err := t.Q.UpdateDrain(ctx, db.UpdateDrainParams{
			OrderID: d.OrderID, Amount: d.Amount, LogIndex: d.LogIndex, BlockNumber: d.Block,
			Confirmations: d.Confirmations, State: string(d.State),
			Reason: string(d.Reason), Booked: sqldb.Flag(d.Booked), Version: d.Version,
			TransferAt: sqldb.Micros(d.TransferAt), UpdatedAt: sqldb.Micros(d.UpdatedAt),
			WorkspaceID: d.WorkspaceID, ID: d.ID,
		})
		return t.ToldSwapped("updating a drain", n, err, drainChange(event.DrainUpdated, d))
	}
	n, err := t.Q.InsertDrain(ctx, db.InsertDrainParams{
		WorkspaceID: d.WorkspaceID, ID: d.ID, WithdrawAddressID: d.AddressID, OrderID: d.OrderID, Chain: d.Chain,
		Currency: d.Currency,
		Amount:   d.Amount, FromAddress: d.From, TxHash: d.Hash, LogIndex: d.LogIndex, BlockNumber: d.Block,
		Confirmations: d.Confirmations,
		Required:      d.Required, State: string(d.State), Reason: string(d.Reason), Booked: sqldb.Flag(d.Booked),
		Version:    d.Version,
		TransferAt: sqldb.Micros(d.TransferAt), CreatedAt: sqldb.Micros(d.CreatedAt),
		UpdatedAt: sqldb.Micros(d.UpdatedAt),
	})
	return t.ToldSwapped("inserting a drain", n, err, drainChange(event.DrainCreated, d))
}

func drainChange(kind event.Type, d arrival.Arrival) event.Change {
	return event.Change{Type: kind, WorkspaceID: d.WorkspaceID, Object: d.ID, Data: rest.EventDrain{
		Status: string(d.State), WithdrawAddressID: d.AddressID, OrderID: d.OrderID, Chain: d.Chain,
		Currency: d.Currency, Amount: d.Amount, TxHash: d.Hash, Confirmations: d.Confirmations, Required: d.Required,
		Reason: string(d.Reason),
	}}
}

func arrivalRow(r db.Drain) (arrival.Arrival, error) {
	return arrival.Arrival{
		WorkspaceID: r.WorkspaceID, ID: r.ID, AddressID: r.WithdrawAddressID, OrderID: r.OrderID, Chain: r.Chain,
		Currency: r.Currency,
		Amount:   r.Amount, From: r.FromAddress, Hash: r.TxHash, LogIndex: r.LogIndex, Block: r.BlockNumber,
		Confirmations: r.Confirmations,
		Required:      r.Required, State: watch.State(r.State), Reason: arrival.Reason(r.Reason), Booked: r.Booked == 1,
		Version:    r.Version,
		TransferAt: sqldb.Instant(r.TransferAt), CreatedAt: sqldb.Instant(r.CreatedAt),
		UpdatedAt: sqldb.Instant(r.UpdatedAt),
	}, nil
}
