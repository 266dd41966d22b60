// Package virtual keeps the virtual accounts of recipients. A virtual account is an account
// number (CLABE) at the partner's bank. The partner converts pesos that arrive there into
// stablecoins and sends them to the withdrawal address of the recipient's bank account, so
// that address must exist first. A virtual account is provisioning until the partner has
// created it, and active from then on: see package provision.
package virtual

import (
	"context"
	"fmt"
	"log/slog"
	"regexp"
	"time"

	"github.com/railkit/railkit/clock"
	"github.com/railkit/railkit/fault"
	"github.com/railkit/railkit/fiat"
	"github.com/railkit/railkit/kit/payout/account"
	"github.com/railkit/railkit/kit/payout/price"
	"github.com/railkit/railkit/kit/payout/provision"
	"github.com/railkit/railkit/kit/payout/withdraw"
	"github.com/railkit/railkit/money"
	"github.com/railkit/railkit/platform/command"
	"github.com/railkit/railkit/platform/record"
	"github.com/railkit/railkit/rest"
)

// ErrAddressFirst refuses a virtual account for a bank account without an active withdrawal address.
var ErrAddressFirst = fault.Define(fault.Invalid, "withdraw_address_required",
	"Create a withdrawal address for this bank account first",
	"What arrives at a virtual account becomes stablecoins at a withdrawal address, and the bank account has none")

// Account is a virtual account: money that arrives at CLABE becomes stablecoins at the
// withdrawal address WithdrawAddressID of the bank account BankAccountID.
type Account struct {
	WorkspaceID, ID            string
	RecipientID, BankAccountID string
	WithdrawAddressID          string
	Currency                   money.Currency // what depositors send
	provision.Provision
	FeePoints            int64     // ours, in basis points of what arrives
	PartnerID, CLABE     string    // empty until the partner has created the account
	PolledAt             time.Time // when the partner was last asked what happened
	ActivitiesUntil      time.Time // how far what happened was taken in
	CreatedAt, UpdatedAt time.Time
}

// Store keeps virtual accounts.
type Store interface {
	record.Writer[Tx]
	// VirtualAccountOf finds the virtual account of a bank account and currency.
	VirtualAccountOf(ctx context.Context, workspaceID, bankAccountID string, c money.Currency) (Account, error)
	// WaitingVirtualAccounts lists, for all workspaces, accounts that are still provisioning and were
	// last claimed before the instant.
	WaitingVirtualAccounts(ctx context.Context, before time.Time, limit int) ([]Account, error)
	WithdrawAddress(ctx context.Context, workspaceID, id string) (withdraw.Address, error)
	// WithdrawAddressesOf lists the withdrawal addresses of a bank account, oldest first.
	WithdrawAddressesOf(ctx context.Context, workspaceID, bankAccountID string) ([]withdraw.Address, error)
}

// Tx writes virtual accounts. The methods are those of provision.Maker. The error is record.ErrStale if another
// request has claimed the row meanwhile.
type Tx interface {
	InsertVirtualAccount(context.Context, Account) error
	TakeVirtualAccount(ctx context.Context, v Account, was time.Time) error
	LeaveVirtualAccount(context.Context, Account) error
	FinishVirtualAccount(context.Context, Account) error
}

// View is the account as the API shows it.
func (v Account) View() rest.VirtualAccount {
	return rest.VirtualAccount{ID: v.ID, CLABE: v.CLABE, Currency: v.Currency.Upper(), BeneficiaryID: v.RecipientID}
}

// Service creates the virtual accounts of all workspaces.
type Service struct {
	store    Store
	partner  fiat.Partner
	accounts *account.Service
	deposits price.Deposits
	clock    clock.Clock
	log      *slog.Logger
}

// New makes a Service.
func New(
	s Store, p fiat.Partner, a *account.Service, d price.Deposits, clk clock.Clock, log *slog.Logger,
) *Service {
	return &Service{s, p, a, d, clk, log}
}

// SetUp answers with the virtual account of a bank account. If there is none, the partner
// creates it.
func (s *Service) SetUp(
	ctx context.Context, cmd *command.Command, in rest.VirtualAccountRequest,
) (command.Answer, error) {
	wanted, err := s.wanted(ctx, cmd.Principal.WorkspaceID, in)
	if err != nil {
		return command.Answer{}, err
	}
	var answer command.Answer
	m := s.maker(wanted)
	commit := provision.ByCaller(m, cmd, &answer, "Virtual account created", func(v Account) any { return v.View() })
	v, made, err := provision.Get(ctx, m, wanted.WorkspaceID, commit)
	if err != nil || made {
		return answer, err
	}
	return record.Answer(ctx, s.store, cmd, command.Reply{
		Status: 200, Message: "Virtual account exists", Data: v.View(),
		Audit: command.Audit{Action: "virtual_account.create", Resource: v.ID},
	})
}

