package payin

import (
	"cmp"
	"context"
	"errors"
	"strings"
	"time"

	"github.com/railkit/railkit/chain"
	"github.com/railkit/railkit/fiat"
	"github.com/railkit/railkit/kit/payout/order"
	"github.com/railkit/railkit/kit/payout/orderview"
	"github.com/railkit/railkit/money"
	"github.com/railkit/railkit/platform/watch"
)

// notSeenAfter is how long coins may be under way before the order says that they are missing.
const notSeenAfter = 10 * time.Minute

// settle looks for the coins of an on-ramp order on its chain. It goes by the transaction that the partner told, and
// believes nothing else of it: address, token and amount are the watcher's.
func (s *Service) settle(ctx context.Context, o order.Order) (order.Order, error) {
	p := o.PayIn
	if p.Coins.IsZero() {
		return o, nil
	}
	if o.Type != order.OnRamp { // its coins are a deposit at the withdrawal address: see package arrival
		return s.missed(ctx, o)
	}
	if p.Transfer != nil {
		t, err := s.c.Transfers.Transfer(ctx, o.WorkspaceID, p.Transfer.TransferID)
		if err != nil {
			return o, err
		}
		return s.move(ctx, o, t)
	}
	found, err := s.find(ctx, o)
	for _, t := range found {
		next, detected := s.detect(ctx, o, t)
		if errors.Is(detected, orderview.ErrTaken) { // it is the settlement of another order
			continue
		}
		return next, detected
	}
	if err != nil {
		return o, err
	}
	return s.missed(ctx, o)
}

// missed says on an order that its coins are not there some time after the partner told that it sent them.
func (s *Service) missed(ctx context.Context, o order.Order) (order.Order, error) {
	sent := o.PayIn.Status == order.PayInSubmitted || o.PayIn.Status == order.PayInReturned
	if !sent || o.PayIn.GivenUp || o.Delay != "" || s.c.Clock.Now().Sub(o.UpdatedAt) < notSeenAfter {
		return o, nil
	}
	return s.write(ctx, o, order.Event{Kind: order.CoinsDelayed, By: order.System, Reason: order.DelayNotSeen})
}

// find lists the transfers of the told transaction that bring the order's coin to its wallet, those of the told amount
// first.
func (s *Service) find(ctx context.Context, o order.Order) (found []watch.Transfer, err error) {
	if o.PayIn.Hash == "" {
		return nil, nil
	}
	all, err := s.c.Transfers.TransfersOfTx(ctx, o.WorkspaceID, o.Chain, fiat.OnChain(o.PayIn.Hash))
	for _, exact := range []bool{true, false} {
		for _, t := range all {
			amount, err := money.ParseNamed(t.Units(), t.Symbol)
			if arrived(o, t) && t.State != watch.Dropped && err == nil && exact == (amount == o.PayIn.Coins) {
				found = append(found, t)
			}
		}
	}
	return found, err
}

// arrived tells whether a transfer brought the order's coin to its address, and not long before its fiat came: a
// partner may name an older payment of somebody else.
func arrived(o order.Order, t watch.Transfer) bool {
	if t.SeenAt.Before(o.PayIn.ArrivedAt.Add(-overlap)) {
		return false
	}
	return t.Chain == o.Chain && fiat.SameOnChain(t.To, o.Address) && strings.EqualFold(t.Symbol, string(o.Coin()))
}

func (s *Service) detect(ctx context.Context, o order.Order, t watch.Transfer) (order.Order, error) {
	e, err := s.event(ctx, order.CoinsDetected, t)
	if err != nil {
		return o, err
	}
	if o, err = s.write(ctx, o, e); err != nil {
		return o, err
	}
	return s.move(ctx, o, t)
}

// move writes how deep the coins are by now, or that a reorg removed them.
func (s *Service) move(ctx context.Context, o order.Order, t watch.Transfer) (order.Order, error) {
	d := o.PayIn.Transfer
	amount, uncounted := money.ParseNamed(t.Units(), t.Symbol)
	kind := order.CoinsSeen
	switch {
	case t.State == watch.Dropped, uncounted != nil, amount != d.Amount:
		kind = order.CoinsDropped
	case d.Final:
		return o, nil
	case t.State == watch.Final && amount == o.PayIn.Coins:
		kind = order.CoinsConfirmed
	}
	e, err := s.event(ctx, kind, t)
	if err != nil {
		return o, err
	}
	if kind == order.CoinsSeen && t.State == watch.Seen &&
		e.Deposit.Confirmations-d.Confirmations < max(1, d.Required/4) {
		return o, nil
	}
	if o, err = s.write(ctx, o, e); err != nil || t.State != watch.Final || amount == o.PayIn.Coins ||
		kind == order.CoinsDropped {
		return o, err
	}
	return s.write(ctx, o, order.Event{Kind: order.CoinsDelayed, By: order.OnChain, Reason: order.DelayAmount})
}

// event is an event about a transfer as the watcher has it now.
func (s *Service) event(ctx context.Context, k order.Kind, t watch.Transfer) (order.Event, error) {
	head, _, err := s.c.Transfers.Head(ctx, t.Chain)
	network, _ := chain.BySlug(s.c.Environment, t.Chain)
	required := int64(cmp.Or(s.c.Depth, network.Confirmations))
	deep := min(t.Confirmations(head.Number), required)
	if t.State == watch.Final {
		deep = required
	}
	amount, _ := money.ParseNamed(t.Units(), t.Symbol)
	return order.Event{Kind: k, By: order.OnChain, OccurredAt: t.SeenAt, Deposit: &order.Deposit{
		TransferID: t.ID, Hash: t.Tx, From: t.From, Amount: amount, Block: uint64(max(0, t.BlockNumber)),
		Confirmations: int(deep), Required: int(required),
	}}, err
}
