package railkit

import (
	"cmp"
	"context"
	"fmt"
	"iter"
	"net/http"
	"net/url"
	"strings"
	"time"

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

// DepositAccountsService makes the account numbers whose deposits become stablecoins in a wallet, and reads what
// happened to deposits.
type DepositAccountsService struct{ c *Client }

const depositPath = "/v1/payout/onramp/deposit-accounts"

// What the calls send and answer: see package rest for the fields.
type (
	DepositAccountRequest     = rest.DepositAccountRequest
	DepositAccount            = rest.DepositAccount
	DepositAccountNumber      = rest.DepositAccountNumber
	DepositEvent              = rest.DepositEvent
	DepositLimits             = rest.DepositLimits
	DepositRail               = rest.DepositRail
	SourceDepositInstructions = rest.SourceDepositInstructions
)

// Create gets the deposit account of a wallet for a pair of currencies, which is made where there is none. The request
// names the wallet by its WalletID, or by one of its addresses (DestinationAddress). The coins have to go to an address
// that the enclave made for the wallet. Whose the account number is, nobody vouches for but the payment partner.
func (s *DepositAccountsService) Create(ctx context.Context, req DepositAccountRequest) (*DepositAccount, error) {
	ask := request{method: http.MethodPost, path: depositPath, body: req, bare: req.DestinationAddress == ""}
	r, err := send[DepositAccountNumber](ctx, s.c, ask)
	if err != nil {
		return nil, err
	}
	a := &r.Data.DepositAccount
	if err := matchDeposit(req, a); err != nil {
		return nil, err
	}
	return checked(a, s.matchPlace(ctx, req, a))
}

// matchDeposit holds an answer against the request.
func matchDeposit(req DepositAccountRequest, a *DepositAccount) error {
	source := cmp.Or(req.SourceCurrency, strings.ToLower(req.Currency))
	coin := cmp.Or(req.DestinationCurrency, strings.ToLower(req.Stablecoin), "usdc")
	if a.SourceCurrency != source || a.DestinationCurrency != coin {
		return tampered(ReasonAddress, "the deposit account is for other currencies than were asked for")
	}
	if i := a.SourceDepositInstructions; i != nil && i.Currency != source {
		return tampered(ReasonAddress, "the account number is for another currency than was asked for")
	}
	if req.Chain != "" && a.DestinationPaymentRail != req.Chain {
		return tampered(ReasonAddress, "the coins go to another chain than was asked for")
	}
	return nil
}

// matchPlace holds the address that the coins go to against the one that was asked for, or against the enclave's
// proofs of the wallet's addresses.
func (s *DepositAccountsService) matchPlace(ctx context.Context, req DepositAccountRequest, a *DepositAccount) error {
	if req.DestinationAddress != "" {
		if !sameAddress(req.DestinationAddress, a.DestinationAddress) {
			return tampered(ReasonAddress, "the coins go to another address than was asked for")
		}
		return nil
	}
	if s.c.verify == nil {
		return nil
	}
	own, err := s.c.Addresses.List(ctx, req.WalletID)
	if err != nil {
		return err
	}
	for _, o := range own {
		if sameAddress(o.Address, a.DestinationAddress) {
			return nil
		}
	}
	return tampered(ReasonAddress, "the coins go to an address that the wallet does not have")
}

// Get finds a deposit account.
func (s *DepositAccountsService) Get(ctx context.Context, id string) (*DepositAccount, error) {
	r, err := send[DepositAccount](ctx, s.c, request{method: http.MethodGet, path: ofDepositAccount(id), bare: true})
	if err != nil {
		return nil, err
	}
	if !strings.EqualFold(r.Data.ID, id) {
		return nil, tampered(ReasonAddress, "the answer is about another deposit account than was asked for")
	}
	return &r.Data, nil
}

func ofDepositAccount(id string) string { return depositPath + "/" + url.PathEscape(id) }

// List reads one page of deposit accounts, newest first. Of Meta it has the cursor only.
func (s *DepositAccountsService) List(ctx context.Context, o ListOptions) (*Page[DepositAccount], error) {
	return bareList[DepositAccount](ctx, s.c, depositPath, o)
}

// All walks all pages.
func (s *DepositAccountsService) All(ctx context.Context, o ListOptions) iter.Seq2[DepositAccount, error] {
	return each(o, func(at ListOptions) (*Page[DepositAccount], error) { return s.List(ctx, at) })
}

// ListEvents reads one page of what happened to deposits at an account, oldest first. Of Meta it has the cursor only.
func (s *DepositAccountsService) ListEvents(
	ctx context.Context, id string, o ListOptions,
) (*Page[DepositEvent], error) {
	return bareList[DepositEvent](ctx, s.c, ofDepositAccount(id)+"/events", o)
}

// AllEvents walks all pages of ListEvents.
func (s *DepositAccountsService) AllEvents(
	ctx context.Context, id string, o ListOptions,
) iter.Seq2[DepositEvent, error] {
	return each(o, func(at ListOptions) (*Page[DepositEvent], error) { return s.ListEvents(ctx, id, at) })
}

// bareList reads one page of a list that has no envelope.
func bareList[T any](ctx context.Context, c *Client, path string, o ListOptions) (*Page[T], error) {
	r, err := send[[]T](ctx, c, request{method: http.MethodGet, path: path, query: o.query(), bare: true})
	if err != nil {
		return nil, err
	}
	return &Page[T]{Items: r.Data, Meta: r.Meta}, nil
}

// WaitSettlement polls for the first bank transfer to a deposit account of which the server heard at the instant since
// or later, by the server's clock, and then until its order is done: see OrdersService.WaitSettlement.
func (s *DepositAccountsService) WaitSettlement(
	ctx context.Context, id string, since time.Time, first time.Duration,
) (*OrderDetail, error) {
	account, err := s.Get(ctx, id)
	if err != nil {
		return nil, err
	}
	pace := newPauses(first)
	for {
		came, err := s.firstOrder(ctx, account.Reference, since)
		if err != nil {
			return nil, err
		}
		if came != "" {
			return s.c.Orders.WaitSettlement(ctx, came, first)
		}
		if err := s.c.retry.Sleep(ctx, pace.take()); err != nil {
			return nil, fmt.Errorf("railkit: waiting for a bank transfer to %s: %w", account.Reference, err)
		}
	}
}

// firstOrder is the id of the oldest order of a deposit account since an instant, "" where there is none.
func (s *DepositAccountsService) firstOrder(ctx context.Context, reference string, since time.Time) (string, error) {
	o := OrderListOptions{Reference: reference, Types: []string{"on_ramp"}}
	if !since.IsZero() {
		o.From = since.UTC().Format(time.RFC3339Nano)
	}
	oldest := ""
	for o, err := range s.c.Orders.All(ctx, o) {
		if err != nil {
			return "", err
		}
		oldest = o.ID
	}
	return oldest, nil
}

// SandboxService steers the sandbox: its chains, its partner and its clock. In production every call is refused.
type SandboxService struct{ c *Client }

const sandboxPath = "/v1/sandbox/"

// What the calls send and answer: see package rest for the fields.
type (
	DepositRequest   = rest.SimulatedDepositRequest
	SimulatedDeposit = rest.SimulatedDeposit
	BankReason       = rest.SandboxFailure

	BankDepositRequest   = rest.SimulatedBankDepositRequest
	SimulatedBankDeposit = rest.SimulatedBankDeposit
	FaucetRequest        = rest.FaucetRequest
	FaucetDrop           = rest.FaucetPayment
)

// Deposit has tokens arrive.
func (s *SandboxService) Deposit(ctx context.Context, req DepositRequest) (*SimulatedDeposit, error) {
	return data[SimulatedDeposit](ctx, s.c, http.MethodPost, sandboxPath+"simulate-deposit", req)
}

// BankDeposit has a bank transfer arrive at an account number of the workspace. Orders.WaitSettlement waits for what
// becomes of it, by the answer's PartnerDepositID.
func (s *SandboxService) BankDeposit(ctx context.Context, req BankDepositRequest) (*SimulatedBankDeposit, error) {
	return data[SimulatedBankDeposit](ctx, s.c, http.MethodPost, sandboxPath+"simulate-bank-deposit", req)
}

// Advance lets the partner's time pass, in whole seconds.
func (s *SandboxService) Advance(ctx context.Context, d time.Duration) error {
	return s.control(ctx, "advance", seconds(d))
}

// Mine makes blocks on a chain.
func (s *SandboxService) Mine(ctx context.Context, chain string, blocks int) error {
	return s.control(ctx, "mine", map[string]any{"chain": chain, "blocks": blocks})
}

// Reorg puts other blocks in place of a chain's newest ones. With drop
// their transactions are forgotten.
func (s *SandboxService) Reorg(ctx context.Context, chain string, depth int, drop bool) error {
	return s.control(ctx, "reorg", map[string]any{"chain": chain, "depth": depth, "drop": drop})
}

// FailOrder lets an order's payment fail that has not arrived.
func (s *SandboxService) FailOrder(ctx context.Context, idOrReference string, why BankReason) error {
	return s.control(ctx, steer(idOrReference, "fail"), why)
}

// ReturnOrder lets the bank send an order's payment back, now or once it has arrived. Of an order whose money came by
// bank, it is the deposit that goes back to the depositor, also after the coins were sent.
func (s *SandboxService) ReturnOrder(ctx context.Context, idOrReference string, why BankReason) error {
	return s.control(ctx, steer(idOrReference, "return"), why)
}

// DelayOrder lets an order's payment take longer, by whole seconds.
func (s *SandboxService) DelayOrder(ctx context.Context, idOrReference string, d time.Duration) error {
	return s.control(ctx, steer(idOrReference, "delay"), seconds(d))
}

// ClearOrder ends the partner's review of an order's payment, or of a deposit.
func (s *SandboxService) ClearOrder(ctx context.Context, idOrReference string) error {
	return s.control(ctx, steer(idOrReference, "clear"), nil)
}

func steer(id, act string) string { return "orders/" + url.PathEscape(id) + "/" + act }

func seconds(d time.Duration) map[string]int64 {
	return map[string]int64{"seconds": int64(d / time.Second)}
}

// control does something of which nothing is answered that the caller does not know.
func (s *SandboxService) control(ctx context.Context, what string, body any) error {
	_, err := send[map[string]any](ctx, s.c, request{method: http.MethodPost, path: sandboxPath + what, body: body})
	return err
}

// Faucet sends test money. Sandbox only.
func (s *SandboxService) Faucet(ctx context.Context, req FaucetRequest) (*FaucetDrop, error) {
	return data[FaucetDrop](ctx, s.c, http.MethodPost, "/v1/sandbox/faucet", req)
}
