package reconcile

import (
	"context"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"time"

	"github.com/railkit/railkit/fault"
	"github.com/railkit/railkit/kit/payout/match"
	"github.com/railkit/railkit/kit/payout/order"
	"github.com/railkit/railkit/kit/payout/orderview"
	"github.com/railkit/railkit/platform/watch"
)

// account compares one account number at the partner's bank.
func (m *Matcher) account(ctx context.Context, w UsedWallet, since time.Time) (match.Result, error) {
	return twice(func() (found match.Result, still bool, failed, err error) {
		before, err := m.payInsOf(ctx, w, since)
		if err != nil {
			return found, false, nil, err
		}
		a := match.Account{Since: since, Orders: slices.Clone(before)}
		if err := m.askActivities(ctx, w, &a); err != nil {
			return found, false, nil, err
		}
		now, err := m.payInsOf(ctx, w, since)
		if err != nil || !reflect.DeepEqual(before, now) {
			return found, false, nil, err
		}
		failed, err = m.coins(ctx, w, &a)
		return match.CompareAccount(a, m.clock.Now()), true, failed, err
	})
}

// payInsOf lists the orders of an account number that were made since an instant.
func (m *Matcher) payInsOf(ctx context.Context, w UsedWallet, since time.Time) ([]order.Order, error) {
	f := orderview.Filter{WorkspaceID: w.WorkspaceID, WithdrawAddressID: w.AddressID, From: since}
	if w.AddressID == "" {
		f.DepositAccountID = w.AccountID
	}
	all, err := m.ordersOf(ctx, f)
	return slices.DeleteFunc(all, func(o order.Order) bool {
		return o.PayIn == nil || o.PayIn.AccountID != w.AccountID
	}), err
}

// askActivities reads what the partner tells since an instant, and the older orders of which it does. Of an older bank
// transfer, and of one that it had told long before we heard of it, it has told a part before: then all is read.
func (m *Matcher) askActivities(ctx context.Context, w UsedWallet, a *match.Account) (err error) {
	ask := func(from time.Time) error {
		a.Activities, err = m.partner.Activities(ctx, w.CustomerID, w.PartnerID, from)
		if err != nil {
			return fmt.Errorf("asking the partner for activities: %w", err)
		}
		return nil
	}
	if err := ask(a.Since.Add(-matchBefore)); err != nil {
		return err
	}
	if err := m.olderPayIns(ctx, w, a); err != nil {
		return err
	}
	told := map[string]bool{}
	for _, said := range a.Activities {
		told[said.DepositID] = true
	}
	if slices.ContainsFunc(a.Orders, func(o order.Order) bool {
		return !told[o.PayIn.DepositID] || o.CreatedAt.Before(a.Since)
	}) {
		return ask(time.Time{})
	}
	return nil
}

// olderPayIns reads the orders of bank transfers that the partner tells and that are older than the list.
func (m *Matcher) olderPayIns(ctx context.Context, w UsedWallet, a *match.Account) error {
	known := map[string]bool{"": true}
	for _, o := range a.Orders {
		known[o.PayIn.DepositID] = true
	}
	for _, said := range a.Activities {
		if known[said.DepositID] {
			continue
		}
		known[said.DepositID] = true
		workspaceID, id, err := m.store.OrderOf(ctx, order.ClaimPayIn, order.PayInID(w.PartnerID, said.DepositID))
		if errors.Is(err, fault.ErrNotFound) || err == nil && workspaceID != w.WorkspaceID {
			continue
		}
		if err != nil {
			return err
		}
		o, err := m.store.Order(ctx, workspaceID, id)
		if err != nil {
			return err
		}
		if o.PayIn != nil && o.PayIn.AccountID == w.AccountID {
			a.Orders = append(a.Orders, o)
		}
	}
	return nil
}

// coins reads the transfers to wallets by which orders ended, and marks those that the nodes do not have today.
func (m *Matcher) coins(ctx context.Context, w UsedWallet, a *match.Account) (failed, err error) {
	a.Coins = map[string]match.Deposit{}
	final := map[string][]watch.Transfer{}
	for _, o := range a.Orders {
		if o.Type != order.OnRamp || o.PayIn.Transfer == nil {
			continue
		}
		t, err := m.transfers.Transfer(ctx, w.WorkspaceID, o.PayIn.Transfer.TransferID)
		if errors.Is(err, fault.ErrNotFound) {
			continue
		}
		if err != nil {
			return nil, err
		}
		a.Coins[t.ID] = match.Deposit{Transfer: t}
		if t.State == watch.Final {
			final[t.Chain] = append(final[t.Chain], t)
		}
	}
	gone, failed := m.gone(ctx, final)
	for _, id := range gone {
		d := a.Coins[id]
		d.Gone = true
		a.Coins[id] = d
	}
	return failed, nil
}
