package arrival

import (
	"context"

	"github.com/railkit/railkit/kit/payout/order"
	"github.com/railkit/railkit/kit/payout/orders"
	"github.com/railkit/railkit/platform/page"
	"github.com/railkit/railkit/platform/record"
	"github.com/railkit/railkit/platform/watch"
)

// eventsOf are the events that an order has not heard of. Which order, is decided
// with the first.
func (s *Service) eventsOf(ctx context.Context, a *sighting) ([]order.Event, error) {
	known := a.paysOrder()
	switch {
	case a.wasFinal():
		return s.eventsOfFinal(a), nil
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
		detected.Labels = labels
		events = append(events, detected)
	} else if a.transfer.State == watch.Seen && a.isDeeper() {
		events = append(events, a.event(order.DepositSeen))
	}
	if a.transfer.State == watch.Final {
		events = append(events, a.event(order.DepositConfirmed))
	}
	return events, nil
}

// finalAs tells whether a transfer is final on the chain, and of the amount that an
// order has of it.
func finalAs(t watch.Transfer, d order.Deposit) bool {
	amount, err := amountOf(t)
	return t.State == watch.Final && err == nil && amount == d.Amount
}

// eventsOfFinal is what an order hears of a deposit that was final: that it is gone, or
// there again. The watcher may have dropped it and seen it again before anybody
// looked: so what is mined again and not yet final, or with another amount (54 USDC in
// place of 61), is gone too. The other amount is for a person.
func (s *Service) eventsOfFinal(a *sighting) []order.Event {
	switch now := finalAs(a.transfer, *a.order.Deposit); {
	case !now && !a.order.Deposit.Gone:
		s.reportLost(*a)
		return []order.Event{a.event(order.DepositVanished)}
	case now && a.order.Deposit.Gone:
		return []order.Event{a.event(order.DepositRestored)}
	}
	return nil
}

// Unheard takes in what became of a final deposit, if its order has not heard of that
// yet: the job that was to tell it may come after the one that pays.
func (s *Service) Unheard(ctx context.Context, o order.Order) (news bool, err error) {
	if o.Deposit == nil || !o.Deposit.Final || o.Deposit.Gone {
		return false, nil
	}
	t, err := s.transfers.Transfer(ctx, o.WorkspaceID, o.Deposit.TransferID)
	if err != nil || finalAs(t, *o.Deposit) {
		return false, err
	}
	_, _, err = s.take(ctx, o.WorkspaceID, t.ID)
	return true, err
}

// assign finds the order that a deposit pays for: the one that a reorg took it
// from, a quote that waits for this amount, else the oldest that waits, else a
// new one.
func (s *Service) assign(ctx context.Context, a *sighting) ([]order.Label, error) {
	if a.order.Dropped == a.transfer.ID && (a.order.Status == order.Awaiting || a.order.Status == order.Expired) {
		return nil, nil
	}
	waiting, err := s.ordersAt(ctx, a, order.Awaiting)
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
	rows, _, err := s.store.Orders(ctx, orders.Filter{
		WorkspaceID: a.transfer.WorkspaceID, WithdrawAddressID: a.address.ID, Statuses: in,
		Page: page.Page{Limit: orders.Most},
	})
	return rows, err
}

// openOrder is a new order for what came without a quote.
func (s *Service) openOrder(ctx context.Context, a *sighting) (order.Order, error) {
	to, err := s.accounts.Payee(ctx, a.transfer.WorkspaceID, a.address.RecipientID, a.address.BankAccountID)
	if err != nil {
		return order.Order{}, err
	}
	return order.Order{
		WorkspaceID: a.transfer.WorkspaceID, ID: record.NewID(), Type: order.OffRamp, Origin: order.FromDeposit,
		RecipientID: to.Recipient.ID, RecipientName: to.Recipient.Name, BankAccountID: to.Account.ID,
		LastFour:          to.Account.Shown.LastFour,
		WithdrawAddressID: a.address.ID, Address: a.address.Address, ReturnAddress: a.address.At(a.now).ReturnAddress,
		Chain: a.address.Chain, Source: a.address.Currency, Destination: a.address.Destination, Rail: a.address.Rail,
	}, nil
}
