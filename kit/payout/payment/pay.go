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
	to, err := s.c.Accounts.Payee(ctx, o.WorkspaceID, o.RecipientID, o.BankAccountID)
	if err != nil {
		return 0, err
	}
	if held, again, err := s.atGate(ctx, o, to); held || err != nil {
		return again, err
	}
	terms, why, err := s.terms(ctx, o)
	if errors.Is(err, fx.ErrStale) {
		s.c.Log.WarnContext(ctx, "a payout waits for a rate", "workspace", o.WorkspaceID, "order", o.ID, "error", err)
		return rateLater, nil
	}
	if err != nil {
		return 0, err
	}
	made, unknown, err := s.madeBefore(ctx, o, to)
	switch {
	case err != nil:
		return 0, err
	case made.ID != "" && terms.Gross == o.Terms.Gross:
		return transfer.AtOnce, s.takeOver(ctx, o, takenOver(terms, made), to, made)
	case unknown:
		return s.hold(ctx, o, order.HoldForgotten, 0)
	}
	if why == "" {
		why, err = s.covers(ctx, o)
	}
	if err != nil || why != "" {
		return s.lacks(ctx, o, why, err)
	}
	if held, again, err := s.screened(ctx, o, to); held || err != nil {
		return again, err
	}
	return transfer.AtOnce, s.clearAndReserve(ctx, o, to, order.Event{Terms: &terms})
}

// clearAndReserve ends a review and reserves the attempt of an event.
func (s *Service) clearAndReserve(ctx context.Context, o order.Order, to account.Payee, e order.Event) (err error) {
	var events []order.Event
	if o.Status == order.InReview {
		events = append(events, order.Event{Kind: order.ReviewCleared, By: order.System})
	}
	if o, err = s.c.Transfers.Record(ctx, o, events...); err == nil {
		err = s.reserve(ctx, o, e, to)
	}
	return err
}

// reserve sets the money aside. It locks recipient and bank account and checks them again, since they may have changed
// while the partner was asked for rate and balance, and the lists about the names that they had.
func (s *Service) reserve(ctx context.Context, o order.Order, e order.Event, screened account.Payee) error {
	return record.Do(ctx, s.c.Store, o.WorkspaceID, func(ctx context.Context, tx Tx) (err error) {
		var to account.Payee
		if to.Recipient, err = tx.HoldRecipient(ctx, o.WorkspaceID, o.RecipientID); err != nil {
			return err
		}
		if to.Account, err = tx.HoldBankAccount(ctx, o.WorkspaceID, o.BankAccountID); err != nil {
			return err
		}
		now := s.c.Clock.Now()
		if why, _ := to.Held(now); why != "" || renamed(to, screened) {
			return record.ErrStale
		}
		e.Kind, e.By, e.At = order.PayoutReserved, order.System, now
		_, err = s.c.Transfers.Write(ctx, tx, o, e)
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

// Holds are the reasons for which a payment waits in review, beside those of package order.
var Holds = []string{holdRate, holdSmall, holdOffRate, holdUnverified, holdModule, transfer.HoldRefusing}
