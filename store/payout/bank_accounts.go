package payout

import (
	"context"
	"encoding/json"
	"errors"
	"time"

	"github.com/railkit/railkit/clock"
	"github.com/railkit/railkit/fiat"
	"github.com/railkit/railkit/kit/payout/account"
	"github.com/railkit/railkit/kit/payout/customer"
	"github.com/railkit/railkit/kit/payout/recipient"
	"github.com/railkit/railkit/kit/payout/withdraw"
	"github.com/railkit/railkit/money"
	"github.com/railkit/railkit/platform/event"
	"github.com/railkit/railkit/rest"
	"github.com/railkit/railkit/store/db"
	"github.com/railkit/railkit/store/internal/sqldb"
)

const accountResource = "Bank account"

// BankAccount finds one, also an archived one.
func (s accountReads) BankAccount(ctx context.Context, workspaceID, id string) (account.Account, error) {
	row, err := s.db.Read.BankAccount(ctx, workspaceID, id)
	return sqldb.One(accountResource, row, err, bankAccount)
}

// BankAccountByFingerprint finds the one of a recipient's that has the number.
func (s accountReads) BankAccountByFingerprint(
	ctx context.Context, workspaceID, recipientID, fingerprint string,
) (account.Account, error) {
	row, err := s.db.Read.BankAccountByFingerprint(ctx, workspaceID, recipientID, fingerprint)
	return sqldb.One(accountResource, row, err, bankAccount)
}

// BankAccountByPartner finds one by the id that it has at the partner.
func (s accountReads) BankAccountByPartner(ctx context.Context, partnerID string) (account.Account, error) {
	row, err := s.db.Read.BankAccountByPartner(ctx, partnerID)
	return sqldb.One(accountResource, row, err, bankAccount)
}

// BankAccounts lists a page of bank accounts, newest first, and counts all that
// the filter selects.
func (s accountReads) BankAccounts(ctx context.Context, f account.Filter) ([]account.Account, int, error) {
	q := s.db.Query(1).In("recipient_id", f.RecipientIDs)
	if !f.Archived {
		q.Add(" AND is_active = 1")
	}
	total, err := db.New(q).CountBankAccounts(ctx, f.WorkspaceID)
	if err != nil {
		return nil, 0, sqldb.Reading("counting bank accounts", err)
	}
	rows, err := db.New(q.Newest(f.Page)).ListBankAccounts(ctx, f.WorkspaceID)
	return sqldb.Listed(total, rows, err, bankAccount)
}

// Payable finds a recipient with the bank accounts in use, newest first, and their withdrawal addresses, oldest first.
// There is no recipient where there are no accounts, and no address where one of the accounts has none.
func (s accountReads) Payable(ctx context.Context, workspaceID, recipientID string, limit int) (
	r recipient.Recipient, all []account.Account, at []withdraw.Address, err error,
) {
	rows, err := s.db.Read.PayableAt(ctx, workspaceID, recipientID)
	at, err = sqldb.Many(rows, err, func(row db.PayableAtRow) (withdraw.Address, error) {
		if n := len(all); n == 0 || all[n-1].ID != row.BankAccount.ID {
			a, err := bankAccount(row.BankAccount)
			if err != nil {
				return withdraw.Address{}, err
			}
			all = append(all, a)
		}
		r, err = recipientRow(row.Recipient)
		if err != nil {
			return withdraw.Address{}, err
		}
		return withdrawAddress(row.WithdrawAddress)
	})
	if err == nil && (len(rows) == 0 || len(all) < int(rows[0].InUse) || len(all) > limit) {
		r, all, err = s.payable(ctx, workspaceID, recipientID, limit)
		at = nil
	}
	return r, all, at, err
}

func (s accountReads) payable(
	ctx context.Context, workspaceID, recipientID string, limit int,
) (r recipient.Recipient, all []account.Account, err error) {
	rows, err := s.db.Read.Payable(ctx, workspaceID, recipientID, int32(limit))
	all, err = sqldb.Many(rows, err, func(row db.PayableRow) (account.Account, error) {
		r, err = recipientRow(row.Recipient)
		if err != nil {
			return account.Account{}, err
		}
		return bankAccount(row.BankAccount)
	})
	return r, all, err
}

// WaitingBankAccounts lists those of every workspace that wait for the partner and
// about which it was not asked since, longest first.
func (s accountReads) WaitingBankAccounts(ctx context.Context, before time.Time, limit int) ([]account.Account, error) {
	rows, err := s.db.Read.WaitingBankAccounts(ctx, sqldb.Micros(before), int32(limit))
	return sqldb.Many(rows, err, bankAccount)
}

