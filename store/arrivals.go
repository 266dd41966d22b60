package store

import (
	"context"

	"github.com/railkit/railkit/kit/payout/arrival"
	"github.com/railkit/railkit/platform/page"
	"github.com/railkit/railkit/platform/watch"
	"github.com/railkit/railkit/store/db"
	"github.com/railkit/railkit/store/postgres"
)

// Arrival finds one by its transfer.
func (s arrivalReads) Arrival(ctx context.Context, workspaceID, id string) (arrival.Arrival, error) {
	row, err := s.read.Drain(ctx, workspaceID, id)
	return one("Drain", row, err, arrivalRow)
}

// ArrivalsAt lists a page of what arrived at an address, oldest first, and counts it.
func (s arrivalReads) ArrivalsAt(ctx context.Context, workspaceID, addressID string, p page.Page) ([]arrival.Arrival, int, error) {
	total, err := s.read.CountDrains(ctx, workspaceID, addressID)
	if err != nil {
		return nil, 0, doing("counting drains", postgres.Tell(err))
	}
	rows, err := db.New(s.query(2).page("created_at", directions["asc"], p)).ListDrains(ctx, workspaceID, addressID)
	all, err := many(rows, err, arrivalRow)
	return all, int(total), err
}

// PutArrival inserts the first version, and replaces the one before.
func (t arrivalTx) PutArrival(ctx context.Context, d arrival.Arrival) error {
	if d.Version > 1 {
		n, err := t.q.UpdateDrain(ctx, db.UpdateDrainParams{
			OrderID: d.OrderID, Amount: d.Amount, LogIndex: d.LogIndex, BlockNumber: d.Block, Confirmations: d.Confirmations, State: string(d.State),
			Reason: string(d.Reason), Booked: flag(d.Booked), Version: d.Version, TransferAt: micros(d.TransferAt), UpdatedAt: micros(d.UpdatedAt),
			WorkspaceID: d.WorkspaceID, ID: d.ID,
		})
		return swapped("updating a drain", n, err)
	}
	n, err := t.q.InsertDrain(ctx, db.InsertDrainParams{
		WorkspaceID: d.WorkspaceID, ID: d.ID, WithdrawAddressID: d.AddressID, OrderID: d.OrderID, Chain: d.Chain, Currency: d.Currency,
		Amount: d.Amount, FromAddress: d.From, TxHash: d.Hash, LogIndex: d.LogIndex, BlockNumber: d.Block, Confirmations: d.Confirmations,
		Required: d.Required, State: string(d.State), Reason: string(d.Reason), Booked: flag(d.Booked), Version: d.Version,
		TransferAt: micros(d.TransferAt), CreatedAt: micros(d.CreatedAt), UpdatedAt: micros(d.UpdatedAt),
	})
	return swapped("inserting a drain", n, err)
}

func arrivalRow(r db.Drain) (arrival.Arrival, error) {
	return arrival.Arrival{
		WorkspaceID: r.WorkspaceID, ID: r.ID, AddressID: r.WithdrawAddressID, OrderID: r.OrderID, Chain: r.Chain, Currency: r.Currency,
		Amount: r.Amount, From: r.FromAddress, Hash: r.TxHash, LogIndex: r.LogIndex, Block: r.BlockNumber, Confirmations: r.Confirmations,
		Required: r.Required, State: watch.State(r.State), Reason: arrival.Reason(r.Reason), Booked: r.Booked == 1, Version: r.Version,
		TransferAt: instant(r.TransferAt), CreatedAt: instant(r.CreatedAt), UpdatedAt: instant(r.UpdatedAt),
	}, nil
}
