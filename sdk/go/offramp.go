package railkit

import (
	"context"
	"iter"
	"net/http"
	"net/url"
)

const (
	payoutSetupPath = "/v1/payout/accounts/setup"
	withdrawPath    = "/v1/payout/offramp/withdraw-addresses"
)

// LiquidationRequest asks for the withdrawal address of a bank account.
type LiquidationRequest struct {
	BeneficiaryID        string `json:"beneficiaryId"`
	BeneficiaryAccountID string `json:"beneficiaryAccountId"`
	Chain                string `json:"chain"`    // base | polygon | arbitrum
	Currency             string `json:"currency"` // usdc | usdt
}

// LiquidationAddress is a withdrawal address in few words.
type LiquidationAddress struct {
	ID       string `json:"id"`
	Address  string `json:"address"`
	Chain    string `json:"chain"`
	Currency string `json:"currency"`
}

// VirtualAccountRequest asks for the account number that pays a bank account.
type VirtualAccountRequest struct {
	BeneficiaryID        string `json:"beneficiaryId"`
	BeneficiaryAccountID string `json:"beneficiaryAccountId"`
}

// VirtualAccount is where to send MXN that become stablecoins.
type VirtualAccount struct {
	ID            string `json:"id"`
	CLABE         string `json:"clabe"`
	Currency      string `json:"currency"`
	BeneficiaryID string `json:"beneficiaryId"`
}

// WithdrawAddressRequest asks for a withdrawal address.
type WithdrawAddressRequest struct {
	BeneficiaryID        string `json:"beneficiaryId,omitempty"`
	BeneficiaryAccountID string `json:"beneficiaryAccountId"`
	WalletID             string `json:"walletId,omitempty"` // refunds go to its address on the chain
	Chain                string `json:"chain,omitempty"`    // base (default) | polygon | arbitrum
	Currency             string `json:"currency,omitempty"` // usdc (default) | usdt
}

// WithdrawAddress is where stablecoins arrive that go to a bank account.
type WithdrawAddress struct {
	LiquidationAddress
	Reference              string `json:"reference"`
	IntegratorID           string `json:"integratorId"`
	BeneficiaryID          string `json:"beneficiaryId"`
	BeneficiaryAccountID   string `json:"beneficiaryAccountId"`
	WalletID               string `json:"walletId"`
	ReturnAddress          string `json:"returnAddress"` // empty: a refund has nowhere to go
	DestinationCurrency    string `json:"destinationCurrency"`
	DestinationPaymentRail string `json:"destinationPaymentRail"`
	LiquidationAddressID   string `json:"liquidationAddressId"` // the partner's
	Status                 string `json:"status"`               // provisioning | active
	CreatedAt              string `json:"createdAt"`
	UpdatedAt              string `json:"updatedAt"`
}

// Drain is what arrived at a withdrawal address, and what became of it.
type Drain struct {
	ID                    string            `json:"id"`
	WithdrawAddressID     string            `json:"withdrawAddressId"`
	OrderID               string            `json:"orderId"`
	OrderReference        string            `json:"orderReference"`
	PartnerTransferID     string            `json:"partnerTransferId"`
	State                 string            `json:"state"`  // pending | completed | failed
	Status                string            `json:"status"` // detected, funds_received, payment_submitted, payment_processed, ...
	Reason                string            `json:"reason"` // of a canceled one: dust, wrong_token, wrong_chain, ...
	Amount                string            `json:"amount"`
	Currency              string            `json:"currency"`
	Chain                 string            `json:"chain"`
	DepositTxHash         string            `json:"depositTxHash"`
	LogIndex              int64             `json:"logIndex"`
	BlockNumber           int64             `json:"blockNumber"`
	Confirmations         int64             `json:"confirmations"`
	RequiredConfirmations int64             `json:"requiredConfirmations"`
	FromAddress           string            `json:"fromAddress"`
	ExchangeRate          string            `json:"exchangeRate"`
	Fees                  []DrainFee        `json:"fees"`
	Destination           *DrainDestination `json:"destination"`
	Failure               *DrainFailure     `json:"failure"`
	OccurredAt            string            `json:"occurredAt"`
	CreatedAt             string            `json:"createdAt"`
	UpdatedAt             string            `json:"updatedAt"`
}

// DrainFee is a part of the amount that is not paid out.
type DrainFee struct {
	Kind     string `json:"kind"` // network | platform
	Amount   string `json:"amount"`
	Currency string `json:"currency"`
}

// DrainDestination is where the money goes.
type DrainDestination struct {
	Rail            string `json:"rail"`
	Currency        string `json:"currency"`
	Amount          string `json:"amount"`
	BankAccountID   string `json:"bankAccountId"`
	AccountLastFour string `json:"accountLast4"`
	TrackingKey     string `json:"trackingKey"`
	TraceNumber     string `json:"traceNumber"`
	IMAD            string `json:"imad"`
}

// DrainFailure is why money did not arrive.
type DrainFailure struct {
	Code       string `json:"code"`
	Message    string `json:"message"`
	ReturnCode string `json:"returnCode"` // the rail's
}

// SetUpLiquidationAddress gets the withdrawal address of a bank account, which is
// made where there is none.
func (c *Client) SetUpLiquidationAddress(ctx context.Context, req LiquidationRequest) (*LiquidationAddress, error) {
	return data[LiquidationAddress](ctx, c, http.MethodPost, payoutSetupPath+"/liquidation-address", req)
}

// SetUpVirtualAccount gets the CLABE that pays a bank account, which is made where
// there is none. The bank account must have a withdrawal address.
func (c *Client) SetUpVirtualAccount(ctx context.Context, req VirtualAccountRequest) (*VirtualAccount, error) {
	return data[VirtualAccount](ctx, c, http.MethodPost, payoutSetupPath+"/virtual-account", req)
}

// CreateWithdrawAddress gets a withdrawal address, which is made where there is none.
func (c *Client) CreateWithdrawAddress(ctx context.Context, req WithdrawAddressRequest) (*WithdrawAddress, error) {
	return data[WithdrawAddress](ctx, c, http.MethodPost, withdrawPath, req)
}

// WithdrawAddress finds a withdrawal address.
func (c *Client) WithdrawAddress(ctx context.Context, id string) (*WithdrawAddress, error) {
	return data[WithdrawAddress](ctx, c, http.MethodGet, withdrawPath+"/"+url.PathEscape(id), nil)
}

// ListDrains reads one page of what arrived at a withdrawal address, oldest first.
func (c *Client) ListDrains(ctx context.Context, withdrawAddressID string, o ListOptions) (*Page[Drain], error) {
	path := withdrawPath + "/" + url.PathEscape(withdrawAddressID) + "/drains"
	r, err := send[list[Drain]](ctx, c, request{method: http.MethodGet, path: path, query: o.query()})
	if err != nil {
		return nil, err
	}
	return &Page[Drain]{Items: r.Data, Meta: r.Meta}, nil
}

// EachDrain walks what arrived at a withdrawal address, over all pages.
func (c *Client) EachDrain(ctx context.Context, withdrawAddressID string, o ListOptions) iter.Seq2[Drain, error] {
	return each(o, func(at ListOptions) (*Page[Drain], error) { return c.ListDrains(ctx, withdrawAddressID, at) })
}
