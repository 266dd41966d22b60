package transfer

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/railkit/railkit/fiat"
	"github.com/railkit/railkit/kit/payout/order"
)

// Find reads a transfer that the partner took. If the partner does not find it by id, it is looked up by reference
// before that counts.
func (s *Service) Find(ctx context.Context, o order.Order, id, reference string) (fiat.Transfer, error) {
	t, err := s.partner.Transfer(ctx, id)
	if !errors.Is(err, fiat.ErrNotFound) {
		return t, err
	}
	a, err := s.store.WithdrawAddress(ctx, o.WorkspaceID, o.WithdrawAddressID)
	if err != nil {
		return t, fmt.Errorf("looking for transfer %s: %v", id, err)
	}
	return s.partner.TransferOf(ctx, a.CustomerID, reference, since(o))
}

// since is a time before the order's first transfer, also by a clock that is a day off.
func since(o order.Order) time.Time { return came(o).Add(-24 * time.Hour) }

// Check refuses an answer about another transfer than was asked about.
func Check(t fiat.Transfer, q fiat.TransferRequest, id string) error {
	if t.ID != id {
		return fmt.Errorf("another transfer than asked for: %w", fiat.ErrAnswer)
	}
	return t.Check(q)
}
