package store

import (
	"context"
	"time"

	"github.com/railkit/railkit/kit/payout/virtual"
	"github.com/railkit/railkit/money"
	"github.com/railkit/railkit/store/db"
)

// VirtualAccountOf finds the one of a bank account.
func (s addressReads) VirtualAccountOf(ctx context.Context, workspaceID, bankAccountID string, c money.Currency) (virtual.Account, error) {
	row, err := s.read.VirtualAccountOf(ctx, workspaceID, bankAccountID, string(c))
	return one("Virtual account", row, err, virtualAccount)
}

// WaitingVirtualAccounts lists those that the partner has yet to make.
func (s addressReads) WaitingVirtualAccounts(ctx context.Context, before time.Time, limit int) ([]virtual.Account, error) {
	rows, err := s.read.WaitingVirtualAccounts(ctx, micros(before), int32(limit))
	return many(rows, err, virtualAccount)
}

func (t addressTx) InsertVirtualAccount(ctx context.Context, v virtual.Account) error {
	t.mark = "virtual_account.insert"
	n, err := t.q.InsertVirtualAccount(ctx, db.InsertVirtualAccountParams{
		WorkspaceID: v.WorkspaceID, ID: v.ID, RecipientID: v.RecipientID, BankAccountID: v.BankAccountID, WithdrawAddressID: v.WithdrawAddressID,
		Currency: string(v.Currency), Status: string(v.Status), PartnerKey: v.Key, KeyedAt: micros(v.KeyedAt), TriedAt: micros(v.TriedAt),
		PartnerID: v.PartnerID, Clabe: v.CLABE, CreatedAt: micros(v.CreatedAt), UpdatedAt: micros(v.UpdatedAt),
	})
	return swapped("inserting a virtual account", n, err)
}

func (t addressTx) TakeVirtualAccount(ctx context.Context, v virtual.Account, was time.Time) error {
	n, err := t.q.TakeVirtualAccount(ctx, db.TakeVirtualAccountParams{
		Now: micros(v.TriedAt), PartnerKey: v.Key, KeyedAt: micros(v.KeyedAt), WorkspaceID: v.WorkspaceID, ID: v.ID, Was: micros(was),
	})
	return swapped("taking a virtual account", n, err)
}

func (t addressTx) LeaveVirtualAccount(ctx context.Context, v virtual.Account) error {
	return doing("leaving a virtual account", t.q.LeaveVirtualAccount(ctx, v.WorkspaceID, v.ID, micros(v.TriedAt)))
}

func (t addressTx) FinishVirtualAccount(ctx context.Context, v virtual.Account) error {
	n, err := t.q.FinishVirtualAccount(ctx, db.FinishVirtualAccountParams{
		PartnerID: v.PartnerID, Clabe: v.CLABE, Now: micros(v.UpdatedAt), WorkspaceID: v.WorkspaceID, ID: v.ID,
	})
	return swapped("finishing a virtual account", n, err)
}

func virtualAccount(r db.VirtualAccount) (virtual.Account, error) {
	return virtual.Account{
		WorkspaceID: r.WorkspaceID, ID: r.ID, RecipientID: r.RecipientID, BankAccountID: r.BankAccountID, WithdrawAddressID: r.WithdrawAddressID,
		Currency: money.Currency(r.Currency), Provision: provisionRow(r.Status, r.PartnerKey, r.KeyedAt, r.TriedAt),
		PartnerID: r.PartnerID, CLABE: r.Clabe, CreatedAt: instant(r.CreatedAt), UpdatedAt: instant(r.UpdatedAt),
	}, nil
}
