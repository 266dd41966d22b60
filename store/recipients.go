package store

import (
	"context"

	"github.com/railkit/railkit/fiat"
	"github.com/railkit/railkit/kit/payout/recipient"
	"github.com/railkit/railkit/store/db"
	"github.com/railkit/railkit/store/postgres"
)

// Recipient finds one, also an archived one.
func (s recipientReads) Recipient(ctx context.Context, workspaceID, id string) (recipient.Recipient, error) {
	row, err := s.read.Recipient(ctx, workspaceID, id)
	return one("Recipient", row, err, recipientRow)
}

// Recipients lists a page of recipients, newest first, and counts all that the filter selects.
func (s recipientReads) Recipients(ctx context.Context, f recipient.Filter) ([]recipient.Recipient, int, error) {
	selected := func() *query {
		q := s.query(1).equal("status", string(f.Status))
		if f.Search != "" {
			q.add(` AND folded_name LIKE ? ESCAPE '\'`, "%"+escapeLike.Replace(fold(f.Search))+"%")
		}
		return q
	}
	total, err := db.New(selected()).CountRecipients(ctx, f.WorkspaceID)
	if err != nil {
		return nil, 0, doing("counting recipients", postgres.Tell(err))
	}
	rows, err := db.New(selected().page("created_at", directions[""], f.Page)).ListRecipients(ctx, f.WorkspaceID)
	all, err := many(rows, err, recipientRow)
	return all, int(total), err
}

func (t recipientTx) InsertRecipient(ctx context.Context, r recipient.Recipient) error {
	return doing("inserting a recipient", t.q.InsertRecipient(ctx, db.InsertRecipientParams{
		WorkspaceID: r.WorkspaceID, ID: r.ID, Name: r.Name, FoldedName: fold(r.Name), Email: r.Email, OwnerType: string(r.Owner),
		Street: r.Address.Street, City: r.Address.City, State: r.Address.State, PostalCode: r.Address.PostalCode, Country: r.Address.Country,
		IsSelf: flag(r.Self), Status: string(r.Status), PendingReason: r.PendingReason,
		CreatedAt: micros(r.CreatedAt), UpdatedAt: micros(r.UpdatedAt),
	}))
}

func (t recipientTx) HoldRecipient(ctx context.Context, workspaceID, id string) (recipient.Recipient, error) {
	row, err := t.q.HoldRecipient(ctx, workspaceID, id)
	return one("Recipient", row, err, recipientRow)
}

func (t recipientTx) UpdateRecipient(ctx context.Context, r recipient.Recipient) error {
	return doing("updating a recipient", t.q.UpdateRecipient(ctx, db.UpdateRecipientParams{
		WorkspaceID: r.WorkspaceID, ID: r.ID, Name: r.Name, FoldedName: fold(r.Name), Email: r.Email, Status: string(r.Status),
		PendingReason: r.PendingReason, UpdatedAt: micros(r.UpdatedAt),
	}))
}

func recipientRow(r db.Recipient) (recipient.Recipient, error) {
	return recipient.Recipient{
		WorkspaceID: r.WorkspaceID, ID: r.ID, Name: r.Name, Email: r.Email, Owner: recipient.OwnerType(r.OwnerType),
		Address: fiat.Address{Street: r.Street, City: r.City, State: r.State, PostalCode: r.PostalCode, Country: r.Country},
		Self:    r.IsSelf == 1, Status: recipient.Status(r.Status), PendingReason: r.PendingReason,
		CreatedAt: instant(r.CreatedAt), UpdatedAt: instant(r.UpdatedAt),
	}, nil
}
