package payment

import (
	"context"
	"errors"

	"github.com/railkit/railkit/fault"
	"github.com/railkit/railkit/job"
	"github.com/railkit/railkit/kit/payout/notice"
	"github.com/railkit/railkit/kit/payout/order"
	"github.com/railkit/railkit/kit/payout/orderview"
	"github.com/railkit/railkit/platform/page"
	"github.com/railkit/railkit/platform/record"
)

// TransferChanged enqueues a job for the order of a payout or refund that a notice names.
func (s *Service) TransferChanged(ctx context.Context, transferID string) error {
	workspaceID, orderID, err := s.c.Store.OrderOf(ctx, order.ClaimPayout, transferID)
	if errors.Is(err, fault.ErrNotFound) {
		return notice.ErrUnknownObject
	}
	if err != nil {
		return err
	}
	return s.wake(ctx, workspaceID, orderID)
}

// DrainSeen enqueues jobs for the orders at a withdrawal address, after a notice that the partner has credited a
// deposit there.
func (s *Service) DrainSeen(ctx context.Context, addressID string) error {
	a, err := s.c.Store.WithdrawAddressByPartner(ctx, addressID)
	if errors.Is(err, fault.ErrNotFound) {
		return notice.ErrUnknownObject
	}
	if err != nil {
		return err
	}
	rows, err := s.c.Store.Orders(ctx, orderview.Filter{
		WorkspaceID: a.WorkspaceID, WithdrawAddressID: a.ID,
		Statuses: []order.Status{order.FundsReceived, order.InReview},
		Page:     page.Page{Limit: orderview.Most},
	})
	if err != nil {
		return err
	}
	for _, o := range rows {
		if err := s.wake(ctx, a.WorkspaceID, o.ID); err != nil {
			return err
		}
	}
	return nil
}

func (s *Service) wake(ctx context.Context, workspaceID, orderID string) error {
	return record.Do(ctx, s.c.Store, workspaceID, func(ctx context.Context, tx Tx) error {
		return tx.Enqueue(ctx, job.Job{Kind: Job, WorkspaceID: workspaceID, ID: orderID, Anew: true})
	})
}
