// Package virtual keeps the virtual accounts of recipients: a CLABE at the partner's
// bank. Pesos that arrive there become stablecoins at the withdrawal address of a bank
// account, which therefore has to be there first. A virtual account is provisioning
// until the partner has made it, and active from then on: see package provision.
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
	"github.com/railkit/railkit/kit/payout/provision"
	"github.com/railkit/railkit/kit/payout/withdraw"
	"github.com/railkit/railkit/money"
	"github.com/railkit/railkit/platform/command"
	"github.com/railkit/railkit/platform/record"
	"github.com/railkit/railkit/rest"
)

// ErrAddressFirst is a virtual account that would lead nowhere.
var ErrAddressFirst = fault.Define(fault.Invalid, "withdraw_address_required",
	"Create a withdrawal address for this bank account first",
	"What arrives at a virtual account becomes stablecoins at a withdrawal address, and the bank account has none")

// Account is an account number at the partner's bank. What arrives there
// becomes stablecoins at the withdrawal address of a bank account.
type Account struct {
	WorkspaceID, ID            string
	RecipientID, BankAccountID string
	WithdrawAddressID          string
	Currency                   money.Currency // what depositors send
	provision.Provision
	PartnerID, CLABE     string // empty while it is made
	CreatedAt, UpdatedAt time.Time
}

// Store keeps virtual accounts.
type Store interface {
	record.Writer[Tx]
	VirtualAccountOf(ctx context.Context, workspaceID, bankAccountID string, c money.Currency) (Account, error)
	WaitingVirtualAccounts(ctx context.Context, before time.Time, limit int) ([]Account, error)
	WithdrawAddress(ctx context.Context, workspaceID, id string) (withdraw.Address, error)
	// WithdrawAddressesOf lists those of a bank account, oldest first.
	WithdrawAddressesOf(ctx context.Context, workspaceID, bankAccountID string) ([]withdraw.Address, error)
}

// Tx writes them. A row that somebody else has taken by now is record.ErrStale.
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

// Service is the virtual accounts of every workspace.
type Service struct {
	store    Store
	partner  fiat.Partner
	accounts *account.Service
	clock    clock.Clock
	log      *slog.Logger
}

// New makes it.
func New(s Store, p fiat.Partner, a *account.Service, clk clock.Clock, log *slog.Logger) *Service {
	return &Service{s, p, a, clk, log}
}

// SetUp gives the virtual account of a bank account, and makes it
// where there is none.
func (s *Service) SetUp(
	ctx context.Context, cmd *command.Command, in rest.VirtualAccountRequest,
) (command.Answer, error) {
	wanted, err := s.wanted(ctx, cmd.Principal.WorkspaceID, in)
	if err != nil {
		return command.Answer{}, err
	}
	var answer command.Answer
	m := s.maker(wanted)
	v, made, err := m.Get(ctx, wanted.WorkspaceID, m.ByCaller(cmd, &answer, "Virtual account created", func(
		v Account,
	) any {
		return v.View()
	}))
	if err != nil || made {
		return answer, err
	}
	return record.Answer(ctx, s.store, cmd, command.Reply{
		Status: 200, Message: "Virtual account exists", Data: v.View(),
		Audit: command.Audit{Action: "virtual_account.create", Resource: v.ID},
	})
}

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
				Currency: money.MXN, Provision: provision.New(now),
				CreatedAt: now, UpdatedAt: now,
			}, nil
		}
	}
	return Account{}, ErrAddressFirst
}

// maker makes the virtual account of one bank account.
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

func (s *Service) ask(ctx context.Context, v Account) (Account, error) {
	a, err := s.store.WithdrawAddress(ctx, v.WorkspaceID, v.WithdrawAddressID)
	if err != nil {
		return v, err
	}
	made, err := s.partner.CreateVirtualAccount(ctx, v.Key, a.CustomerID, fiat.VirtualAccountRequest{
		Source: v.Currency, Chain: a.Chain, Currency: a.Currency, AddressID: a.PartnerID, Address: a.Address,
	})
	if err != nil {
		return v, err
	}
	if made.ID == "" || !clabe.MatchString(made.CLABE) {
		return v, fmt.Errorf("a virtual account without a CLABE: %w", fiat.ErrAnswer)
	}
	v.Status, v.PartnerID, v.CLABE, v.UpdatedAt = provision.Active, made.ID, made.CLABE, s.clock.Now()
	return v, nil
}

// Sweep finishes what callers left.
func (s *Service) Sweep(ctx context.Context) error {
	rows, err := s.store.WaitingVirtualAccounts(ctx, s.clock.Now().Add(-provision.Lease), record.SlowBatch)
	if err != nil {
		return err
	}
	return record.Each(rows, func(v Account) error {
		m := s.maker(v)
		_, _, err := m.Get(ctx, v.WorkspaceID, m.ByServer(v.WorkspaceID))
		return provision.IgnoreAsked(err)
	})
}
