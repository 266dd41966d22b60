package payment

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/railkit/railkit/fiat"
	"github.com/railkit/railkit/kit/payout/account"
	"github.com/railkit/railkit/kit/payout/order"
	"github.com/railkit/railkit/kit/payout/transfer"
)

// request is the request to the partner for the reserved attempt. It is the same in every call for that attempt. The
// bank account is returned too, since it may be frozen by now.
func (s *Service) request(
	ctx context.Context, o order.Order,
) (q fiat.TransferRequest, into account.Account, err error) {
	a, err := s.c.Store.WithdrawAddress(ctx, o.WorkspaceID, o.WithdrawAddressID)
	if err != nil {
		return q, into, err
	}
	to, err := s.c.Accounts.Payee(ctx, o.WorkspaceID, o.RecipientID, o.BankAccountID)
	if err != nil {
		return q, into, err
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

// ask asks the partner for the reserved attempt, under its key.
func (s *Service) ask(ctx context.Context, o order.Order) (time.Duration, error) {
	q, into, err := s.request(ctx, o)
	if err != nil {
		return 0, err
	}
	stop, err := s.stopOf(ctx, o, into)
	if err != nil {
		return 0, err
	}
	t, err := s.c.Transfers.Ask(ctx, o, o.PayoutKey(), q, stop)
	if err != nil {
		return s.failed(ctx, o, stop, err)
	}
	if err := t.Check(q); err != nil {
		s.c.Transfers.ReportMismatch(ctx, o, "a payout", t, err)
		return transfer.Slowly, nil
	}
	if t.Source.Minor > o.Terms.Gross.Minor {
		s.c.Log.ErrorContext(ctx, "a payout took more than its order has: the rate moved while the partner was asked",
			"workspace", o.WorkspaceID, "order", o.ID, "reference", o.Reference, "took", t.Source, "gross",
			o.Terms.Gross)
	}
	_, changed, err := s.c.Transfers.RecordReport(ctx, o, "a payout", t, o.News(t, s.c.Clock.Now()))
	return transfer.NextLook(changed, err)
}

// stopMessages are the failure messages of a payout that was reserved and then stopped.
var stopMessages = map[string]string{
	order.HoldVanished:         "The deposit is not on its chain any more",
	holdUnverified:             "The workspace's business verification is not complete any more",
	holdModule:                 "The workspace's payout module is off",
	order.HoldRecalled:         "The depositor's bank took the money back",
	string(account.HoldFrozen): "The bank account was frozen",
}

// failed records the partner's error. If the outcome is unknown, it returns the error, and the job asks again under
// the same key.
func (s *Service) failed(ctx context.Context, o order.Order, stop transfer.Stop, err error) (time.Duration, error) {
	refused := order.Event{Kind: order.PayoutRefused, By: order.Partner}
	switch refusal := (*fiat.Refusal)(nil); {
	case errors.As(err, &refusal):
		refused.Final, refused.Failure = true, &order.Failure{
			Code: refusal.Code, Message: "The payment partner refused the payout",
		}
		_, err := s.c.Transfers.Record(ctx, o, refused)
		return transfer.AtOnce, err
	case errors.Is(err, fiat.ErrInsufficient):
		refused.Failure = &order.Failure{
			Code: "insufficient_funds", Message: "The payment partner has not received the deposit yet",
		}
	case errors.Is(err, fiat.ErrBusy):
		return s.c.Transfers.ComeBack(o.Reserved(), err), nil
	case errors.Is(err, fiat.ErrNotFound) && stop.Why != "":
		refused.Failure = &order.Failure{Code: stop.Why, Message: stopMessages[stop.Why]}
	case errors.Is(err, fiat.ErrNotFound):
		s.c.Log.ErrorContext(ctx,
			"the partner does not know what a payout needs", "workspace", o.WorkspaceID, "order", o.ID, "error", err,
		)
		refused.Failure = &order.Failure{
			Code: "partner_lost", Message: "The payment partner does not find the payout or what it needs",
		}
	default:
		return 0, fmt.Errorf("asking the partner for the payout of %s: %w", o.Reference, err)
	}
	_, failed := s.c.Transfers.Record(ctx, o, refused)
	return transfer.BackOff(o.Attempt), failed
}

// poll asks the partner for the state of a payout. The bank may still return a completed one: the sweeper polls it
// every few hours, a notice at once.
func (s *Service) poll(ctx context.Context, o order.Order) (time.Duration, error) {
	t, renamed, err := s.c.Transfers.Find(ctx, o, o.Payout.TransferID, o.PayoutReference())
	changed := false
	switch {
	case errors.Is(err, fiat.ErrNotFound):
		s.c.Log.ErrorContext(ctx,
			"the partner does not know a payout that it took", "workspace", o.WorkspaceID, "order", o.ID, "transfer",
			o.Payout.TransferID,
		)
		t = fiat.Transfer{ID: o.Payout.TransferID, State: order.TransferLost}
		changed, err = s.hearPayout(ctx, o, t)
	case err != nil:
		return 0, fmt.Errorf("asking the partner about the payout of %s: %w", o.Reference, err)
	default:
		changed, err = s.hear(ctx, o, t, renamed)
	}
	switch {
	case err != nil || changed:
		return transfer.AtOnce, err
	case o.Status != order.Completed:
		return s.c.Transfers.Pace(o.UpdatedAt), nil
	case t.State == fiat.TransferReturned, t.State == fiat.TransferUndeliverable:
		return transfer.Slowly, nil // on its way back to the wallet
	}
	return 0, nil
}

// hear checks the partner's report of a payout against our request, and records it.
func (s *Service) hear(ctx context.Context, o order.Order, t fiat.Transfer, renamed bool) (changed bool, err error) {
	q, _, err := s.request(ctx, o)
	if err != nil {
		return false, err
	}
	if renamed && s.c.Transfers.Found(ctx, o, t, q, o.Payout.TransferID) {
		found := order.Event{
			Kind: order.PayoutFound, By: order.Partner, Payout: &order.Payout{TransferID: t.ID},
		}
		_, changed, err := s.c.Transfers.RecordReport(ctx, o, "a payout", t, []order.Event{found})
		return changed, err
	}
	if err := transfer.Check(t, q, o.Payout.TransferID); err != nil {
		s.c.Transfers.ReportMismatch(ctx, o, "a payout", t, err)
		now, err := s.c.Transfers.Mistrust(ctx, o)
		return now.Version != o.Version, err
	}
	return s.hearPayout(ctx, o, t)
}

// hearPayout records the partner's report. If a stalled payout is to be given back and has no return address, its
// money becomes available to the next quote, so it has to be in the wallet again first.
func (s *Service) hearPayout(ctx context.Context, o order.Order, t fiat.Transfer) (changed bool, err error) {
	events := o.News(t, s.c.Clock.Now())
	canceled := slices.ContainsFunc(events, func(e order.Event) bool { return e.Kind == order.PayoutCanceled })
	if canceled && o.Wish == order.GiveBack && o.ReturnAddress == "" {
		booked, err := s.c.Transfers.Booked(ctx, o)
		if err != nil {
			return false, err
		}
		if why, err := s.c.Transfers.Covers(ctx, o, booked+o.Terms.Gross.Minor); err != nil || why != "" {
			return false, err
		}
	}
	_, changed, err = s.c.Transfers.RecordReport(ctx, o, "a payout", t, events)
	return changed, err
}
