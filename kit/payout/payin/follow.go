package payin

import (
	"context"
	"errors"
	"slices"
	"time"

	"github.com/railkit/railkit/fault"
	"github.com/railkit/railkit/fiat"
	"github.com/railkit/railkit/kit/payout/order"
	"github.com/railkit/railkit/kit/payout/orderview"
	"github.com/railkit/railkit/kit/payout/transfer"
	"github.com/railkit/railkit/money"
	"github.com/railkit/railkit/platform/watch"
)

// silentAfter is how long the partner may have fiat without a word before the order says so.
const silentAfter = 24 * time.Hour

const (
	expiredAfter = 14 * 24 * time.Hour // an expected bank transfer is not expected any more
	askEvery     = time.Second         // the least between two questions about one account
)

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
	unheard := s.refreshSoon(ctx, a) // what is on the chain counts also while the partner does not answer
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
	if o, err = s.tired(ctx, o, now); err != nil {
		return 0, err
	}
	switch {
	case unheard != nil:
		return 0, unheard
	case o.Version != was:
		return transfer.AtOnce, nil
	case o.Status == order.Completed:
		return 0, nil // the sweeper looks again: a bank may take the fiat back
	}
	return transfer.PaceOf(now.Sub(o.UpdatedAt)), nil
}

// tired says on the order that the partner has had the fiat for a day without a word, or that a bank transfer which it
// expected has not come in two weeks.
func (s *Service) tired(ctx context.Context, o order.Order, now time.Time) (order.Order, error) {
	silent := now.Sub(o.UpdatedAt)
	switch {
	case o.PayIn.Status == order.PayInReceived && o.Delay == "" && silent > silentAfter:
		return s.write(ctx, o, order.Event{Kind: order.CoinsDelayed, By: order.System, Reason: order.DelayNotTold})
	case o.PayIn.Status == order.PayInScheduled && silent > expiredAfter:
		return s.write(ctx, o, order.Event{Kind: order.PayInExpired, By: order.System})
	}
	return o, nil
}

// refreshSoon is refresh, unless the partner was asked about the account a moment ago: many orders of one account are
// followed at once.
func (s *Service) refreshSoon(ctx context.Context, a source) error {
	if s.c.Clock.Now().Sub(a.polledAt()) < askEvery {
		return nil
	}
	return s.refresh(ctx, a)
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
		a, unread := s.ofVirtual(ctx, v)
		if unread != nil {
			err = errors.Join(err, unread)
			continue
		}
		all = append(all, a)
	}
	for _, a := range all { // one that fails does not keep the others from being asked about
		err = errors.Join(err, s.refresh(ctx, a))
	}
	return err
}

// ErrWait says that it is not known yet for which order a transfer to a withdrawal address is.
var ErrWait = errors.New("payin: the partner has yet to say for which bank transfer the coins are")

// Coins are what is known of a transfer to a withdrawal address.
type Coins struct {
	Order   order.Order // the global payment that waits for them; zero: none
	Repeats string      // the reference of the order that had just these coins before; "": none
}

// ComingTo asks the partner what happened at the virtual account whose coins go to a withdrawal address, and finds the
// order whose coins a transfer brings. Without it, coins that come before the partner's notice would be paid out as an
// order of their own. While an order at the address has its fiat, and the partner has not named its transaction yet,
// the answer is ErrWait, for a while. An address without a virtual account has no such order.
//
// Say that Ana's 5,000.00 MXN became 268.52 USDC, and PAY-1 pays them to her landlord. If the partner sends 268.52 USDC
// there once more, nobody waits for them, and they repeat PAY-1. So do 268.52 USDC that come first, and are paid out,
// and are then sent for PAY-1: that is the one that repeats.
func (s *Service) ComingTo(ctx context.Context, withdrawAddressID string, t watch.Transfer) (c Coins, err error) {
	v, err := s.c.Store.VirtualAccountAt(ctx, t.WorkspaceID, withdrawAddressID)
	if errors.Is(err, fault.ErrNotFound) || err == nil && v.PartnerID == "" {
		return c, nil
	}
	if err != nil {
		return c, err
	}
	a, err := s.ofVirtual(ctx, v)
	if err == nil {
		err = s.refresh(ctx, a)
	}
	if err != nil {
		return c, err
	}
	all, err := s.recent(ctx, withdrawAddressID, t, order.GlobalPayment)
	if err != nil {
		return c, err
	}
	o, found, unnamed := coinsOf(all, t)
	switch {
	case !found && unnamed && s.c.Clock.Now().Sub(t.SeenAt) < notSeenAfter:
		return c, ErrWait
	case !found:
		return Coins{Repeats: repeated(all, t)}, nil
	}
	others, err := s.recent(ctx, withdrawAddressID, t, order.OffRamp)
	known := slices.DeleteFunc(others, func(x order.Order) bool { return x.Repeats != "" }) // they were held as well
	return Coins{Order: o, Repeats: repeated(known, t)}, err
}

// recent lists the orders of one type at a withdrawal address whose coins a transfer may be, newest first.
func (s *Service) recent(
	ctx context.Context, withdrawAddressID string, t watch.Transfer, of order.Type,
) (all []order.Order, err error) {
	f := orderview.Filter{
		WorkspaceID: t.WorkspaceID, WithdrawAddressID: withdrawAddressID, Types: []order.Type{of},
		From: t.SeenAt.Add(-comeWithin),
	}
	for o, err := range orderview.All(ctx, s.c.Store, f) {
		if err != nil {
			return nil, err
		}
		all = append(all, o)
	}
	return all, nil
}

// repeated is the reference of an order that has had just these coins already: as many, from the same sender. Somebody
// else who sends the same amount has another sender.
func repeated(all []order.Order, t watch.Transfer) string {
	amount, err := money.ParseNamed(t.Units(), t.Symbol)
	for _, o := range all {
		d := o.Deposit
		if err == nil && d != nil && d.TransferID != t.ID && d.Amount == amount && sameSender(*d, t) {
			return o.Reference
		}
	}
	return ""
}

// sameSender tells whether a deposit and a transfer have a sender in common. Several may have paid for one together:
// then it names no one, which two of strangers have in common. Where nobody paid, its token's issuer made it, and only
// he.
func sameSender(d order.Deposit, t watch.Transfer) bool {
	before, now := sendersOf(d.From, d.Senders), sendersOf(t.From, t.Senders)
	if len(before) == 0 || len(now) == 0 {
		return len(before) == len(now)
	}
	return slices.ContainsFunc(before, func(a string) bool {
		return slices.ContainsFunc(now, func(b string) bool { return fiat.SameOnChain(a, b) })
	})
}

func sendersOf(from string, several []string) []string {
	if from != "" {
		return []string{from}
	}
	return several
}

// comeWithin is how old the order of a bank transfer may be when its coins come.
const comeWithin = 30 * 24 * time.Hour

// coinsOf finds the order that waits for the coins of a transfer: the one with its transaction and amount, else one
// with its transaction. unnamed tells whether an order waits without a transaction.
func coinsOf(all []order.Order, t watch.Transfer) (o order.Order, found, unnamed bool) {
	amount, _ := money.ParseNamed(t.Units(), t.Symbol)
	for _, w := range all {
		switch {
		case !w.AwaitsCoins():
		case w.PayIn.Hash == "":
			unnamed = unnamed || w.PayIn.Status != order.PayInReturned
		case !fiat.SameOnChain(w.PayIn.Hash, t.Tx):
		case w.PayIn.Coins == amount:
			return w, true, unnamed
		case !found:
			o, found = w, true
		}
	}
	return o, found, unnamed
}
