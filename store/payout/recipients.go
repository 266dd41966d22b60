package payout

import (
	"context"

	"github.com/railkit/railkit/fiat"
	"github.com/railkit/railkit/kit/payout/recipient"
	"github.com/railkit/railkit/platform/event"
	"github.com/railkit/railkit/rest"
	"github.com/railkit/railkit/store/db"
	"github.com/railkit/railkit/store/internal/sqldb"
)

// Recipient finds one, also an archived one.
func (s recipientReads) Recipient(ctx context.Context, workspaceID, id string) (recipient.Recipient, error) {
	row, err := s.db.Read.Recipient(ctx, workspaceID, id)
	return sqldb.One("Recipient", row, err, recipientRow)
}

// Recipients lists a page of recipients, newest first, and counts all that the filter selects.
func (s recipientReads) Recipients(ctx context.Context, f recipient.Filter) ([]recipient.Recipient, int, error) {
	q := s.db.Query(1).Equal("status", string(f.Status)).Part("folded_name", f.Search)
	total, err := db.New(q).CountRecipients(ctx, f.WorkspaceID)
	if err != nil {
		return nil, 0, sqldb.Reading("counting recipients", err)
	}
	rows, err := db.New(q.Newest(f.Page)).ListRecipients(ctx, f.WorkspaceID)
	return sqldb.Listed(total, rows, err, recipientRow)
}

func (t tx) InsertRecipient(ctx context.Context, r recipient.Recipient) error {
	t.tellRecipient(event.RecipientCreated, r)
	return sqldb.Doing("inserting a recipient", t.Q.InsertRecipient(ctx, db.InsertRecipientParams{
		WorkspaceID: r.WorkspaceID, ID: r.ID, Name: r.Name, FoldedName: sqldb.Fold(r.Name), Email: r.Email,
		OwnerType: string(r.Owner),
		Street:    r.Address.Street, City: r.Address.City, State: r.Address.State, PostalCode: r.Address.PostalCode,
		Country: r.Address.Country,
		IsSelf:  sqldb.Flag(r.Self), Status: string(r.Status), PendingReason: r.PendingReason,
		CreatedAt: sqldb.Micros(r.CreatedAt), UpdatedAt: sqldb.Micros(r.UpdatedAt),
	}))
}

func (t tx) tellRecipient(kind event.Type, r recipient.Recipient) {
	t.Tell(event.Change{
		Type: kind, WorkspaceID: r.WorkspaceID, Object: r.ID,
		Data: rest.EventRecipient{Status: string(r.Status), Name: r.Name},
	})
}

func (t tx) HoldRecipient(ctx context.Context, workspaceID, id string) (recipient.Recipient, error) {
	row, err := t.Q.HoldRecipient(ctx, workspaceID, id)
	return sqldb.One("Recipient", row, err, recipientRow)
}

func (t tx) UpdateRecipient(ctx context.Context, r recipient.Recipient) error {
	t.tellRecipient(event.RecipientUpdated, r)
	return sqldb.Doing("updating a recipient", t.Q.UpdateRecipient(ctx, db.UpdateRecipientParams{
		WorkspaceID: r.WorkspaceID, ID: r.ID, Name: r.Name, FoldedName: sqldb.Fold(r.Name), Email: r.Email,
		Status:        string(r.Status),
		PendingReason: r.PendingReason, UpdatedAt: sqldb.Micros(r.UpdatedAt),
	}))
}

func recipientRow(r db.Recipient) (recipient.Recipient, error) {
	return recipient.Recipient{
		WorkspaceID: r.WorkspaceID, ID: r.ID, Name: r.Name, Email: r.Email, Owner: recipient.OwnerType(r.OwnerType),
		Address: fiat.Address{
			Street: r.Street, City: r.City, State: r.State, PostalCode: r.PostalCode, Country: r.Country,
		},
		Self: r.IsSelf == 1, Status: recipient.Status(r.Status), PendingReason: r.PendingReason,
		CreatedAt: sqldb.Instant(r.CreatedAt), UpdatedAt: sqldb.Instant(r.UpdatedAt),
	}, nil
}
