package payout

import (
	"context"
	"time"

	"github.com/railkit/railkit/kit/payout/virtual"
	"github.com/railkit/railkit/money"
	"github.com/railkit/railkit/store/db"
	"github.com/railkit/railkit/store/internal/sqldb"
)

// VirtualAccountOf finds the one of a bank account.
func (s reads) VirtualAccountOf(
	ctx context.Context, workspaceID, bankAccountID string, c money.Currency,
) (virtual.Account, error) {
	row, err := s.db.Read.VirtualAccountOf(ctx, workspaceID, bankAccountID, string(c))
	return sqldb.One("Virtual account", row, err, virtualAccount)
}

// WaitingVirtualAccounts lists those that the partner has yet to make.
func (s reads) WaitingVirtualAccounts(ctx context.Context, before time.Time, limit int) ([]virtual.Account, error) {
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
		UpdatedAt: sqldb.Micros(v.UpdatedAt),
	})
	return sqldb.Swapped("inserting a virtual account", n, err)
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
	return sqldb.Swapped("finishing a virtual account", n, err)
}

func virtualAccount(r db.VirtualAccount) (virtual.Account, error) {
	return virtual.Account{
		WorkspaceID: r.WorkspaceID, ID: r.ID, RecipientID: r.RecipientID, BankAccountID: r.BankAccountID,
		WithdrawAddressID: r.WithdrawAddressID,
		Currency:          money.Currency(r.Currency),
		Provision:         provisionRow(r.Status, r.PartnerKey, r.KeyedAt, r.TriedAt),
		PartnerID:         r.PartnerID, CLABE: r.Clabe, CreatedAt: sqldb.Instant(r.CreatedAt),
		UpdatedAt: sqldb.Instant(r.UpdatedAt),
	}, nil
}
