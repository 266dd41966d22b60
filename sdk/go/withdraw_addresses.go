package railkit

import (
	"cmp"
	"context"
	"iter"
	"net/http"
	"net/url"
	"strings"
)

// WithdrawAddressesService makes the addresses that lead to bank accounts, and reads what arrived at them.
type WithdrawAddressesService struct{ c *Client }

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
	WalletID             string `json:"walletId,omitempty"` // the enclave's id; refunds go to its address on the chain
	Chain                string `json:"chain,omitempty"`    // base (default) | polygon | arbitrum
	Currency             string `json:"currency,omitempty"` // usdc (default) | usdt
}

// WithdrawAddress is where stablecoins arrive that go to a bank account.
type WithdrawAddress struct {
	LiquidationAddress
	Reference              string         `json:"reference"`
	IntegratorID           string         `json:"integratorId"`
	BeneficiaryID          string         `json:"beneficiaryId"`
	BeneficiaryAccountID   string         `json:"beneficiaryAccountId"`
	WalletID               string         `json:"walletId"`
	ReturnAddress          string         `json:"returnAddress"` // empty: a refund has nowhere to go
	PendingReturn          *PendingReturn `json:"pendingReturn"` // nil: no change of it waits
	DestinationCurrency    string         `json:"destinationCurrency"`
	DestinationPaymentRail string         `json:"destinationPaymentRail"`
	LiquidationAddressID   string         `json:"liquidationAddressId"` // the partner's
	Status                 string         `json:"status"`               // provisioning | active
	CreatedAt              string         `json:"createdAt"`
	UpdatedAt              string         `json:"updatedAt"`
}

// PendingReturn is another place for refunds, which counts from EffectiveAt on.
type PendingReturn struct {
	WalletID      string `json:"walletId"`
	ReturnAddress string `json:"returnAddress"`
	EffectiveAt   string `json:"effectiveAt"`
}

// ReturnAddressRequest asks for another place for refunds.
type ReturnAddressRequest struct {
	WalletID string `json:"walletId"` // the enclave's id; refunds will go to its address on the chain
}

