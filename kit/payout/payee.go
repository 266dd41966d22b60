package payout

import (
	"context"
	"time"

	"github.com/railkit/railkit/fault"
)

// ErrArchived is a setup for a recipient who is paid nothing.
var ErrArchived = fault.Define(fault.Unprocessable, "recipient_archived", "Recipient is archived",
	"Nothing is paid to an archived recipient; make it active first")

// payee is who is paid, and where.
type payee struct {
	Recipient Recipient
	Account   BankAccount
}

// payee finds both. A bank account that is another recipient's is not there.
func (s *Service) payee(ctx context.Context, workspaceID, recipientID, accountID string) (to payee, err error) {
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

// usable is nil where something can be set up for the bank account.
func (to payee) usable() error {
	if to.Recipient.Status != RecipientActive {
		return ErrArchived
	}
	return to.Account.Usable()
}

// held says why nothing is paid now, and when to look again where that is known.
func (to payee) held(now time.Time) (why string, until time.Duration) {
	if to.Recipient.Status != RecipientActive {
		return string(HoldRecipient), 0
	}
	hold := to.Account.Payable(now)
	if hold == HoldCooling {
		until = to.Account.PayableAt.Sub(now)
	}
	return string(hold), until
}