// PartnerCustomers lists what workspaces are at the partner.
func (s accountReads) PartnerCustomers(ctx context.Context) ([]customer.Customer, error) {
	rows, err := s.db.Read.PartnerCustomers(ctx)
	return sqldb.Many(rows, err, partnerCustomer)
}

// PartnerCustomer finds what a workspace is at the partner.
func (s accountReads) PartnerCustomer(ctx context.Context, workspaceID string) (customer.Customer, error) {
	row, err := s.db.Read.PartnerCustomer(ctx, workspaceID)
	return sqldb.One("Partner customer", row, err, partnerCustomer)
}

func (t tx) InsertBankAccount(ctx context.Context, a account.Account) error {
	shown, err := json.Marshal(a.Shown)
	if err != nil {
		return sqldb.Doing("encoding a bank account", err)
	}
	n, err := t.Q.InsertBankAccount(ctx, db.InsertBankAccountParams{
		WorkspaceID: a.WorkspaceID, ID: a.ID, RecipientID: a.RecipientID, Currency: string(a.Currency),
		Rail:    string(a.Rail),
		Country: a.Country, BankName: a.BankName, Street: a.Address.Street, City: a.Address.City,
		State:      a.Address.State,
		PostalCode: a.Address.PostalCode, HolderCountry: a.Address.Country, Shown: string(shown), Sealed: a.Sealed,
		Fingerprint: a.Fingerprint, Wanted: a.Wanted, Registration: string(a.Registration), Reason: a.Reason,
		IsActive: sqldb.Flag(a.Active),
		Origin:   a.Origin, PartnerKey: a.PartnerKey, KeyedAt: sqldb.Micros(a.KeyedAt), PartnerID: a.PartnerID,
		TriedAt:   sqldb.Micros(a.TriedAt),
		PayableAt: sqldb.Micros(a.PayableAt), ConfirmedBy: a.ConfirmedBy, Version: a.Version,
		CreatedAt: sqldb.Micros(a.CreatedAt), UpdatedAt: sqldb.Micros(a.UpdatedAt),
	})
	return t.ToldSwapped("inserting a bank account", n, err, accountChange(event.BankAccountCreated, a))
}

// accountChange has of the account's number what the interface shows: its last four digits.
func accountChange(kind event.Type, a account.Account) event.Change {
	data := rest.EventBankAccount{
		RecipientID: a.RecipientID, Registration: string(a.Registration), IsActive: a.Active,
		IsFrozen: !a.FrozenAt.IsZero(), Currency: string(a.Currency), Rail: string(a.Rail), BankName: a.BankName,
		LastFour: a.Shown.LastFour, Reason: a.Reason,
	}
	if !a.PayableAt.IsZero() {
		data.PayableAt = clock.ISO(a.PayableAt)
	}
	return event.Change{Type: kind, WorkspaceID: a.WorkspaceID, Object: a.ID, Data: data}
}

func (t tx) HoldBankAccount(ctx context.Context, workspaceID, id string) (account.Account, error) {
	row, err := t.Q.HoldBankAccount(ctx, workspaceID, id)
	return sqldb.One(accountResource, row, err, bankAccount)
}

func (t tx) UpdateBankAccount(ctx context.Context, a account.Account) error {
	shown, err := json.Marshal(a.Shown)
	if err != nil {
		return sqldb.Doing("encoding a bank account", err)
	}
	n, err := t.Q.UpdateBankAccount(ctx, db.UpdateBankAccountParams{
		WorkspaceID: a.WorkspaceID, ID: a.ID, Version: a.Version, Street: a.Address.Street, City: a.Address.City,
		State:      a.Address.State,
		PostalCode: a.Address.PostalCode, HolderCountry: a.Address.Country, Shown: string(shown), Sealed: a.Sealed,
		Fingerprint: a.Fingerprint, Wanted: a.Wanted, Registration: string(a.Registration), Reason: a.Reason,
		IsActive:   sqldb.Flag(a.Active),
		PartnerKey: a.PartnerKey, KeyedAt: sqldb.Micros(a.KeyedAt), PartnerID: a.PartnerID,
		TriedAt:   sqldb.Micros(a.TriedAt),
		PayableAt: sqldb.Micros(a.PayableAt), ConfirmedBy: a.ConfirmedBy, FrozenAt: sqldb.Micros(a.FrozenAt),
		UpdatedAt: sqldb.Micros(a.UpdatedAt),
	})
	err = t.ToldSwapped("updating a bank account", n, err, accountChange(event.BankAccountUpdated, a))
	if err != nil || a.PartnerID == "" {
		return err
	}
	return sqldb.Doing(
		"listing a bank account by the partner's id", t.Q.ListPartnerAccount(ctx, a.PartnerID, a.WorkspaceID, a.ID),
	)
}

