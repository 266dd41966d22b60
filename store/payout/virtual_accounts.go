package payout

import (
	"context"
	"time"

	"github.com/railkit/railkit/kit/payout/provision"
	"github.com/railkit/railkit/kit/payout/virtual"
	"github.com/railkit/railkit/money"
	"github.com/railkit/railkit/platform/event"
	"github.com/railkit/railkit/rest"
	"github.com/railkit/railkit/store/db"
	"github.com/railkit/railkit/store/internal/sqldb"
)

// VirtualAccountOf finds the one of a bank account.
func (s virtualReads) VirtualAccountOf(
	ctx context.Context, workspaceID, bankAccountID string, c money.Currency,
) (virtual.Account, error) {
	row, err := s.db.Read.VirtualAccountOf(ctx, workspaceID, bankAccountID, string(c))
	return sqldb.One("Virtual account", row, err, virtualAccount)
}

// VirtualAccount finds one by its id.
func (s virtualReads) VirtualAccount(ctx context.Context, workspaceID, id string) (virtual.Account, error) {
	row, err := s.db.Read.VirtualAccount(ctx, workspaceID, id)
	return sqldb.One("Virtual account", row, err, virtualAccount)
}

// VirtualAccountNumbered finds one by its CLABE.
func (s virtualReads) VirtualAccountNumbered(ctx context.Context, workspaceID, clabe string) (virtual.Account, error) {
	row, err := s.db.Read.VirtualAccountNumbered(ctx, workspaceID, clabe)
	return sqldb.One("Virtual account", row, err, virtualAccount)
}

// VirtualAccountByPartner finds one in all workspaces by the partner's id.
func (s virtualReads) VirtualAccountByPartner(ctx context.Context, partnerID string) (virtual.Account, error) {
	row, err := s.db.Read.VirtualAccountByPartner(ctx, partnerID)
	return sqldb.One("Virtual account", row, err, virtualAccount)
}

// VirtualAccountAt finds the one whose coins go to a withdrawal address.
func (s virtualReads) VirtualAccountAt(
	ctx context.Context, workspaceID, withdrawAddressID string,
) (virtual.Account, error) {
	row, err := s.db.Read.VirtualAccountAt(ctx, workspaceID, withdrawAddressID)
	return sqldb.One("Virtual account", row, err, virtualAccount)
}

// VirtualAccountsToPoll lists those of which the partner was asked before an instant what happened, longest first.
func (s virtualReads) VirtualAccountsToPoll(
	ctx context.Context, before time.Time, limit int,
) ([]virtual.Account, error) {
	rows, err := s.db.Read.VirtualAccountsToPoll(ctx, sqldb.Micros(before), int32(limit))
	return sqldb.Many(rows, err, virtualAccount)
}

// WaitingVirtualAccounts lists those that the partner has yet to make.
func (s virtualReads) WaitingVirtualAccounts(
	ctx context.Context, before time.Time, limit int,
) ([]virtual.Account, error) {
	rows, err := s.db.Read.WaitingVirtualAccounts(ctx, sqldb.Micros(before), int32(limit))
	return sqldb.Many(rows, err, virtualAccount)
}

func (t tx) InsertVirtualAccount(ctx context.Context, v virtual.Account) error {
	t.Mark = "virtual_account.insert"
	n, err := t.Q.InsertVirtualAccount(ctx, db.InsertVirtualAccountParams{
		WorkspaceID: v.WorkspaceID, ID: v.ID, RecipientID: v.RecipientID, BankAccountID: v.BankAccountID,
		WithdrawAddressID: v.WithdrawAddressID,
		Currency:          string(v.Currency), Status: string(v.Status), PartnerKey: v.Key,
		KeyedAt: sqldb.Micros(v.KeyedAt), TriedAt: sqldb.Micros(v.TriedAt),
		PartnerID: v.PartnerID, Clabe: v.CLABE, CreatedAt: sqldb.Micros(v.CreatedAt),
		UpdatedAt: sqldb.Micros(v.UpdatedAt), FeePoints: v.FeePoints,
	})
	return t.ToldSwapped("inserting a virtual account", n, err, virtualChange(event.VirtualAccountCreated, v, v.Status))
}

// virtualChange leaves the account's number out.
func virtualChange(kind event.Type, v virtual.Account, status provision.Status) event.Change {
	return event.Change{Type: kind, WorkspaceID: v.WorkspaceID, Object: v.ID, Data: rest.EventVirtualAccount{
		Status: string(status), RecipientID: v.RecipientID, Currency: string(v.Currency),
	}}
}

func (t tx) TakeVirtualAccount(ctx context.Context, v virtual.Account, was time.Time) error {
	n, err := t.Q.TakeVirtualAccount(ctx, db.TakeVirtualAccountParams{
		Now: sqldb.Micros(v.TriedAt), PartnerKey: v.Key, KeyedAt: sqldb.Micros(v.KeyedAt), WorkspaceID: v.WorkspaceID,
		ID: v.ID, Was: sqldb.Micros(was),
	})
	return sqldb.Swapped("taking a virtual account", n, err)
}

func (t tx) LeaveVirtualAccount(ctx context.Context, v virtual.Account) error {
	return sqldb.Doing(
		"leaving a virtual account", t.Q.LeaveVirtualAccount(ctx, v.WorkspaceID, v.ID, sqldb.Micros(v.TriedAt)),
	)
}

func (t tx) FinishVirtualAccount(ctx context.Context, v virtual.Account) error {
	n, err := t.Q.FinishVirtualAccount(ctx, db.FinishVirtualAccountParams{
		PartnerID: v.PartnerID, Clabe: v.CLABE, Now: sqldb.Micros(v.UpdatedAt), WorkspaceID: v.WorkspaceID, ID: v.ID,
	})
	change := virtualChange(event.VirtualAccountActive, v, provision.Active)
	if err := t.ToldSwapped("finishing a virtual account", n, err, change); err != nil {
		return err
	}
	return claimAccount(ctx, t.Tx, v.PartnerID, v.WorkspaceID, v.ID)
}

func (t tx) PolledVirtualAccount(ctx context.Context, workspaceID, id string, at, until time.Time) error {
	return sqldb.Doing("noting a poll", t.Q.PolledVirtualAccount(ctx, db.PolledVirtualAccountParams{
		At: sqldb.Micros(at), Until: sqldb.Micros(until), WorkspaceID: workspaceID, ID: id,
	}))
}

func virtualAccount(r db.VirtualAccount) (virtual.Account, error) {
	return virtual.Account{
		WorkspaceID: r.WorkspaceID, ID: r.ID, RecipientID: r.RecipientID, BankAccountID: r.BankAccountID,
		WithdrawAddressID: r.WithdrawAddressID,
		Currency:          money.Currency(r.Currency),
		Provision:         provisionRow(r.Status, r.PartnerKey, r.KeyedAt, r.TriedAt),
		FeePoints:         r.FeePoints, PartnerID: r.PartnerID, CLABE: r.Clabe, PolledAt: sqldb.Instant(r.PolledAt),
		ActivitiesUntil: sqldb.Instant(r.ActivitiesUntil), CreatedAt: sqldb.Instant(r.CreatedAt),
		UpdatedAt: sqldb.Instant(r.UpdatedAt),
	}, nil
}
