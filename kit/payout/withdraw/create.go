package withdraw

import (
	"context"
	"fmt"
	"time"

	"github.com/google/uuid"

	"github.com/railkit/railkit/chain/families"
	"github.com/railkit/railkit/fiat"
	"github.com/railkit/railkit/kit/payout/provision"
	"github.com/railkit/railkit/kit/payout/reference"
	"github.com/railkit/railkit/money"
	"github.com/railkit/railkit/platform/command"
	"github.com/railkit/railkit/platform/record"
	"github.com/railkit/railkit/rest"
)

// SetUp gives the withdrawal address of a bank account, and makes it
// where there is none.
func (s *Service) SetUp(
	ctx context.Context, cmd *command.Command, in rest.LiquidationAddressRequest,
) (command.Answer, error) {
	return s.provide(ctx, cmd, rest.WithdrawAddressRequest{
		BeneficiaryID: in.BeneficiaryID, BeneficiaryAccountID: in.BeneficiaryAccountID, Chain: in.Chain,
		Currency: in.Currency,
	}, func(a Address) any { return a.Short() })
}

// Create is SetUp in the words of the off-ramp.
func (s *Service) Create(
	ctx context.Context, cmd *command.Command, in rest.WithdrawAddressRequest,
) (command.Answer, error) {
	return s.provide(ctx, cmd, in, func(a Address) any { return a.View(s.clock.Now()) })
}

func (s *Service) provide(
	ctx context.Context, cmd *command.Command, in rest.WithdrawAddressRequest, view func(Address) any,
) (command.Answer, error) {
	wanted, err := s.wanted(ctx, cmd.Principal.WorkspaceID, in)
	if err != nil {
		return command.Answer{}, err
	}
	var answer command.Answer
	m := s.maker(wanted)
	row, made, err := m.Get(ctx, wanted.WorkspaceID, m.ByCaller(cmd, &answer, "Withdrawal address created", view))
	if err != nil || made {
		return answer, err
	}
	return s.known(ctx, cmd, row, wanted, view)
}

// Ensure makes a withdrawal address by the server itself, where there is none.
func (s *Service) Ensure(ctx context.Context, workspaceID string, in rest.WithdrawAddressRequest) error {
	wanted, err := s.wanted(ctx, workspaceID, in)
	if err != nil {
		return err
	}
	m := s.maker(wanted)
	_, _, err = m.Get(ctx, workspaceID, m.ByServer(workspaceID))
	return err
}

// wanted is the row as it would be, of a bank account that can be paid.
func (s *Service) wanted(ctx context.Context, workspaceID string, in rest.WithdrawAddressRequest) (Address, error) {
	token := money.Currency(in.Currency)
	if err := s.checkPair(in.Chain, token); err != nil {
		return Address{}, err
	}
	to, err := s.accounts.Payee(ctx, workspaceID, in.BeneficiaryID, in.BeneficiaryAccountID)
	if err != nil {
		return Address{}, err
	}
	if err := to.Usable(); err != nil {
		return Address{}, err
	}
	now := s.clock.Now()
	a := Address{
		WorkspaceID: workspaceID, ID: record.NewID(), RecipientID: to.Recipient.ID, BankAccountID: to.Account.ID,
		Chain: in.Chain, Currency: token, Destination: to.Account.Currency, Rail: to.Account.Rail,
		Provision: provision.New(now), CreatedAt: now, UpdatedAt: now,
	}
	if in.WalletID == "" {
		return a, nil
	}
	a.WalletID, a.ReturnAddress, err = s.walletOn(ctx, workspaceID, in.WalletID, in.Chain)
	return a, err
}

// known answers with an address that was there.
func (s *Service) known(
	ctx context.Context, cmd *command.Command, a, wanted Address, view func(Address) any,
) (command.Answer, error) {
	if err := a.At(s.clock.Now()).returnsTo(wanted.WalletID); err != nil {
		return command.Answer{}, err
	}
	return record.Answer(ctx, s.store, cmd, command.Reply{
		Status: 200, Message: "Withdrawal address exists", Data: view(a),
		Audit: command.Audit{Action: "withdraw_address.create", Resource: a.ID},
	})
}

