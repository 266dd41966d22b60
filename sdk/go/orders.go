package railkit

import (
	"context"
	"fmt"
	"iter"
	"net/http"
	"net/url"
	"strings"
	"time"
)

// OrdersService reads orders, cancels them, and waits for what becomes of them.
type OrdersService struct{ c *Client }

const ordersPath = "/v1/orders"

// Order is one payment, over all rails and directions.
type Order struct {
	ID        string `json:"id"`
	Reference string `json:"reference"`
	Type      string `json:"type"`   // off_ramp | on_ramp | global_payment
	Origin    string `json:"origin"` // withdraw_address | quote
	// awaiting | funds_received | in_review | payment_submitted | completed | canceled | expired | returned | error
	Status  string   `json:"status"`
	Labels  []string `json:"labels"` // under | over | late | repriced
	Version int64    `json:"version"`
	Size    string   `json:"size"`
	Pair    string   `json:"pair"` // USDC/MXN

	RecipientID          string `json:"recipientId"`
	RecipientName        string `json:"recipientName"`
	BeneficiaryAccountID string `json:"beneficiaryAccountId"`
	WithdrawAddressID    string `json:"withdrawAddressId"`
	QuoteID              string `json:"quoteId"`

	Source         OrderSource      `json:"source"`
	Destination    OrderDestination `json:"destination"`
	ExpectedAmount string           `json:"expectedAmount"`
	Rate           string           `json:"rate"`
	Fees           []OrderFee       `json:"fees"`
	NetAmount      string           `json:"netAmount"`

	References   OrderReferences `json:"references"`
	ReviewReason string          `json:"reviewReason"`
	DelayReason  string          `json:"delayReason"`
	Failure      *Failure        `json:"failure"`
	Refund       *Refund         `json:"refund"`
	ExpiresAt    string          `json:"expiresAt"`
	CreatedAt    string          `json:"createdAt"`
	UpdatedAt    string          `json:"updatedAt"`
	CompletedAt  string          `json:"completedAt"`
}

// OrderSource is where the money of an order comes from.
type OrderSource struct {
	Amount   string `json:"amount"`
	Currency string `json:"currency"`
	Chain    string `json:"chain"`
	Address  string `json:"address"` // the withdrawal address
	From     string `json:"from"`
}

// OrderDestination is where it goes.
type OrderDestination struct {
	Amount       string `json:"amount"`
	Currency     string `json:"currency"`
	Rail         string `json:"rail"`
	AccountLast4 string `json:"accountLast4"`
}

// OrderFee is one fee of an order.
type OrderFee struct {
	Kind     string `json:"kind"` // network | platform
	Amount   string `json:"amount"`
	Currency string `json:"currency"`
}

// OrderReferences are what others call an order.
type OrderReferences struct {
	DepositTxHash     string `json:"depositTxHash"`
	PartnerTransferID string `json:"partnerTransferId"`
	TrackingKey       string `json:"trackingKey"`
	TraceNumber       string `json:"traceNumber"`
	IMAD              string `json:"imad"`
	Refund            string `json:"refund"`
	RefundTxHash      string `json:"refundTxHash"`
}

// Failure is why money did not arrive.
type Failure struct {
	Code       string `json:"code"`
	Message    string `json:"message"`
	ReturnCode string `json:"returnCode"`
}

// Refund is what is given back.
type Refund struct {
	ID        string `json:"id"`
	Reference string `json:"reference"`
	Status    string `json:"status"` // pending | submitted | completed | failed
	Amount    string `json:"amount"`
	Currency  string `json:"currency"`
	Chain     string `json:"chain"`
	Address   string `json:"address"`
	TxHash    string `json:"txHash"`
	Reason    string `json:"reason"`
}

// OrderDetail is one order with all that is known of it.
type OrderDetail struct {
	Order
	Deposit     *OrderDeposit     `json:"deposit"`
	Rates       *OrderRates       `json:"rates"` // nil without a quote
	Explanation *OrderExplanation `json:"explanation"`
	Timeline    []TimelineEntry   `json:"timeline"` // oldest first
}

// OrderDeposit is the transfer on chain that pays for an order.
type OrderDeposit struct {
	TxHash                string `json:"txHash"`
	From                  string `json:"from"`
	Amount                string `json:"amount"`
	Currency              string `json:"currency"`
	Chain                 string `json:"chain"`
	BlockNumber           uint64 `json:"blockNumber"`
	Confirmations         int    `json:"confirmations"`
	RequiredConfirmations int    `json:"requiredConfirmations"`
	Final                 bool   `json:"final"`
}

// OrderRates are what the partner's desk asked when a quote was made.
type OrderRates struct {
	Midmarket   string `json:"midmarket"`
	Sell        string `json:"sell"`
	SpreadBps   int64  `json:"spreadBps"`
	FetchedAt   string `json:"fetchedAt"`
	PublishedAt string `json:"publishedAt"`
}

// OrderExplanation says where the money goes: Gross = Network + Platform +
// Converted + Residue + Drift, and Converted at Rate is Net.
type OrderExplanation struct {
	Gross       string `json:"gross"`
	Network     string `json:"network"`
	Platform    string `json:"platform"`
	Converted   string `json:"converted"`
	Residue     string `json:"residue"`
	Drift       string `json:"drift"`
	Currency    string `json:"currency"`
	Rate        string `json:"rate"`
	Net         string `json:"net"`
	NetCurrency string `json:"netCurrency"`
	Text        string `json:"text"` // the same for people
}

// TimelineEntry is something that happened to an order.
type TimelineEntry struct {
	Seq        int64             `json:"seq"`
	Type       string            `json:"type"`
	Status     string            `json:"status"` // after it
	At         string            `json:"at"`
	OccurredAt string            `json:"occurredAt"`
	Source     string            `json:"source"` // system | partner | chain | user
	Detail     map[string]string `json:"detail"`
}

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

// Ended says that nothing moves by itself any more. What is returned has ended
// with its refund. What is completed can still be sent back, days later.
func (o Order) Ended() bool {
	switch o.Status {
	case OrderCompleted, OrderCanceled, OrderExpired, OrderError:
		return true
	case OrderReturned:
		return o.Refund.Ended()
	}
	return false
}

// Ended says that the money is back, or that it could not be sent.
func (r *Refund) Ended() bool {
	return r != nil && (r.Status == RefundCompleted || r.Status == RefundFailed)
}

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