// Ensure is the virtual account of a bank account. If there is none, the partner creates it.
func (s *Service) Ensure(ctx context.Context, workspaceID, recipientID, bankAccountID string) (Account, error) {
	wanted, err := s.wanted(ctx, workspaceID, rest.VirtualAccountRequest{
		BeneficiaryID: recipientID, BeneficiaryAccountID: bankAccountID,
	})
	if err != nil {
		return Account{}, err
	}
	m := s.maker(wanted)
	v, _, err := provision.Get(ctx, m, workspaceID, provision.ByServer(m, workspaceID))
	return v, err
}

// wanted is the row to insert, for the oldest active withdrawal address of the bank account. Nothing is written yet.
func (s *Service) wanted(ctx context.Context, workspaceID string, in rest.VirtualAccountRequest) (Account, error) {
	to, err := s.accounts.Payee(ctx, workspaceID, in.BeneficiaryID, in.BeneficiaryAccountID)
	if err != nil {
		return Account{}, err
	}
	if to.Recipient.Self {
		return Account{}, fault.Field(
			"beneficiaryId", "must not be the workspace's own recipient: there is no virtual account for it",
		)
	}
	if err := to.Usable(); err != nil {
		return Account{}, err
	}
	addresses, err := s.store.WithdrawAddressesOf(ctx, workspaceID, to.Account.ID)
	if err != nil {
		return Account{}, err
	}
	for _, a := range addresses {
		if a.Status == provision.Active {
			now := s.clock.Now()
			return Account{
				WorkspaceID: workspaceID, ID: record.NewID(), RecipientID: to.Recipient.ID,
				BankAccountID: to.Account.ID, WithdrawAddressID: a.ID,
				Currency: money.MXN, FeePoints: s.deposits[money.MXN].Fees.Points(), Provision: provision.New(now),
				CreatedAt: now, UpdatedAt: now,
			}, nil
		}
	}
	return Account{}, ErrAddressFirst
}

// maker is the provision.Maker for the virtual account of one bank account.
func (s *Service) maker(wanted Account) *provision.Maker[Account, Tx] {
	return &provision.Maker[Account, Tx]{
		In: s.store, Clock: s.clock, Log: s.log,
		Find: func(ctx context.Context) (Account, error) {
			return s.store.VirtualAccountOf(ctx, wanted.WorkspaceID, wanted.BankAccountID, wanted.Currency)
		},
		Insert: func(ctx context.Context, tx Tx) error { return tx.InsertVirtualAccount(ctx, wanted) },
		State:  func(v *Account) *provision.Provision { return &v.Provision },
		Take: func(ctx context.Context, tx Tx, v Account, was time.Time) error {
			return tx.TakeVirtualAccount(ctx, v, was)
		},
		Leave:  func(ctx context.Context, tx Tx, v Account) error { return tx.LeaveVirtualAccount(ctx, v) },
		Ask:    s.ask,
		Finish: func(ctx context.Context, tx Tx, v Account) error { return tx.FinishVirtualAccount(ctx, v) },
		Audit: func(v Account) command.Audit {
			return command.Audit{Action: "virtual_account.create", Resource: v.ID}
		},
	}
}

var clabe = regexp.MustCompile(`^[0-9]{18}$`)

// ask has the partner create the virtual account and checks that its answer has an id and a CLABE.
func (s *Service) ask(ctx context.Context, v Account) (Account, error) {
	a, err := s.store.WithdrawAddress(ctx, v.WorkspaceID, v.WithdrawAddressID)
	if err != nil {
		return v, err
	}
	wanted := fiat.VirtualAccountRequest{
		Source: v.Currency, Chain: a.Chain, Currency: a.Currency, Address: a.Address, FeePoints: v.FeePoints,
	}
	made, err := s.partner.CreateVirtualAccount(ctx, v.Key, a.CustomerID, wanted)
	if err == nil {
		err = made.Check(wanted)
	}
	if err != nil {
		return v, err
	}
	number := made.Instructions.Details.CLABE
	if made.ID == "" || !clabe.MatchString(number) {
		return v, fmt.Errorf("a virtual account without a CLABE: %w", fiat.ErrAnswer)
	}
	v.Status, v.PartnerID, v.CLABE, v.UpdatedAt = provision.Active, made.ID, number, s.clock.Now()
	return v, nil
}

// Sweep finishes virtual accounts whose requests died or failed before the partner had answered.
func (s *Service) Sweep(ctx context.Context) error {
	rows, err := s.store.WaitingVirtualAccounts(ctx, s.clock.Now().Add(-provision.Lease), record.SlowBatch)
	if err != nil {
		return err
	}
	return record.Each(rows, func(v Account) error {
		m := s.maker(v)
		_, _, err := provision.Get(ctx, m, v.WorkspaceID, provision.ByServer(m, v.WorkspaceID))
		return provision.IgnoreAsked(err)
	})
}
