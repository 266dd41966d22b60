package store

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/railkit/railkit/fiat"
	"github.com/railkit/railkit/kit/payout/account"
	"github.com/railkit/railkit/kit/payout/customer"
	"github.com/railkit/railkit/kit/payout/recipient"
	"github.com/railkit/railkit/money"
	"github.com/railkit/railkit/store/db"
	"github.com/railkit/railkit/store/postgres"
)

const accountResource = "Bank account"

// BankAccount finds one, also an archived one.
func (s accountReads) BankAccount(ctx context.Context, workspaceID, id string) (account.Account, error) {
	row, err := s.read.BankAccount(ctx, workspaceID, id)
	return one(accountResource, row, err, bankAccount)
}

// BankAccountByFingerprint finds the one of a recipient's that has the number.
func (s accountReads) BankAccountByFingerprint(ctx context.Context, workspaceID, recipientID, fingerprint string) (account.Account, error) {
	row, err := s.read.BankAccountByFingerprint(ctx, workspaceID, recipientID, fingerprint)
	return one(accountResource, row, err, bankAccount)
}

// BankAccountByPartner finds one by the id that it has at the partner.
func (s accountReads) BankAccountByPartner(ctx context.Context, partnerID string) (account.Account, error) {
	row, err := s.read.BankAccountByPartner(ctx, partnerID)
	return one(accountResource, row, err, bankAccount)
}

// BankAccounts lists a page of bank accounts, newest first, and counts all that
// the filter selects.
func (s accountReads) BankAccounts(ctx context.Context, f account.Filter) ([]account.Account, int, error) {
	selected := func() *query {
		q := s.query(1).in("recipient_id", f.RecipientIDs)
		if !f.Archived {
			q.add(" AND is_active = 1")
		}
		return q
	}
	total, err := db.New(selected()).CountBankAccounts(ctx, f.WorkspaceID)
	if err != nil {
		return nil, 0, doing("counting bank accounts", postgres.Tell(err))
	}
	rows, err := db.New(selected().page("created_at", directions[""], f.Page)).ListBankAccounts(ctx, f.WorkspaceID)
	all, err := many(rows, err, bankAccount)
	return all, int(total), err
}

