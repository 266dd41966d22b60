package orderview

import (
	"context"
	"iter"

	"github.com/railkit/railkit/kit/payout/order"
	"github.com/railkit/railkit/platform/page"
)

// Lister reads one page of orders.
type Lister interface {
	Orders(ctx context.Context, f Filter) ([]order.Order, error)
}

// All are the orders of a filter, newest first, from all pages. It ends after an error.
func All(ctx context.Context, s Lister, f Filter) iter.Seq2[order.Order, error] {
	return func(yield func(order.Order, error) bool) {
		for f.Page = (page.Page{Limit: Most}); ; {
			rows, err := s.Orders(ctx, f)
			if err != nil {
				yield(order.Order{}, err)
				return
			}
			for _, o := range rows {
				if !yield(o, nil) {
					return
				}
				f.Page.After = &page.Cursor{CreatedAt: o.CreatedAt, ID: o.ID}
			}
			if len(rows) < Most {
				return
			}
		}
	}
}
