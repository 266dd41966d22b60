package transfer

import (
	"context"
	"errors"
	"strconv"

	"github.com/railkit/railkit/fiat"
	"github.com/railkit/railkit/kit/payout/order"
	"github.com/railkit/railkit/kit/payout/orderview"
	"github.com/railkit/railkit/kit/payout/reference"
	"github.com/railkit/railkit/money"
	"github.com/railkit/railkit/platform/record"
)

// offRate tells whether the partner converted at a rate far from the one that it told before, and logs that for an
// operator. The money has left by then.
func (s *Service) offRate(ctx context.Context, o order.Order, at money.Rate) bool {
	told := o.Terms.Told
	if told.IsZero() { // reserved by a server that did not keep it
		told = o.Terms.Rate
	}
	off := s.band.Points > 0 && !at.IsZero() && at.Beside(told) > s.band.Points
	if off {
		s.log.ErrorContext(ctx,
			"the partner converted at another rate than it had told", "workspace", o.WorkspaceID, "order", o.ID,
			"reference", o.Reference, "told", told, "converted", at)
	}
	return off
}

// Record writes events, each in its own transaction, so that an event that does not fit does not undo those before it.
func (s *Service) Record(ctx context.Context, o order.Order, events ...order.Event) (order.Order, error) {
	for _, e := range events {
		if e.At.IsZero() {
			e.At = s.clock.Now()
		}
		now := o
		err := record.Do(ctx, s.store, o.WorkspaceID, func(
			ctx context.Context, tx Tx,
		) (err error) { // the timeline is the record
			now, err = s.Write(ctx, tx, o, e)
			return err
		})
		if err != nil {
			return o, err
		}
		o = now
	}
	return o, nil
}

// Write writes an event in a transaction. If the event opens a refund, it gives the refund an id and a reference.
func (s *Service) Write(ctx context.Context, tx Tx, o order.Order, e order.Event) (order.Order, error) {
	opens := e.Kind == order.PaymentReturned || e.Kind == order.ReviewRefused ||
		e.Kind == order.PayoutCanceled && o.Wish == order.GiveBack || e.Kind == order.PayoutRefused && e.Final
	if opens && o.Refund == nil && o.ReturnAddress != "" {
		day := e.At
		if o.Deposit != nil && !o.Deposit.MinedAt.IsZero() {
			day = o.Deposit.MinedAt // that an older database does not change
		}
		name, err := reference.New(ctx, tx, reference.Refund, o.WorkspaceID, o.ID, day)
		if err != nil {
			return o, err
		}
		id := record.DerivedID("refund", o.WorkspaceID, o.ID, strconv.Itoa(o.Refunds))
		e.Refund = &order.Refund{ID: id, Reference: name}
	}
	return orderview.Write(ctx, tx, o, e)
}

// RecordReport writes down the partner's report of a transfer. If the report does not fit the order, the order stays as
// it is, and an error is logged for an operator.
func (s *Service) RecordReport(
	ctx context.Context, o order.Order, what string, t fiat.Transfer, events []order.Event,
) (order.Order, bool, error) {
	was := o.Version
	for i, e := range events {
		if e.Kind == order.FiatReceived && s.offRate(ctx, o, e.Rate) {
			events[i].Labels = []order.Label{order.OffRate}
		}
	}
	o, err := s.Record(ctx, o, events...)
	if errors.Is(err, order.ErrMismatch) || errors.Is(err, order.ErrIllegal) || errors.Is(err, orderview.ErrTaken) {
		s.ReportMismatch(ctx, o, what, t, err)
		o, err = s.Mistrust(ctx, o)
	}
	return o, o.Version != was, err
}

// ReportMismatch logs, for an operator, that the partner's report contradicts our request.
func (s *Service) ReportMismatch(ctx context.Context, o order.Order, what string, t fiat.Transfer, err error) {
	s.log.ErrorContext(ctx, "the partner's answer does not fit: the order stays as it is",
		"workspace", o.WorkspaceID, "order", o.ID, "reference", o.Reference, "about", what, "transfer", t.ID,
		"state", t.State, "error", err)
}

// Mistrust marks a submitted payout as delayed, since it waits for an operator.
func (s *Service) Mistrust(ctx context.Context, o order.Order) (order.Order, error) {
	if o.Status != order.PaymentSubmitted || o.Delay == order.Mismatched {
		return o, nil
	}
	return s.Record(ctx, o, order.Event{Kind: order.Delayed, By: order.System, Reason: order.Mismatched})
}
