package payout

import (
	"context"
	"errors"
	"time"

	"github.com/railkit/railkit/fiat"
	"github.com/railkit/railkit/kit/payout/account"
	"github.com/railkit/railkit/kit/payout/fx"
	"github.com/railkit/railkit/kit/payout/order"
	"github.com/railkit/railkit/kit/payout/price"
	"github.com/railkit/railkit/kit/payout/work"
	"github.com/railkit/railkit/money"
)

// Rates are the partner's, fresh enough to pay at.
type Rates interface {
	Rate(ctx context.Context, from, to money.Currency) (fx.Rate, error)
	Newest(ctx context.Context, from, to money.Currency) (fx.Rate, error)
}

const (
	rateLater   = 15 * time.Second // until a rate is asked for again where none is fresh
	fundsSoon   = time.Second      // until the partner's balance is looked at again
	fundsAfter  = 10 * time.Minute // after which a deposit that the partner has not seen is told to a person
	mostBackOff = 5 * time.Minute
	mostTries   = 10        // refused one after the other, before it is told to a person
	triesAfter  = time.Hour // and from then on
)

// Why an order waits in review.
const (
	holdRate     = "rate_moved"       // a quote would cost more than its own fees
	holdSmall    = "amount_too_small" // nothing is left after the fees
	holdRefusing = "partner_refuses"  // the partner did not take it, however often it was asked
	holdOffRate  = "rate_off"         // the partner's rate is far from its own middle
	holdAtGate   = time.Minute        // until what holds an order is looked at again
)

// pay reserves an attempt, if nothing holds it. The partner is asked next.
func (s *Service) pay(ctx context.Context, o order.Order) (time.Duration, error) {
	to, err := s.Accounts.Payee(ctx, o.WorkspaceID, o.RecipientID, o.BankAccountID)
	if err != nil {
		return 0, err
	}
	if why, err := s.instead(ctx, o, o.Terms.Gross); err != nil || why != "" { // no other hold may hide that
		return s.lacks(ctx, o, why, err)
	}
	if no, err := s.forbidden(ctx, o.WorkspaceID); err != nil || no.why != "" {
		return s.lacks(ctx, o, no.why, err)
	}
	if why, until := to.Held(s.clock.Now()); why != "" {
		return s.hold(ctx, o, why, until)
	}
	if s.tired(o) {
		return s.hold(ctx, o, holdRefusing, triesAfter)
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
		why, err = s.covers(ctx, o, o.Terms.Gross.Minor)
	}
	if err != nil || why != "" {
		return s.lacks(ctx, o, why, err)
	}
	var events []order.Event
	if o.Status == order.InReview {
		events = append(events, order.Event{Kind: order.ReviewCleared, By: order.System})
	}
	if o, err = s.record(ctx, o, events...); err == nil {
		err = s.reserve(ctx, o, terms)
	}
	return atOnce, err
}

// tired tells whether the partner refused so often that it is asked rarely.
func (s *Service) tired(o order.Order) bool {
	return o.Attempt >= mostTries && o.Failure != nil && (o.Hold == "" || o.Hold == holdRefusing) && s.clock.Now().Sub(o.UpdatedAt) < triesAfter
}

// reserve sets the money aside, if who is paid is still as it was when the partner
// was asked: recipient and account are nobody else's until the commit.
func (s *Service) reserve(ctx context.Context, o order.Order, terms order.Terms) error {
	return work.Do(ctx, s.store, o.WorkspaceID, func(ctx context.Context, tx Tx) (err error) {
		var to account.Payee
		if to.Recipient, err = tx.HoldRecipient(ctx, o.WorkspaceID, o.RecipientID); err != nil {
			return err
		}
		if to.Account, err = tx.HoldBankAccount(ctx, o.WorkspaceID, o.BankAccountID); err != nil {
			return err
		}
		now := s.clock.Now()
		if why, _ := to.Held(now); why != "" {
			return work.ErrStale
		}
		_, err = s.written(ctx, tx, o, order.Event{Kind: order.PayoutReserved, By: order.System, At: now, Terms: &terms})
		return err
	})
}

// hold puts an order into review, or leaves it there.
func (s *Service) hold(ctx context.Context, o order.Order, why string, until time.Duration) (time.Duration, error) {
	if until <= 0 {
		until = holdAtGate
	}
	var events []order.Event
	switch {
	case o.Hold == why:
		return until, nil
	case o.Status == order.InReview:
		events = append(events, order.Event{Kind: order.ReviewCleared, By: order.System})
	}
	_, err := s.record(ctx, o, append(events, order.Event{Kind: order.ReviewOpened, By: order.System, Reason: why})...)
	return until, err
}

