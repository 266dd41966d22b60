package withdraw

import (
	"context"
	"errors"
	"strings"

	"github.com/railkit/railkit/fault"
	"github.com/railkit/railkit/kit/payout/provision"
	"github.com/railkit/railkit/kit/payout/reference"
	"github.com/railkit/railkit/money"
	"github.com/railkit/railkit/platform/command"
	"github.com/railkit/railkit/platform/record"
)

// Made is an address that the partner has, and the wallet behind it.
type Made struct {
	PartnerID, CustomerID, WalletID string // the partner's ids
	Chain, Currency, Address        string
}

var (
	// ErrHasAddress refuses a second address for a bank account, chain and stablecoin.
	ErrHasAddress = errors.New("the bank account has a withdrawal address of this chain and stablecoin already")
	errNoWallet   = errors.New("the partner tells no wallet behind the address")
)

// TakeOver makes the row of an address that the partner has and the database does not know, on an operator's word that
// it is the bank account's. Deposits are found from the watcher's next blocks on. It has no return address: a member
// names one.
func (s *Service) TakeOver(
	ctx context.Context, cmd *command.Command, bankAccountID string, made Made,
) (command.Answer, error) {
	workspaceID := cmd.Principal.WorkspaceID
	token := money.Currency(strings.ToLower(made.Currency))
	switch {
	case made.WalletID == "":
		return command.Answer{}, errNoWallet
	case !token.Stable() || !s.isAddress(made.Chain, made.Address):
		return command.Answer{}, fault.Field("address", "must be one of a stablecoin that is paid out")
	}
	to, err := s.c.Accounts.Payee(ctx, workspaceID, "", bankAccountID)
	if err != nil {
		return command.Answer{}, err
	}
	_, err = s.c.Store.WithdrawAddressOf(ctx, workspaceID, to.Account.ID, made.Chain, token)
	if !errors.Is(err, fault.ErrNotFound) {
		return command.Answer{}, errors.Join(err, ErrHasAddress)
	}
	now := s.c.Clock.Now()
	a := Address{
		WorkspaceID: workspaceID, ID: record.DerivedID("taken over", workspaceID, made.PartnerID),
		RecipientID: to.Recipient.ID, BankAccountID: to.Account.ID, Chain: made.Chain, Currency: token,
		Destination: to.Account.Currency, Rail: to.Account.Rail, Provision: provision.New(now),
		CustomerID: made.CustomerID, PartnerWalletID: made.WalletID, PartnerID: made.PartnerID, Address: made.Address,
		CreatedAt: now, UpdatedAt: now,
	}
	return s.c.Store.Commit(ctx, cmd, func(ctx context.Context, tx Tx) (command.Reply, error) {
		var err error
		if a.Reference, err = reference.New(ctx, tx, reference.OffRamp, workspaceID, a.ID, now); err != nil {
			return command.Reply{}, err
		}
		err = errors.Join(tx.InsertWithdrawAddress(ctx, a), tx.FinishWithdrawAddress(ctx, a))
		return command.Reply{
			Status: 201, Message: "Withdrawal address taken over", Data: a.View(now),
			Audit: command.Audit{Action: "withdraw_address.take_over", Resource: a.ID},
		}, err
	})
}
