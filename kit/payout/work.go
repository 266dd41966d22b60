package payout

import (
	"context"
	"errors"
	"slices"
	"time"

	"github.com/railkit/railkit/fiat"
	"github.com/railkit/railkit/kit/payout/order"
	"github.com/railkit/railkit/kit/payout/reference"
	"github.com/railkit/railkit/kit/payout/work"
)

// How often the partner is asked how far a payout or a refund is: the longer it
// takes, the less often. What a notice says is asked about at once.
const (
	pollSoon   = time.Second
	pollLater  = 5 * time.Second
	pollSlow   = time.Minute
	pollRarely = 10 * time.Minute
	pollLast   = 6 * time.Hour // of what has not changed for a day
	mostSteps  = 20            // of one order in one go
)

// Advance does what an order's state asks for next, as long as that is something,
// and says when to look again. It may run twice for one order: who comes second
// finds the row changed, and the partner knows the key.
func (s *Service) Advance(ctx context.Context, workspaceID, orderID string) (again time.Duration, err error) {
	err = work.Retry(func() error {
		again, err = s.advance(ctx, workspaceID, orderID)
		return err
	})
	return again, err
}

func (s *Service) advance(ctx context.Context, workspaceID, orderID string) (time.Duration, error) {
	for done := range mostSteps {
		o, err := s.store.Order(ctx, workspaceID, orderID)
		if err != nil || done > 0 && o.Status == order.Completed {
			return 0, err
		}
		again, err := s.step(ctx, o)
		if err != nil || again != atOnce {
			return again, err
		}
	}
	return pollSoon, nil
}

// atOnce says that the order was changed, and that there may be more to do.
const atOnce time.Duration = -1

// leaving are the steps after which money leaves, or may have left.
var leaving = []order.Step{order.Pay, order.AskPayout, order.SendRefund, order.AskRefund}

// step does one thing.
func (s *Service) step(ctx context.Context, o order.Order) (time.Duration, error) {
	if o.Status == order.Awaiting {
		return 0, s.expire(ctx, o)
	}
	next := o.Next(s.clock.Now())
	if slices.Contains(leaving, next) {
		if news, err := s.unheard(ctx, o); news || err != nil {
			return atOnce, err
		}
	}
	switch next {
	case order.Pay:
		return s.pay(ctx, o)
	case order.AskPayout:
		return s.askPayout(ctx, o)
	case order.PollPayout:
		return s.pollPayout(ctx, o)
	case order.SendRefund:
		return s.sendRefund(ctx, o)
	case order.AskRefund:
		return s.askRefund(ctx, o)
	case order.PollRefund:
		return s.pollRefund(ctx, o)
	}
	if o.Status == order.Completed && o.Payout.TransferID != "" { // long ago; a notice came
		return s.pollPayout(ctx, o)
	}
	return 0, nil
}

// record writes events down, each by itself: what the partner said is not lost
// with the event that does not fit.
func (s *Service) record(ctx context.Context, o order.Order, events ...order.Event) (order.Order, error) {
	for _, e := range events {
		if e.At.IsZero() {
			e.At = s.clock.Now()
		}
		now := o
		err := work.Do(ctx, s.store, o.WorkspaceID, func(ctx context.Context, tx Tx) (err error) { // the timeline is the record
			now, err = s.written(ctx, tx, o, e)
			return err
		})
		if err != nil {
			return o, err
		}
		o = now
	}
	return o, nil
}

// written is applied, with the refund that an event may open.
func (s *Service) written(ctx context.Context, tx Tx, o order.Order, e order.Event) (order.Order, error) {
	opens := e.Kind == order.PaymentReturned || e.Kind == order.PayoutCanceled && o.Wish == order.GiveBack || e.Kind == order.ReviewRefused || e.Kind == order.PayoutRefused && e.Final
	if opens && o.Refund == nil && o.ReturnAddress != "" {
		reference, err := reference.New(ctx, tx, reference.Refund, o.WorkspaceID, o.ID, e.At)
		if err != nil {
			return o, err
		}
		e.Refund = &order.Refund{ID: work.NewID(), Reference: reference}
	}
	return applied(ctx, tx, o, e)
}

// expire ends a quote's wait, if its time is over by the database's clock.
func (s *Service) expire(ctx context.Context, o order.Order) error {
	return work.Do(ctx, s.store, o.WorkspaceID, func(ctx context.Context, tx Tx) error {
		now, err := tx.Now(ctx)
		if err == nil && o.Next(now) == order.Expire {
			_, err = applied(ctx, tx, o, order.Event{Kind: order.OrderExpired, By: order.System, At: s.clock.Now()})
		}
		return err
	})
}

// pace is how long to wait with the next question about something that has not
// changed since then.
func (s *Service) pace(since time.Time) time.Duration {
	switch age := s.clock.Now().Sub(since); {
	case age < 30*time.Second:
		return pollSoon
	case age < 5*time.Minute:
		return pollLater
	case age < time.Hour:
		return pollSlow
	case age < 24*time.Hour:
		return pollRarely
	}
	return pollLast
}

// news writes down what the partner says. What does not fit stays as it is, and
// is told to a person.
func (s *Service) news(ctx context.Context, o order.Order, what string, t fiat.Transfer, events []order.Event) (order.Order, bool, error) {
	was := o.Version
	for i, e := range events {
		if e.Kind == order.FiatReceived && s.offRate(o, e.Rate) {
			events[i].Labels = []order.Label{order.OffRate}
		}
	}
	o, err := s.record(ctx, o, events...)
	if errors.Is(err, order.ErrMismatch) || errors.Is(err, order.ErrIllegal) || errors.Is(err, ErrTaken) {
		s.reportLie(o, what, t, err)
		o, err = s.mistrust(ctx, o)
	}
	return o, o.Version != was, err
}

// reportLie is for a person: what the partner says cannot be.
func (s *Service) reportLie(o order.Order, what string, t fiat.Transfer, err error) {
	s.log.Error("the partner's answer does not fit: the order stays as it is",
		"workspace", o.WorkspaceID, "order", o.ID, "reference", o.Reference, "about", what, "transfer", t.ID, "state", t.State, "error", err)
}

// mismatched is why a payment waits of which the partner says what cannot be.
const mismatched = order.Mismatched

// mistrust says on a payment that was submitted that it waits for a person.
func (s *Service) mistrust(ctx context.Context, o order.Order) (order.Order, error) {
	if o.Status != order.PaymentSubmitted || o.Delay == mismatched {
		return o, nil
	}
	return s.record(ctx, o, order.Event{Kind: order.Delayed, By: order.System, Reason: mismatched})
}

// Timeline is what happened to an order, in its order.
func (s *Service) Timeline(ctx context.Context, workspaceID, orderID string) ([]order.Entry, error) {
	return s.store.Timeline(ctx, workspaceID, orderID)
}
