package payout

import (
	"context"
	"errors"
	"slices"

	"github.com/railkit/railkit/clock"
	"github.com/railkit/railkit/fault"
	"github.com/railkit/railkit/fiat"
	"github.com/railkit/railkit/kit/payout/order"
	"github.com/railkit/railkit/kit/payout/work"
	"github.com/railkit/railkit/platform/auth"
	"github.com/railkit/railkit/platform/command"
	"github.com/railkit/railkit/platform/page"
)

// Total is how many orders have one of the statuses; of none given, all.
func (c OrderCounts) Total(of []order.Status) int {
	total := 0
	for status, n := range c {
		if len(of) == 0 || slices.Contains(of, status) {
			total += n
		}
	}
	return total
}

// ByName is the counts as lists show them.
func (c OrderCounts) ByName() map[string]int {
	all := map[string]int{}
	for status, n := range c {
		all[string(status)] = n
	}
	return all
}

func nextOrder(at page.Page, rows []order.Order, total int) *page.Cursor {
	return page.Next(at, rows, total, func(o order.Order) page.Cursor { return page.Cursor{CreatedAt: o.CreatedAt, ID: o.ID} })
}

// RailsOf are the rails of a family, as lists are filtered by it.
func RailsOf(size string) []fiat.Rail {
	if size == "ach_wire" {
		return []fiat.Rail{fiat.ACH, fiat.Wire}
	}
	return []fiat.Rail{fiat.Rail(size)}
}

// Orders lists orders, newest first, and counts those of each status that the
// rest of the filter selects.
func (s *Service) Orders(ctx context.Context, p auth.Principal, f OrderFilter) ([]OrderView, *page.Cursor, OrderCounts, error) {
	f.WorkspaceID = p.WorkspaceID
	f, err := s.ofAddress(ctx, f)
	if err != nil {
		return nil, nil, nil, err
	}
	rows, counts, err := s.store.Orders(ctx, f)
	if err != nil {
		return nil, nil, nil, err
	}
	views := make([]OrderView, len(rows))
	for i, o := range rows {
		views[i] = viewOrder(o)
	}
	return views, nextOrder(f.Page, rows, counts.Total(f.Statuses)), counts, nil
}

// Order finds one by its id or any reference, with all that happened to it.
func (s *Service) Order(ctx context.Context, p auth.Principal, idOrReference string) (OrderDetail, error) {
	o, err := s.named(ctx, p.WorkspaceID, idOrReference)
	if err != nil {
		return OrderDetail{}, err
	}
	all, err := s.store.Timeline(ctx, p.WorkspaceID, o.ID)
	if err != nil {
		return OrderDetail{}, err
	}
	d, err := detailOf(o, all)
	if err != nil || o.QuoteID == "" {
		return d, err
	}
	q, err := s.store.Quote(ctx, p.WorkspaceID, o.QuoteID)
	d.Rates = &RatesView{
		Midmarket: q.Midmarket.String(), Sell: q.Terms.Rate.String(), SpreadBps: q.Spread,
		FetchedAt: clock.ISO(q.FetchedAt), PublishedAt: clock.ISO(q.PublishedAt),
	}
	return d, err
}

var errSettled = fault.Define(fault.Unprocessable, "order_settled", "Order already settled",
	"Only an order that still waits for its deposit can be canceled")

// cancels is how often a cancel looks again at an order that somebody moved.
const cancels = 5

// CancelOrder ends an order that nothing has arrived for. Whoever commits first
// wins: the cancel, or the deposit.
func (s *Service) CancelOrder(ctx context.Context, cmd *command.Command, idOrReference string) (command.Answer, error) {
	for range cancels {
		o, err := s.only(ctx, cmd.Principal.WorkspaceID, idOrReference)
		if err != nil {
			return command.Answer{}, err
		}
		a, err := s.cancel(ctx, cmd, o)
		if !errors.Is(err, work.ErrStale) {
			return a, err
		}
	}
	return command.Answer{}, fault.ErrUnavailable
}

func (s *Service) cancel(ctx context.Context, cmd *command.Command, o order.Order) (command.Answer, error) {
	reply := command.Reply{Status: 200, Message: "Order canceled", Audit: command.Audit{Action: "order.cancel", Resource: o.ID}}
	switch o.Status {
	case order.Canceled: // it was before: nothing to write, and the same answer
		reply.Data = viewOrder(o)
		return work.Answer(ctx, s.store, cmd, reply)
	case order.Awaiting:
	default:
		return command.Answer{}, errSettled
	}
	c, err := order.Apply(o, order.Event{Kind: order.OrderCanceled, By: order.User, At: s.clock.Now()})
	if err != nil {
		return command.Answer{}, err
	}
	reply.Data = viewOrder(c.Order)
	return s.store.Commit(ctx, cmd, func(ctx context.Context, tx Tx) (command.Reply, error) {
		return reply, tx.Apply(ctx, c)
	})
}

// RecipientOrder is an order in the list of its recipient, in the words of that list.
type RecipientOrder struct {
	ID                  string  `json:"id" format:"uuid"`
	Reference           string  `json:"reference"`
	Status              string  `json:"status" enum:"pending,processing,completed,failed"`
	SourceAmount        *string `json:"source_amount"`
	SourceCurrency      string  `json:"source_currency"`
	DestinationAmount   *string `json:"destination_amount"`
	DestinationCurrency string  `json:"destination_currency"`
	CreatedAt           string  `json:"created_at" format:"date-time"`
	CompletedAt         *string `json:"completed_at"`
	FailureReason       *string `json:"failure_reason"`
}

// RecipientOrders lists the newest orders of a recipient.
func (s *Service) RecipientOrders(ctx context.Context, p auth.Principal, id string, limit int) ([]RecipientOrder, error) {
	if _, err := s.store.Recipient(ctx, p.WorkspaceID, id); err != nil {
		return nil, err
	}
	rows, _, err := s.store.Orders(ctx, OrderFilter{WorkspaceID: p.WorkspaceID, RecipientID: id, Page: page.Page{Limit: limit}})
	views := make([]RecipientOrder, len(rows))
	for i, o := range rows {
		views[i] = RecipientOrder{
			ID: o.ID, Reference: o.Reference, Status: paymentStatus(o.Status),
			SourceAmount: orNull(some(o.Terms.Gross)), SourceCurrency: string(o.Source),
			DestinationAmount: orNull(some(o.Terms.Net)), DestinationCurrency: string(o.Destination),
			CreatedAt: clock.ISO(o.CreatedAt), CompletedAt: orNull(isoOrNone(o.CompletedAt)), FailureReason: orNull(failureReason(o)),
		}
	}
	return views, err
}

func orNull(text string) *string {
	if text == "" {
		return nil
	}
	return &text
}
