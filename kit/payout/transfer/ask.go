package transfer

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/railkit/railkit/fiat"
	"github.com/railkit/railkit/kit/payout/order"
)

// Stop is why the partner is asked for nothing more, and since when.
type Stop struct {
	Why   string // "": it is asked
	Since time.Time
}

// Vanished is the stop of an order whose deposit is gone.
func Vanished(o order.Order) Stop {
	if o.Lost() {
		return Stop{order.HoldVanished, o.UpdatedAt}
	}
	return Stop{}
}

// callsEnd is after how long no call is under way that began before an event.
const callsEnd = 5 * time.Minute

// Ask asks the partner for a transfer, under a key that is the same each time.
//
// The partner's answer to one call is about that call alone: an earlier call may have
// made the transfer, and its answer may have been lost. So a refusal counts only after
// a look-up by reference finds nothing. Say that call 1 made a payout of 100 USDC, and
// the connection broke before its answer came. Call 2 is told that the wallet has too
// little: of course, since the 100 USDC have left. Without the look-up the order would
// be paid a second time once the wallet is full again.
//
// The partner forgets keys after a day. From then on it is not asked to make anything:
// the transfer is looked up only. The same holds where there is a stop (the account was
// frozen, say). Then a transfer that is not found may still be on its way, in a call
// that began before the stop: so for five minutes the answer is to come again.
//
// Nor is it asked to make what it made already: an attempt that was taken over as made, and one that was reserved more
// than a minute ago if the partner has made another transfer for the order meanwhile, of which an older database knows
// nothing.
func (s *Service) Ask(
	ctx context.Context, o order.Order, key string, q fiat.TransferRequest, stop Stop,
) (fiat.Transfer, error) {
	refused := fiat.ErrNotFound
	made, err := s.madeMeanwhile(ctx, o)
	if err != nil {
		return fiat.Transfer{}, err
	}
	if s.clock.Now().Sub(o.Reserved()) <= fiat.KeyLife && stop.Why == "" && !made {
		var t fiat.Transfer
		if t, refused = s.partner.CreateTransfer(ctx, key, q); !isRefusal(refused) {
			return t, refused
		}
	}
	t, err := s.partner.TransferOf(ctx, q.CustomerID, q.Reference, since(o))
	switch {
	case err == nil && errors.Is(refused, fiat.ErrKeyReused):
		s.log.ErrorContext(ctx,
			"the partner saw a key of ours on another request", "reference", q.Reference, "error", refused)
	case errors.Is(err, fiat.ErrNotFound) && stop.Why != "" && s.clock.Now().Sub(stop.Since) < callsEnd:
		return t, &fiat.Busy{After: Slowly}
	case errors.Is(err, fiat.ErrNotFound):
		return t, refused
	case err != nil:
		err = fmt.Errorf("looking for what was made for %s: %v", q.Reference, err) // it says nothing of the payment
	}
	return t, err
}

// justReserved is for how long the look before a reservation counts.
const justReserved = time.Minute

// madeMeanwhile tells whether the partner has made what an attempt is for.
func (s *Service) madeMeanwhile(ctx context.Context, o order.Order) (bool, error) {
	if o.Made() || s.clock.Now().Sub(o.Reserved()) <= justReserved {
		return o.Made(), nil
	}
	all, err := s.Forgotten(ctx, o)
	return len(all) > 0, err
}

// isRefusal tells whether the partner says that a call did nothing. A partner that is
// busy is asked again.
func isRefusal(err error) bool {
	for _, refusal := range []error{fiat.ErrRefused, fiat.ErrInsufficient, fiat.ErrNotFound, fiat.ErrKeyReused} {
		if errors.Is(err, refusal) {
			return true
		}
	}
	return false
}
