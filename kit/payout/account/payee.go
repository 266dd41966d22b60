package account

import (
	"context"
	"time"

	"github.com/railkit/railkit/fault"
	"github.com/railkit/railkit/kit/payout/recipient"
)

// Payee is who is paid, and where.
type Payee struct {
	Recipient recipient.Recipient
	Account   Account
}

// Payee finds both. A bank account that is another recipient's is not there.
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

// Usable is nil where something can be set up for the bank account.
func (to Payee) Usable() error {
	if to.Recipient.Status != recipient.Active {
		return recipient.ErrArchived
	}
	return to.Account.Usable()
}

// Held says why nothing is paid now, and when to look again where that is known.
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
