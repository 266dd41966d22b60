package arrival

import (
	"context"
	"errors"
	"strconv"

	"github.com/railkit/railkit/fault"
	"github.com/railkit/railkit/kit/payout/order"
	"github.com/railkit/railkit/kit/payout/orderview"
	"github.com/railkit/railkit/money"
	"github.com/railkit/railkit/platform/page"
	"github.com/railkit/railkit/platform/record"
	"github.com/railkit/railkit/platform/watch"
)

// eventsOf are the events of an arrival that its order does not have yet. The first time, it also chooses the order.
func (s *Service) eventsOf(ctx context.Context, a *sighting) ([]order.Event, error) {
	known := a.paysOrder()
	switch {
	case a.wasFinal():
		return s.eventsOfFinal(ctx, a), nil
	case a.transfer.State == watch.Dropped && known, a.replaced():
		return []order.Event{a.event(order.DepositDropped)}, nil
	case a.transfer.State == watch.Dropped:
		return nil, nil
	}
	var events []order.Event
	if !known {
		labels, err := s.assign(ctx, a)
		if err != nil {
			return nil, err
		}
		detected := a.event(order.DepositDetected)
		detected.Labels, detected.Repeats = labels, a.repeats
		events = append(events, detected)
	} else if a.transfer.State == watch.Seen && a.isDeeper() {
		events = append(events, a.event(order.DepositSeen))
	}
	if a.transfer.State == watch.Final {
		events = append(events, a.event(order.DepositConfirmed))
	}
	return events, nil
}

// finalAs tells whether a transfer is final on the chain, with the amount that the order has of it.
func finalAs(t watch.Transfer, d order.Deposit) bool {
	amount, err := money.ParseNamed(t.Units(), t.Symbol)
	return t.State == watch.Final && err == nil && amount == d.Amount
}

// eventsOfFinal are the events of a deposit that was final: it vanished, or is restored. The watcher may have dropped
// the transfer and seen it again between two looks here. So a transfer that is mined again but not final yet, or with
// another amount (54 USDC in place of 61), counts as vanished too. Another amount needs an operator.
func (s *Service) eventsOfFinal(ctx context.Context, a *sighting) []order.Event {
	switch now := finalAs(a.transfer, *a.order.Deposit); {
	case !now && !a.order.Deposit.Gone:
		s.reportLost(ctx, *a)
		return []order.Event{a.event(order.DepositVanished)}
	case now && a.order.Deposit.Gone:
		return []order.Event{a.event(order.DepositRestored)}
	}
	return nil
}

// SyncFinalDeposit gives an order the events of its final deposit that it does not have yet. It is called before money
// leaves: the payout job may run before the job that reports a vanished deposit.
func (s *Service) SyncFinalDeposit(ctx context.Context, o order.Order) (news bool, err error) {
	if o.Deposit == nil || !o.Deposit.Final || o.Deposit.Gone {
		return false, nil
	}
	t, err := s.c.Transfers.Transfer(ctx, o.WorkspaceID, o.Deposit.TransferID)
	if err != nil || finalAs(t, *o.Deposit) {
		return false, err
	}
	_, _, err = s.take(ctx, o.WorkspaceID, t.ID)
	return true, err
}