// CoolBankAccounts has the accounts of a recipient that are in use wait until an instant, and returns their ids.
func (t tx) CoolBankAccounts(
	ctx context.Context, workspaceID, recipientID string, until, now time.Time,
) ([]string, error) {
	ids, err := t.Q.CoolBankAccounts(ctx, db.CoolBankAccountsParams{
		Until: sqldb.Micros(until), Now: sqldb.Micros(now), WorkspaceID: workspaceID, RecipientID: recipientID,
	})
	return ids, sqldb.Doing("having bank accounts wait", err)
}

func (t tx) DeleteBankAccount(ctx context.Context, a account.Account) error {
	n, err := t.Q.DeleteBankAccount(ctx, a.WorkspaceID, a.ID, a.Version)
	return t.ToldSwapped("deleting a bank account", n, err, accountChange(event.BankAccountDeleted, a))
}

func (t tx) CountUsable(ctx context.Context, workspaceID, recipientID string) (int, error) {
	n, err := t.Q.CountUsableBankAccounts(ctx, workspaceID, recipientID)
	return int(n), sqldb.Doing("counting a recipient's bank accounts", err)
}

func (t tx) InsertPartnerCustomer(ctx context.Context, c customer.Customer) error {
	return sqldb.Doing("inserting a customer of the partner",
		t.Q.InsertPartnerCustomer(ctx, db.InsertPartnerCustomerParams{
			WorkspaceID: c.WorkspaceID, PartnerKey: c.Key, CustomerID: c.CustomerID, KeyedAt: sqldb.Micros(c.KeyedAt),
			Status:    string(c.Status),
			CreatedAt: sqldb.Micros(c.CreatedAt), UpdatedAt: sqldb.Micros(c.UpdatedAt),
		}))
}

func (t tx) UpdatePartnerCustomer(ctx context.Context, c customer.Customer, key string) error {
	n, err := t.Q.UpdatePartnerCustomer(ctx, db.UpdatePartnerCustomerParams{
		WorkspaceID: c.WorkspaceID, PartnerKey: c.Key, KeyedAt: sqldb.Micros(c.KeyedAt), CustomerID: c.CustomerID,
		Status:    string(c.Status),
		UpdatedAt: sqldb.Micros(c.UpdatedAt), WasKey: key,
	})
	return sqldb.Swapped("updating a customer of the partner", n, err)
}

func bankAccount(r db.BankAccount) (account.Account, error) {
	var shown account.Shown
	if json.Unmarshal([]byte(r.Shown), &shown) != nil {
		return account.Account{}, errors.New("reading what is shown of a bank account") // without the text
	}
	return account.Account{
		WorkspaceID: r.WorkspaceID, ID: r.ID, RecipientID: r.RecipientID, Currency: money.Currency(r.Currency),
		Rail:    fiat.Rail(r.Rail),
		Country: r.Country, BankName: r.BankName, Shown: shown, Sealed: r.Sealed, Fingerprint: r.Fingerprint,
		Wanted: r.Wanted,
		Address: fiat.Address{
			Street: r.Street, City: r.City, State: r.State, PostalCode: r.PostalCode, Country: r.HolderCountry,
		},
		Registration: account.Registration(r.Registration), Reason: r.Reason, Active: r.IsActive == 1, Origin: r.Origin,
		PartnerKey: r.PartnerKey, KeyedAt: sqldb.Instant(r.KeyedAt), PartnerID: r.PartnerID,
		TriedAt:   sqldb.Instant(r.TriedAt),
		PayableAt: sqldb.Instant(r.PayableAt), ConfirmedBy: r.ConfirmedBy, FrozenAt: sqldb.Instant(r.FrozenAt),
		Version:   r.Version,
		CreatedAt: sqldb.Instant(r.CreatedAt), UpdatedAt: sqldb.Instant(r.UpdatedAt),
	}, nil
}

func partnerCustomer(r db.PartnerCustomer) (customer.Customer, error) {
	return customer.Customer{
		WorkspaceID: r.WorkspaceID, Key: r.PartnerKey, KeyedAt: sqldb.Instant(r.KeyedAt), CustomerID: r.CustomerID,
		Status: fiat.CustomerStatus(r.Status), CreatedAt: sqldb.Instant(r.CreatedAt),
		UpdatedAt: sqldb.Instant(r.UpdatedAt),
	}, nil
}
