package railkit

import (
	"context"
	"fmt"
	"iter"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/railkit/railkit/rest"
)

// OrdersService reads orders, cancels them, and waits for what becomes of them.
type OrdersService struct{ c *Client }

const ordersPath = "/v1/orders"

// What the calls send and answer: see package rest for the fields.
type (
	Order            = rest.Order
	OrderSource      = rest.OrderSource
	OrderDestination = rest.OrderDestination
	OrderFee         = rest.OrderFee
	OrderReferences  = rest.OrderReferences
	Failure          = rest.OrderFailure
	Refund           = rest.Refund
	OrderDetail      = rest.OrderDetail
	OrderDeposit     = rest.Deposit
	OrderRates       = rest.QuotedRates
	OrderExplanation = rest.OrderAmounts
	TimelineEntry    = rest.OrderTimelineEntry
)

// OrderListOptions select orders. Zero fields do not filter.
type OrderListOptions struct {
	ListOptions
	Statuses          []string
	Types             []string
	Sizes             []string // ach_wire | spei | sepa | pix | faster_payments
	Pair              string   // USDC/MXN
	RecipientID       string
	RecipientName     string // part of it
	BankAccountID     string
	WithdrawAddressID string
	From, To          string // ISO 8601, dates or instants, both included
	Search            string // part of reference, name or amount
	Reference         string // any
	TxHash            string
}

func (o OrderListOptions) query() url.Values {
	q := o.ListOptions.query()
	for name, value := range map[string]string{
		"status": strings.Join(o.Statuses, ","), "type": strings.Join(o.Types, ","), "size": strings.Join(o.Sizes, ","),
		"pair": o.Pair, "recipientId": o.RecipientID, "beneficiary_legal_name": o.RecipientName,
		"beneficiary_account_id": o.BankAccountID, "withdrawAddressId": o.WithdrawAddressID, "from": o.From, "to": o.To,
		"q": o.Search, "reference": o.Reference, "txHash": o.TxHash,
	} {
		if value != "" {
			q.Set(name, value)
		}
	}
	return q
}

func ofOrder(id string) string { return ordersPath + "/" + url.PathEscape(id) }

// List reads one page of orders, newest first. Meta.Counts says how many
// of each status the other filters select.
func (s *OrdersService) List(ctx context.Context, o OrderListOptions) (*Page[Order], error) {
	return list[Order](ctx, s.c, ordersPath, o.query(), nil)
}

// All walks the orders of all pages.
func (s *OrdersService) All(ctx context.Context, o OrderListOptions) iter.Seq2[Order, error] {
	return each(o.ListOptions, func(at ListOptions) (*Page[Order], error) {
		o.ListOptions = at
		return s.List(ctx, o)
	})
}

// Get reads an order by its id or any reference.
func (s *OrdersService) Get(ctx context.Context, idOrReference string) (*OrderDetail, error) {
	return data[OrderDetail](ctx, s.c, http.MethodGet, ofOrder(idOrReference), nil)
}

// Cancel ends an order that still waits for its deposit. A canceled one stays so.
func (s *OrdersService) Cancel(ctx context.Context, idOrReference string) (*Order, error) {
	return data[Order](ctx, s.c, http.MethodPost, ofOrder(idOrReference)+"/cancel", nil)
}

// What a status of an order says, where somebody waits for it.
const (
	OrderAwaiting  = "awaiting"
	OrderCompleted = "completed"
	OrderCanceled  = "canceled"
	OrderExpired   = "expired"
	OrderReturned  = "returned"
	OrderError     = "error" // a person has to look
)

// The ends of a refund.
const (
	RefundCompleted = "completed"
	RefundFailed    = "failed" // a person has to look
)

// Wait polls until an order has ended, in whichever way: its status says.
// The context bounds it.
func (s *OrdersService) Wait(ctx context.Context, idOrReference string, every time.Duration) (*OrderDetail, error) {
	return s.wait(ctx, idOrReference, every, func(o *OrderDetail, err error) (bool, error) {
		return err == nil && o.Ended(), err
	})
}

// WaitDeposit polls until a transfer on chain has an order: until its transaction
// is in a block, and the server has seen it there.
func (s *OrdersService) WaitDeposit(ctx context.Context, txHash string, every time.Duration) (*OrderDetail, error) {
	return s.wait(ctx, txHash, every, func(_ *OrderDetail, err error) (bool, error) {
		if IsNotFound(err) {
			return false, nil
		}
		return err == nil, err
	})
}

// WaitRefund polls until what the bank sent back is refunded, or could not be. An
// order that ends in another way is an error; one that is completed is waited for.
func (s *OrdersService) WaitRefund(
	ctx context.Context, idOrReference string, every time.Duration,
) (*OrderDetail, error) {
	return s.wait(ctx, idOrReference, every, func(o *OrderDetail, err error) (bool, error) {
		if err != nil || o.Refund.Ended() {
			return err == nil, err
		}
		if o.Ended() && o.Status != OrderCompleted {
			return false, fmt.Errorf("railkit: the order is %s, and nothing is refunded", o.Status)
		}
		return false, nil
	})
}

func (s *OrdersService) wait(
	ctx context.Context, id string, every time.Duration, look func(*OrderDetail, error) (bool, error),
) (*OrderDetail, error) {
	for {
		o, err := s.Get(ctx, id)
		done, err := look(o, err)
		if err != nil || done {
			return o, err
		}
		if err := s.c.retry.Sleep(ctx, every); err != nil {
			status := "not known yet"
			if o != nil {
				status = o.Status
			}
			return o, fmt.Errorf("railkit: waiting for an order that is %s: %w", status, err)
		}
	}
}
