package payin

import (
	"context"
	"errors"
	"slices"
	"time"

	"github.com/railkit/railkit/fault"
	"github.com/railkit/railkit/fiat"
	"github.com/railkit/railkit/fiat/bank"
	"github.com/railkit/railkit/kit/payout/order"
	"github.com/railkit/railkit/kit/payout/orderview"
	"github.com/railkit/railkit/kit/payout/reference"
	"github.com/railkit/railkit/kit/payout/screen"
	"github.com/railkit/railkit/money"
	"github.com/railkit/railkit/platform/page"
	"github.com/railkit/railkit/platform/record"
	"github.com/railkit/railkit/text"
)

// take writes what the partner tells of one bank transfer to its order. What does not fit is reported, and the order
// says so where it still waits.
func (s *Service) take(ctx context.Context, a source, depositID string, all []fiat.Activity) error {
	var o order.Order
	err := record.Retry(func() (err error) {
		if o, err = s.orderOf(ctx, a, depositID, all); err != nil {
			return err
		}
		events, err := s.eventsOf(ctx, a, o, all)
		if err != nil {
			return err
		}
		o, err = s.write(ctx, o, events...)
		return err
	})
	if !errors.Is(err, order.ErrMismatch) && !errors.Is(err, order.ErrIllegal) && !errors.Is(err, orderview.ErrTaken) {
		return err
	}
	s.c.Log.ErrorContext(ctx, "what the partner tells of a bank transfer does not fit: its order stays as it is",
		"workspace", a.workspace(), "order", o.ID, "deposit", depositID, "error", err)
	if o.Version == 0 || o.PayIn == nil {
		return nil
	}
	_, err = s.write(ctx, o, order.Event{Kind: order.CoinsDelayed, By: order.System, Reason: order.DelayMismatch})
	if errors.Is(err, order.ErrIllegal) || errors.Is(err, record.ErrStale) {
		return nil
	}
	return err
}

// orderOf finds the order of a bank transfer: the one that has claimed it; else, at a withdrawal address, the one whose
// coins the partner has named, which came before the partner told of the fiat; else the one that waits for this bank
// transfer; else a new one.
func (s *Service) orderOf(ctx context.Context, a source, depositID string, all []fiat.Activity) (order.Order, error) {
	_, partnerID := a.partner()
	workspaceID, orderID, err := s.c.Store.OrderOf(ctx, order.ClaimPayIn, order.PayInID(partnerID, depositID))
	switch {
	case err == nil && workspaceID != a.workspace():
		return order.Order{}, orderview.ErrTaken
	case err == nil:
		return s.c.Store.Order(ctx, workspaceID, orderID)
	case !errors.Is(err, fault.ErrNotFound):
		return order.Order{}, err
	}
	if a.virtual != nil {
		if o, err := s.withCoins(ctx, a, all); err != nil || o.ID != "" {
			return o, err
		}
		if o, err := s.waitingFor(ctx, a, all); err != nil || o.ID != "" {
			return o, err
		}
	}
	return s.newOrder(ctx, a, depositID)
}

// onePage is more orders than share a transaction at one address.
var onePage = page.Page{Limit: 50}

// withCoins finds the order at the withdrawal address whose deposit has the transaction that the partner tells.
func (s *Service) withCoins(ctx context.Context, a source, all []fiat.Activity) (order.Order, error) {
	for _, said := range all {
		if said.Hash == "" {
			continue
		}
		found, err := s.c.Store.Orders(ctx, orderview.Filter{
			WorkspaceID: a.workspace(), WithdrawAddressID: a.address.ID, References: []string{said.Hash},
			Page: onePage,
		})
		if err != nil {
			return order.Order{}, err
		}
		for _, o := range found {
			if o.PayIn == nil && o.Deposit != nil && fiat.SameOnChain(o.Deposit.Hash, said.Hash) &&
				o.Deposit.Amount == said.Amount {
				return o, nil
			}
		}
	}
	return order.Order{}, nil
}

// waitingFor finds the order of a quote that waits for this bank transfer: the one of exactly this amount, else the
// oldest that is less than a hundredth away. A bank transfer that went back pays for none. A batch may have a thousand
// orders wait at one address, so all pages of them are read.
func (s *Service) waitingFor(ctx context.Context, a source, all []fiat.Activity) (order.Order, error) {
	at := slices.IndexFunc(all, func(said fiat.Activity) bool { return said.Type == fiat.FundsReceived })
	if at < 0 || slices.ContainsFunc(all, func(said fiat.Activity) bool { return said.Type == fiat.Refunded }) {
		return order.Order{}, nil
	}
	came, found := all[at].Amount, order.Order{}
	f := orderview.Filter{
		WorkspaceID: a.workspace(), WithdrawAddressID: a.address.ID, Types: []order.Type{order.GlobalPayment},
		Statuses: []order.Status{order.Awaiting},
	}
	for o, err := range orderview.All(ctx, s.c.Store, f) {
		if err != nil {
			return order.Order{}, err
		}
		apart := max(came.Minor-o.Fiat.Minor, o.Fiat.Minor-came.Minor)
		switch {
		case o.PayIn != nil || o.Fiat.Currency != came.Currency || apart > o.Fiat.Minor/100:
		case apart == 0:
			return o, nil
		default:
			found = o
		}
	}
	return found, nil
}

