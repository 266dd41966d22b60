package store

import (
	"context"
	"time"

	"github.com/railkit/railkit/fiat"
	"github.com/railkit/railkit/kit/payout/provision"
	"github.com/railkit/railkit/kit/payout/withdraw"
	"github.com/railkit/railkit/money"
	"github.com/railkit/railkit/store/db"
)

// WithdrawAddress finds one.
func (s addressReads) WithdrawAddress(ctx context.Context, workspaceID, id string) (withdraw.Address, error) {
	row, err := s.read.WithdrawAddress(ctx, workspaceID, id)
	return one("Withdrawal address", row, err, withdrawAddress)
}

// WithdrawAddressOf finds the one of a bank account, chain and currency.
func (s addressReads) WithdrawAddressOf(ctx context.Context, workspaceID, bankAccountID, chain string, c money.Currency) (withdraw.Address, error) {
	row, err := s.read.WithdrawAddressOf(ctx, db.WithdrawAddressOfParams{
		WorkspaceID: workspaceID, BankAccountID: bankAccountID, Chain: chain, Currency: string(c),
	})
	return one("Withdrawal address", row, err, withdrawAddress)
}

// WithdrawAddressByPartner finds one by the partner's id.
func (s addressReads) WithdrawAddressByPartner(ctx context.Context, partnerID string) (withdraw.Address, error) {
	row, err := s.read.WithdrawAddressByPartner(ctx, partnerID)
	return one("Withdrawal address", row, err, withdrawAddress)
}

// WithdrawAddressesOf lists those of a bank account, oldest first.
func (s addressReads) WithdrawAddressesOf(ctx context.Context, workspaceID, bankAccountID string) ([]withdraw.Address, error) {
	rows, err := s.read.WithdrawAddressesOf(ctx, workspaceID, bankAccountID)
	return many(rows, err, withdrawAddress)
}

// WaitingWithdrawAddresses lists those that the partner has yet to make.
func (s addressReads) WaitingWithdrawAddresses(ctx context.Context, before time.Time, limit int) ([]withdraw.Address, error) {
	rows, err := s.read.WaitingWithdrawAddresses(ctx, micros(before), int32(limit))
	return many(rows, err, withdrawAddress)
}

func (t addressTx) InsertWithdrawAddress(ctx context.Context, a withdraw.Address) error {
	t.mark = "withdraw_address.insert"
	n, err := t.q.InsertWithdrawAddress(ctx, db.InsertWithdrawAddressParams{
		WorkspaceID: a.WorkspaceID, ID: a.ID, Reference: a.Reference, RecipientID: a.RecipientID, BankAccountID: a.BankAccountID,
		Chain: a.Chain, Currency: string(a.Currency), Destination: string(a.Destination), Rail: string(a.Rail),
		WalletID: a.WalletID, ReturnAddress: a.ReturnAddress, Status: string(a.Status), PartnerKey: a.Key, KeyedAt: micros(a.KeyedAt),
		TriedAt: micros(a.TriedAt), CustomerID: a.CustomerID, PartnerWalletID: a.PartnerWalletID, PartnerID: a.PartnerID, Address: a.Address,
		CreatedAt: micros(a.CreatedAt), UpdatedAt: micros(a.UpdatedAt),
	})
	return swapped("inserting a withdrawal address", n, err)
}

func (t addressTx) TakeWithdrawAddress(ctx context.Context, a withdraw.Address, was time.Time) error {
	n, err := t.q.TakeWithdrawAddress(ctx, db.TakeWithdrawAddressParams{
		Now: micros(a.TriedAt), PartnerKey: a.Key, KeyedAt: micros(a.KeyedAt), WorkspaceID: a.WorkspaceID, ID: a.ID, Was: micros(was),
	})
	return swapped("taking a withdrawal address", n, err)
}

func (t addressTx) LeaveWithdrawAddress(ctx context.Context, a withdraw.Address) error {
	return doing("leaving a withdrawal address", t.q.LeaveWithdrawAddress(ctx, a.WorkspaceID, a.ID, micros(a.TriedAt)))
}

// FinishWithdrawAddress also has the address watched.
func (t addressTx) FinishWithdrawAddress(ctx context.Context, a withdraw.Address) error {
	n, err := t.q.FinishWithdrawAddress(ctx, db.FinishWithdrawAddressParams{
		CustomerID: a.CustomerID, PartnerWalletID: a.PartnerWalletID, PartnerID: a.PartnerID, Address: a.Address,
		Now: micros(a.UpdatedAt), WorkspaceID: a.WorkspaceID, ID: a.ID,
	})
	if err := swapped("finishing a withdrawal address", n, err); err != nil {
		return err
	}
	return t.ListWithdrawAddress(ctx, a.Address, a.WorkspaceID, a.ID)
}

// SetReturnAddress writes where refunds go, and will go, if both are still as in was.
func (t addressTx) SetReturnAddress(ctx context.Context, a, was withdraw.Address) error {
	n, err := t.q.SetReturnAddress(ctx, db.SetReturnAddressParams{
		WalletID: a.WalletID, ReturnAddress: a.ReturnAddress, Now: micros(a.UpdatedAt), WorkspaceID: a.WorkspaceID, ID: a.ID,
		NextWalletID: a.Next.WalletID, NextReturnAddress: a.Next.Address, NextReturnAt: micros(a.Next.At),
		WasWalletID: was.WalletID, WasNextWalletID: was.Next.WalletID, WasNextReturnAt: micros(was.Next.At),
	})
	return swapped("setting a return address", n, err)
}

func withdrawAddress(r db.WithdrawAddress) (withdraw.Address, error) {
	return withdraw.Address{
		WorkspaceID: r.WorkspaceID, ID: r.ID, Reference: r.Reference, RecipientID: r.RecipientID, BankAccountID: r.BankAccountID,
		Chain: r.Chain, Currency: money.Currency(r.Currency), Destination: money.Currency(r.Destination), Rail: fiat.Rail(r.Rail),
		WalletID: r.WalletID, ReturnAddress: r.ReturnAddress, Provision: provisionRow(r.Status, r.PartnerKey, r.KeyedAt, r.TriedAt),
		CustomerID: r.CustomerID, PartnerWalletID: r.PartnerWalletID, PartnerID: r.PartnerID, Address: r.Address,
		Next:      withdraw.ReturnChange{WalletID: r.NextWalletID, Address: r.NextReturnAddress, At: instant(r.NextReturnAt)},
		CreatedAt: instant(r.CreatedAt), UpdatedAt: instant(r.UpdatedAt),
	}, nil
}

func provisionRow(status, key string, keyed, tried int64) provision.Provision {
	return provision.Provision{Status: provision.Status(status), Key: key, KeyedAt: instant(keyed), TriedAt: instant(tried)}
}
