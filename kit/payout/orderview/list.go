package orderview

import (
	"context"

	"github.com/railkit/railkit/clock"
	"github.com/railkit/railkit/fiat"
	"github.com/railkit/railkit/kit/payout/order"
	"github.com/railkit/railkit/platform/auth"
	"github.com/railkit/railkit/platform/page"
	"github.com/railkit/railkit/rest"
)

// NextPage is the cursor of the page after rows.
func NextPage(at page.Page, rows []order.Order, total int) *page.Cursor {
	return page.Next(at, rows, total, func(o order.Order) page.Cursor {
		return page.Cursor{CreatedAt: o.CreatedAt, ID: o.ID}
	})
}

// RailsOf are the rails of the API's list filter size: ach_wire stands for ACH and wire, any other value for the rail
// of that name.
func RailsOf(size string) []fiat.Rail {
	if size == "ach_wire" {
		return []fiat.Rail{fiat.ACH, fiat.Wire}
	}
	return []fiat.Rail{fiat.Rail(size)}
}

// List lists orders, newest first. The counts by status are those of the filter without its
// statuses.
func (s *Service) List(ctx context.Context, p auth.Principal, f Filter) ([]rest.Order, *page.Cursor, Counts, error) {
	f.WorkspaceID = p.WorkspaceID
	f, err := s.ofAddress(ctx, f)
	if err != nil {
		return nil, nil, nil, err
	}
	counts, err := s.store.OrderCounts(ctx, f)
	if err != nil {
		return nil, nil, nil, err
	}
	rows, err := s.store.Orders(ctx, f)
	if err != nil {
		return nil, nil, nil, err
	}
	views := make([]rest.Order, len(rows))
	for i, o := range rows {
		views[i] = ViewOf(o)
	}
	return views, NextPage(f.Page, rows, counts.Total(f.Statuses)), counts, nil
}

// Get finds an order by its id or any of its references, and returns it with its timeline and its quote's rates.
func (s *Service) Get(ctx context.Context, p auth.Principal, idOrReference string) (rest.OrderDetail, error) {
	o, err := s.find(ctx, p.WorkspaceID, idOrReference)
	if err != nil {
		return rest.OrderDetail{}, err
	}
	all, err := s.store.Timeline(ctx, p.WorkspaceID, o.ID)
	if err != nil {
		return rest.OrderDetail{}, err
	}
	d, err := detailOf(o, all)
	if err != nil || o.QuoteID == "" {
		return d, err
	}
	q, err := s.store.QuoteRates(ctx, p.WorkspaceID, o.QuoteID)
	d.Rates = &rest.QuotedRates{
		Midmarket: q.Midmarket.String(), Sell: q.Sell.String(), SpreadBps: q.Spread,
		FetchedAt: clock.ISO(q.FetchedAt), PublishedAt: clock.ISO(q.PublishedAt),
	}
	return d, err
}

// OfRecipient lists the newest orders of a recipient, up to limit.
func (s *Service) OfRecipient(
	ctx context.Context, p auth.Principal, id string, limit int,
) ([]rest.RecipientOrder, error) {
	if _, err := s.store.Recipient(ctx, p.WorkspaceID, id); err != nil {
		return nil, err
	}
	rows, err := s.store.Orders(
		ctx, Filter{WorkspaceID: p.WorkspaceID, RecipientID: id, Page: page.Page{Limit: limit}},
	)
	views := make([]rest.RecipientOrder, len(rows))
	for i, o := range rows {
		from := sourceOf(o)
		views[i] = rest.RecipientOrder{
			ID: o.ID, Reference: o.Reference, Status: paymentStatus(o.Status),
			SourceAmount: orNull(from.Amount), SourceCurrency: from.Currency,
			DestinationAmount: orNull(some(o.Terms.Net)), DestinationCurrency: string(o.Destination),
			CreatedAt: clock.ISO(o.CreatedAt), CompletedAt: orNull(isoOrNone(o.CompletedAt)),
			FailureReason: orNull(failureReason(o)),
		}
	}
	return views, err
}

// orNull is nil, null in JSON, for an empty text.
func orNull(text string) *string {
	if text == "" {
		return nil
	}
	return &text
}
