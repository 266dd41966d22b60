package transfer

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/railkit/railkit/fiat"
	"github.com/railkit/railkit/kit/payout/order"
)

// Find is a transfer that the partner took. One that it does not find is looked
// for by its reference too, before that counts.
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

// since is before anything was made for an order, by whichever clock.
func since(o order.Order) time.Time { return o.CreatedAt.Add(-24 * time.Hour) }

// Check refuses an answer about another transfer than was asked about.
func Check(t fiat.Transfer, q fiat.TransferRequest, id string) error {
	if t.ID != id {
		return fmt.Errorf("another transfer than asked for: %w", fiat.ErrAnswer)
	}
	return t.Check(q)
}
