package payout

import (
	"context"

	"github.com/railkit/railkit/kit/payout/order"
	"github.com/railkit/railkit/kit/payout/work"
	"github.com/railkit/railkit/platform/page"
	"github.com/railkit/railkit/platform/watch"
)

// heard are the events that an order has not heard of. Which order, is decided
// with the first.
func (s *Service) heard(ctx context.Context, a *sighting) ([]order.Event, error) {
	mine := a.mine()
	switch {
	case a.late():
		return s.heardLate(a), nil
	case a.t.State == watch.Dropped && mine, a.replaced():
		return []order.Event{a.event(order.DepositDropped)}, nil
	case a.t.State == watch.Dropped:
		return nil, nil
	}
	var events []order.Event
	if !mine {
		labels, err := s.assign(ctx, a)
		if err != nil {
			return nil, err
		}
		detected := a.event(order.DepositDetected)
		detected.Labels = labels
		events = append(events, detected)
	} else if a.t.State == watch.Seen && a.further() {
		events = append(events, a.event(order.DepositSeen))
	}
	if a.t.State == watch.Final {
		events = append(events, a.event(order.DepositConfirmed))
	}
	return events, nil
}

// mine tells whether the order was opened, or is paid for, by this very transfer.
func (a *sighting) mine() bool { return a.was.ID != "" && a.was.pays(a.o) }

// late tells whether the order has had this deposit as final already.
func (a *sighting) late() bool { return a.mine() && a.o.Deposit.Final }

// arrivedAs tells whether a transfer is final on the chain, and of the amount that an
// order has of it.
func arrivedAs(t watch.Transfer, d order.Deposit) bool {
	amount, err := amountOf(t)
	return t.State == watch.Final && err == nil && amount == d.Amount
}

// heardLate is what an order hears of a deposit that was final: that it is gone, or
// there again. The watcher may have dropped it and seen it again before anybody
// looked: so what is mined again and not yet final, or with another amount (54 USDC in
// place of 61), is gone too. The other amount is for a person.
func (s *Service) heardLate(a *sighting) []order.Event {
	switch now := arrivedAs(a.t, *a.o.Deposit); {
	case !now && !a.o.Deposit.Gone:
		s.reportLost(*a)
		return []order.Event{a.event(order.DepositVanished)}
	case now && a.o.Deposit.Gone:
		return []order.Event{a.event(order.DepositRestored)}
	}
	return nil
}

// unheard takes in what became of a final deposit, if its order has not heard of that
// yet: the job that was to tell it may come after the one that pays.
func (s *Service) unheard(ctx context.Context, o order.Order) (news bool, err error) {
	if o.Deposit == nil || !o.Deposit.Final || o.Deposit.Gone {
		return false, nil
	}
	t, err := s.transfers.Transfer(ctx, o.WorkspaceID, o.Deposit.TransferID)
	if err != nil || arrivedAs(t, *o.Deposit) {
		return false, err
	}
	_, _, err = s.deposit(ctx, o.WorkspaceID, t.ID)
	return true, err
}

// replaced tells whether a reorg mined the transaction again with another amount:
// then what the order has of it is gone, and what came instead is looked at anew.
func (a *sighting) replaced() bool {
	if !a.mine() || a.o.Deposit.Final || a.t.State == watch.Dropped {
		return false
	}
	amount, err := a.amount()
	return err != nil || amount != a.o.Deposit.Amount
}

// further tells whether enough blocks came to be worth a line in the timeline.
func (a *sighting) further() bool {
	return a.drain.Confirmations-int64(a.o.Deposit.Confirmations) >= max(1, a.drain.Required/4)
}

func (a *sighting) event(k order.Kind) order.Event {
	amount, _ := a.amount() // it was looked at before
	return order.Event{Kind: k, By: order.OnChain, At: a.now, OccurredAt: a.t.SeenAt, Deposit: &order.Deposit{
		TransferID: a.t.ID, Hash: a.t.Tx, From: a.t.From, Amount: amount, Block: uint64(max(0, a.t.BlockNumber)),
		Confirmations: int(a.drain.Confirmations), Required: int(a.drain.Required),
	}}
}

// assign finds the order that a deposit pays for: the one that a reorg took it
// from, a quote that waits for this amount, else the oldest that waits, else a
// new one.
func (s *Service) assign(ctx context.Context, a *sighting) ([]order.Label, error) {
	if a.o.Dropped == a.t.ID && (a.o.Status == order.Awaiting || a.o.Status == order.Expired) {
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
		a.o = waiting[len(waiting)-1]
		for _, o := range waiting {
			if o.Expected == amount {
				a.o = o
			}
		}
		return nil, nil
	}
	ended, err := s.ordersAt(ctx, a, order.Canceled, order.Expired)
	if err != nil {
		return nil, err
	}
	if a.o, err = s.openOrder(ctx, a); err != nil {
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
	rows, _, err := s.store.Orders(ctx, OrderFilter{
		WorkspaceID: a.t.WorkspaceID, WithdrawAddressID: a.to.ID, Statuses: in, Page: page.Page{Limit: mostOpen},
	})
	return rows, err
}

// openOrder is a new order for what came without a quote.
func (s *Service) openOrder(ctx context.Context, a *sighting) (order.Order, error) {
	to, err := s.Accounts.Payee(ctx, a.t.WorkspaceID, a.to.RecipientID, a.to.BankAccountID)
	if err != nil {
		return order.Order{}, err
	}
	return order.Order{
		WorkspaceID: a.t.WorkspaceID, ID: work.NewID(), Type: order.OffRamp, Origin: order.FromDeposit,
		RecipientID: to.Recipient.ID, RecipientName: to.Recipient.Name, BankAccountID: to.Account.ID, LastFour: to.Account.Shown.LastFour,
		WithdrawAddressID: a.to.ID, Address: a.to.Address, ReturnAddress: a.to.At(a.now).ReturnAddress,
		Chain: a.to.Chain, Source: a.to.Currency, Destination: a.to.Destination, Rail: a.to.Rail,
	}, nil
}
