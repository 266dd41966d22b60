package transfer

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/railkit/railkit/fiat"
	"github.com/railkit/railkit/kit/payout/order"
)

// Find reads a transfer that the partner took. If the partner does not find it by id, or has another one by that id, it
// is looked up by our reference before that counts. One that is found so has another id than the partner had told
// (renamed): Found tells whether it may take its place.
func (s *Service) Find(
	ctx context.Context, o order.Order, id, reference string,
) (t fiat.Transfer, renamed bool, err error) {
	byID, err := s.partner.Transfer(ctx, id)
	if err == nil && byID.Reference == reference || err != nil && !errors.Is(err, fiat.ErrNotFound) {
		return byID, false, err
	}
	a, failed := s.store.WithdrawAddress(ctx, o.WorkspaceID, o.WithdrawAddressID)
	if failed != nil {
		return byID, false, fmt.Errorf("looking for transfer %s: %v", id, failed)
	}
	t, failed = s.partner.TransferOf(ctx, a.CustomerID, reference, since(o))
	if errors.Is(failed, fiat.ErrNotFound) {
		return byID, false, err
	}
	return t, failed == nil && t.ID != id, failed
}

// Found tells whether a renamed transfer is the one that was asked for, so that only its id is another than the partner
// had told in one answer. Our reference, which names one attempt of one order, and all that was asked for have to fit.
func (s *Service) Found(ctx context.Context, o order.Order, t fiat.Transfer, q fiat.TransferRequest, id string) bool {
	if t.ID == "" || t.Check(q) != nil {
		return false
	}
	s.log.WarnContext(ctx, "the partner knows a transfer by another id than it had told", "workspace", o.WorkspaceID,
		"order", o.ID, "reference", q.Reference, "told", id, "is", t.ID)
	return true
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
