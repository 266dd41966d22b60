package arrival

import (
	"context"
	"slices"

	"github.com/railkit/railkit/kit/payout/order"
	"github.com/railkit/railkit/kit/payout/orderview"
	"github.com/railkit/railkit/platform/page"
)

// Senders are the addresses that the money of an order came from. An order with a deposit has one. An order that was
// paid from what lay at its withdrawal address has no deposit: its money came with any of the arrivals that stayed
// there, which are those of orders that ended without a return address, and those that were too small to be paid out.
// Several may have paid for one deposit together: then all of them are named.
func (s *Service) Senders(ctx context.Context, o order.Order) (all []string, err error) {
	if o.Deposit != nil {
		return s.sendersOf(ctx, o.WorkspaceID, o.Deposit.From, o.Deposit.TransferID)
	}
	if all, err = s.sendersOfEnded(ctx, o); err != nil {
		return nil, err
	}
	for at := (page.Page{Limit: orderview.Most}); ; {
		rows, total, err := s.c.Store.ArrivalsAt(ctx, o.WorkspaceID, o.WithdrawAddressID, at)
		if err != nil {
			return nil, err
		}
		for _, a := range rows {
			if a.Reason != Dust || !a.Booked {
				continue
			}
			some, err := s.sendersOf(ctx, o.WorkspaceID, a.From, a.ID)
			if err != nil {
				return nil, err
			}
			all = append(all, some...)
		}
		next := nextPage(at, rows, total)
		if next == nil {
			slices.Sort(all)
			return slices.Compact(all), nil
		}
		at.After = next
	}
}

// sendersOf are who paid for a transfer: the one that it names, else all that the watcher has of it.
func (s *Service) sendersOf(ctx context.Context, workspaceID, from, transferID string) ([]string, error) {
	if from != "" {
		return []string{from}, nil
	}
	t, err := s.c.Transfers.Transfer(ctx, workspaceID, transferID)
	return t.Senders, err
}

// sendersOfEnded are the senders of deposits whose orders left them at the address.
func (s *Service) sendersOfEnded(ctx context.Context, o order.Order) (all []string, err error) {
	for at := (page.Page{Limit: orderview.Most}); ; {
		rows, err := s.c.Store.Orders(ctx, orderview.Filter{
			WorkspaceID: o.WorkspaceID, WithdrawAddressID: o.WithdrawAddressID, Statuses: []order.Status{order.Error},
			Page: at,
		})
		if err != nil {
			return nil, err
		}
		for _, ended := range rows {
			if ended.Deposit == nil || ended.Refund != nil {
				continue
			}
			some, err := s.sendersOf(ctx, o.WorkspaceID, ended.Deposit.From, ended.Deposit.TransferID)
			if err != nil {
				return nil, err
			}
			all = append(all, some...)
		}
		if len(rows) < at.Limit {
			return all, nil
		}
		last := rows[len(rows)-1]
		at.After = &page.Cursor{CreatedAt: last.CreatedAt, ID: last.ID}
	}
}

// nextPage is the cursor of the page of arrivals after these.
func nextPage(at page.Page, rows []Arrival, total int) *page.Cursor {
	return page.Next(at, rows, total, func(a Arrival) page.Cursor {
		return page.Cursor{CreatedAt: a.CreatedAt, ID: a.ID}
	})
}
