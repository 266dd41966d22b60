package railkit

import (
	"cmp"
	"context"
	"iter"
	"net/http"
	"net/url"
	"strings"

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
	WithdrawAddress        = rest.WithdrawAddress
	PendingReturn          = rest.Return
	ReturnAddressRequest   = rest.ReturnRequest
	VirtualAccountRequest  = rest.VirtualAccountRequest
	VirtualAccount         = rest.VirtualAccount
)

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
	return s.call(ctx, http.MethodPost, withdrawPath, req, func(a *WithdrawAddress) error { return s.match(req, a) })
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
	return s.matchPayee(want, inShort(a))
}

// matchID holds an answer against the id that was asked for.
func (s *WithdrawAddressesService) matchID(id string) func(*WithdrawAddress) error {
	return func(a *WithdrawAddress) error {
		if !strings.EqualFold(a.ID, id) {
			return tampered(ReasonAddress, "the answer is about another withdrawal address than was asked for")
		}
		return s.matchPayee(Payee{a.BeneficiaryAccountID, a.Chain, a.Currency}, inShort(a))
	}
}

// inShort is a withdrawal address in few words.
func inShort(a *WithdrawAddress) *LiquidationAddress {
	return &LiquidationAddress{ID: a.ID, Address: a.Address, Chain: a.Chain, Currency: a.Currency}
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
