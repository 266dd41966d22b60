package railkit

import (
	"cmp"
	"context"
	"iter"
	"net/http"
	"net/url"
	"strconv"
	"strings"

	"github.com/railkit/railkit/enclave/wire"
	"github.com/railkit/railkit/rest"
)

// WithdrawAddressesService makes the addresses that lead to bank accounts, and reads what arrived at them.
type WithdrawAddressesService struct{ c *Client }

const (
	payoutSetupPath = "/v1/payout/accounts/setup"
	withdrawPath    = "/v1/payout/offramp/withdraw-addresses"
)

// What the calls send and answer: see package rest for the fields.
type (
	Drain                  = rest.Drain
	DrainFee               = rest.DrainFee
	DrainDestination       = rest.DrainDestination
	DrainFailure           = rest.PaymentFailure
	LiquidationRequest     = rest.LiquidationAddressRequest
	WithdrawAddressRequest = rest.WithdrawAddressRequest
	LiquidationAddress     = rest.LiquidationAddress
	PendingReturn          = rest.Return
	ReturnAddressRequest   = rest.ReturnRequest
	VirtualAccountRequest  = rest.VirtualAccountRequest
	VirtualAccount         = rest.VirtualAccount
)

// WithdrawAddress is where stablecoins arrive that go to a bank account: see package rest for the fields.
type WithdrawAddress struct {
	rest.WithdrawAddress
	// Payee is the address in the book of payees of the wallet that refunds go to, by the server's word, but for
	// Prepared. Nil where there is no wallet or, of Get, where the book does not have the address.
	Payee *WithdrawPayee `json:"payee,omitempty"`
}

// WithdrawPayee is a withdrawal address as a payee.
type WithdrawPayee struct {
	Status string `json:"status"` // prepared | in_book | unavailable
	ID     string `json:"id,omitempty"`
	Name   string `json:"name,omitempty"`
	// Prepared is for PayeesService.AddPrepared. Create has held it against the address; whether the bank account is
	// the right one only the owner knows, who has to see Prepared.Shown.Payee.
	Prepared *Prepared `json:"prepared,omitempty"`
	Code     string    `json:"code,omitempty"`   // why there is none, as an error's code
	Reason   string    `json:"reason,omitempty"` // the same in words
}

// SetUpLiquidationAddress gets the withdrawal address of a bank account, which is
// made where there is none. What the server answers is held against the request
// and against what this client saw before.
func (s *WithdrawAddressesService) SetUpLiquidationAddress(
	ctx context.Context, req LiquidationRequest,
) (*LiquidationAddress, error) {
	got, err := data[LiquidationAddress](ctx, s.c, http.MethodPost, payoutSetupPath+"/liquidation-address", req)
	if err == nil {
		err = s.matchUse(AddressUse{req.BeneficiaryAccountID, req.Chain, req.Currency}, got)
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
// client saw before; a client's first sight of an address nobody can check. Where the request names a wallet, the
// answer's Payee.Prepared is what one of the wallet's passkeys stamps to have the address in its book of payees.
func (s *WithdrawAddressesService) Create(ctx context.Context, req WithdrawAddressRequest) (*WithdrawAddress, error) {
	r, err := send[WithdrawAddress](ctx, s.c, request{method: http.MethodPost, path: withdrawPath, body: req})
	if err == nil {
		err = s.match(req, &r.Data)
	}
	if err == nil {
		err = s.matchPayee(ctx, req, r)
	}
	if err != nil {
		return nil, err
	}
	return &r.Data, nil
}

// matchPayee holds what is to be stamped for the payee against the address, in the body and in the enclave's words.
func (s *WithdrawAddressesService) matchPayee(
	ctx context.Context, req WithdrawAddressRequest, r *reply[WithdrawAddress],
) error {
	a := &r.Data
	if s.c.verify == nil || a.Payee == nil || a.Payee.Prepared == nil {
		return nil
	}
	body, shown, err := s.c.preview(ctx, a.Payee.Prepared, wire.AddPayee, r.Floor, r.Replayed)
	if err != nil {
		return err
	}
	asked, err := payeeAsked(body)
	if err != nil {
		return err
	}
	if asked.Kind != BankAccountPayee || asked.BankAccount == nil || asked.Network != a.Chain ||
		!sameAddress(asked.Address, a.Address) {
		return tampered(ReasonBody, "the body adds another payee than the withdrawal address and its bank account")
	}
	if asked.Name != cmp.Or(strings.TrimSpace(req.PayeeName), a.Payee.Name) {
		return tampered(ReasonBody, "the body gives the payee another name than was asked for or told")
	}
	if shown.Payee == nil || !asked.is(*shown.Payee) {
		return tampered(ReasonPreview, "the enclave shows another payee than the withdrawal address and its bank account")
	}
	a.Payee.Prepared.Shown = shown
	return nil
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
func (s *WithdrawAddressesService) match(req WithdrawAddressRequest, a *WithdrawAddress) error {
	named := a.WalletID
	if named == "" && a.PendingReturn != nil { // the first wallet that is named waits before it gets refunds
		named = a.PendingReturn.WalletID
	}
	if req.WalletID != "" && named != req.WalletID {
		return tampered(ReasonAddress, "refunds go to another wallet than was asked for")
	}
	want := AddressUse{req.BeneficiaryAccountID, cmp.Or(req.Chain, "base"), cmp.Or(req.Currency, "usdc")}
	if !strings.EqualFold(a.BeneficiaryAccountID, want.BankAccountID) {
		return tampered(ReasonAddress, "the address is for another bank account than was asked for")
	}
	if req.BeneficiaryID != "" && !strings.EqualFold(a.BeneficiaryID, req.BeneficiaryID) {
		return tampered(ReasonAddress, "the address is for another recipient than was asked for")
	}
	return s.matchUse(want, inShort(a))
}

// matchID holds an answer against the id that was asked for.
func (s *WithdrawAddressesService) matchID(id string) func(*WithdrawAddress) error {
	return func(a *WithdrawAddress) error {
		if !strings.EqualFold(a.ID, id) {
			return tampered(ReasonAddress, "the answer is about another withdrawal address than was asked for")
		}
		return s.matchUse(AddressUse{a.BeneficiaryAccountID, a.Chain, a.Currency}, inShort(a))
	}
}

// inShort is a withdrawal address in few words.
func inShort(a *WithdrawAddress) *LiquidationAddress {
	return &LiquidationAddress{ID: a.ID, Address: a.Address, Chain: a.Chain, Currency: a.Currency}
}

// matchUse holds an address against what it is for, and remembers it.
func (s *WithdrawAddressesService) matchUse(want AddressUse, got *LiquidationAddress) error {
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
