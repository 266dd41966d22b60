package store

import (
	"context"
	"time"

	"github.com/railkit/railkit/fiat"
	"github.com/railkit/railkit/kit/payout"
	"github.com/railkit/railkit/kit/payout/provision"
	"github.com/railkit/railkit/kit/payout/virtual"
	"github.com/railkit/railkit/kit/payout/withdraw"
	"github.com/railkit/railkit/money"
	"github.com/railkit/railkit/platform/page"
	"github.com/railkit/railkit/platform/watch"
	"github.com/railkit/railkit/store/db"
	"github.com/railkit/railkit/store/postgres"
)

// WithdrawAddress finds one.
func (s payoutNoun[Tx]) WithdrawAddress(ctx context.Context, workspaceID, id string) (withdraw.Address, error) {
	row, err := s.read.WithdrawAddress(ctx, workspaceID, id)
	return one("Withdrawal address", row, err, withdrawAddress)
}

// WithdrawAddressOf finds the one of a bank account, chain and currency.
func (s payoutNoun[Tx]) WithdrawAddressOf(ctx context.Context, workspaceID, bankAccountID, chain string, c money.Currency) (withdraw.Address, error) {
	row, err := s.read.WithdrawAddressOf(ctx, db.WithdrawAddressOfParams{
		WorkspaceID: workspaceID, BankAccountID: bankAccountID, Chain: chain, Currency: string(c),
	})
	return one("Withdrawal address", row, err, withdrawAddress)
}

// WithdrawAddressByPartner finds one by the partner's id.
func (s payoutNoun[Tx]) WithdrawAddressByPartner(ctx context.Context, partnerID string) (withdraw.Address, error) {
	row, err := s.read.WithdrawAddressByPartner(ctx, partnerID)
	return one("Withdrawal address", row, err, withdrawAddress)
}

// WithdrawAddressesOf lists those of a bank account, oldest first.
func (s payoutNoun[Tx]) WithdrawAddressesOf(ctx context.Context, workspaceID, bankAccountID string) ([]withdraw.Address, error) {
	rows, err := s.read.WithdrawAddressesOf(ctx, workspaceID, bankAccountID)
	return many(rows, err, withdrawAddress)
}

// WaitingWithdrawAddresses lists those that the partner has yet to make.
func (s payoutNoun[Tx]) WaitingWithdrawAddresses(ctx context.Context, before time.Time, limit int) ([]withdraw.Address, error) {
	rows, err := s.read.WaitingWithdrawAddresses(ctx, micros(before), int32(limit))
	return many(rows, err, withdrawAddress)
}