// assign finds the order that a deposit pays for: the order that lost it in a reorg, else the global payment whose
// coins the partner says that these are, else a quote that waits for this amount, else the oldest waiting quote, else a
// new order. Coins that were sent twice pay for no quote.
func (s *Service) assign(ctx context.Context, a *sighting) ([]order.Label, error) {
	if a.order.Dropped == a.transfer.ID && (a.order.Status == order.Awaiting || a.order.Status == order.Expired) {
		return nil, nil
	}
	coins, err := s.c.Coming.ComingTo(ctx, a.address.ID, a.transfer)
	a.order, a.repeats = coins.Order, coins.Repeats
	if err != nil || a.order.ID != "" {
		return nil, err
	}
	if a.repeats != "" {
		a.order, err = s.openOrder(ctx, a)
		return nil, err
	}
	waiting, err := s.waitingAt(ctx, a)
	if err != nil {
		return nil, err
	}
	amount, err := a.amount()
	if err != nil {
		return nil, err
	}
	if len(waiting) > 0 {
		a.order = waiting[len(waiting)-1]
		for _, o := range waiting {
			if o.Expected == amount {
				a.order = o
			}
		}
		return nil, nil
	}
	ended, err := s.ordersAt(ctx, a, order.Canceled, order.Expired)
	if err != nil {
		return nil, err
	}
	if a.order, err = s.openOrder(ctx, a); err != nil {
		return nil, err
	}
	for _, o := range ended {
		if o.Expected == amount && a.now.Sub(o.UpdatedAt) < lateFor {
			return []order.Label{order.Late}, nil
		}
	}
	return nil, nil
}

// ordersAt lists the address's orders in some statuses, newest first.
func (s *Service) ordersAt(ctx context.Context, a *sighting, in ...order.Status) ([]order.Order, error) {
	return s.c.Store.Orders(ctx, orderview.Filter{
		WorkspaceID: a.transfer.WorkspaceID, WithdrawAddressID: a.address.ID, Statuses: in,
		Page: page.Page{Limit: orderview.Most},
	})
}

// waitingAt lists all orders of the address that wait for a deposit, newest first: a batch may have a thousand of them
// at one address, and the deposit may be for the oldest.
func (s *Service) waitingAt(ctx context.Context, a *sighting) (all []order.Order, err error) {
	f := orderview.Filter{
		WorkspaceID: a.transfer.WorkspaceID, WithdrawAddressID: a.address.ID, Statuses: []order.Status{order.Awaiting},
		Types: []order.Type{order.OffRamp}, // a global payment waits for a bank transfer
	}
	for o, err := range orderview.All(ctx, s.c.Store, f) {
		if err != nil {
			return nil, err
		}
		all = append(all, o)
	}
	return all, nil
}

// openOrder is a new order for a deposit without a quote.
func (s *Service) openOrder(ctx context.Context, a *sighting) (order.Order, error) {
	to, err := s.c.Accounts.Payee(ctx, a.transfer.WorkspaceID, a.address.RecipientID, a.address.BankAccountID)
	if err != nil {
		return order.Order{}, err
	}
	id, err := s.newID(ctx, a.transfer)
	if err != nil {
		return order.Order{}, err
	}
	return order.Order{
		WorkspaceID: a.transfer.WorkspaceID, ID: id, Type: order.OffRamp, Origin: order.FromDeposit,
		RecipientID: to.Recipient.ID, RecipientName: to.Recipient.Name, BankAccountID: to.Account.ID,
		LastFour:          to.Account.Shown.LastFour,
		WithdrawAddressID: a.address.ID, Address: a.address.Address, ReturnAddress: a.address.At(a.now).ReturnAddress,
		Chain: a.address.Chain, Source: a.address.Currency, Destination: a.address.Destination, Rail: a.address.Rail,
	}, nil
}

// newID is the id of the order that a deposit opens. It follows from network, transaction and the transfer's place in
// it, so that the deposit opens the same order again, with the same reference and the same key at the partner, where an
// older database has forgotten it. The place is that among the transfers of the transaction that bring this token to
// this address: unlike the log's number in its block it stays the same when a reorg mines the transaction elsewhere.
//
// An order that had the deposit and lost it for good keeps its id: the deposit opens the next one then.
func (s *Service) newID(ctx context.Context, t watch.Transfer) (string, error) {
	parts := []string{"deposit", t.WorkspaceID, t.Chain, t.Tx, t.Token, t.To, strconv.FormatInt(t.Ordinal, 10)}
	for {
		id := record.DerivedID(parts...)
		if _, err := s.c.Store.Order(ctx, t.WorkspaceID, id); err != nil {
			if errors.Is(err, fault.ErrNotFound) {
				err = nil
			}
			return id, err
		}
		parts = append(parts, "again")
	}
}
