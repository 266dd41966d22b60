package railkit

import (
	"context"
	"iter"
	"net/http"
	"net/url"
	"strconv"
	"strings"
)

const ordersPath = "/v1/orders"

// Order is one payment, over all rails and directions.
type Order struct {
	ID        string   `json:"id"`
	Reference string   `json:"reference"`
	Type      string   `json:"type"`   // off_ramp | on_ramp | global_payment
	Origin    string   `json:"origin"` // withdraw_address | quote
	Status    string   `json:"status"` // awaiting | funds_received | in_review | payment_submitted | completed | canceled | expired | returned | error
	Labels    []string `json:"labels"` // under | over | late | repriced
	Version   int64    `json:"version"`
	Size      string   `json:"size"`
	Pair      string   `json:"pair"` // USDC/MXN

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
		"status": strings.Join(o.Statuses, ","), "type": strings.Join(o.Types, ","), "size": strings.Join(o.Sizes, ","), "pair": o.Pair,
		"recipientId": o.RecipientID, "beneficiary_legal_name": o.RecipientName, "beneficiary_account_id": o.BankAccountID,
		"withdrawAddressId": o.WithdrawAddressID, "from": o.From, "to": o.To, "q": o.Search, "reference": o.Reference, "txHash": o.TxHash,
	} {
		if value != "" {
			q.Set(name, value)
		}
	}
	return q
}

func ofOrder(id string) string { return ordersPath + "/" + url.PathEscape(id) }

// ListOrders reads one page of orders, newest first. Meta.Counts says how many
// of each status the other filters select.
func (c *Client) ListOrders(ctx context.Context, o OrderListOptions) (*Page[Order], error) {
	r, err := send[[]Order](ctx, c, request{method: http.MethodGet, path: ordersPath, query: o.query()})
	if err != nil {
		return nil, err
	}
	return &Page[Order]{Items: r.Data, Meta: r.Meta}, nil
}

// EachOrder walks the orders of all pages.
func (c *Client) EachOrder(ctx context.Context, o OrderListOptions) iter.Seq2[Order, error] {
	return each(o.ListOptions, func(at ListOptions) (*Page[Order], error) {
		o.ListOptions = at
		return c.ListOrders(ctx, o)
	})
}

// GetOrder reads an order by its id or any reference.
func (c *Client) GetOrder(ctx context.Context, idOrReference string) (*OrderDetail, error) {
	return data[OrderDetail](ctx, c, http.MethodGet, ofOrder(idOrReference), nil)
}

// CancelOrder ends an order that still waits for its deposit. A canceled one stays so.
func (c *Client) CancelOrder(ctx context.Context, idOrReference string) (*Order, error) {
	return data[Order](ctx, c, http.MethodPost, ofOrder(idOrReference)+"/cancel", nil)
}

// RecipientOrder is an order in the list of its recipient.
type RecipientOrder struct {
	ID                  string `json:"id"`
	Reference           string `json:"reference"`
	Status              string `json:"status"` // pending | processing | completed | failed
	SourceAmount        string `json:"source_amount"`
	SourceCurrency      string `json:"source_currency"`
	DestinationAmount   string `json:"destination_amount"`
	DestinationCurrency string `json:"destination_currency"`
	CreatedAt           string `json:"created_at"`
	CompletedAt         string `json:"completed_at"`
	FailureReason       string `json:"failure_reason"`
}

// ListRecipientOrders reads the newest orders of a recipient: 5 unless limit says
// another number, up to 50.
func (c *Client) ListRecipientOrders(ctx context.Context, recipientID string, limit int) ([]RecipientOrder, error) {
	q := url.Values{}
	if limit > 0 {
		q.Set("limit", strconv.Itoa(limit))
	}
	r, err := send[[]RecipientOrder](ctx, c, request{method: http.MethodGet, path: ofRecipient(recipientID) + "/orders", query: q})
	if err != nil {
		return nil, err
	}
	return r.Data, nil
}
