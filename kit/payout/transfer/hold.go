package transfer

import (
	"context"
	"time"

	"github.com/railkit/railkit/kit/payout/order"
	"github.com/railkit/railkit/kit/payout/screen"
)

// HoldFor is how long an order in review waits until somebody looks again whether the reason still holds.
const HoldFor = time.Minute

// Hold puts an order into review, or changes the reason why it is there.
func (s *Service) Hold(ctx context.Context, o order.Order, review order.Event) error {
	var events []order.Event
	switch {
	case o.Hold == review.Reason:
		return nil
	case o.Status == order.InReview:
		events = append(events, order.Event{Kind: order.ReviewCleared, By: order.System})
	}
	_, err := s.Record(ctx, o, append(events, review)...)
	return err
}

// Screened asks the lists about names and addresses before money leaves an order. Hits put the order into review until
// an operator decides. So does a list that gives no answer, until it gives one: it is asked again after five seconds at
// first, and ten minutes at most. Only if held is false may the money go.
func (s *Service) Screened(
	ctx context.Context, o order.Order, subjects []screen.Subject,
) (held bool, again time.Duration, err error) {
	review, err := s.screening.Gate(ctx, o, subjects)
	if err != nil || review.Kind == "" {
		return err != nil, 0, err
	}
	again = HoldFor
	if review.Reason == order.HoldUnscreened {
		again = Later
		if o.Hold == order.HoldUnscreened {
			again = min(max(s.Pace(o.UpdatedAt), Later), rarely)
		}
	}
	return true, again, s.Hold(ctx, o, review)
}
