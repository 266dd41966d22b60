package railkit

import (
	"context"
	"encoding/json"
	"iter"
	"net/http"
	"net/url"

	"github.com/railkit/railkit/rest"
)

// PaymentsService asks for the price of a payout, accepts it, and reads what was accepted.
type PaymentsService struct{ c *Client }

const payoutAccountsPath = "/v1/payout/accounts"

// QuoteRequest asks what a payout costs. In USDC, USDT, or USD where the account
// is not in USD, the amount is what leaves; in the account's own currency it is
// what arrives. What is empty has to be the recipient's only one.
type QuoteRequest struct {
	BeneficiaryID        string      `json:"beneficiaryId"`
	Amount               json.Number `json:"amount,omitempty"`
	Currency             string      `json:"currency,omitempty"`
	BeneficiaryAccountID string      `json:"beneficiaryAccountId,omitempty"`
	Chain                string      `json:"chain,omitempty"`
	Token                string      `json:"token,omitempty"` // usdc | usdt
}

// Quote is a price that holds until ExpiresAt. Numbers are exact, digit by digit.
type Quote struct {
	QuoteID   string      `json:"quoteId"`
	Amount    json.Number `json:"amount"`   // as asked,
	Currency  string      `json:"currency"` // in this
	Rate      json.Number `json:"rate"`
	Fees      json.Number `json:"fees"`      // in the source's currency
	NetAmount json.Number `json:"netAmount"` // in the bank account's
	ExpiresAt string      `json:"expiresAt"`

	SourceAmount        json.Number  `json:"sourceAmount"` // what leaves: fees and what is converted
	SourceCurrency      string       `json:"sourceCurrency"`
	DestinationCurrency string       `json:"destinationCurrency"`
	FeeBreakdown        FeeBreakdown `json:"feeBreakdown"`
	MidmarketRate       json.Number  `json:"midmarketRate"`
	SpreadBps           int64        `json:"spreadBps"`
	RateFetchedAt       string       `json:"rateFetchedAt"`

	BeneficiaryID        string      `json:"beneficiaryId"`
	BeneficiaryAccountID string      `json:"beneficiaryAccountId"`
	Rail                 string      `json:"rail"`
	EstimatedArrival     string      `json:"estimatedArrival"`
	WithdrawAddressID    string      `json:"withdrawAddressId"`
	WithdrawAddress      string      `json:"withdrawAddress"`
	Chain                string      `json:"chain"`
	Token                string      `json:"token"`
	Limits               QuoteLimits `json:"limits"`
}

// FeeBreakdown is where the source amount of a quote goes: its parts are the whole.
type FeeBreakdown struct {
	Network   json.Number `json:"network"`
	Platform  json.Number `json:"platform"`
	Converted json.Number `json:"converted"`
	Residue   json.Number `json:"residue"`
}

// QuoteLimits are what one payout may be, in the source's currency.
type QuoteLimits struct {
	Minimum json.Number `json:"minimum"`
	Maximum json.Number `json:"maximum"`
}

// What the calls send and answer: see package rest for the fields.
type (
	Payment             = rest.Payment
	DepositInstructions = rest.DepositInstructions
	ExecuteRequest      = rest.ExecuteRequest
	OffRampQuoteRequest = rest.OffRampQuoteRequest
)

// OffRampQuote is a price that nobody is bound to.
type OffRampQuote struct {
	SourceAmount           string      `json:"source_amount"`
	SourceCurrency         string      `json:"source_currency"`
	DestinationAmount      string      `json:"destination_amount"`
	DestinationCurrency    string      `json:"destination_currency"`
	MidmarketRate          string      `json:"midmarket_rate"`
	SellRate               string      `json:"sell_rate"`
	DisplayRate            string      `json:"display_rate"`
	NetworkFeePercent      json.Number `json:"network_fee_percent"`
	NetworkFeeAmount       string      `json:"network_fee_amount"`
	ServiceFeePercent      json.Number `json:"service_fee_percent"`
	ServiceFeeAmount       string      `json:"service_fee_amount"`
	TotalFeePercent        json.Number `json:"total_fee_percent"`
	TotalFeeAmount         string      `json:"total_fee_amount"`
	EstimatedArrival       string      `json:"estimated_arrival"`
	DestinationPaymentRail string      `json:"destination_payment_rail"`
}

// Quote asks what a payout costs and holds the price for a few minutes.
func (s *PaymentsService) Quote(ctx context.Context, req QuoteRequest) (*Quote, error) {
	return data[Quote](ctx, s.c, http.MethodPost, payoutAccountsPath+"/quote", req)
}

// Execute accepts a quote. The same quote again gives the same payment.
func (s *PaymentsService) Execute(ctx context.Context, req ExecuteRequest) (*Payment, error) {
	return data[Payment](ctx, s.c, http.MethodPost, payoutAccountsPath+"/execute", req)
}

// Get reads a payment by its reference.
func (s *PaymentsService) Get(ctx context.Context, reference string) (*Payment, error) {
	return data[Payment](ctx, s.c, http.MethodGet, payoutAccountsPath+"/"+url.PathEscape(reference)+"/status", nil)
}

// List reads one page of payments, newest first.
func (s *PaymentsService) List(ctx context.Context, o ListOptions) (*Page[Payment], error) {
	return list[Payment](ctx, s.c, payoutAccountsPath, o.query(), nil)
}

// All walks the payments of all pages.
func (s *PaymentsService) All(ctx context.Context, o ListOptions) iter.Seq2[Payment, error] {
	return each(o, func(at ListOptions) (*Page[Payment], error) { return s.List(ctx, at) })
}

// QuoteOffRamp asks what stablecoin gives at a bank now.
func (s *PaymentsService) QuoteOffRamp(ctx context.Context, req OffRampQuoteRequest) (*OffRampQuote, error) {
	return data[OffRampQuote](ctx, s.c, http.MethodPost, "/v1/payout/offramp/quote", req)
}