// maker makes the withdrawal address of one bank account, chain and currency.
func (s *Service) maker(wanted Address) *provision.Maker[Address, Tx] {
	return &provision.Maker[Address, Tx]{
		In: s.store, Clock: s.clock, Log: s.log,
		Find: func(ctx context.Context) (Address, error) {
			return s.store.WithdrawAddressOf(
				ctx, wanted.WorkspaceID, wanted.BankAccountID, wanted.Chain, wanted.Currency,
			)
		},
		Insert: func(ctx context.Context, tx Tx) (err error) {
			a := wanted
			if a.Reference, err = reference.New(
				ctx, tx, reference.OffRamp, a.WorkspaceID, a.ID, a.CreatedAt,
			); err != nil {
				return err
			}
			return tx.InsertWithdrawAddress(ctx, a)
		},
		State: func(a *Address) *provision.Provision { return &a.Provision },
		Take: func(ctx context.Context, tx Tx, a Address, was time.Time) error {
			// The caller who died while it asked may have named another wallet for refunds.
			if err := a.At(s.clock.Now()).returnsTo(wanted.WalletID); err != nil {
				return err
			}
			return tx.TakeWithdrawAddress(ctx, a, was)
		},
		Leave:  func(ctx context.Context, tx Tx, a Address) error { return tx.LeaveWithdrawAddress(ctx, a) },
		Ask:    s.ask,
		Finish: func(ctx context.Context, tx Tx, a Address) error { return tx.FinishWithdrawAddress(ctx, a) },
		Audit: func(a Address) command.Audit {
			return command.Audit{Action: "withdraw_address.create", Resource: a.ID}
		},
	}
}

// ask has the partner make all that the address needs: a wallet of its
// own, and the address that leads to it.
func (s *Service) ask(ctx context.Context, a Address) (Address, error) {
	customer, err := s.customers.ID(ctx, a.WorkspaceID)
	if err != nil {
		return a, err
	}
	wallet, err := s.partner.CreateWallet(ctx, walletKey(a.Key), customer, a.Chain)
	if err != nil {
		return a, err
	}
	if wallet.ID == "" || wallet.Chain != a.Chain {
		return a, fmt.Errorf("a wallet on another chain, or none: %w", fiat.ErrAnswer)
	}
	made, err := s.partner.CreateLiquidationAddress(ctx, a.Key, customer, fiat.LiquidationRequest{
		Chain: a.Chain, Currency: a.Currency, WalletID: wallet.ID,
	})
	if err != nil {
		return a, err
	}
	if made.ID == "" || made.Chain != a.Chain || !isAddress(made.Address) {
		return a, fmt.Errorf("a withdrawal address on another chain, or none: %w", fiat.ErrAnswer)
	}
	a.Status, a.CustomerID, a.PartnerWalletID = provision.Active, customer, wallet.ID
	a.PartnerID, a.Address = made.ID, made.Address
	a.UpdatedAt = s.clock.Now()
	return a, nil
}

func isAddress(text string) bool {
	_, _, ok := families.ParseAddress(text)
	return ok
}

// walletKey is the partner's key of the wallet that an address leads to. Under the
// same key of an address both are the same, and under another one both are new:
// the partner refuses a second address of one wallet.
func walletKey(addressKey string) string {
	return uuid.NewSHA1(uuid.NameSpaceOID, []byte(addressKey+":wallet")).String()
}

// Sweep finishes what callers left.
func (s *Service) Sweep(ctx context.Context) error {
	rows, err := s.store.WaitingWithdrawAddresses(ctx, s.clock.Now().Add(-provision.Lease), record.SlowBatch)
	if err != nil {
		return err
	}
	return record.Each(rows, func(a Address) error {
		a.WalletID = "" // its refunds may go elsewhere by now, which is nothing against the address
		m := s.maker(a)
		_, _, err := m.Get(ctx, a.WorkspaceID, m.ByServer(a.WorkspaceID))
		return provision.IgnoreAsked(err)
	})
}