// Payable finds a recipient with the bank accounts in use, newest first. There is
// no recipient where there are none.
func (s accountReads) Payable(ctx context.Context, workspaceID, recipientID string, limit int) (r recipient.Recipient, all []account.Account, err error) {
	rows, err := s.read.Payable(ctx, workspaceID, recipientID, int32(limit))
	all, err = many(rows, err, func(row db.PayableRow) (account.Account, error) {
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
	rows, err := s.read.WaitingBankAccounts(ctx, micros(before), int32(limit))
	return many(rows, err, bankAccount)
}

// PartnerCustomer finds what a workspace is at the partner.
func (s accountReads) PartnerCustomer(ctx context.Context, workspaceID string) (customer.Customer, error) {
	row, err := s.read.PartnerCustomer(ctx, workspaceID)
	return one("Partner customer", row, err, partnerCustomer)
}

func (t accountTx) InsertBankAccount(ctx context.Context, a account.Account) error {
	shown, err := json.Marshal(a.Shown)
	if err != nil {
		return fmt.Errorf("encoding a bank account: %w", err)
	}
	n, err := t.q.InsertBankAccount(ctx, db.InsertBankAccountParams{
		WorkspaceID: a.WorkspaceID, ID: a.ID, RecipientID: a.RecipientID, Currency: string(a.Currency), Rail: string(a.Rail),
		Country: a.Country, BankName: a.BankName, Street: a.Address.Street, City: a.Address.City, State: a.Address.State,
		PostalCode: a.Address.PostalCode, HolderCountry: a.Address.Country, Shown: string(shown), Sealed: a.Sealed,
		Fingerprint: a.Fingerprint, Wanted: a.Wanted, Registration: string(a.Registration), Reason: a.Reason, IsActive: flag(a.Active),
		Origin: a.Origin, PartnerKey: a.PartnerKey, KeyedAt: micros(a.KeyedAt), PartnerID: a.PartnerID, TriedAt: micros(a.TriedAt),
		PayableAt: micros(a.PayableAt), ConfirmedBy: a.ConfirmedBy, Version: a.Version,
		CreatedAt: micros(a.CreatedAt), UpdatedAt: micros(a.UpdatedAt),
	})
	return swapped("inserting a bank account", n, err)
}

func (t accountTx) HoldBankAccount(ctx context.Context, workspaceID, id string) (account.Account, error) {
	row, err := t.q.HoldBankAccount(ctx, workspaceID, id)
	return one(accountResource, row, err, bankAccount)
}

func (t accountTx) UpdateBankAccount(ctx context.Context, a account.Account) error {
	shown, err := json.Marshal(a.Shown)
	if err != nil {
		return fmt.Errorf("encoding a bank account: %w", err)
	}
	n, err := t.q.UpdateBankAccount(ctx, db.UpdateBankAccountParams{
		WorkspaceID: a.WorkspaceID, ID: a.ID, Version: a.Version, Street: a.Address.Street, City: a.Address.City, State: a.Address.State,
		PostalCode: a.Address.PostalCode, HolderCountry: a.Address.Country, Shown: string(shown), Sealed: a.Sealed,
		Fingerprint: a.Fingerprint, Wanted: a.Wanted, Registration: string(a.Registration), Reason: a.Reason, IsActive: flag(a.Active),
		PartnerKey: a.PartnerKey, KeyedAt: micros(a.KeyedAt), PartnerID: a.PartnerID, TriedAt: micros(a.TriedAt),
		PayableAt: micros(a.PayableAt), ConfirmedBy: a.ConfirmedBy, FrozenAt: micros(a.FrozenAt), UpdatedAt: micros(a.UpdatedAt),
	})
	if err := swapped("updating a bank account", n, err); err != nil || a.PartnerID == "" {
		return err
	}
	return doing("listing a bank account by the partner's id", t.q.ListPartnerAccount(ctx, a.PartnerID, a.WorkspaceID, a.ID))
}

func (t accountTx) DeleteBankAccount(ctx context.Context, a account.Account) error {
	n, err := t.q.DeleteBankAccount(ctx, a.WorkspaceID, a.ID, a.Version)
	return swapped("deleting a bank account", n, err)
}

func (t accountTx) CountUsable(ctx context.Context, workspaceID, recipientID string) (int, error) {
	n, err := t.q.CountUsableBankAccounts(ctx, workspaceID, recipientID)
	return int(n), doing("counting a recipient's bank accounts", err)
}

func (t accountTx) InsertPartnerCustomer(ctx context.Context, c customer.Customer) error {
	return doing("inserting a customer of the partner", t.q.InsertPartnerCustomer(ctx, db.InsertPartnerCustomerParams{
		WorkspaceID: c.WorkspaceID, PartnerKey: c.Key, CustomerID: c.CustomerID, KeyedAt: micros(c.KeyedAt), Status: string(c.Status),
		CreatedAt: micros(c.CreatedAt), UpdatedAt: micros(c.UpdatedAt),
	}))
}

func (t accountTx) UpdatePartnerCustomer(ctx context.Context, c customer.Customer, key string) error {
	n, err := t.q.UpdatePartnerCustomer(ctx, db.UpdatePartnerCustomerParams{
		WorkspaceID: c.WorkspaceID, PartnerKey: c.Key, KeyedAt: micros(c.KeyedAt), CustomerID: c.CustomerID, Status: string(c.Status),
		UpdatedAt: micros(c.UpdatedAt), WasKey: key,
	})
	return swapped("updating a customer of the partner", n, err)
}

func bankAccount(r db.BankAccount) (account.Account, error) {
	var shown account.Shown
	if json.Unmarshal([]byte(r.Shown), &shown) != nil {
		return account.Account{}, errors.New("reading what is shown of a bank account") // without the text
	}
	return account.Account{
		WorkspaceID: r.WorkspaceID, ID: r.ID, RecipientID: r.RecipientID, Currency: money.Currency(r.Currency), Rail: fiat.Rail(r.Rail),
		Country: r.Country, BankName: r.BankName, Shown: shown, Sealed: r.Sealed, Fingerprint: r.Fingerprint, Wanted: r.Wanted,
		Address:      fiat.Address{Street: r.Street, City: r.City, State: r.State, PostalCode: r.PostalCode, Country: r.HolderCountry},
		Registration: account.Registration(r.Registration), Reason: r.Reason, Active: r.IsActive == 1, Origin: r.Origin,
		PartnerKey: r.PartnerKey, KeyedAt: instant(r.KeyedAt), PartnerID: r.PartnerID, TriedAt: instant(r.TriedAt),
		PayableAt: instant(r.PayableAt), ConfirmedBy: r.ConfirmedBy, FrozenAt: instant(r.FrozenAt), Version: r.Version,
		CreatedAt: instant(r.CreatedAt), UpdatedAt: instant(r.UpdatedAt),
	}, nil
}

func partnerCustomer(r db.PartnerCustomer) (customer.Customer, error) {
	return customer.Customer{
		WorkspaceID: r.WorkspaceID, Key: r.PartnerKey, KeyedAt: instant(r.KeyedAt), CustomerID: r.CustomerID,
		Status: fiat.CustomerStatus(r.Status), CreatedAt: instant(r.CreatedAt), UpdatedAt: instant(r.UpdatedAt),
	}, nil
}
