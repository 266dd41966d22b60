package payout

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/railkit/railkit/fiat"
	"github.com/railkit/railkit/kit/payout/account"
	"github.com/railkit/railkit/kit/payout/order"
)

// payoutRequest is what the partner is asked for: the same each time it is asked
// about one attempt. It tells the account too, which may be frozen by now.
func (s *Service) payoutRequest(ctx context.Context, o order.Order) (q fiat.TransferRequest, account account.Account, err error) {
	a, err := s.store.WithdrawAddress(ctx, o.WorkspaceID, o.WithdrawAddressID)
	if err != nil {
		return q, account, err
	}
	to, err := s.Accounts.Payee(ctx, o.WorkspaceID, o.RecipientID, o.BankAccountID)
	if err != nil {
		return q, account, err
	}
	fee, err := o.Terms.DeveloperFee()
	q = fiat.TransferRequest{
		CustomerID: a.CustomerID, WalletID: a.PartnerWalletID, Reference: o.PayoutReference(), Chain: o.Chain,
		Source: o.Source, Fee: fee, Destination: o.Destination, Rail: o.Rail, AccountID: to.Account.PartnerID,
	}
	if o.Terms.Quoted {
		q.Net = o.Terms.Net
	} else {
		q.Gross = o.Terms.Gross
	}
	return q, to.Account, err
}

