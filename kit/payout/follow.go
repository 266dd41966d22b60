package payout

import (
	"context"

	"github.com/railkit/railkit/job"
	"github.com/railkit/railkit/kit/payout/notice"
	"github.com/railkit/railkit/kit/payout/order"
	"github.com/railkit/railkit/kit/payout/work"
	"github.com/railkit/railkit/platform/page"
)

// Follow is who looks after which of the partner's objects. Customers are asked
// about by the sweeper.
func (s *Service) Follow() notice.Follow {
	return notice.Follow{
		Transfer: s.TransferChanged, Drain: s.DrainSeen, Account: s.Accounts.Noticed,
		Customer: func(context.Context, string) error { return nil },
	}
}

// TransferChanged has the order of a payout or a refund looked at, now.
func (s *Service) TransferChanged(ctx context.Context, transferID string) error {
	workspaceID, orderID, err := s.store.OrderOf(ctx, order.ClaimPayout, transferID)
	if work.IsMissing(err) {
		return notice.ErrUnknownObject
	}
	if err != nil {
		return err
	}
	return s.lookAt(ctx, workspaceID, orderID)
}

// DrainSeen has the orders looked at that wait for what the partner now has.
func (s *Service) DrainSeen(ctx context.Context, addressID string) error {
	a, err := s.store.WithdrawAddressByPartner(ctx, addressID)
	if work.IsMissing(err) {
		return notice.ErrUnknownObject
	}
	if err != nil {
		return err
	}
	rows, _, err := s.store.Orders(ctx, OrderFilter{
		WorkspaceID: a.WorkspaceID, WithdrawAddressID: a.ID, Statuses: []order.Status{order.FundsReceived, order.InReview},
		Page: page.Page{Limit: mostOpen},
	})
	if err != nil {
		return err
	}
	for _, o := range rows {
		if err := s.lookAt(ctx, a.WorkspaceID, o.ID); err != nil {
			return err
		}
	}
	return nil
}

func (s *Service) lookAt(ctx context.Context, workspaceID, orderID string) error {
	return work.Do(ctx, s.store, workspaceID, func(ctx context.Context, tx Tx) error {
		return tx.Enqueue(ctx, job.Job{Kind: JobOrder, WorkspaceID: workspaceID, ID: orderID, Anew: true})
	})
}