// eventsOf are the events that the order does not have yet, with what the partner does not know: our fees, our limits,
// and whether the conversion was far from the partner's own rate.
func (s *Service) eventsOf(
	ctx context.Context, a source, o order.Order, all []fiat.Activity,
) ([]order.Event, error) {
	events := o.PayInNews(a.base(), all, s.c.Clock.Now())
	for i := range events {
		e := &events[i]
		switch e.Kind {
		case order.FiatScheduled, order.FiatArrived:
			if e.PayIn.Rail == "" {
				e.PayIn.Rail = bank.DefaultRail(e.PayIn.Amount.Currency)
			}
			e.Labels = append(s.sizeOf(e.PayIn.Amount), s.senderOf(a, e.PayIn.Sender)...)
			if err := s.screen(ctx, o, e); err != nil {
				return nil, err
			}
		case order.CoinsSubmitted:
			s.price(ctx, a, o, events[:i], e)
		}
	}
	return events, nil
}

// screen asks the lists about the depositor. What they find holds the order from its first event on, so that no crash
// comes between. The payout of a global payment asks about the depositor by itself.
func (s *Service) screen(ctx context.Context, o order.Order, e *order.Event) error {
	if o.Type != order.OnRamp || e.Kind != order.FiatArrived {
		return nil
	}
	hold, err := s.c.Screening.Gate(ctx, o, depositor(*e.PayIn))
	e.Reason, e.Hits = hold.Reason, hold.Hits
	return err
}

func depositor(p order.PayIn) []screen.Subject {
	return []screen.Subject{{Kind: screen.Name, Role: screen.Sender, Value: p.Sender}}
}

// screenAgain asks lists that gave no answer before.
func (s *Service) screenAgain(ctx context.Context, o order.Order) (order.Order, error) {
	if o.Hold != order.HoldUnscreened {
		return o, nil
	}
	hold, err := s.c.Screening.Gate(ctx, o, depositor(*o.PayIn))
	switch {
	case err != nil || hold.Reason == order.HoldUnscreened:
		return o, err
	case hold.Reason == "":
		return s.write(ctx, o, order.Event{Kind: order.PayInRelease, By: order.System})
	}
	hold.Kind = order.PayInHold
	return s.write(ctx, o, hold)
}

// sizeOf says whether a deposit is smaller or larger than deposits may be. The partner decides what becomes of it.
func (s *Service) sizeOf(a money.Amount) []order.Label {
	limits, ok := s.c.Limits[a.Currency]
	switch {
	case ok && a.Minor < limits.Min.Minor:
		return []order.Label{order.Under}
	case ok && a.Minor > limits.Max.Minor:
		return []order.Label{order.Over}
	}
	return nil
}

// senderOf says whether the bank account that paid has another name than the owner of the deposit account. Anybody may
// pay into it; it is for whoever looks at the order. Capitals, accents and spaces do not count.
func (s *Service) senderOf(a source, sender string) []order.Label {
	if a.deposit == nil || sender == "" {
		return nil
	}
	told, err := s.c.Deposits.Instructions(*a.deposit)
	if err != nil || told.Beneficiary == "" || text.Confusable(sender, told.Beneficiary) {
		return nil
	}
	return []order.Label{order.OtherSender}
}

// price compares the partner's fee and conversion with what was agreed.
func (s *Service) price(ctx context.Context, a source, o order.Order, before []order.Event, e *order.Event) {
	gross := money.Amount{}
	if o.PayIn != nil {
		gross = o.PayIn.Amount
	}
	for _, b := range before {
		if b.Kind == order.FiatArrived {
			gross = b.PayIn.Amount
		}
	}
	network, _, _, err := s.c.Limits[gross.Currency].Fees.Of(gross)
	fee, wrong := gross.Share(a.feePoints())
	rest, over := gross.Sub(fee)
	if errors.Join(err, wrong, over) != nil {
		return
	}
	e.Network = network
	if !about(fee, e.PayIn.Fee) {
		e.Labels = append(e.Labels, order.OffFee)
		s.c.Log.ErrorContext(ctx, "the partner took another fee for us than was agreed", "workspace", o.WorkspaceID,
			"order", o.ID, "agreed", fee.Display(), "taken", e.PayIn.Fee.Display())
	}
	told, err := s.c.Rates.Newest(ctx, gross.Currency, e.PayIn.Coins.Currency)
	at, bad := money.RateOf(rest, e.PayIn.Coins)
	if err == nil && bad == nil && s.c.Band > 0 && at.Beside(told.Sell) > s.c.Band {
		e.Labels = append(e.Labels, order.OffRate)
		s.c.Log.ErrorContext(ctx, "the partner converted at another rate than it tells", "workspace", o.WorkspaceID,
			"order", o.ID, "told", told.Sell, "converted", at)
	}
}

// about tells whether two fees are the same but for rounding.
func about(agreed, taken money.Amount) bool {
	apart := agreed.Minor - taken.Minor
	return (taken.Currency == agreed.Currency || taken.IsZero()) && -1 <= apart && apart <= 1
}

// day is when an event happened, by the partner's word, which is the same for a database that is older.
func day(e order.Event) time.Time {
	if e.OccurredAt.IsZero() {
		return e.At
	}
	return e.OccurredAt
}

// write applies events to an order, each in its own transaction, so that one that does not fit does not undo those
// before it. An order without a reference gets one with its first event.
func (s *Service) write(ctx context.Context, o order.Order, events ...order.Event) (order.Order, error) {
	for _, e := range events {
		if e.At.IsZero() {
			e.At = s.c.Clock.Now()
		}
		next := o
		err := record.Do(ctx, s.c.Store, o.WorkspaceID, func(ctx context.Context, tx Tx) (err error) {
			named := o
			if o.Reference == "" {
				prefix := reference.OnRamp
				if o.Type == order.GlobalPayment {
					prefix = reference.GlobalPayment
				}
				named.Reference, err = reference.New(ctx, tx, prefix, o.WorkspaceID, o.ID, day(e))
				if err != nil {
					return err
				}
			}
			next, err = orderview.Write(ctx, tx, named, e)
			return err
		})
		if err != nil {
			return o, err
		}
		o = next
	}
	return o, nil
}
