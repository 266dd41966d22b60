package payout

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/railkit/railkit/clock"
	"github.com/railkit/railkit/kit/payout/depositaccount"
	"github.com/railkit/railkit/kit/payout/orderview"
	"github.com/railkit/railkit/money"
	"github.com/railkit/railkit/platform/event"
	"github.com/railkit/railkit/platform/page"
	"github.com/railkit/railkit/rest"
	"github.com/railkit/railkit/store/db"
	"github.com/railkit/railkit/store/internal/sqldb"
)

// depositReads reads deposit accounts and their events.
type depositReads struct{ db *sqldb.DB }

// depositTx writes them.
type depositTx struct{ *sqldb.Tx }

const depositResource = "Deposit account"

// DepositAccount finds one.
func (s depositReads) DepositAccount(ctx context.Context, workspaceID, id string) (depositaccount.Account, error) {
	row, err := s.db.Read.DepositAccount(ctx, workspaceID, id)
	return sqldb.One(depositResource, row, err, depositAccount)
}

// DepositAccountOf finds the one of a wallet and a pair of currencies.
func (s depositReads) DepositAccountOf(
	ctx context.Context, workspaceID, walletID string, from, to money.Currency,
) (depositaccount.Account, error) {
	row, err := s.db.Read.DepositAccountOf(ctx, db.DepositAccountOfParams{
		WorkspaceID: workspaceID, WalletID: walletID, Source: string(from), Destination: string(to),
	})
	return sqldb.One(depositResource, row, err, depositAccount)
}

// DepositAccountByPartner finds one by the partner's id.
func (s depositReads) DepositAccountByPartner(ctx context.Context, partnerID string) (depositaccount.Account, error) {
	row, err := s.db.Read.DepositAccountByPartner(ctx, partnerID)
	return sqldb.One(depositResource, row, err, depositAccount)
}

// DepositAccounts lists a page of those that the partner has made, newest first, and counts them.
func (s depositReads) DepositAccounts(
	ctx context.Context, workspaceID string, p page.Page,
) ([]depositaccount.Account, int, error) {
	total, err := s.db.Read.CountDepositAccounts(ctx, workspaceID)
	if err != nil {
		return nil, 0, sqldb.Reading("counting deposit accounts", err)
	}
	rows, err := db.New(s.db.Query(1).Newest(p)).ListDepositAccounts(ctx, workspaceID)
	return sqldb.Listed(total, rows, err, depositAccount)
}

// AllDepositAccounts lists a page of those of a workspace, or of all, newest first.
func (s depositReads) AllDepositAccounts(
	ctx context.Context, workspaceID string, p page.Page,
) ([]depositaccount.Account, error) {
	rows, err := db.New(s.db.Query(0).Equal("workspace_id", workspaceID).Newest(p)).AllDepositAccounts(ctx)
	return sqldb.Many(rows, err, depositAccount)
}

// WaitingDepositAccounts lists those that the partner has yet to make.
func (s depositReads) WaitingDepositAccounts(
	ctx context.Context, before time.Time, limit int,
) ([]depositaccount.Account, error) {
	rows, err := s.db.Read.WaitingDepositAccounts(ctx, sqldb.Micros(before), int32(limit))
	return sqldb.Many(rows, err, depositAccount)
}

// SwitchingDepositAccounts lists those that the partner has yet to switch.
func (s depositReads) SwitchingDepositAccounts(
	ctx context.Context, before time.Time, limit int,
) ([]depositaccount.Account, error) {
	rows, err := s.db.Read.SwitchingDepositAccounts(ctx, sqldb.Micros(before), int32(limit))
	return sqldb.Many(rows, err, depositAccount)
}

// DepositAccountsToPoll lists those that the partner was not asked about since, longest first.
func (s depositReads) DepositAccountsToPoll(
	ctx context.Context, before time.Time, limit int,
) ([]depositaccount.Account, error) {
	rows, err := s.db.Read.DepositAccountsToPoll(ctx, sqldb.Micros(before), int32(limit))
	return sqldb.Many(rows, err, depositAccount)
}

// DepositEvents lists a page of what happened at one, oldest first, and counts it.
func (s depositReads) DepositEvents(
	ctx context.Context, workspaceID, accountID string, p page.Page,
) ([]depositaccount.Event, int, error) {
	total, err := s.db.Read.CountDepositEvents(ctx, workspaceID, accountID)
	if err != nil {
		return nil, 0, sqldb.Reading("counting deposit events", err)
	}
	rows, err := db.New(s.db.Query(2).Page("created_at", "asc", p)).ListDepositEvents(ctx, workspaceID, accountID)
	return sqldb.Listed(total, rows, err, depositEvent)
}

