package payin

import (
	"context"
	"errors"
	"time"

	"github.com/railkit/railkit/fault"
	"github.com/railkit/railkit/fiat"
	"github.com/railkit/railkit/kit/payout/order"
	"github.com/railkit/railkit/kit/payout/orders"
	"github.com/railkit/railkit/kit/payout/transfer"
	"github.com/railkit/railkit/platform/record"
)

// silentAfter is how long the partner may have fiat without a word before the order says so.
const silentAfter = 24 * time.Hour

// Follow does the next step of an order whose pay-in is under way: it asks the partner, looks at the chain, and returns
// when to look again. An order that changed is looked at again at once.
func (s *Service) Follow(ctx context.Context, o order.Order) (time.Duration, error) {
	was := o.Version
	if o.PayIn.AskReturn() {
		return transfer.AtOnce, s.askReturn(ctx, o)
	}
	a, err := s.sourceOf(ctx, o)
	if err != nil {
		return 0, err
	}
	if _, err := s.refresh(ctx, a, o.CreatedAt.Add(-overlap)); err != nil {
		return 0, err
	}
	if o, err = s.c.Store.Order(ctx, o.WorkspaceID, o.ID); err != nil {
		return 0, err
	}
	if o, err = s.screenAgain(ctx, o); err != nil {
		return 0, err
	}
	if o, err = s.settle(ctx, o); err != nil {
		return 0, err
	}
	now := s.c.Clock.Now()
	if o.PayIn.Status == order.PayInReceived && o.Delay == "" && now.Sub(o.UpdatedAt) > silentAfter {
		o, err = s.write(ctx, o, order.Event{Kind: order.CoinsDelayed, By: order.System, Reason: order.DelayNotTold})
	}
	switch {
	case err != nil:
		return 0, err
	case o.Version != was:
		return transfer.AtOnce, nil
	case o.Status == order.Completed:
		return 0, nil // the sweeper looks again: a bank may take the fiat back
	}
	return transfer.PaceOf(now.Sub(o.UpdatedAt)), nil
}

// askReturn asks the partner to send the fiat back, under the key of the operator's attempt.
func (s *Service) askReturn(ctx context.Context, o order.Order) error {
	a, err := s.sourceOf(ctx, o)
	if err != nil {
		return err
	}
	customerID, _ := a.partner()
	err = s.c.Partner.ReturnDeposit(ctx, o.PayInReturnKey(), customerID, o.PayIn.DepositID, o.PayIn.Amount)
	var refusal *fiat.Refusal
	started := order.Event{Kind: order.ReturnStarted, By: order.System, Reason: "operator"}
	switch {
	case errors.As(err, &refusal):
		why := &order.Failure{
			Code: refusal.Code, Message: "The payment partner refused to return the bank transfer",
		}
		_, err = s.write(ctx, o, started, order.Event{Kind: order.ReturnFailed, By: order.Partner, Failure: why})
		return err
	case err != nil:
		return fiat.Fault(err)
	}
	_, err = s.write(ctx, o, started)
	return err
}

// Sweeps ask the partner about accounts of which no notice came.
const (
	pollEvery = 10 * time.Minute
	pollBatch = 50
)

// Sweep asks the partner what happened at the accounts of which it was asked longest ago: a notice may be lost.
func (s *Service) Sweep(ctx context.Context) error {
	if s.c.Partner == nil {
		return nil
	}
	before := s.c.Clock.Now().Add(-pollEvery)
	deposits, err := s.c.Store.DepositAccountsToPoll(ctx, before, pollBatch)
	if err != nil {
		return err
	}
	var all []source
	for _, d := range deposits {
		all = append(all, ofDeposit(d))
	}
	virtuals, err := s.c.Store.VirtualAccountsToPoll(ctx, before, pollBatch)
	if err != nil {
		return err
	}
	for _, v := range virtuals {
		a, err := s.ofVirtual(ctx, v)
		if err != nil {
			return err
		}
		all = append(all, a)
	}
	return record.Each(all, func(a source) error {
		_, err := s.refresh(ctx, a, time.Time{})
		return err
	})
}

// ComingTo asks the partner what happened at the virtual account whose coins go to a withdrawal address, and finds the
// order whose coins a transfer brings. Without it, coins that come before the partner's notice would be paid out as an
// order of their own. An address without a virtual account has no such order.
func (s *Service) ComingTo(ctx context.Context, workspaceID, withdrawAddressID, tx string) (order.Order, bool, error) {
	v, err := s.c.Store.VirtualAccountAt(ctx, workspaceID, withdrawAddressID)
	if errors.Is(err, fault.ErrNotFound) || err == nil && v.PartnerID == "" {
		return order.Order{}, false, nil
	}
	if err != nil {
		return order.Order{}, false, err
	}
	a, err := s.ofVirtual(ctx, v)
	if err != nil {
		return order.Order{}, false, err
	}
	if _, err := s.refresh(ctx, a, time.Time{}); err != nil {
		return order.Order{}, false, err
	}
	found, err := s.c.Store.Orders(ctx, orders.Filter{
		WorkspaceID: workspaceID, WithdrawAddressID: withdrawAddressID, References: []string{tx}, Page: onePage,
	})
	for _, o := range found {
		if o.AwaitsCoins() && order.Folded(o.PayIn.Hash) == order.Folded(tx) {
			return o, true, nil
		}
	}
	return order.Order{}, false, err
}
