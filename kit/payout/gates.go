package payout

import (
	"context"
	"time"

	"github.com/railkit/railkit/job"
	"github.com/railkit/railkit/kit/payout/account"
	"github.com/railkit/railkit/kit/payout/order"
	"github.com/railkit/railkit/kit/payout/work"
	"github.com/railkit/railkit/platform/auth"
	"github.com/railkit/railkit/platform/page"
)

// Why nothing is paid out for a workspace, in the words that its calls are refused with.
const (
	holdUnverified = "verification_incomplete" // its KYB status is not approved
	holdModule     = "module_inactive"         // its payout module is off
)

// stop is why the partner is asked for nothing more, and since when.
type stop struct {
	why   string // "": it is asked
	since time.Time
}

// forbidden tells whether the operator has stopped a workspace's payouts.
func (s *Service) forbidden(ctx context.Context, workspaceID string) (stop, error) {
	w, err := s.workspaces.Workspace(ctx, workspaceID)
	switch t := w.Tenant(); {
	case err != nil:
		return stop{}, err
	case !t.Verified:
		return stop{holdUnverified, w.UpdatedAt}, nil
	case !t.HasModule(auth.Payout):
		return stop{holdModule, w.UpdatedAt}, nil
	}
	return stop{}, nil
}

// vanished is the stop of an order whose deposit is gone.
func vanished(o order.Order) stop {
	if o.Lost() {
		return stop{order.HoldVanished, o.UpdatedAt}
	}
	return stop{}
}

// stopped tells whether a payout that is reserved may be asked for: its deposit may have
// gone since, its bank account may be frozen, or its workspace may not pay out any more.
func (s *Service) stopped(ctx context.Context, o order.Order, to account.Account) (stop, error) {
	if gone := vanished(o); gone.why != "" {
		return gone, nil
	}
	if !to.FrozenAt.IsZero() {
		return stop{string(account.HoldFrozen), to.FrozenAt}, nil
	}
	return s.forbidden(ctx, o.WorkspaceID)
}

// ordersOfRecipient are the orders that wait in review for a recipient.
func (s *Service) ordersOfRecipient(ctx context.Context, workspaceID, id string) (func(context.Context, work.Jobs) error, error) {
	return s.waiting(ctx, OrderFilter{WorkspaceID: workspaceID, RecipientID: id})
}

// ordersOfAccount are the orders that wait in review for a bank account.
func (s *Service) ordersOfAccount(ctx context.Context, workspaceID, id string) (func(context.Context, work.Jobs) error, error) {
	return s.waiting(ctx, OrderFilter{WorkspaceID: workspaceID, BankAccountID: id})
}

// waiting finds the orders of a filter that wait in review, and wakes them: each is
// looked at as soon as the transaction commits. An order that comes into review
// meanwhile looks by itself.
func (s *Service) waiting(ctx context.Context, f OrderFilter) (wake func(context.Context, work.Jobs) error, err error) {
	f.Statuses, f.Page = []order.Status{order.InReview}, page.Page{Limit: mostOpen}
	rows, _, err := s.store.Orders(ctx, f)
	return func(ctx context.Context, tx work.Jobs) error {
		for _, o := range rows {
			if err := tx.Enqueue(ctx, job.Job{Kind: JobOrder, WorkspaceID: o.WorkspaceID, ID: o.ID, Anew: true}); err != nil {
				return err
			}
		}
		return nil
	}, err
}