// askPayout asks the partner for the attempt that is reserved, under its key.
func (s *Service) askPayout(ctx context.Context, o order.Order) (time.Duration, error) {
	q, account, err := s.payoutRequest(ctx, o)
	if err != nil {
		return 0, err
	}
	no, err := s.stopped(ctx, o, account)
	if err != nil {
		return 0, err
	}
	t, err := s.askOnce(ctx, o, o.PayoutKey(), q, no)
	if err != nil {
		return s.payoutFailed(ctx, o, no, err)
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

// callsEnd is after how long no call is under way that began before an event.
const callsEnd = 5 * time.Minute

// askOnce makes the transfer of a key. What the partner says to one call is about
// that call alone: one before it may have paid, and its answer was lost. So before
// a no counts, and where the key may be forgotten, what was made for the reference
// is looked for. Where there is a stop nothing is made: it is looked for alone, until
// no call that began before the stop can be under way.
func (s *Service) askOnce(ctx context.Context, o order.Order, key string, q fiat.TransferRequest, stopped stop) (fiat.Transfer, error) {
	no := fiat.ErrNotFound
	if s.clock.Now().Sub(o.Reserved()) <= fiat.KeyLife && stopped.why == "" {
		var t fiat.Transfer
		if t, no = s.partner.CreateTransfer(ctx, key, q); !isNo(no) {
			return t, no
		}
	}
	t, err := s.partner.TransferOf(ctx, q.CustomerID, q.Reference, madeSince(o))
	switch {
	case err == nil && errors.Is(no, fiat.ErrKeyReused):
		s.log.Error("the partner saw a key of ours on another request", "reference", q.Reference, "error", no)
	case errors.Is(err, fiat.ErrNotFound) && stopped.why != "" && s.clock.Now().Sub(stopped.since) < callsEnd:
		return t, &fiat.Busy{After: pollSlow}
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

// stopMessages tell of a payout that was reserved and not made.
var stopMessages = map[string]string{
	order.HoldVanished:         "The deposit is not on its chain any more",
	holdUnverified:             "The workspace's business verification is not complete any more",
	holdModule:                 "The workspace's payout module is off",
	string(account.HoldFrozen): "The bank account was frozen",
}

// payoutFailed does what the partner's error means. An unknown outcome is asked
// about again, under the same key.
func (s *Service) payoutFailed(ctx context.Context, o order.Order, stopped stop, err error) (time.Duration, error) {
	refused := order.Event{Kind: order.PayoutRefused, By: order.Partner}
	switch refusal := (*fiat.Refusal)(nil); {
	case errors.As(err, &refusal):
		refused.Final, refused.Failure = true, &order.Failure{Code: refusal.Code, Message: "The payment partner refused the payout"}
		_, err := s.record(ctx, o, refused)
		return atOnce, err
	case errors.Is(err, fiat.ErrInsufficient):
		refused.Failure = &order.Failure{Code: "insufficient_funds", Message: "The payment partner has not received the deposit yet"}
	case errors.Is(err, fiat.ErrBusy):
		return s.comeBack(o.Reserved(), err), nil
	case errors.Is(err, fiat.ErrNotFound) && stopped.why != "":
		refused.Failure = &order.Failure{Code: stopped.why, Message: stopMessages[stopped.why]}
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
	t, err := s.madeFor(ctx, o, o.Payout.TransferID, o.PayoutReference())
	changed := false
	switch {
	case errors.Is(err, fiat.ErrNotFound):
		s.log.Error("the partner does not know a payout that it took", "workspace", o.WorkspaceID, "order", o.ID, "transfer", o.Payout.TransferID)
		t = fiat.Transfer{ID: o.Payout.TransferID, State: order.TransferLost}
		changed, err = s.payoutNews(ctx, o, t)
	case err != nil:
		return 0, fmt.Errorf("asking the partner about the payout of %s: %w", o.Reference, err)
	default:
		changed, err = s.told(ctx, o, t)
	}
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

// madeFor is a transfer that the partner took. One that it does not find is looked
// for by its reference too, before that counts.
func (s *Service) madeFor(ctx context.Context, o order.Order, id, reference string) (fiat.Transfer, error) {
	t, err := s.partner.Transfer(ctx, id)
	if !errors.Is(err, fiat.ErrNotFound) {
		return t, err
	}
	a, err := s.store.WithdrawAddress(ctx, o.WorkspaceID, o.WithdrawAddressID)
	if err != nil {
		return t, fmt.Errorf("looking for transfer %s: %v", id, err)
	}
	return s.partner.TransferOf(ctx, a.CustomerID, reference, madeSince(o))
}

// madeSince is before anything was made for an order, by whichever clock.
func madeSince(o order.Order) time.Time { return o.CreatedAt.Add(-24 * time.Hour) }

// told takes in what the partner says of a payout that it has.
func (s *Service) told(ctx context.Context, o order.Order, t fiat.Transfer) (changed bool, err error) {
	q, _, err := s.payoutRequest(ctx, o)
	if err != nil {
		return false, err
	}
	if err := check(t, q, o.Payout.TransferID); err != nil {
		s.reportLie(o, "a payout", t, err)
		now, err := s.mistrust(ctx, o)
		return now.Version != o.Version, err
	}
	return s.payoutNews(ctx, o, t)
}

// payoutNews has an order hear of its payout. What is to be given back and has no
// return address becomes the next quote's: so the wallet has to have it again first.
func (s *Service) payoutNews(ctx context.Context, o order.Order, t fiat.Transfer) (changed bool, err error) {
	events := o.News(t, s.clock.Now())
	canceled := slices.ContainsFunc(events, func(e order.Event) bool { return e.Kind == order.PayoutCanceled })
	if canceled && o.Wish == order.GiveBack && o.ReturnAddress == "" {
		booked, err := s.booked(ctx, o)
		if err != nil {
			return false, err
		}
		if why, err := s.covers(ctx, o, booked+o.Terms.Gross.Minor); err != nil || why != "" {
			return false, err
		}
	}
	_, changed, err = s.news(ctx, o, "a payout", t, events)
	return changed, err
}

// check refuses an answer about another transfer than was asked about.
func check(t fiat.Transfer, q fiat.TransferRequest, id string) error {
	if t.ID != id {
		return fmt.Errorf("another transfer than asked for: %w", fiat.ErrAnswer)
	}
	return t.Check(q)
}
