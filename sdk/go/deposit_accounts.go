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

	"github.com/railkit/railkit/rest"
)

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