func (t payoutTx) InsertWithdrawAddress(ctx context.Context, a withdraw.Address) error {
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

func (t payoutTx) TakeWithdrawAddress(ctx context.Context, a withdraw.Address, was time.Time) error {
	n, err := t.q.TakeWithdrawAddress(ctx, db.TakeWithdrawAddressParams{
		Now: micros(a.TriedAt), PartnerKey: a.Key, KeyedAt: micros(a.KeyedAt), WorkspaceID: a.WorkspaceID, ID: a.ID, Was: micros(was),
	})
	return swapped("taking a withdrawal address", n, err)
}

func (t payoutTx) LeaveWithdrawAddress(ctx context.Context, a withdraw.Address) error {
	return doing("leaving a withdrawal address", t.q.LeaveWithdrawAddress(ctx, a.WorkspaceID, a.ID, micros(a.TriedAt)))
}

// FinishWithdrawAddress also has the address watched.
func (t payoutTx) FinishWithdrawAddress(ctx context.Context, a withdraw.Address) error {
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
func (t payoutTx) SetReturnAddress(ctx context.Context, a, was withdraw.Address) error {
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

// VirtualAccountOf finds the one of a bank account.
func (s payoutNoun[Tx]) VirtualAccountOf(ctx context.Context, workspaceID, bankAccountID string, c money.Currency) (virtual.Account, error) {
	row, err := s.read.VirtualAccountOf(ctx, workspaceID, bankAccountID, string(c))
	return one("Virtual account", row, err, virtualAccount)
}

// WaitingVirtualAccounts lists those that the partner has yet to make.
func (s payoutNoun[Tx]) WaitingVirtualAccounts(ctx context.Context, before time.Time, limit int) ([]virtual.Account, error) {
	rows, err := s.read.WaitingVirtualAccounts(ctx, micros(before), int32(limit))
	return many(rows, err, virtualAccount)
}

func (t payoutTx) InsertVirtualAccount(ctx context.Context, v virtual.Account) error {
	t.mark = "virtual_account.insert"
	n, err := t.q.InsertVirtualAccount(ctx, db.InsertVirtualAccountParams{
		WorkspaceID: v.WorkspaceID, ID: v.ID, RecipientID: v.RecipientID, BankAccountID: v.BankAccountID, WithdrawAddressID: v.WithdrawAddressID,
		Currency: string(v.Currency), Status: string(v.Status), PartnerKey: v.Key, KeyedAt: micros(v.KeyedAt), TriedAt: micros(v.TriedAt),
		PartnerID: v.PartnerID, Clabe: v.CLABE, CreatedAt: micros(v.CreatedAt), UpdatedAt: micros(v.UpdatedAt),
	})
	return swapped("inserting a virtual account", n, err)
}

func (t payoutTx) TakeVirtualAccount(ctx context.Context, v virtual.Account, was time.Time) error {
	n, err := t.q.TakeVirtualAccount(ctx, db.TakeVirtualAccountParams{
		Now: micros(v.TriedAt), PartnerKey: v.Key, KeyedAt: micros(v.KeyedAt), WorkspaceID: v.WorkspaceID, ID: v.ID, Was: micros(was),
	})
	return swapped("taking a virtual account", n, err)
}

func (t payoutTx) LeaveVirtualAccount(ctx context.Context, v virtual.Account) error {
	return doing("leaving a virtual account", t.q.LeaveVirtualAccount(ctx, v.WorkspaceID, v.ID, micros(v.TriedAt)))
}

func (t payoutTx) FinishVirtualAccount(ctx context.Context, v virtual.Account) error {
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

// Drain finds one by its transfer.
func (s payoutNoun[Tx]) Drain(ctx context.Context, workspaceID, id string) (payout.Drain, error) {
	row, err := s.read.Drain(ctx, workspaceID, id)
	return one("Drain", row, err, drain)
}

// Drains lists a page of what arrived at an address, oldest first, and counts it.
func (s payoutNoun[Tx]) Drains(ctx context.Context, workspaceID, addressID string, p page.Page) ([]payout.Drain, int, error) {
	total, err := s.read.CountDrains(ctx, workspaceID, addressID)
	if err != nil {
		return nil, 0, doing("counting drains", postgres.Tell(err))
	}
	rows, err := db.New(s.query(2).page("created_at", directions["asc"], p)).ListDrains(ctx, workspaceID, addressID)
	all, err := many(rows, err, drain)
	return all, int(total), err
}

// PutDrain inserts the first version, and replaces the one before.
func (t payoutTx) PutDrain(ctx context.Context, d payout.Drain) error {
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

func drain(r db.Drain) (payout.Drain, error) {
	return payout.Drain{
		WorkspaceID: r.WorkspaceID, ID: r.ID, AddressID: r.WithdrawAddressID, OrderID: r.OrderID, Chain: r.Chain, Currency: r.Currency,
		Amount: r.Amount, From: r.FromAddress, Hash: r.TxHash, LogIndex: r.LogIndex, Block: r.BlockNumber, Confirmations: r.Confirmations,
		Required: r.Required, State: watch.State(r.State), Reason: payout.DrainReason(r.Reason), Booked: r.Booked == 1, Version: r.Version,
		TransferAt: instant(r.TransferAt), CreatedAt: instant(r.CreatedAt), UpdatedAt: instant(r.UpdatedAt),
	}, nil
}
