package payment

import (
	"context"
	"errors"
	"time"

	"github.com/railkit/railkit/kit/payout/account"
	"github.com/railkit/railkit/kit/payout/fx"
	"github.com/railkit/railkit/kit/payout/order"
	"github.com/railkit/railkit/kit/payout/transfer"
	"github.com/railkit/railkit/platform/record"
)

// pay prices and reserves an attempt, unless there is a reason to hold the order. The next step asks the partner.
func (s *Service) pay(ctx context.Context, o order.Order) (time.Duration, error) {
	to, err := s.accounts.Payee(ctx, o.WorkspaceID, o.RecipientID, o.BankAccountID)
	if err != nil {
		return 0, err
	}
	if held, again, err := s.atGate(ctx, o, to); held || err != nil {
		return again, err
	}
	terms, why, err := s.terms(ctx, o)
	if errors.Is(err, fx.ErrStale) {
		s.log.Warn("a payout waits for a rate", "workspace", o.WorkspaceID, "order", o.ID, "error", err)
		return rateLater, nil
	}
	if err != nil {
		return 0, err
	}
	if why == "" {
		why, err = s.transfers.Covers(ctx, o, o.Terms.Gross.Minor)
	}
	if err != nil || why != "" {
		return s.lacks(ctx, o, why, err)
	}
	if held, again, err := s.screened(ctx, o, to); held || err != nil {
		return again, err
	}
	var events []order.Event
	if o.Status == order.InReview {
		events = append(events, order.Event{Kind: order.ReviewCleared, By: order.System})
	}
	if o, err = s.transfers.Record(ctx, o, events...); err == nil {
		err = s.reserve(ctx, o, terms, to)
	}
	return transfer.AtOnce, err
}

// reserve sets the money aside. It locks recipient and bank account and checks them again, since they may have changed
// while the partner was asked for rate and balance, and the lists about the names that they had.
func (s *Service) reserve(ctx context.Context, o order.Order, terms order.Terms, screened account.Payee) error {
	return record.Do(ctx, s.store, o.WorkspaceID, func(ctx context.Context, tx Tx) (err error) {
		var to account.Payee
		if to.Recipient, err = tx.HoldRecipient(ctx, o.WorkspaceID, o.RecipientID); err != nil {
			return err
		}
		if to.Account, err = tx.HoldBankAccount(ctx, o.WorkspaceID, o.BankAccountID); err != nil {
			return err
		}
		now := s.clock.Now()
		if why, _ := to.Held(now); why != "" || renamed(to, screened) {
			return record.ErrStale
		}
		_, err = s.transfers.Write(
			ctx, tx, o, order.Event{Kind: order.PayoutReserved, By: order.System, At: now, Terms: &terms},
		)
		return err
	})
}

const (
	rateLater   = 15 * time.Second   // until a rate is asked for again where none is fresh
	fundsSoon   = time.Second        // until the partner's balance is looked at again
	triesAfter  = time.Hour          // and from then on
	holdRate    = "rate_moved"       // a quote would cost more than its own fees
	holdSmall   = "amount_too_small" // nothing is left after the fees
	holdOffRate = "rate_off"         // the partner's rate is far from its own middle
)
