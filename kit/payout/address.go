package payout

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/google/uuid"

	"github.com/railkit/railkit/chain/evm"
	"github.com/railkit/railkit/fiat"
	"github.com/railkit/railkit/kit/payout/work"
	"github.com/railkit/railkit/platform/command"
)

// SetUpLiquidation gives the withdrawal address of a bank account, and makes it
// where there is none.
func (s *Service) SetUpLiquidation(ctx context.Context, cmd *command.Command, in LiquidationInput) (command.Answer, error) {
	return s.provideAddress(ctx, cmd, WithdrawInput{
		BeneficiaryID: in.BeneficiaryID, BeneficiaryAccountID: in.BeneficiaryAccountID, Chain: in.Chain, Currency: in.Currency,
	}, func(a WithdrawAddress) any { return a.Short() })
}

// CreateWithdrawAddress is SetUpLiquidation in the words of the off-ramp.
func (s *Service) CreateWithdrawAddress(ctx context.Context, cmd *command.Command, in WithdrawInput) (command.Answer, error) {
	return s.provideAddress(ctx, cmd, in, func(a WithdrawAddress) any { return a.View(s.clock.Now()) })
}

func (s *Service) provideAddress(ctx context.Context, cmd *command.Command, in WithdrawInput, view func(WithdrawAddress) any) (command.Answer, error) {
	wanted, err := s.wantedAddress(ctx, cmd.Principal.WorkspaceID, in)
	if err != nil {
		return command.Answer{}, err
	}
	var answer command.Answer
	m := s.addresses(wanted)
	row, made, err := m.get(ctx, wanted.WorkspaceID, s.called(cmd, &answer, func(done command.Audit) command.Reply {
		return command.Reply{Status: 201, Message: "Withdrawal address created", Data: view(m.last), Audit: done}
	}))
	if err != nil || made {
		return answer, err
	}
	return s.knownAddress(ctx, cmd, row, wanted, view)
}

// ensureAddress makes a withdrawal address by the server itself, where there is none.
func (s *Service) ensureAddress(ctx context.Context, workspaceID string, in WithdrawInput) error {
	wanted, err := s.wantedAddress(ctx, workspaceID, in)
	if err != nil {
		return err
	}
	_, _, err = s.addresses(wanted).get(ctx, workspaceID, s.recorded(workspaceID))
	return err
}

// wantedAddress is the row as it would be, of a bank account that can be paid.
func (s *Service) wantedAddress(ctx context.Context, workspaceID string, in WithdrawInput) (WithdrawAddress, error) {
	if err := s.checkPair(in.Chain, in.Currency); err != nil {
		return WithdrawAddress{}, err
	}
	to, err := s.payee(ctx, workspaceID, in.BeneficiaryID, in.BeneficiaryAccountID)
	if err != nil {
		return WithdrawAddress{}, err
	}
	if err := to.usable(); err != nil {
		return WithdrawAddress{}, err
	}
	now := s.clock.Now()
	a := WithdrawAddress{
		WorkspaceID: workspaceID, ID: work.NewID(), RecipientID: to.Recipient.ID, BankAccountID: to.Account.ID,
		Chain: in.Chain, Currency: in.Currency, Destination: to.Account.Currency, Rail: to.Account.Rail,
		Provision: Provision{Status: Provisioning, Key: newKey(), KeyedAt: now, TriedAt: now}, CreatedAt: now, UpdatedAt: now,
	}
	if in.WalletID == "" {
		return a, nil
	}
	a.WalletID, a.ReturnAddress, err = s.walletOn(ctx, workspaceID, in.WalletID, in.Chain)
	return a, err
}

// knownAddress answers with an address that was there.
func (s *Service) knownAddress(ctx context.Context, cmd *command.Command, a, wanted WithdrawAddress, view func(WithdrawAddress) any) (command.Answer, error) {
	if err := a.on(s.clock.Now()).returnsTo(wanted.WalletID); err != nil {
		return command.Answer{}, err
	}
	return work.Answer(ctx, s.store, cmd, command.Reply{
		Status: 200, Message: "Withdrawal address exists", Data: view(a), Audit: command.Audit{Action: "withdraw_address.create", Resource: a.ID},
	})
}

// addressMaker also remembers the row that it made last.
type addressMaker struct {
	maker[WithdrawAddress]
	last WithdrawAddress
}

// addresses makes the withdrawal address of one bank account, chain and currency.
func (s *Service) addresses(wanted WithdrawAddress) *addressMaker {
	m := &addressMaker{}
	m.maker = maker[WithdrawAddress]{
		s: s,
		find: func(ctx context.Context) (WithdrawAddress, error) {
			return s.store.WithdrawAddressOf(ctx, wanted.WorkspaceID, wanted.BankAccountID, wanted.Chain, wanted.Currency)
		},
		insert: func(ctx context.Context, tx Tx) error {
			a := wanted
			var err error
			a.Reference, err = NewReference(ctx, tx, OffRampReference, a.WorkspaceID, a.ID, a.CreatedAt)
			if err != nil {
				return err
			}
			return tx.InsertWithdrawAddress(ctx, a)
		},
		state: func(a *WithdrawAddress) *Provision { return &a.Provision },
		take: func(ctx context.Context, tx Tx, a WithdrawAddress, was time.Time) error {
			if err := a.on(s.clock.Now()).returnsTo(wanted.WalletID); err != nil { // who died had named another wallet
				return err
			}
			return tx.TakeWithdrawAddress(ctx, a, was)
		},
		leave: func(ctx context.Context, tx Tx, a WithdrawAddress) error { return tx.LeaveWithdrawAddress(ctx, a) },
		ask: func(ctx context.Context, a WithdrawAddress) (WithdrawAddress, error) {
			made, err := s.askForAddress(ctx, a)
			m.last = made
			return made, err
		},
		finish: func(ctx context.Context, tx Tx, a WithdrawAddress) error { return tx.FinishWithdrawAddress(ctx, a) },
		audit: func(a WithdrawAddress) command.Audit {
			return command.Audit{Action: "withdraw_address.create", Resource: a.ID}
		},
	}
	return m
}

// askForAddress has the partner make all that the address needs: a wallet of its
// own, and the address that leads to it.
func (s *Service) askForAddress(ctx context.Context, a WithdrawAddress) (WithdrawAddress, error) {
	customer, err := s.customer(ctx, a.WorkspaceID)
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
	a.Status, a.CustomerID, a.PartnerWalletID, a.PartnerID, a.Address = AddressActive, customer, wallet.ID, made.ID, made.Address
	a.UpdatedAt = s.clock.Now()
	return a, nil
}

func isAddress(text string) bool {
	_, err := evm.ParseAddress(text)
	return err == nil && strings.HasPrefix(text, "0x")
}

// walletKey is the partner's key of the wallet that an address leads to. Under the
// same key of an address both are the same, and under another one both are new:
// the partner refuses a second address of one wallet.
func walletKey(addressKey string) string {
	return uuid.NewSHA1(uuid.NameSpaceOID, []byte(addressKey+":wallet")).String()
}

// sweepAddresses finishes what callers left.
func (s *Service) sweepAddresses(ctx context.Context) error {
	rows, err := s.store.WaitingWithdrawAddresses(ctx, s.clock.Now().Add(-lease), work.Batch)
	if err != nil {
		return err
	}
	return work.Each(rows, func(a WithdrawAddress) error {
		a.WalletID = "" // its refunds may go elsewhere by now, which is nothing against the address
		_, _, err := s.addresses(a).get(ctx, a.WorkspaceID, s.recorded(a.WorkspaceID))
		return provisioned(err)
	})
}
