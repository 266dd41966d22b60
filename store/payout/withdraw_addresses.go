package payout

import (
	"context"
	"time"

	"github.com/railkit/railkit/fiat"
	"github.com/railkit/railkit/kit/payout/provision"
	"github.com/railkit/railkit/kit/payout/withdraw"
	"github.com/railkit/railkit/money"
	"github.com/railkit/railkit/platform/event"
	"github.com/railkit/railkit/rest"
	"github.com/railkit/railkit/store/db"
	"github.com/railkit/railkit/store/internal/sqldb"
)

// WithdrawAddress finds one.
func (s addressReads) WithdrawAddress(ctx context.Context, workspaceID, id string) (withdraw.Address, error) {
	row, err := s.db.Read.WithdrawAddress(ctx, workspaceID, id)
	return sqldb.One("Withdrawal address", row, err, withdrawAddress)
}

// WithdrawAddressOf finds the one of a bank account, chain and currency.
func (s addressReads) WithdrawAddressOf(
	ctx context.Context, workspaceID, bankAccountID, chain string, c money.Currency,
) (withdraw.Address, error) {
	row, err := s.db.Read.WithdrawAddressOf(ctx, db.WithdrawAddressOfParams{
		WorkspaceID: workspaceID, BankAccountID: bankAccountID, Chain: chain, Currency: string(c),
	})
	return sqldb.One("Withdrawal address", row, err, withdrawAddress)
}

// WithdrawAddressByPartner finds one by the partner's id.
func (s addressReads) WithdrawAddressByPartner(ctx context.Context, partnerID string) (withdraw.Address, error) {
	row, err := s.db.Read.WithdrawAddressByPartner(ctx, partnerID)
	return sqldb.One("Withdrawal address", row, err, withdrawAddress)
}

// WithdrawAddressesOf lists those of a bank account, oldest first.
func (s addressReads) WithdrawAddressesOf(
	ctx context.Context, workspaceID, bankAccountID string,
) ([]withdraw.Address, error) {
	rows, err := s.db.Read.WithdrawAddressesOf(ctx, workspaceID, bankAccountID)
	return sqldb.Many(rows, err, withdrawAddress)
}

// WaitingWithdrawAddresses lists those that the partner has yet to make.
func (s addressReads) WaitingWithdrawAddresses(
	ctx context.Context, before time.Time, limit int,
) ([]withdraw.Address, error) {
	rows, err := s.db.Read.WaitingWithdrawAddresses(ctx, sqldb.Micros(before), int32(limit))
	return sqldb.Many(rows, err, withdrawAddress)
}

func (t tx) InsertWithdrawAddress(ctx context.Context, a withdraw.Address) error {
	t.Mark = "withdraw_address.insert"
	n, err := t.Q.InsertWithdrawAddress(ctx, db.InsertWithdrawAddressParams{
		WorkspaceID: a.WorkspaceID, ID: a.ID, Reference: a.Reference, RecipientID: a.RecipientID,
		BankAccountID: a.BankAccountID,
		Chain:         a.Chain, Currency: string(a.Currency), Destination: string(a.Destination), Rail: string(a.Rail),
		WalletID: a.WalletID, ReturnAddress: a.ReturnAddress, Status: string(a.Status), PartnerKey: a.Key,
		KeyedAt: sqldb.Micros(a.KeyedAt),
		TriedAt: sqldb.Micros(a.TriedAt), CustomerID: a.CustomerID, PartnerWalletID: a.PartnerWalletID,
		PartnerID: a.PartnerID, Address: a.Address,
		CreatedAt: sqldb.Micros(a.CreatedAt), UpdatedAt: sqldb.Micros(a.UpdatedAt),
		NextWalletID: a.Next.WalletID, NextReturnAddress: a.Next.Address, NextReturnAt: sqldb.Micros(a.Next.At),
	})
	change := addressChange(event.WithdrawAddressCreated, a, a.Status)
	return t.ToldSwapped("inserting a withdrawal address", n, err, change)
}

func addressChange(kind event.Type, a withdraw.Address, status provision.Status) event.Change {
	return event.Change{Type: kind, WorkspaceID: a.WorkspaceID, Object: a.ID, Data: rest.EventWithdrawAddress{
		Status: string(status), RecipientID: a.RecipientID, BankAccountID: a.BankAccountID, Chain: a.Chain,
		Currency: string(a.Currency), Address: a.Address, ReturnAddress: a.ReturnAddress,
	}}
}

