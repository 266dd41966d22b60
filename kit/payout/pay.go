package payout

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/railkit/railkit/fiat"
	"github.com/railkit/railkit/kit/payout/fx"
	"github.com/railkit/railkit/kit/payout/order"
	"github.com/railkit/railkit/kit/payout/price"
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
)

// Why an order waits in review.
const (
	holdRate   = "rate_moved"       // a quote would cost more than its own fees
	holdFunds  = "partner_balance"  // the partner has not what arrived
	holdSmall  = "amount_too_small" // nothing is left after the fees
	holdAtGate = time.Minute        // until what holds an order is looked at again
)

// pay reserves an attempt, if nothing holds it. The partner is asked next.
func (s *Service) pay(ctx context.Context, o order.Order) (time.Duration, error) {
	to, err := s.payee(ctx, o.WorkspaceID, o.RecipientID, o.BankAccountID)
	if err != nil {
		return 0, err
	}
	if why, until := to.held(s.clock.Now()); why != "" {
		return s.hold(ctx, o, why, until)
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
		if why, err = s.funded(ctx, o); err != nil {
			return 0, err
		}
	}
	if why != "" {
		if why == holdFunds && s.clock.Now().Sub(o.UpdatedAt) < fundsAfter && o.Hold != why {
			return fundsSoon, nil // it sees its own deposits a moment after we do
		}
		return s.hold(ctx, o, why, 0)
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

// reserve sets the money aside, if who is paid is still as it was when the partner
// was asked: recipient and account are nobody else's until the commit.
func (s *Service) reserve(ctx context.Context, o order.Order, terms order.Terms) error {
	return s.work(ctx, o.WorkspaceID, func(ctx context.Context, tx Tx) (err error) {
		var to payee
		if to.recipient, err = tx.HoldRecipient(ctx, o.WorkspaceID, o.RecipientID); err != nil {
			return err
		}
		if to.account, err = tx.HoldBankAccount(ctx, o.WorkspaceID, o.BankAccountID); err != nil {
			return err
		}
		now := s.clock.Now()
		if why, _ := to.held(now); why != "" {
			return ErrStale
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
	terms, err = s.fees.OfGross(o.Terms.Gross, rate.Sell, o.Destination)
	if errors.Is(err, price.ErrNothing) {
		return terms, holdSmall, nil
	}
	return terms, "", err
}

// promised are a quote's terms, unless the rate has moved further than its fees are
// high. What the net amount does not cost now is ours: the wallet gives the gross.
func (s *Service) promised(ctx context.Context, o order.Order) (terms order.Terms, why string, err error) {
	rate, err := s.rates.Newest(ctx, o.Source, o.Destination)
	if err != nil {
		return terms, "", err
	}
	terms = o.Terms
	cost, err := rate.Sell.Cost(terms.Net, o.Source)
	if err != nil {
		return terms, "", err
	}
	if terms.Ours, err = terms.Gross.Sub(cost); err == nil && terms.Ours.Minor < 0 {
		why = holdRate
	}
	return terms, why, err
}

// funded tells whether the partner has what arrived. It is asked before anything
// is reserved, so that a deposit which the partner has yet to see is no failure.
func (s *Service) funded(ctx context.Context, o order.Order) (why string, err error) {
	a, err := s.store.WithdrawAddress(ctx, o.WorkspaceID, o.WithdrawAddressID)
	if err != nil {
		return "", err
	}
	balances, err := s.partner.WalletBalances(ctx, a.CustomerID, a.PartnerWalletID)
	if err != nil {
		return "", err
	}
	for _, b := range balances {
		if b.Currency == o.Source && b.Minor >= o.Terms.Gross.Minor {
			return "", nil
		}
	}
	return holdFunds, nil
}

// payoutRequest is what the partner is asked for: the same each time it is asked
// about one attempt.
func (s *Service) payoutRequest(ctx context.Context, o order.Order) (q fiat.TransferRequest, err error) {
	a, err := s.store.WithdrawAddress(ctx, o.WorkspaceID, o.WithdrawAddressID)
	if err != nil {
		return q, err
	}
	to, err := s.payee(ctx, o.WorkspaceID, o.RecipientID, o.BankAccountID)
	if err != nil {
		return q, err
	}
	fee, err := o.Terms.DeveloperFee()
	q = fiat.TransferRequest{
		CustomerID: a.CustomerID, WalletID: a.PartnerWalletID, Reference: fmt.Sprintf("%s:%d", o.Reference, o.Attempt), Chain: o.Chain,
		Source: o.Source, Fee: fee, Destination: o.Destination, Rail: o.Rail, AccountID: to.account.PartnerID,
	}
	if o.Terms.Quoted {
		q.Net = o.Terms.Net
	} else {
		q.Gross = o.Terms.Gross
	}
	return q, err
}

// askPayout asks the partner for the attempt that is reserved, under its key.
func (s *Service) askPayout(ctx context.Context, o order.Order) (time.Duration, error) {
	q, err := s.payoutRequest(ctx, o)
	if err != nil {
		return 0, err
	}
	t, err := s.askOnce(ctx, o.PayoutKey(), o.UpdatedAt, q)
	if err != nil {
		return s.payoutFailed(ctx, o, err)
	}
	if err := t.Check(q); err != nil {
		s.reportLie(o, "a payout", t, err)
		return pollSlow, nil
	}
	if t.Source.Minor > o.Terms.Gross.Minor {
		s.log.Error("a payout took more than its order has: the rate moved while the partner was asked",
			"workspace", o.WorkspaceID, "order", o.ID, "reference", o.Reference, "took", t.Source, "gross", o.Terms.Gross)
	}
	_, changed, err := s.news(ctx, o, "a payout", t, o.News(t, s.clock.Now()))
	return nextLook(changed, err)
}

// nextLook is after an answer that was taken in, or could not be: asked at once, the
// partner would say the same.
func nextLook(changed bool, err error) (time.Duration, error) {
	if err == nil && !changed {
		return pollSlow, nil
	}
	return atOnce, err
}

// askOnce makes the transfer of a key. What the partner says to one call is about
// that call alone: one before it may have paid, and its answer was lost. So before
// a no counts, and where the key may be forgotten, what was made for the reference
// is looked for.
func (s *Service) askOnce(ctx context.Context, key string, reserved time.Time, q fiat.TransferRequest) (fiat.Transfer, error) {
	no := fiat.ErrNotFound
	if s.clock.Now().Sub(reserved) <= keyLife {
		var t fiat.Transfer
		if t, no = s.partner.CreateTransfer(ctx, key, q); !isNo(no) {
			return t, no
		}
	}
	t, err := s.partner.TransferOf(ctx, q.CustomerID, q.Reference)
	switch {
	case err == nil && errors.Is(no, fiat.ErrKeyReused):
		s.log.Error("the partner saw a key of ours on another request", "reference", q.Reference, "error", no)
	case errors.Is(err, fiat.ErrNotFound):
		return t, no
	case err != nil:
		err = fmt.Errorf("looking for what was made for %s: %v", q.Reference, err) // it says nothing of the payment
	}
	return t, err
}

// isNo tells whether the partner says that this call does nothing. One that is busy
// is asked again.
func isNo(err error) bool {
	for _, no := range []error{fiat.ErrRefused, fiat.ErrInsufficient, fiat.ErrNotFound, fiat.ErrKeyReused} {
		if errors.Is(err, no) {
			return true
		}
	}
	return false
}

// payoutFailed does what the partner's error means. An unknown outcome is asked
// about again, under the same key.
func (s *Service) payoutFailed(ctx context.Context, o order.Order, err error) (time.Duration, error) {
	refused := order.Event{Kind: order.PayoutRefused, By: order.Partner}
	switch refusal := (*fiat.Refusal)(nil); {
	case errors.As(err, &refusal):
		refused.Final, refused.Failure = true, &order.Failure{Code: refusal.Code, Message: "The payment partner refused the payout"}
		_, err := s.record(ctx, o, refused)
		return atOnce, err
	case errors.Is(err, fiat.ErrInsufficient):
		refused.Failure = &order.Failure{Code: "insufficient_funds", Message: "The payment partner has not received the deposit yet"}
	case errors.Is(err, fiat.ErrBusy):
		return s.comeBack(o.UpdatedAt, err), nil
	case errors.Is(err, fiat.ErrNotFound):
		s.log.Error("the partner does not know what a payout needs", "workspace", o.WorkspaceID, "order", o.ID, "error", err)
		refused.Failure = &order.Failure{Code: "partner_lost", Message: "The payment partner does not find the payout or what it needs"}
	default:
		return 0, fmt.Errorf("asking the partner for the payout of %s: %w", o.Reference, err)
	}
	_, failed := s.record(ctx, o, refused)
	return backOff(o.Attempt), failed
}

// backOff is how long to wait after an attempt that did not work.
func backOff(attempt int) time.Duration { return min(time.Second<<min(attempt, 9), mostBackOff) }

// comeBack is when to ask a busy partner again, by the same key.
func (s *Service) comeBack(since time.Time, err error) time.Duration {
	var busy *fiat.Busy
	if errors.As(err, &busy) && busy.After > 0 {
		return min(busy.After, mostBackOff)
	}
	return s.pace(since)
}

// pollPayout asks how far a payout is. One that is completed may still be sent
// back by the bank: the sweeper has it looked at once in a while, and a notice at once.
func (s *Service) pollPayout(ctx context.Context, o order.Order) (time.Duration, error) {
	t, err := s.partner.Transfer(ctx, o.Payout.TransferID)
	if err != nil {
		return 0, fmt.Errorf("asking the partner about the payout of %s: %w", o.Reference, err)
	}
	changed, err := s.told(ctx, o, t)
	switch {
	case err != nil || changed:
		return atOnce, err
	case o.Status != order.Completed:
		return s.pace(o.UpdatedAt), nil
	case t.State == fiat.TransferReturned, t.State == fiat.TransferUndeliverable:
		return pollSlow, nil // on its way back to the wallet
	}
	return 0, nil
}

// told takes in what the partner says of a payout that it has.
func (s *Service) told(ctx context.Context, o order.Order, t fiat.Transfer) (changed bool, err error) {
	q, err := s.payoutRequest(ctx, o)
	if err != nil {
		return false, err
	}
	if err := check(t, q, o.Payout.TransferID); err != nil {
		s.reportLie(o, "a payout", t, err)
		now, err := s.mistrust(ctx, o)
		return now.Version != o.Version, err
	}
	_, changed, err = s.news(ctx, o, "a payout", t, o.News(t, s.clock.Now()))
	return changed, err
}

// check refuses an answer about another transfer than was asked about.
func check(t fiat.Transfer, q fiat.TransferRequest, id string) error {
	if t.ID != id {
		return fmt.Errorf("another transfer than asked for: %w", fiat.ErrAnswer)
	}
	return t.Check(q)
}
