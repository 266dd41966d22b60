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
func (s *Service) Senders(ctx context.Context, o order.Order) (all []string, err error) {
	if o.Deposit != nil {
		return []string{o.Deposit.From}, nil
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
			if a.Reason == Dust && a.Booked {
				all = append(all, a.From)
			}
		}
		next := nextPage(at, rows, total)
		if next == nil {
			slices.Sort(all)
			return slices.Compact(all), nil
		}
		at.After = next
	}
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
			if ended.Deposit != nil && ended.Refund == nil {
				all = append(all, ended.Deposit.From)
			}
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
