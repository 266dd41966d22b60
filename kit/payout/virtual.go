package payout

import (
	"context"
	"fmt"
	"regexp"
	"time"

	"github.com/railkit/railkit/fault"
	"github.com/railkit/railkit/fiat"
	"github.com/railkit/railkit/kit/payout/work"
	"github.com/railkit/railkit/money"
	"github.com/railkit/railkit/platform/command"
)

// ErrAddressFirst is a virtual account that would lead nowhere.
var ErrAddressFirst = fault.Define(fault.Invalid, "withdraw_address_required", "Create a withdrawal address for this bank account first",
	"What arrives at a virtual account becomes stablecoins at a withdrawal address, and the bank account has none")

// VirtualAccount is an account number at the partner's bank. What arrives there
// becomes stablecoins at the withdrawal address of a bank account.
type VirtualAccount struct {
	WorkspaceID, ID            string
	RecipientID, BankAccountID string
	WithdrawAddressID          string
	Currency                   money.Currency // what depositors send
	Provision
	PartnerID, CLABE     string // empty while it is made
	CreatedAt, UpdatedAt time.Time
}

// VirtualStore reads virtual accounts.
type VirtualStore interface {
	VirtualAccountOf(ctx context.Context, workspaceID, bankAccountID string, c money.Currency) (VirtualAccount, error)
	WaitingVirtualAccounts(ctx context.Context, before time.Time, limit int) ([]VirtualAccount, error)
}

// VirtualTx writes them. A row that is another's by now is work.ErrStale.
type VirtualTx interface {
	InsertVirtualAccount(context.Context, VirtualAccount) error
	TakeVirtualAccount(ctx context.Context, v VirtualAccount, was time.Time) error
	LeaveVirtualAccount(context.Context, VirtualAccount) error
	FinishVirtualAccount(context.Context, VirtualAccount) error
}

// VirtualInput asks for a virtual account.
type VirtualInput struct {
	BeneficiaryID        string `json:"beneficiaryId" minLength:"1" maxLength:"64"`
	BeneficiaryAccountID string `json:"beneficiaryAccountId" minLength:"1" maxLength:"64"`
}

// VirtualView is a virtual account as the API shows it.
type VirtualView struct {
	ID            string `json:"id" format:"uuid"`
	CLABE         string `json:"clabe" doc:"18 digits: where to send MXN by SPEI"`
	Currency      string `json:"currency" enum:"MXN"`
	BeneficiaryID string `json:"beneficiaryId"`
}

// View is the account as the API shows it.
func (v VirtualAccount) View() VirtualView {
	return VirtualView{ID: v.ID, CLABE: v.CLABE, Currency: v.Currency.Upper(), BeneficiaryID: v.RecipientID}
}

// SetUpVirtualAccount gives the virtual account of a bank account, and makes it
// where there is none.
func (s *Service) SetUpVirtualAccount(ctx context.Context, cmd *command.Command, in VirtualInput) (command.Answer, error) {
	wanted, err := s.wantedVirtual(ctx, cmd.Principal.WorkspaceID, in)
	if err != nil {
		return command.Answer{}, err
	}
	var answer command.Answer
	m := s.virtuals(wanted)
	v, made, err := m.get(ctx, wanted.WorkspaceID, s.called(cmd, &answer, func(done command.Audit) command.Reply {
		return command.Reply{Status: 201, Message: "Virtual account created", Data: m.last.View(), Audit: done}
	}))
	if err != nil || made {
		return answer, err
	}
	return work.Answer(ctx, s.store, cmd, command.Reply{
		Status: 200, Message: "Virtual account exists", Data: v.View(), Audit: command.Audit{Action: "virtual_account.create", Resource: v.ID},
	})
}

func (s *Service) wantedVirtual(ctx context.Context, workspaceID string, in VirtualInput) (VirtualAccount, error) {
	to, err := s.payee(ctx, workspaceID, in.BeneficiaryID, in.BeneficiaryAccountID)
	if err != nil {
		return VirtualAccount{}, err
	}
	if to.Recipient.Self {
		return VirtualAccount{}, fault.Field("beneficiaryId", "must not be the workspace's own recipient: there is no virtual account for it")
	}
	if err := to.usable(); err != nil {
		return VirtualAccount{}, err
	}
	addresses, err := s.store.WithdrawAddressesOf(ctx, workspaceID, to.Account.ID)
	if err != nil {
		return VirtualAccount{}, err
	}
	for _, a := range addresses {
		if a.Status == AddressActive {
			now := s.clock.Now()
			return VirtualAccount{
				WorkspaceID: workspaceID, ID: work.NewID(), RecipientID: to.Recipient.ID, BankAccountID: to.Account.ID, WithdrawAddressID: a.ID,
				Currency: money.MXN, Provision: Provision{Status: Provisioning, Key: newKey(), KeyedAt: now, TriedAt: now},
				CreatedAt: now, UpdatedAt: now,
			}, nil
		}
	}
	return VirtualAccount{}, ErrAddressFirst
}

// virtualMaker also remembers the row that it made last.
type virtualMaker struct {
	maker[VirtualAccount]
	last VirtualAccount
}

// virtuals makes the virtual account of one bank account.
func (s *Service) virtuals(wanted VirtualAccount) *virtualMaker {
	m := &virtualMaker{}
	m.maker = maker[VirtualAccount]{
		s: s,
		find: func(ctx context.Context) (VirtualAccount, error) {
			return s.store.VirtualAccountOf(ctx, wanted.WorkspaceID, wanted.BankAccountID, wanted.Currency)
		},
		insert: func(ctx context.Context, tx Tx) error { return tx.InsertVirtualAccount(ctx, wanted) },
		state:  func(v *VirtualAccount) *Provision { return &v.Provision },
		take: func(ctx context.Context, tx Tx, v VirtualAccount, was time.Time) error {
			return tx.TakeVirtualAccount(ctx, v, was)
		},
		leave: func(ctx context.Context, tx Tx, v VirtualAccount) error { return tx.LeaveVirtualAccount(ctx, v) },
		ask: func(ctx context.Context, v VirtualAccount) (VirtualAccount, error) {
			made, err := s.askForVirtual(ctx, v)
			m.last = made
			return made, err
		},
		finish: func(ctx context.Context, tx Tx, v VirtualAccount) error { return tx.FinishVirtualAccount(ctx, v) },
		audit: func(v VirtualAccount) command.Audit {
			return command.Audit{Action: "virtual_account.create", Resource: v.ID}
		},
	}
	return m
}

var clabe = regexp.MustCompile(`^[0-9]{18}$`)

func (s *Service) askForVirtual(ctx context.Context, v VirtualAccount) (VirtualAccount, error) {
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
	v.Status, v.PartnerID, v.CLABE, v.UpdatedAt = AddressActive, made.ID, made.CLABE, s.clock.Now()
	return v, nil
}

// sweepVirtuals finishes what callers left.
func (s *Service) sweepVirtuals(ctx context.Context) error {
	rows, err := s.store.WaitingVirtualAccounts(ctx, s.clock.Now().Add(-lease), work.Batch)
	if err != nil {
		return err
	}
	return work.Each(rows, func(v VirtualAccount) error {
		_, _, err := s.virtuals(v).get(ctx, v.WorkspaceID, s.recorded(v.WorkspaceID))
		return provisioned(err)
	})
}
