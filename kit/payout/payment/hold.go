package payment

import (
	"context"
	"time"

	"github.com/railkit/railkit/kit/payout/account"
	"github.com/railkit/railkit/kit/payout/order"
	"github.com/railkit/railkit/kit/payout/screen"
	"github.com/railkit/railkit/kit/payout/transfer"
	"github.com/railkit/railkit/platform/auth"
)

// Reasons why a workspace's orders are held. Its API calls are refused with the same words.
const (
	holdUnverified = "verification_incomplete" // its KYB status is not approved
	holdModule     = "module_inactive"         // its payout module is off
)

// forbidden tells whether the operator has stopped a workspace's payouts.
func (s *Service) forbidden(ctx context.Context, workspaceID string) (transfer.Stop, error) {
	w, err := s.c.Workspaces.Workspace(ctx, workspaceID)
	switch t := w.Tenant(); {
	case err != nil:
		return transfer.Stop{}, err
	case !t.Verified:
		return transfer.Stop{Why: holdUnverified, Since: w.UpdatedAt}, nil
	case !t.HasModule(auth.Payout):
		return transfer.Stop{Why: holdModule, Since: w.UpdatedAt}, nil
	}
	return transfer.Stop{}, nil
}

// stopOf tells why a payout that is reserved may not be asked for any more: its deposit may have
// gone since, its bank account may be frozen, or its workspace may not pay out any more.
func (s *Service) stopOf(ctx context.Context, o order.Order, to account.Account) (transfer.Stop, error) {
	if gone := transfer.Vanished(o); gone.Why != "" {
		return gone, nil
	}
	if !to.FrozenAt.IsZero() {
		return transfer.Stop{Why: string(account.HoldFrozen), Since: to.FrozenAt}, nil
	}
	if o.Recalled() {
		return transfer.Stop{Why: order.HoldRecalled, Since: o.UpdatedAt}, nil
	}
	return s.forbidden(ctx, o.WorkspaceID)
}

// atGate holds an order for a reason that needs neither a rate nor a balance.
func (s *Service) atGate(
	ctx context.Context, o order.Order, to account.Payee,
) (held bool, again time.Duration, err error) {
	// No other hold may hide that.
	if why, err := s.c.Transfers.Against(ctx, o, o.Terms.Gross); err != nil || why != "" {
		again, err = s.lacks(ctx, o, why, err)
		return true, again, err
	}
	stop, err := s.forbidden(ctx, o.WorkspaceID)
	why, until := to.Held(s.c.Clock.Now())
	switch {
	case err != nil || stop.Why != "":
		again, err = s.lacks(ctx, o, stop.Why, err)
	case why != "":
		again, err = s.hold(ctx, o, why, until)
	case o.SentTwice():
		again, err = s.hold(ctx, o, order.HoldSentTwice, 0)
	case o.PayIn != nil && o.Delay == order.DelayAmount:
		again, err = s.hold(ctx, o, order.DelayAmount, 0)
	case o.Recalled():
		again, err = s.hold(ctx, o, order.HoldRecalled, 0)
	case len(o.Hits()) > 0:
		again, err = s.hold(ctx, o, order.HoldScreening, 0)
	case s.tired(o):
		again, err = s.hold(ctx, o, transfer.HoldRefusing, triesAfter)
	default:
		return false, 0, nil
	}
	return true, again, err
}

// tired tells whether the partner has refused so often that it is asked only once an hour.
func (s *Service) tired(o order.Order) bool {
	return o.Attempt >= transfer.MostTries && o.Failure != nil && (o.Hold == "" || o.Hold == transfer.HoldRefusing) &&
		s.c.Clock.Now().Sub(o.UpdatedAt) < triesAfter
}

// hold puts an order into review, or leaves it there.
func (s *Service) hold(ctx context.Context, o order.Order, why string, until time.Duration) (time.Duration, error) {
	if until <= 0 {
		until = transfer.HoldFor
	}
	return until, s.c.Transfers.Hold(ctx, o, order.Event{Kind: order.ReviewOpened, By: order.System, Reason: why})
}

// lacks holds an order, except for a short while in which the partner may not have seen its deposit yet.
func (s *Service) lacks(ctx context.Context, o order.Order, why string, err error) (time.Duration, error) {
	switch {
	case err != nil:
		return 0, err
	case why == order.HoldFunds && s.c.Clock.Now().Sub(o.UpdatedAt) < transfer.FundsAfter && o.Hold != why:
		return fundsSoon, nil
	}
	return s.hold(ctx, o, why, 0)
}

// screened asks the lists about everybody whom a payout is for and whose money it is. It is asked last, just before the
// money is reserved, and anew for each attempt.
func (s *Service) screened(
	ctx context.Context, o order.Order, to account.Payee,
) (held bool, again time.Duration, err error) {
	senders, err := s.c.Arrivals.Senders(ctx, o)
	if err != nil {
		return true, 0, err
	}
	return s.c.Transfers.Screened(ctx, o, subjects(o, to, senders))
}

// subjects are the names and addresses of a payout. The money of a global payment came from a depositor with a name.
func subjects(o order.Order, to account.Payee, senders []string) []screen.Subject {
	home := to.Recipient.Address.Country
	all := []screen.Subject{
		{Kind: screen.Name, Role: screen.Recipient, Value: to.Recipient.Name, Country: home},
		{Kind: screen.Name, Role: screen.Recipient, Value: o.RecipientName, Country: home}, // before it was renamed
		{
			Kind: screen.Name, Role: screen.AccountOwner, Value: to.Account.Shown.LegalName,
			Country: to.Account.Country,
		},
	}
	for _, address := range senders {
		all = append(all, screen.Subject{Kind: screen.Address, Role: screen.Sender, Value: address, Chain: o.Chain})
	}
	if o.PayIn != nil {
		all = append(all, screen.Subject{Kind: screen.Name, Role: screen.Sender, Value: o.PayIn.Sender})
	}
	return all
}

// renamed tells whether a payee has another name than the one that was screened.
func renamed(is, screened account.Payee) bool {
	return is.Recipient.Name != screened.Recipient.Name ||
		is.Account.Shown.LegalName != screened.Account.Shown.LegalName
}
