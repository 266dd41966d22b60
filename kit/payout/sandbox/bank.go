package sandbox

import (
	"context"
	"errors"
	"slices"
	"strings"

	"github.com/railkit/railkit/fault"
	"github.com/railkit/railkit/fiat"
	"github.com/railkit/railkit/kit/payout/depositaccount"
	"github.com/railkit/railkit/kit/payout/virtual"
	"github.com/railkit/railkit/money"
	"github.com/railkit/railkit/platform/command"
	"github.com/railkit/railkit/platform/page"
	"github.com/railkit/railkit/platform/record"
	"github.com/railkit/railkit/rest"
)

// Transfer is a bank transfer that a depositor makes in the sandbox.
type Transfer struct {
	ID        string // the partner makes one bank transfer of an id, however often it is told
	AccountID string // the partner's id of the account that it goes to
	Amount    money.Amount
	Sender    string // "": the sandbox's own depositor
}

// Arrival is what the sandbox's partner made of a Transfer.
type Arrival struct {
	DepositID   string // the partner's
	Rail, Trace string // Trace is the rail's own reference
}

// Deposits finds the deposit accounts of a workspace, and opens their numbers.
type Deposits interface {
	Find(ctx context.Context, workspaceID, id string) (depositaccount.Account, error)
	Rows(ctx context.Context, workspaceID string, at page.Page) ([]depositaccount.Account, *page.Cursor, error)
	Instructions(depositaccount.Account) (fiat.Instructions, error)
}

// target is the partner's account that a bank transfer goes to, and the currency that it takes.
type target struct {
	resource  string // the id of our account
	partnerID string
	currency  money.Currency
}

// BankDeposit has a bank transfer arrive at an account number of the workspace, as a depositor would make it.
func (s *Service) BankDeposit(
	ctx context.Context, cmd *command.Command, box Box, in rest.SimulatedBankDepositRequest,
) (command.Answer, error) {
	to, err := s.bankAccount(ctx, cmd.Principal.WorkspaceID, in)
	if err != nil {
		return command.Answer{}, err
	}
	amount, err := money.Parse(in.Amount, to.currency)
	if err != nil || amount.Minor <= 0 {
		return command.Answer{}, fault.Field("amount", "must be a decimal above zero with at most two places")
	}
	in.Amount = amount.String()
	came, err := box.BankDeposit(ctx, Transfer{
		ID: transferID(cmd), AccountID: to.partnerID, Amount: amount, Sender: in.SenderName,
	})
	if err != nil {
		return command.Answer{}, sandboxFault(err)
	}
	return s.done(ctx, cmd, "sandbox.bank_deposit", to.resource, rest.SimulatedBankDeposit{
		PartnerDepositID: came.DepositID, Currency: string(to.currency), Rail: came.Rail, Trace: came.Trace,
		SimulatedBankDepositRequest: in,
	})
}

// transferID is the same for the same call under an Idempotency-Key, so that callers who try again at once, at other
// servers or after a crash, have one bank transfer arrive.
func transferID(cmd *command.Command) string {
	if cmd.Key == nil {
		return record.NewID()
	}
	return record.DerivedID("sandbox_transfer", cmd.Key.Hash, cmd.Key.Request)
}

// bankAccount finds the account that the request names. It looks at the workspace's own only.
func (s *Service) bankAccount(
	ctx context.Context, workspaceID string, in rest.SimulatedBankDepositRequest,
) (target, error) {
	given := 0
	for _, name := range []string{in.DepositAccountID, in.VirtualAccountID, in.Number} {
		if name != "" {
			given++
		}
	}
	switch {
	case given != 1:
		return target{}, fault.Field("depositAccountId", "is required, or one of virtualAccountId and number")
	case in.DepositAccountID != "":
		a, err := s.deposits.Find(ctx, workspaceID, in.DepositAccountID)
		return ofDeposit(a), err
	case in.VirtualAccountID != "":
		v, err := s.store.VirtualAccount(ctx, workspaceID, in.VirtualAccountID)
		if err == nil && v.PartnerID == "" {
			err = fault.Field("virtualAccountId", "is still being made")
		}
		return ofVirtual(v), err
	}
	return s.numbered(ctx, workspaceID, strings.ReplaceAll(in.Number, " ", ""))
}

// numbersAtOnce is how many rows numbered reads at once.
const numbersAtOnce = 100

// numbered finds the account with a number. Those of deposit accounts are stored encrypted, so that it opens one after
// the other: a sandbox has few.
func (s *Service) numbered(ctx context.Context, workspaceID, number string) (target, error) {
	v, err := s.store.VirtualAccountNumbered(ctx, workspaceID, number)
	if err == nil {
		return ofVirtual(v), nil
	}
	if !errors.Is(err, fault.ErrNotFound) {
		return target{}, err
	}
	for at := (page.Page{Limit: numbersAtOnce}); ; {
		rows, next, err := s.deposits.Rows(ctx, workspaceID, at)
		if err != nil {
			return target{}, err
		}
		for _, a := range rows {
			if is, err := s.hasNumber(a, number); err != nil || is {
				return ofDeposit(a), err
			}
		}
		if next == nil {
			return target{}, fault.Missing("Account with this number")
		}
		at.After = next
	}
}

// hasNumber tells whether a depositor can send money to the account by this number.
func (s *Service) hasNumber(a depositaccount.Account, number string) (bool, error) {
	told, err := s.deposits.Instructions(a)
	if err != nil || a.PartnerID == "" {
		return false, err
	}
	d := told.Details
	numbers := []string{d.CLABE, d.IBAN, d.AccountNumber, strings.ReplaceAll(d.BRCode, " ", "")}
	return slices.Contains(numbers, number), nil
}

func ofDeposit(a depositaccount.Account) target { return target{a.ID, a.PartnerID, a.Source} }

func ofVirtual(v virtual.Account) target { return target{v.ID, v.PartnerID, v.Currency} }