// terms are what an order is paid at now.
func (s *Service) terms(ctx context.Context, o order.Order) (terms order.Terms, why string, err error) {
	if o.Terms.Quoted {
		return s.promised(ctx, o)
	}
	rate, err := s.rates.Rate(ctx, o.Source, o.Destination)
	if err != nil {
		return terms, "", err
	}
	if s.band.OffMiddle(rate) {
		return terms, holdOffRate, nil
	}
	terms, err = s.fees.OfGross(o.Terms.Gross, rate.Sell, o.Destination)
	terms.Told = rate.Sell
	if errors.Is(err, price.ErrNothing) {
		return terms, holdSmall, nil
	}
	return terms, "", err
}

// offRate tells, and says to a person, that the partner converted at a rate which is
// far from the one that it told before it was asked. The money has left by then.
func (s *Service) offRate(o order.Order, at money.Rate) bool {
	told := o.Terms.Told
	if told.IsZero() { // reserved by a server that did not keep it
		told = o.Terms.Rate
	}
	off := s.band.Points > 0 && !at.IsZero() && at.Beside(told) > s.band.Points
	if off {
		s.log.Error("the partner converted at another rate than it had told", "workspace", o.WorkspaceID, "order", o.ID, "reference", o.Reference,
			"told", told, "converted", at)
	}
	return off
}

// promised are a quote's terms, unless the rate has moved further than its fees are
// high. What the net amount does not cost now is ours: the wallet gives the gross.
func (s *Service) promised(ctx context.Context, o order.Order) (terms order.Terms, why string, err error) {
	rate, err := s.rates.Newest(ctx, o.Source, o.Destination)
	if err != nil {
		return terms, "", err
	}
	if s.band.OffMiddle(rate) {
		return terms, holdOffRate, nil
	}
	terms = o.Terms
	terms.Told = rate.Sell
	cost, err := rate.Sell.Cost(terms.Net, o.Source)
	if err != nil {
		return terms, "", err
	}
	if terms.Ours, err = terms.Gross.Sub(cost); err == nil && terms.Ours.Minor < 0 {
		why = holdRate
	}
	return terms, why, err
}

// lacks holds an order, unless the partner may see its deposit in a moment.
func (s *Service) lacks(ctx context.Context, o order.Order, why string, err error) (time.Duration, error) {
	switch {
	case err != nil:
		return 0, err
	case why == order.HoldFunds && s.clock.Now().Sub(o.UpdatedAt) < fundsAfter && o.Hold != why:
		return fundsSoon, nil
	}
	return s.hold(ctx, o, why, 0)
}

// instead tells what speaks against another attempt where an operator gave earlier
// ones up: that one of them goes on, or that the wallet has not all that the books
// say lies there. The operator was sure of both; that may be days ago.
func (s *Service) instead(ctx context.Context, o order.Order, amount money.Amount) (why string, err error) {
	if len(o.Earlier) == 0 {
		return "", nil
	}
	for _, e := range o.Earlier {
		t, err := s.madeFor(ctx, o, e.TransferID, e.Reference)
		switch {
		case errors.Is(err, fiat.ErrNotFound):
		case err != nil:
			return "", err
		case t.ID != e.TransferID || !order.Stands(t.State) && t.State != fiat.TransferRefunded:
			s.log.Error("a transfer that was given up goes on at the partner: nothing is made in its place",
				"workspace", o.WorkspaceID, "order", o.ID, "transfer", e.TransferID, "state", t.State)
			return order.HoldEarlier, nil
		}
	}
	booked, err := s.booked(ctx, o)
	if err != nil {
		return "", err
	}
	return s.covers(ctx, o, max(amount.Minor, booked))
}

// booked is what the books say lies in an order's wallet.
func (s *Service) booked(ctx context.Context, o order.Order) (posted int64, err error) {
	a, err := s.store.WithdrawAddress(ctx, o.WorkspaceID, o.WithdrawAddressID)
	if err != nil {
		return 0, err
	}
	books, err := s.store.BooksOfWallet(ctx, o.WorkspaceID, a.PartnerWalletID)
	for _, b := range books {
		if b.Currency == o.Source {
			posted = max(posted, b.Posted)
		}
	}
	return posted, err
}

// covers tells whether the partner has so much in an order's wallet. It is asked before
// anything is reserved, so that a deposit which it has yet to see is no failure.
func (s *Service) covers(ctx context.Context, o order.Order, needs int64) (why string, err error) {
	a, err := s.store.WithdrawAddress(ctx, o.WorkspaceID, o.WithdrawAddressID)
	if err != nil {
		return "", err
	}
	balances, err := s.partner.WalletBalances(ctx, a.CustomerID, a.PartnerWalletID)
	if err != nil {
		return "", err
	}
	for _, b := range balances {
		if b.Currency == o.Source && b.Minor >= needs {
			return "", nil
		}
	}
	return order.HoldFunds, nil
}
