package screen

import (
	"context"

	"github.com/railkit/railkit/kit/payout/order"
)

// Gate asks the lists about an order from which money is about to leave. It returns the review that holds the order, or
// nothing (a zero kind) if the money may go. An order with hits that nobody decided about is held without another
// question: a list that has forgotten a hit does not decide for the operator.
func (s *Service) Gate(ctx context.Context, o order.Order, subjects []Subject) (order.Event, error) {
	hold := order.Event{Kind: order.ReviewOpened, By: order.System, Reason: order.HoldScreening}
	if len(o.Hits()) > 0 {
		return hold, nil
	}
	hits, err := s.Check(ctx, subjects, o.Cleared())
	switch {
	case err != nil && ctx.Err() != nil: // the server ends, which says nothing about the list
		return order.Event{}, err
	case err != nil:
		s.log.ErrorContext(ctx, "screening gives no answer: the money waits",
			"workspace", o.WorkspaceID, "order", o.ID, "error", err)
		hold.Reason = order.HoldUnscreened
		return hold, nil
	case len(hits) > 0:
		s.log.WarnContext(ctx,
			"screening found something: an operator has to decide", "workspace", o.WorkspaceID, "order", o.ID,
			"reference", o.Reference, "hits", order.Describe(hits))
		hold.Hits = hits
		return hold, nil
	}
	return order.Event{}, nil
}
