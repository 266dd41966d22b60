package payout

import (
	"context"
	"errors"

	"github.com/railkit/railkit/fault"
	"github.com/railkit/railkit/kit/payout/order"
	"github.com/railkit/railkit/platform/command"
)

// Follow is what the kit does about the partner's objects. What a drain is about,
// the chain tells first, and the watcher reads it; customers are asked about by
// the sweeper.
func (s *Service) Follow() Follow {
	return Follow{
		Transfer: s.TransferChanged, Account: s.AccountChanged,
		Drain:    func(context.Context, string) error { return nil },
		Customer: func(context.Context, string) error { return nil },
	}
}

// TransferChanged has an order's work done now, which asks the partner how far the
// transfer is. The work that waits for its time is not enough.
func (s *Service) TransferChanged(ctx context.Context, transferID string) error {
	workspaceID, orderID, err := s.store.OrderOf(ctx, order.ClaimPayout, transferID)
	if errors.Is(err, fault.ErrNotFound) {
		return ErrNobodys
	}
	if err != nil {
		return err
	}
	return s.store.Work(ctx, workspaceID, func(ctx context.Context, tx Tx) (command.Audit, error) {
		return command.Audit{}, tx.Enqueue(ctx, Job{Kind: JobOrder, WorkspaceID: workspaceID, ID: orderID, Anew: true})
	})
}