// KnownDepositEvents lists those of the partner's ids of events that a deposit account's list has already.
func (s depositReads) KnownDepositEvents(
	ctx context.Context, workspaceID, accountID string, ids []string,
) (known []string, err error) {
	for some := range slices.Chunk(ids, atOnce) {
		rows, err := db.New(s.db.Query(2).In("event_id", some)).KnownDepositEvents(ctx, workspaceID, accountID)
		if err != nil {
			return nil, sqldb.Reading("reading which deposit events are known", err)
		}
		known = append(known, rows...)
	}
	return known, nil
}

func (t *depositTx) InsertDepositAccount(ctx context.Context, a depositaccount.Account) error {
	t.Mark = "deposit_account.insert"
	n, err := t.Q.InsertDepositAccount(ctx, db.InsertDepositAccountParams{
		WorkspaceID: a.WorkspaceID, ID: a.ID, Reference: a.Reference, WalletID: a.WalletID, Source: string(a.Source),
		Destination: string(a.Destination), Chain: a.Chain, Address: a.Address, FeePoints: a.FeePoints,
		Status: string(a.Status), Deactivated: sqldb.Flag(a.Deactivated), Wanted: string(a.Wanted), PartnerKey: a.Key,
		KeyedAt: sqldb.Micros(a.KeyedAt), TriedAt: sqldb.Micros(a.TriedAt), CustomerID: a.CustomerID,
		PartnerID: a.PartnerID, Sealed: a.Sealed, PolledAt: sqldb.Micros(a.PolledAt),
		ActivitiesUntil: sqldb.Micros(a.ActivitiesUntil), Version: a.Version, CreatedAt: sqldb.Micros(a.CreatedAt),
		UpdatedAt: sqldb.Micros(a.UpdatedAt),
	})
	return t.ToldSwapped("inserting a deposit account", n, err, depositChange(event.DepositAccountCreated, a))
}

func depositChange(kind event.Type, a depositaccount.Account) event.Change {
	return event.Change{Type: kind, WorkspaceID: a.WorkspaceID, Object: a.ID, Data: rest.EventDepositAccount{
		Status: string(a.Status), IsDeactivated: a.Deactivated, Reference: a.Reference, WalletID: a.WalletID,
		Source: string(a.Source), Destination: string(a.Destination), Chain: a.Chain,
	}}
}

func (t *depositTx) TakeDepositAccount(ctx context.Context, a depositaccount.Account, was time.Time) error {
	n, err := t.Q.TakeDepositAccount(ctx, db.TakeDepositAccountParams{
		Now: sqldb.Micros(a.TriedAt), PartnerKey: a.Key, KeyedAt: sqldb.Micros(a.KeyedAt), WorkspaceID: a.WorkspaceID,
		ID: a.ID, Was: sqldb.Micros(was),
	})
	return sqldb.Swapped("taking a deposit account", n, err)
}

func (t *depositTx) LeaveDepositAccount(ctx context.Context, a depositaccount.Account) error {
	return sqldb.Doing(
		"leaving a deposit account", t.Q.LeaveDepositAccount(ctx, a.WorkspaceID, a.ID, sqldb.Micros(a.TriedAt)),
	)
}

// DropDepositAccount deletes one that the partner refused to make, by the claim under which it was asked.
func (t *depositTx) DropDepositAccount(ctx context.Context, a depositaccount.Account) error {
	n, err := t.Q.DropDepositAccount(ctx, a.WorkspaceID, a.ID, sqldb.Micros(a.TriedAt))
	return t.Told("dropping a deposit account", n, err, depositChange(event.DepositAccountDeleted, a))
}

func (t *depositTx) FinishDepositAccount(ctx context.Context, a depositaccount.Account) error {
	n, err := t.Q.FinishDepositAccount(ctx, db.FinishDepositAccountParams{
		Deactivated: sqldb.Flag(a.Deactivated), CustomerID: a.CustomerID, PartnerID: a.PartnerID, Sealed: a.Sealed,
		Now: sqldb.Micros(a.UpdatedAt), WorkspaceID: a.WorkspaceID, ID: a.ID,
	})
	err = t.ToldSwapped("finishing a deposit account", n, err, depositChange(event.DepositAccountActive, a))
	if err != nil {
		return err
	}
	return claimAccount(ctx, t.Tx, a.PartnerID, a.WorkspaceID, a.ID)
}

// partnerAccount is the directory's kind of the partner's ids of accounts.
const partnerAccount = "partner_account"

