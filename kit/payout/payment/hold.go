package payment

import (
	"context"
	"time"

	"github.com/railkit/railkit/kit/payout/account"
	"github.com/railkit/railkit/kit/payout/order"
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
	w, err := s.workspaces.Workspace(ctx, workspaceID)
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
	return s.forbidden(ctx, o.WorkspaceID)
}

// tired tells whether the partner has refused so often that it is asked only once an hour.
func (s *Service) tired(o order.Order) bool {
	return o.Attempt >= transfer.MostTries && o.Failure != nil && (o.Hold == "" || o.Hold == transfer.HoldRefusing) &&
		s.clock.Now().Sub(o.UpdatedAt) < triesAfter
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
	_, err := s.transfers.Record(
		ctx, o, append(events, order.Event{Kind: order.ReviewOpened, By: order.System, Reason: why})...,
	)
	return until, err
}

// lacks holds an order, except for a short while in which the partner may not have seen its deposit yet.
func (s *Service) lacks(ctx context.Context, o order.Order, why string, err error) (time.Duration, error) {
	switch {
	case err != nil:
		return 0, err
	case why == order.HoldFunds && s.clock.Now().Sub(o.UpdatedAt) < transfer.FundsAfter && o.Hold != why:
		return fundsSoon, nil
	}
	return s.hold(ctx, o, why, 0)
}
