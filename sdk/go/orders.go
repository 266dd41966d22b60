package railkit

import (
	"context"
	"fmt"
	"io"
	"iter"
	"net/http"
	"net/url"
	"strconv"
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
	return filtered(o.ListOptions.query(), map[string]string{
		"status": strings.Join(o.Statuses, ","), "type": strings.Join(o.Types, ","), "size": strings.Join(o.Sizes, ","),
		"pair": o.Pair, "recipientId": o.RecipientID, "beneficiary_legal_name": o.RecipientName,
		"beneficiary_account_id": o.BankAccountID, "withdrawAddressId": o.WithdrawAddressID, "from": o.From, "to": o.To,
		"q": o.Search, "reference": o.Reference, "txHash": o.TxHash,
	})
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

// OrderExportOptions select orders as the list does. ListOptions do not count: an export has no pages.
type OrderExportOptions struct {
	OrderListOptions
	Format string // csv, which is the default, or jsonl: each line is an Order
}

func (o OrderExportOptions) query() url.Values {
	o.ListOptions = ListOptions{}
	q := o.OrderListOptions.query()
	if o.Format != "" {
		q.Set("format", o.Format)
	}
	return q
}

// Export writes all orders that the options select to w, newest first. After an error, what was
// written is incomplete. The context bounds it, not the client's timeout.
func (s *OrdersService) Export(ctx context.Context, w io.Writer, o OrderExportOptions) error {
	return s.c.download(ctx, request{method: http.MethodGet, path: ordersPath + "/export", query: o.query()}, w)
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
	return s.wait(ctx, idOrReference, same(every), func(o *OrderDetail, err error) (bool, error) {
		return err == nil && o.Ended(), err
	})
}

// WaitDeposit polls until a transfer on chain has an order: until its transaction
// is in a block, and the server has seen it there.
func (s *OrdersService) WaitDeposit(ctx context.Context, txHash string, every time.Duration) (*OrderDetail, error) {
	return s.wait(ctx, txHash, same(every), func(_ *OrderDetail, err error) (bool, error) {
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
	return s.wait(ctx, idOrReference, same(every), func(o *OrderDetail, err error) (bool, error) {
		if err != nil || o.Refund.Ended() {
			return err == nil, err
		}
		if o.Ended() && o.Status != OrderCompleted {
			return false, fmt.Errorf("railkit: the order is %s, and nothing is refunded", o.Status)
		}
		return false, nil
	})
}

// same is a pause that does not change.
func same(every time.Duration) func() time.Duration { return func() time.Duration { return every } }

func (s *OrdersService) wait(
	ctx context.Context, id string, pause func() time.Duration, look func(*OrderDetail, error) (bool, error),
) (*OrderDetail, error) {
	for {
		o, err := s.Get(ctx, id)
		done, err := look(o, err)
		if err != nil || done {
			return o, err
		}
		if err := s.c.retry.Sleep(ctx, pause()); err != nil {
			status := "not known yet"
			if o != nil {
				status = o.Status
			}
			return o, fmt.Errorf("railkit: waiting for an order that is %s: %w", status, err)
		}
	}
}

// slowest is how many times longer than the first pause the pauses of WaitSettlement become.
const slowest = 20

// pauses are the pauses of a wait: each is half as long again as the one before, up to a bound.
type pauses struct{ next, most time.Duration }

func newPauses(first time.Duration) *pauses { return &pauses{first, slowest * first} }

// take is the next pause.
func (p *pauses) take() time.Duration {
	now := p.next
	p.next = min(p.most, now+now/2)
	return now
}

// WaitSettlement polls until the order of a bank transfer to an account number is done: completed (the coins are final
// in the wallet; of a global payment, the recipient's bank has the money), returned (the depositor has the money again)
// or error (a person has to look). The order is named by its id or any reference, such as the bank's own of the
// transfer; one that is not there yet is waited for. The first pause is the one given, later ones are up to twenty
// times as long. The context bounds it.
//
// A completed order is not the last word: a bank can take its money back for days, and the order is returned then, with
// a receivable.
func (s *OrdersService) WaitSettlement(
	ctx context.Context, idOrReference string, first time.Duration,
) (*OrderDetail, error) {
	pace := newPauses(first)
	return s.wait(ctx, idOrReference, pace.take, func(o *OrderDetail, err error) (bool, error) {
		if IsNotFound(err) {
			return false, nil
		}
		if err == nil && o.PayIn == nil {
			err = fmt.Errorf("railkit: order %s was not paid by a bank transfer", o.Reference)
		}
		return err == nil && o.Ended(), err
	})
}

// PaymentsService asks for the price of a payout, accepts it, and reads what was accepted.
type PaymentsService struct{ c *Client }

const payoutAccountsPath = "/v1/payout/accounts"

// What the calls send and answer: see package rest for the fields.
type (
	Payment             = rest.Payment
	DepositInstructions = rest.DepositInstructions
	ExecuteRequest      = rest.ExecuteRequest
	QuoteRequest        = rest.QuoteRequest
	Quote               = rest.Quote
	FeeBreakdown        = rest.FeeBreakdown
	QuoteFunding        = rest.Funding
	QuoteLimits         = rest.AmountLimits
	Estimate            = rest.Estimate
	OffRampQuote        = rest.OffRampQuote
	OnRampQuote         = rest.OnRampQuote
	OffRampQuoteRequest = rest.OffRampQuoteRequest
	OnRampQuoteRequest  = rest.OnRampQuoteRequest
)

// Quote asks what a payout costs and holds the price for a few minutes. Its withdrawal address is held against what
// this client saw before, as are those of payments.
func (s *PaymentsService) Quote(ctx context.Context, req QuoteRequest) (*Quote, error) {
	q, err := data[Quote](ctx, s.c, http.MethodPost, payoutAccountsPath+"/quote", req)
	if err == nil {
		err = s.c.memory.rememberQuote(req, q)
	}
	return checked(q, err)
}

// Execute accepts a quote. The same quote again gives the same payment.
func (s *PaymentsService) Execute(ctx context.Context, req ExecuteRequest) (*Payment, error) {
	p, err := data[Payment](ctx, s.c, http.MethodPost, payoutAccountsPath+"/execute", req)
	if err == nil {
		err = s.c.memory.rememberExecuted(req, p)
	}
	return checked(p, err)
}

// Get reads a payment by its reference.
func (s *PaymentsService) Get(ctx context.Context, reference string) (*Payment, error) {
	p, err := data[Payment](ctx, s.c, http.MethodGet, payoutAccountsPath+"/"+url.PathEscape(reference)+"/status", nil)
	if err == nil {
		err = s.c.memory.rememberPayment(p)
	}
	return checked(p, err)
}

// List reads one page of payments, newest first.
func (s *PaymentsService) List(ctx context.Context, o ListOptions) (*Page[Payment], error) {
	return list(ctx, s.c, payoutAccountsPath, o.query(), s.c.memory.rememberPayment)
}

// All walks the payments of all pages.
func (s *PaymentsService) All(ctx context.Context, o ListOptions) iter.Seq2[Payment, error] {
	return each(o, func(at ListOptions) (*Page[Payment], error) { return s.List(ctx, at) })
}

// QuoteOffRamp asks what stablecoin gives at a bank now.
func (s *PaymentsService) QuoteOffRamp(ctx context.Context, req OffRampQuoteRequest) (*OffRampQuote, error) {
	return data[OffRampQuote](ctx, s.c, http.MethodPost, "/v1/payout/offramp/quote", req)
}

// QuoteOnRamp asks what a deposit of fiat money gives in stablecoin now.
func (s *PaymentsService) QuoteOnRamp(ctx context.Context, req OnRampQuoteRequest) (*OnRampQuote, error) {
	return data[OnRampQuote](ctx, s.c, http.MethodPost, "/v1/payout/onramp/quote", req)
}

// BatchesService makes many payments together or not at all: Preview, look at what is wrong, Execute.
type BatchesService struct{ c *Client }

const batchesPath = "/v1/payout/batches"

// What the calls send and answer: see package rest for the fields.
type (
	BatchRequest = rest.BatchRequest
	BatchPayment = rest.BatchPayment
	Batch        = rest.Batch
	BatchDetail  = rest.BatchDetail
	BatchSum     = rest.BatchSum
	BatchIssue   = rest.BatchIssue
	BatchAddress = rest.BatchAddress
	BatchRow     = rest.BatchRow

	BatchExecuteRequest = rest.BatchExecuteRequest
)

// BatchRowOptions select a page of a batch's rows. Zero fields are the server's defaults.
type BatchRowOptions struct {
	Page  int
	Limit int // 200 by default, 1000 at most: all rows
}

func ofBatch(id string) string { return batchesPath + "/" + url.PathEscape(id) }

// Preview checks and prices many payments, and pays nothing. Errors of rows are in the answer, all of them at once.
func (s *BatchesService) Preview(ctx context.Context, req BatchRequest) (*BatchDetail, error) {
	return s.matched(data[BatchDetail](ctx, s.c, http.MethodPost, batchesPath, req))
}

// PreviewCSV is Preview of the rows of a CSV.
func (s *BatchesService) PreviewCSV(ctx context.Context, csv []byte) (*BatchDetail, error) {
	return s.matched(data[BatchDetail](ctx, s.c, http.MethodPost, batchesPath, textBody{"text/csv", csv}))
}

// Execute makes an order of each row, or none. The same batch again gives the same orders. Each order that waits needs
// a deposit of its own, to its DepositInstructions.
func (s *BatchesService) Execute(ctx context.Context, id string) (*BatchDetail, error) {
	return s.ExecuteWith(ctx, id, BatchExecuteRequest{})
}

// ExecuteWith is Execute with PayAgain: a batch whose preview marks rows as paid before (RowsPaidBefore) is refused
// without it.
func (s *BatchesService) ExecuteWith(ctx context.Context, id string, req BatchExecuteRequest) (*BatchDetail, error) {
	return s.matched(data[BatchDetail](ctx, s.c, http.MethodPost, ofBatch(id)+"/execute", req))
}

// Cancel ends a batch that is not executed. A canceled one stays so.
func (s *BatchesService) Cancel(ctx context.Context, id string) (*Batch, error) {
	return data[Batch](ctx, s.c, http.MethodPost, ofBatch(id)+"/cancel", nil)
}

// Get reads a batch with a page of its rows. Its Addresses are of all rows; those whose rows are on other pages are not
// held against anything.
func (s *BatchesService) Get(ctx context.Context, id string, o BatchRowOptions) (*BatchDetail, error) {
	q := url.Values{}
	for name, n := range map[string]int{"page": o.Page, "limit": o.Limit} {
		if n > 0 {
			q.Set(name, strconv.Itoa(n))
		}
	}
	r, err := send[BatchDetail](ctx, s.c, request{method: http.MethodGet, path: ofBatch(id), query: q})
	if err != nil {
		return nil, err
	}
	return s.matched(&r.Data, nil)
}

// List reads one page of batches, newest first.
func (s *BatchesService) List(ctx context.Context, o ListOptions) (*Page[Batch], error) {
	return list[Batch](ctx, s.c, batchesPath, o.query(), nil)
}

// All walks the batches of all pages.
func (s *BatchesService) All(ctx context.Context, o ListOptions) iter.Seq2[Batch, error] {
	return each(o, func(at ListOptions) (*Page[Batch], error) { return s.List(ctx, at) })
}

// matched holds the addresses of an answer against those that this client saw before, as WithdrawAddresses.Create does:
// a bank account has the same one for ever.
func (s *BatchesService) matched(b *BatchDetail, err error) (*BatchDetail, error) {
	if err != nil {
		return nil, err
	}
	uses := map[string]AddressUse{}
	for _, r := range b.Rows {
		if r.WithdrawAddressID == "" {
			continue
		}
		use := AddressUse{r.BeneficiaryAccountID, r.Chain, r.Token}
		if err := s.c.memory.rememberID(r.WithdrawAddressID, use); err != nil {
			return nil, err
		}
		uses[r.WithdrawAddressID] = use
		if err := s.matchInstructions(use, r.DepositInstructions); err != nil {
			return nil, err
		}
	}
	for _, a := range b.Addresses {
		use, known := uses[a.WithdrawAddressID]
		if !known {
			continue
		}
		if err := s.matchInstructions(use, &rest.DepositInstructions{
			Address: a.Address, Chain: a.Chain, Token: a.Token,
		}); err != nil {
			return nil, err
		}
	}
	return b, nil
}

func (s *BatchesService) matchInstructions(use AddressUse, d *DepositInstructions) error {
	if d == nil {
		return nil
	}
	if d.Chain != use.Chain || d.Token != use.Currency {
		return tampered(ReasonAddress, "the deposit is to be on another chain or in another stablecoin than the row says")
	}
	return s.c.memory.RememberAddress(use, d.Address)
}

const statementsPath = "/v1/payout/statements"

// What the platform held in a period, and what moved it: see package rest for the fields.
type (
	AccountStatement = rest.AccountStatement
	StatementBalance = rest.StatementBalance
	StatementDay     = rest.StatementDay
	StatementLine    = rest.StatementLine
	Reconciliation   = rest.Reconciliation
	Difference       = rest.Difference
)

// Period is from the first day to the last one, as 2026-11-01. Days are days of UTC; a period has 366 at most.
type Period struct{ From, To string }

func (p Period) query(format string) url.Values {
	return url.Values{"from": {p.From}, "to": {p.To}, "format": {format}}
}

// StatementsService says what the platform held, and what moved it. The balance of each currency is money that has
// come and is neither paid out, converted nor sent back. An AccountStatement has the first 1,000 lines; a CSV, which
// the other methods write to w, has all. After an error, what was written is incomplete.
type StatementsService struct{ c *Client }

// Daily is the workspace's statement, with the balances of each day.
func (s *StatementsService) Daily(ctx context.Context, p Period) (*AccountStatement, error) {
	return s.get(ctx, "/days", p)
}

// DailyCSV writes the workspace's statement by days.
func (s *StatementsService) DailyCSV(ctx context.Context, w io.Writer, p Period) error {
	return s.csv(ctx, w, "/days", p)
}

// OfRecipient is a recipient's statement.
func (s *StatementsService) OfRecipient(ctx context.Context, recipientID string, p Period) (*AccountStatement, error) {
	return s.get(ctx, "/recipients/"+url.PathEscape(recipientID), p)
}

// OfRecipientCSV writes a recipient's statement.
func (s *StatementsService) OfRecipientCSV(ctx context.Context, w io.Writer, recipientID string, p Period) error {
	return s.csv(ctx, w, "/recipients/"+url.PathEscape(recipientID), p)
}

// OfDepositAccount is the statement of a deposit account.
func (s *StatementsService) OfDepositAccount(ctx context.Context, id string, p Period) (*AccountStatement, error) {
	return s.get(ctx, "/deposit-accounts/"+url.PathEscape(id), p)
}

// OfDepositAccountCSV writes the statement of a deposit account.
func (s *StatementsService) OfDepositAccountCSV(ctx context.Context, w io.Writer, id string, p Period) error {
	return s.csv(ctx, w, "/deposit-accounts/"+url.PathEscape(id), p)
}

// Reconciliation is what the last check of the workspace's books found.
func (s *StatementsService) Reconciliation(ctx context.Context) (*Reconciliation, error) {
	r, err := send[Reconciliation](ctx, s.c, request{method: http.MethodGet, path: "/v1/payout/reconciliation"})
	if err != nil {
		return nil, err
	}
	return &r.Data, nil
}

func (s *StatementsService) get(ctx context.Context, path string, p Period) (*AccountStatement, error) {
	r, err := send[AccountStatement](
		ctx, s.c, request{method: http.MethodGet, path: statementsPath + path, query: p.query("json")},
	)
	if err != nil {
		return nil, err
	}
	return &r.Data, nil
}

func (s *StatementsService) csv(ctx context.Context, w io.Writer, path string, p Period) error {
	return s.c.download(ctx, request{method: http.MethodGet, path: statementsPath + path, query: p.query("csv")}, w)
}