// claimAccount ties the partner's id of an account to ours, over all workspaces. A partner that gives one id to two
// accounts would have the bank transfers of one counted as those of the other.
func claimAccount(ctx context.Context, t *sqldb.Tx, partnerID, workspaceID, id string) error {
	n, err := t.Q.ClaimForOrder(ctx, db.ClaimForOrderParams{
		Kind: partnerAccount, Lookup: partnerID, WorkspaceID: workspaceID, OrderID: id,
	})
	if err == nil && n == 0 {
		err = fmt.Errorf("two accounts have the id %s at the partner: %w", partnerID, orderview.ErrTaken)
	}
	return sqldb.Doing("claiming an account", err)
}

func (t *depositTx) UpdateDepositAccount(ctx context.Context, a depositaccount.Account) error {
	n, err := t.Q.UpdateDepositAccount(ctx, db.UpdateDepositAccountParams{
		Deactivated: sqldb.Flag(a.Deactivated), Wanted: string(a.Wanted), PartnerKey: a.Key,
		KeyedAt: sqldb.Micros(a.KeyedAt), TriedAt: sqldb.Micros(a.TriedAt), Sealed: a.Sealed,
		UpdatedAt: sqldb.Micros(a.UpdatedAt), WorkspaceID: a.WorkspaceID, ID: a.ID, Version: a.Version,
	})
	return t.ToldSwapped("updating a deposit account", n, err, depositChange(event.DepositAccountUpdated, a))
}

func (t *depositTx) PolledDepositAccount(ctx context.Context, workspaceID, id string, at, until time.Time) error {
	return sqldb.Doing("noting when a deposit account was polled", t.Q.PolledDepositAccount(
		ctx, db.PolledDepositAccountParams{
			At: sqldb.Micros(at), Until: sqldb.Micros(until), WorkspaceID: workspaceID, ID: id,
		}))
}

// InsertDepositEvent tells whether the event was new.
func (t *depositTx) InsertDepositEvent(ctx context.Context, e depositaccount.Event) (bool, error) {
	n, err := t.Q.InsertDepositEvent(ctx, db.InsertDepositEventParams{
		WorkspaceID: e.WorkspaceID, ID: e.ID, AccountID: e.AccountID, EventID: e.PartnerEventID, DepositID: e.DepositID,
		Type: string(e.Type), RawType: e.RawType, Amount: e.Amount.Minor, Currency: string(e.Amount.Currency),
		OccurredAt: sqldb.Micros(e.OccurredAt), RecordedAt: sqldb.Micros(e.RecordedAt), Body: e.Body,
		CreatedAt: sqldb.Micros(e.Place()),
	})
	data := rest.EventDeposit{Type: string(e.Type), DepositID: e.DepositID}
	if e.Amount.Currency != "" {
		data.Amount, data.Currency = e.Amount.String(), string(e.Amount.Currency)
	}
	if !e.OccurredAt.IsZero() {
		data.OccurredAt = clock.ISO(e.OccurredAt)
	}
	return n > 0, t.Told("inserting a deposit event", n, err, event.Change{
		Type: event.DepositAccountHappening, WorkspaceID: e.WorkspaceID, Object: e.AccountID, Data: data,
	})
}

func depositAccount(r db.DepositAccount) (depositaccount.Account, error) {
	return depositaccount.Account{
		WorkspaceID: r.WorkspaceID, ID: r.ID, Reference: r.Reference, WalletID: r.WalletID,
		Source: money.Currency(r.Source), Destination: money.Currency(r.Destination), Chain: r.Chain,
		Address: r.Address, FeePoints: r.FeePoints,
		Provision:   provisionRow(r.Status, r.PartnerKey, r.KeyedAt, r.TriedAt),
		Deactivated: r.Deactivated == 1, Wanted: depositaccount.Wanted(r.Wanted), CustomerID: r.CustomerID,
		PartnerID: r.PartnerID, Sealed: r.Sealed, PolledAt: sqldb.Instant(r.PolledAt),
		ActivitiesUntil: sqldb.Instant(r.ActivitiesUntil), Version: r.Version,
		CreatedAt: sqldb.Instant(r.CreatedAt), UpdatedAt: sqldb.Instant(r.UpdatedAt),
	}, nil
}

func depositEvent(r db.DepositEvent) (depositaccount.Event, error) {
	return depositaccount.Event{
		WorkspaceID: r.WorkspaceID, ID: r.ID, AccountID: r.AccountID, PartnerEventID: r.EventID,
		DepositID: r.DepositID, Type: depositaccount.Type(r.Type), RawType: r.RawType,
		Amount:     money.Of(r.Amount, money.Currency(r.Currency)),
		OccurredAt: sqldb.Instant(r.OccurredAt), RecordedAt: sqldb.Instant(r.RecordedAt), Body: r.Body,
	}, nil
}
