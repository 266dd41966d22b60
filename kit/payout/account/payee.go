package account

import (
	"context"
	"time"

	"github.com/railkit/railkit/fault"
	"github.com/railkit/railkit/kit/payout/recipient"
)

// Payee is a recipient with one of its bank accounts.
type Payee struct {
	Recipient recipient.Recipient
	Account   Account
}

// Payee finds both. A bank account of another recipient is not found.
func (s *Service) Payee(ctx context.Context, workspaceID, recipientID, accountID string) (to Payee, err error) {
	if to.Account, err = s.store.BankAccount(ctx, workspaceID, accountID); err != nil {
		return to, err
	}
	if recipientID != "" && to.Account.RecipientID != recipientID {
		if _, err := s.store.Recipient(ctx, workspaceID, recipientID); err != nil {
			return to, err
		}
		return to, fault.Missing("Bank account")
	}
	to.Recipient, err = s.store.Recipient(ctx, workspaceID, to.Account.RecipientID)
	return to, err
}

// Usable is nil if a withdrawal address or a quote can be made for the payee.
func (to Payee) Usable() error {
	if to.Recipient.Status != recipient.Active {
		return recipient.ErrArchived
	}
	return to.Account.Usable()
}

// Held is the reason why nothing is paid now, and when it ends, if that is known.
func (to Payee) Held(now time.Time) (why string, until time.Duration) {
	if to.Recipient.Status != recipient.Active {
		return string(HoldRecipient), 0
	}
	hold := to.Account.Payable(now)
	if hold == HoldCooling {
		until = to.Account.PayableAt.Sub(now)
	}
	return string(hold), until
}