// Drain is what arrived at a withdrawal address, and what became of it.
type Drain struct {
	ID                string `json:"id"`
	WithdrawAddressID string `json:"withdrawAddressId"`
	OrderID           string `json:"orderId"`
	OrderReference    string `json:"orderReference"`
	PartnerTransferID string `json:"partnerTransferId"`
	State             string `json:"state"` // pending | completed | failed
	// Detected, funds_received, payment_submitted, payment_processed, ...
	Status                string            `json:"status"`
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
// made where there is none. What the server answers is held against the request
// and against what this client saw before.
func (s *WithdrawAddressesService) SetUpLiquidationAddress(
	ctx context.Context, req LiquidationRequest,
) (*LiquidationAddress, error) {
	got, err := data[LiquidationAddress](ctx, s.c, http.MethodPost, payoutSetupPath+"/liquidation-address", req)
	if err == nil {
		err = s.matchPayee(Payee{req.BeneficiaryAccountID, req.Chain, req.Currency}, got)
	}
	if err != nil {
		return nil, err
	}
	return got, nil
}

// SetUpVirtualAccount gets the CLABE that pays a bank account, which is made where
// there is none. The bank account must have a withdrawal address.
func (s *WithdrawAddressesService) SetUpVirtualAccount(
	ctx context.Context, req VirtualAccountRequest,
) (*VirtualAccount, error) {
	return data[VirtualAccount](ctx, s.c, http.MethodPost, payoutSetupPath+"/virtual-account", req)
}

// Create gets a withdrawal address, which is made where there is
// none. What the server answers is held against the request and against what this
// client saw before; a client's first sight of an address nobody can check.
func (s *WithdrawAddressesService) Create(ctx context.Context, req WithdrawAddressRequest) (*WithdrawAddress, error) {
	return s.call(ctx, http.MethodPost, withdrawPath, req, func(a *WithdrawAddress) error { return req.match(s, a) })
}

// Get finds a withdrawal address. It is held against what this client
// saw before.
func (s *WithdrawAddressesService) Get(ctx context.Context, id string) (*WithdrawAddress, error) {
	return s.call(ctx, http.MethodGet, ofWithdrawAddress(id), nil, s.matchID(id))
}

// ChangeReturnAddress has refunds go to another wallet, once the change has waited
// as long as a new bank account does. Only a member can end the wait earlier.
func (s *WithdrawAddressesService) ChangeReturnAddress(
	ctx context.Context, id string, req ReturnAddressRequest,
) (*WithdrawAddress, error) {
	return s.call(ctx, http.MethodPost, ofWithdrawAddress(id)+"/return-address", req, func(a *WithdrawAddress) error {
		if (a.PendingReturn == nil || a.PendingReturn.WalletID != req.WalletID) && a.WalletID != req.WalletID {
			return tampered(ReasonAddress, "refunds will go to another wallet than was asked for")
		}
		return s.matchID(id)(a)
	})
}

// CancelReturnAddress drops a change of where refunds go that has not taken effect.
func (s *WithdrawAddressesService) CancelReturnAddress(ctx context.Context, id string) (*WithdrawAddress, error) {
	return s.call(ctx, http.MethodPost, ofWithdrawAddress(id)+"/return-address/cancel", nil, s.matchID(id))
}

func ofWithdrawAddress(id string) string { return withdrawPath + "/" + url.PathEscape(id) }

// call is a call whose answer has to match.
func (s *WithdrawAddressesService) call(
	ctx context.Context, method, path string, req any, match func(*WithdrawAddress) error,
) (*WithdrawAddress, error) {
	got, err := data[WithdrawAddress](ctx, s.c, method, path, req)
	if err == nil {
		err = match(got)
	}
	if err != nil {
		return nil, err
	}
	return got, nil
}

// match holds an answer against the request.
func (req WithdrawAddressRequest) match(s *WithdrawAddressesService, a *WithdrawAddress) error {
	if req.WalletID != "" && a.WalletID != req.WalletID {
		return tampered(ReasonAddress, "refunds go to another wallet than was asked for")
	}
	want := Payee{req.BeneficiaryAccountID, cmp.Or(req.Chain, "base"), cmp.Or(req.Currency, "usdc")}
	if !strings.EqualFold(a.BeneficiaryAccountID, want.BankAccountID) {
		return tampered(ReasonAddress, "the address is for another bank account than was asked for")
	}
	if req.BeneficiaryID != "" && !strings.EqualFold(a.BeneficiaryID, req.BeneficiaryID) {
		return tampered(ReasonAddress, "the address is for another recipient than was asked for")
	}
	return s.matchPayee(want, &a.LiquidationAddress)
}

// matchID holds an answer against the id that was asked for.
func (s *WithdrawAddressesService) matchID(id string) func(*WithdrawAddress) error {
	return func(a *WithdrawAddress) error {
		if !strings.EqualFold(a.ID, id) {
			return tampered(ReasonAddress, "the answer is about another withdrawal address than was asked for")
		}
		return s.matchPayee(Payee{a.BeneficiaryAccountID, a.Chain, a.Currency}, &a.LiquidationAddress)
	}
}

// matchPayee holds an address against what it is for, and remembers it.
func (s *WithdrawAddressesService) matchPayee(want Payee, got *LiquidationAddress) error {
	if got.Chain != want.Chain || got.Currency != want.Currency {
		return tampered(ReasonAddress, "the address is for another chain or stablecoin than was asked for")
	}
	err := s.c.memory.rememberID(got.ID, want)
	if err != nil || got.Address == "" { // the partner is being asked for it
		return err
	}
	return s.c.memory.RememberAddress(want, got.Address)
}

// ListDrains reads one page of what arrived at a withdrawal address, oldest first.
func (s *WithdrawAddressesService) ListDrains(
	ctx context.Context, withdrawAddressID string, o ListOptions,
) (*Page[Drain], error) {
	return list[Drain](ctx, s.c, ofWithdrawAddress(withdrawAddressID)+"/drains", o.query(), nil)
}

// AllDrains walks what arrived at a withdrawal address, over all pages.
func (s *WithdrawAddressesService) AllDrains(
	ctx context.Context, withdrawAddressID string, o ListOptions,
) iter.Seq2[Drain, error] {
	return each(o, func(at ListOptions) (*Page[Drain], error) { return s.ListDrains(ctx, withdrawAddressID, at) })
}
