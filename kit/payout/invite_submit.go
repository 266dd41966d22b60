package payout

import (
	"context"
	"errors"
	"time"

	"github.com/railkit/railkit/kit/payout/work"
	"github.com/railkit/railkit/money"
	"github.com/railkit/railkit/platform/auth"
	"github.com/railkit/railkit/platform/command"
)

// InviteAccount is what who entered an account is told of it.
type InviteAccount struct {
	Status   string         `json:"status" enum:"pending,active,rejected,closed" doc:"Of its registration with the payment partner"`
	Currency money.Currency `json:"currency" enum:"usd,eur,mxn,brl,gbp"`
	LastFour string         `json:"lastFour"`
}

func inviteAccount(a BankAccount) any {
	v := a.View()
	return InviteAccount{Status: v.Status, Currency: v.Currency, LastFour: v.LastFour}
}

// SubmitInvite registers the account that a recipient enters, as the API does. The
// invite is used in the transaction that makes the account's row: of two different
// ones at once one is made. The same one again gets what became of it; one that
// the partner refuses leaves the invite as it was.
func (s *Service) SubmitInvite(ctx context.Context, cmd *command.Command, i Invite, in BankAccountInput) (command.Answer, error) {
	if err := s.takes(ctx, i, in); err != nil {
		return command.Answer{}, err
	}
	cmd.Principal = auth.Principal{Tenant: auth.Tenant{WorkspaceID: i.WorkspaceID}, Kind: auth.ByInvite, ID: i.RecipientID}
	in.IdempotencySalt = "invite " + i.TokenHash
	return s.createBankAccount(ctx, cmd, i.RecipientID, in, applicant{show: inviteAccount, claim: s.using(i.TokenHash)})
}

// takes says why an invite does not take an account; nil: it does, or has.
func (s *Service) takes(ctx context.Context, i Invite, in BankAccountInput) error {
	a, err := entered(ctx, i, s.store.BankAccount)
	if err != nil {
		return err
	}
	wanted, err := s.bankAccount(Recipient{WorkspaceID: i.WorkspaceID, ID: i.RecipientID}, in)
	same := err == nil && wanted.Fingerprint == a.Fingerprint
	switch {
	case same && !stands(a): // the partner's word about it stands, also for who asks again
		return ErrAccountNotUsable.Msg("its registration was " + string(a.Registration))
	case same:
		return nil
	}
	return i.free(a, s.clock.Now())
}

// free says why an invite with which an account was entered takes no other one.
func (i Invite) free(a BankAccount, now time.Time) error {
	switch {
	case stands(a) && a.Registration == AccountProvisioning: // the partner may yet refuse it
		return ErrRegistering.After(time.Second)
	case stands(a):
		return ErrInviteOver.With("reason", "used")
	}
	return i.over(now)
}

// using uses the invite of a token for an account.
func (s *Service) using(tokenHash string) func(context.Context, Tx, BankAccount) error {
	return func(ctx context.Context, tx Tx, a BankAccount) error {
		if _, err := tx.HoldRecipient(ctx, a.WorkspaceID, a.RecipientID); err != nil {
			return err
		}
		i, err := tx.HeldInvite(ctx, a.WorkspaceID, a.RecipientID)
		if err == nil && i.TokenHash != tokenHash {
			err = ErrInviteOver.With("reason", "replaced")
		}
		if err != nil || i.AccountID == a.ID {
			return err
		}
		other, err := entered(ctx, i, tx.HoldBankAccount)
		if err == nil {
			err = i.free(other, s.clock.Now())
		}
		if err == nil {
			err = tx.UseInvite(ctx, i, a.ID)
		}
		if errors.Is(err, work.ErrStale) { // the caller takes that for an account with the number
			err = ErrRegistering.After(time.Second).Because(err)
		}
		return err
	}
}
