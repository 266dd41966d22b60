package invite

import (
	"context"
	"errors"
	"time"

	"github.com/railkit/railkit/kit/payout/account"
	"github.com/railkit/railkit/kit/payout/customer"
	"github.com/railkit/railkit/kit/payout/recipient"
	"github.com/railkit/railkit/platform/auth"
	"github.com/railkit/railkit/platform/command"
	"github.com/railkit/railkit/platform/record"
	"github.com/railkit/railkit/rest"
)

// viewAccount is InviteAccount for an account.
func viewAccount(a account.Account) any {
	v := a.View()
	return rest.InviteAccount{Status: v.Status, Currency: v.Currency, LastFour: v.LastFour}
}

// Submit registers the account that a recipient enters. The invite is marked as used in the transaction that inserts
// the account's row, so that of two different accounts sent at once one is made. The same account sent again gets the
// first one's result. An account that the partner refuses leaves the invite usable.
func (s *Service) Submit(
	ctx context.Context, cmd *command.Command, i Invite, in rest.BankAccountRequest,
) (command.Answer, error) {
	if err := s.takes(ctx, i, in); err != nil {
		return command.Answer{}, err
	}
	cmd.Principal = auth.Principal{
		Tenant: auth.Tenant{WorkspaceID: i.WorkspaceID}, Kind: auth.ByInvite, ID: i.RecipientID,
	}
	in.IdempotencySalt = "invite " + i.TokenHash
	return s.c.Accounts.CreateFor(ctx, cmd, i.RecipientID, in, account.Applicant{
		Show: viewAccount,
		Claim: func(ctx context.Context, a account.Account, write func(context.Context, account.Tx) error) error {
			return record.Do(ctx, s.c.Store, a.WorkspaceID, func(ctx context.Context, tx Tx) error {
				if err := write(ctx, tx); err != nil {
					return err
				}
				return s.use(ctx, tx, i.TokenHash, a)
			})
		},
	})
}

// takes says why an invite does not take an account; nil: it does, or has.
func (s *Service) takes(ctx context.Context, i Invite, in rest.BankAccountRequest) error {
	a, err := enteredAccount(ctx, i, s.c.Store.BankAccount)
	if err != nil {
		return err
	}
	wanted, err := s.c.Accounts.FromInput(recipient.Recipient{WorkspaceID: i.WorkspaceID, ID: i.RecipientID}, in)
	same := err == nil && wanted.Fingerprint == a.Fingerprint
	switch {
	case same && !hasAccount(a): // sent again: answer with the partner's earlier refusal
		return account.ErrNotUsable.Msg("its registration was " + string(a.Registration))
	case same:
		return nil
	}
	return i.takesAnother(a, s.c.Clock.Now())
}

// use uses the invite of a token for an account.
func (s *Service) use(ctx context.Context, tx Tx, tokenHash string, a account.Account) error {
	if _, err := tx.HoldRecipient(ctx, a.WorkspaceID, a.RecipientID); err != nil {
		return err
	}
	i, err := tx.HeldInvite(ctx, a.WorkspaceID, a.RecipientID)
	if err == nil && i.TokenHash != tokenHash {
		err = ErrOver.With("reason", "replaced")
	}
	if err != nil || i.AccountID == a.ID {
		return err
	}
	other, err := enteredAccount(ctx, i, tx.HoldBankAccount)
	if err == nil {
		err = i.takesAnother(other, s.c.Clock.Now())
	}
	if err == nil {
		err = tx.UseInvite(ctx, i, a.ID)
	}
	if errors.Is(err, record.ErrStale) { // package account takes that for an account with the number
		err = customer.ErrRegistering.After(time.Second).Because(err)
	}
	return err
}

// takesAnother says why an invite with which an account was entered takes no other one.
func (i Invite) takesAnother(a account.Account, now time.Time) error {
	switch {
	case hasAccount(a) && a.Registration == account.Provisioning: // the partner may yet refuse it
		return customer.ErrRegistering.After(time.Second)
	case hasAccount(a):
		return ErrOver.With("reason", "used")
	}
	return i.over(now)
}