func (t tx) TakeWithdrawAddress(ctx context.Context, a withdraw.Address, was time.Time) error {
	n, err := t.Q.TakeWithdrawAddress(ctx, db.TakeWithdrawAddressParams{
		Now: sqldb.Micros(a.TriedAt), PartnerKey: a.Key, KeyedAt: sqldb.Micros(a.KeyedAt), WorkspaceID: a.WorkspaceID,
		ID: a.ID, Was: sqldb.Micros(was),
	})
	return sqldb.Swapped("taking a withdrawal address", n, err)
}

func (t tx) LeaveWithdrawAddress(ctx context.Context, a withdraw.Address) error {
	return sqldb.Doing(
		"leaving a withdrawal address", t.Q.LeaveWithdrawAddress(ctx, a.WorkspaceID, a.ID, sqldb.Micros(a.TriedAt)),
	)
}

// FinishWithdrawAddress also has the address watched.
func (t tx) FinishWithdrawAddress(ctx context.Context, a withdraw.Address) error {
	n, err := t.Q.FinishWithdrawAddress(ctx, db.FinishWithdrawAddressParams{
		CustomerID: a.CustomerID, PartnerWalletID: a.PartnerWalletID, PartnerID: a.PartnerID, Address: a.Address,
		Now: sqldb.Micros(a.UpdatedAt), WorkspaceID: a.WorkspaceID, ID: a.ID,
	})
	change := addressChange(event.WithdrawAddressActive, a, provision.Active)
	if err := t.ToldSwapped("finishing a withdrawal address", n, err, change); err != nil {
		return err
	}
	return t.ListWithdrawAddress(ctx, a.Address, a.WorkspaceID, a.ID)
}

// SetReturnAddress writes where refunds go, and will go, if both are still as in was.
func (t tx) SetReturnAddress(ctx context.Context, a, was withdraw.Address) error {
	n, err := t.Q.SetReturnAddress(ctx, db.SetReturnAddressParams{
		WalletID: a.WalletID, ReturnAddress: a.ReturnAddress, Now: sqldb.Micros(a.UpdatedAt),
		WorkspaceID: a.WorkspaceID, ID: a.ID,
		NextWalletID: a.Next.WalletID, NextReturnAddress: a.Next.Address, NextReturnAt: sqldb.Micros(a.Next.At),
		WasWalletID: was.WalletID, WasNextWalletID: was.Next.WalletID, WasNextReturnAt: sqldb.Micros(was.Next.At),
	})
	change := addressChange(event.WithdrawAddressUpdated, a, a.Status)
	return t.ToldSwapped("setting a return address", n, err, change)
}

func withdrawAddress(r db.WithdrawAddress) (withdraw.Address, error) {
	return withdraw.Address{
		WorkspaceID: r.WorkspaceID, ID: r.ID, Reference: r.Reference, RecipientID: r.RecipientID,
		BankAccountID: r.BankAccountID,
		Chain:         r.Chain, Currency: money.Currency(r.Currency), Destination: money.Currency(r.Destination),
		Rail:     fiat.Rail(r.Rail),
		WalletID: r.WalletID, ReturnAddress: r.ReturnAddress,
		Provision:  provisionRow(r.Status, r.PartnerKey, r.KeyedAt, r.TriedAt),
		CustomerID: r.CustomerID, PartnerWalletID: r.PartnerWalletID, PartnerID: r.PartnerID, Address: r.Address,
		Next: withdraw.ReturnChange{
			WalletID: r.NextWalletID, Address: r.NextReturnAddress, At: sqldb.Instant(r.NextReturnAt),
		},
		CreatedAt: sqldb.Instant(r.CreatedAt), UpdatedAt: sqldb.Instant(r.UpdatedAt),
	}, nil
}

func provisionRow(status, key string, keyed, tried int64) provision.Provision {
	return provision.Provision{
		Status: provision.Status(status), Key: key, KeyedAt: sqldb.Instant(keyed), TriedAt: sqldb.Instant(tried),
	}
}
