package railkit

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math/big"
	"net/http"
	"net/url"
	"slices"
	"time"

	"github.com/railkit/railkit/chain"
	"github.com/railkit/railkit/enclave/wire"
	"github.com/railkit/railkit/rest"
)

// SwapsService trades tokens of a wallet at its network's exchanges.
type SwapsService struct{ c *Client }

// What the calls answer: see package rest for the fields.
type (
	SwapQuote = rest.SwapQuote
	SwapTrade = rest.SwapTrade
)

// SwapRequest asks for a swap. Tokens are named by address or symbol, or as "native".
type SwapRequest struct {
	ChainID   uint64      `json:"chainId,omitempty"`
	Network   string      `json:"network,omitempty"` // slug, in place of ChainID
	FromToken string      `json:"fromToken"`
	ToToken   string      `json:"toToken"`
	Amount    json.Number `json:"amount"`             // to sell, in whole units
	Slippage  json.Number `json:"slippage,omitempty"` // percent; "": 0.5
	Protocol  string      `json:"protocol,omitempty"` // "": the best of all
	SignWith  string      `json:"signWith,omitempty"` // address that sells; a client that verifies needs it

	// Minimum is the least that has to come back, in the smallest unit: the server's price is no more than its word, so
	// that a client that verifies needs it, of a Quote that somebody looked at. It is in place of Slippage.
	Minimum string `json:"minimumAmountOut,omitempty"`
	// As in PrepareTransactionRequest; never sent. A quote that lies makes the Minimum small, so that a client that
	// verifies holds it against the enclave's own prices, too.
	FeeLimit           string      `json:"-"` // wei
	MaxSlippagePercent json.Number `json:"-"`
	UnpricedSwap       bool        `json:"-"`
}

// DefaultMaxSlippage is by how many percent less than it sells a swap may bring back, where the request does not say
// MaxSlippagePercent.
const DefaultMaxSlippage json.Number = "3"

// SlippageError is a swap that was not stamped: it may bring back too little, by the enclave's signed prices, or nobody
// can tell how much.
type SlippageError struct {
	Percent string // of what is sold, "49"; "" where it is Unknown
	Unknown string // why nobody can tell: "no price of WETH"
	Limit   string // percent
}

func (e *SlippageError) Error() string {
	if e.Unknown != "" {
		return fmt.Sprintf("railkit: nobody can tell how much the swap may lose (%s); "+
			"set UnpricedSwap if it is meant so", e.Unknown)
	}
	return fmt.Sprintf("railkit: the swap may bring back %s %% less than it sells, the limit is %s %%; "+
		"ask for a higher Minimum, or set MaxSlippagePercent if it is meant so", e.Percent, e.Limit)
}

// percentPlaces are the decimals of a percentage: the enclave rounds up to as many, so that a comparison is exact.
const percentPlaces = 2

// mostSlippage is the limit of a swap's loss, in hundredths of a percent.
func (e *expectation) mostSlippage() (*big.Int, error) {
	most, err := chain.ParseUnits(e.slippageLimit(), percentPlaces)
	if err != nil {
		return nil, errors.New("railkit: MaxSlippagePercent is not a plain decimal with at most 2 places")
	}
	return most, nil
}

func (e *expectation) slippageLimit() string {
	return cmp.Or(e.MaxSlippagePercent, DefaultMaxSlippage).String()
}

// matchSlippage holds what a swap may lose, as the enclave shows it, against the limit. A server that keeps price
// sheets from the enclave has it show that nobody can tell.
func (e *expectation) matchSlippage(shown *Preview) error {
	swaps := slices.ContainsFunc(shown.Effects, func(f chain.Effect) bool { return f.Ends != 0 })
	if shown.Slippage == nil && !swaps {
		return nil
	}
	said := cmp.Or(shown.Slippage, &wire.Slippage{Unknown: "the enclave does not say"})
	if said.Unknown != "" {
		if e.UnpricedSwap {
			return nil
		}
		return &SlippageError{Unknown: said.Unknown, Limit: e.slippageLimit()}
	}
	most, err := e.mostSlippage()
	if err != nil {
		return err
	}
	lost, err := chain.ParseUnits(said.Percent, percentPlaces)
	if err != nil {
		return tampered(ReasonPreview, "the enclave shows a loss of the swap that is no number")
	}
	if lost.Cmp(most) > 0 {
		return &SlippageError{Percent: said.Percent, Limit: e.slippageLimit()}
	}
	return nil
}

// The steps of a swap.
const (
	SwapRevoke  = "revoke"  // the router may take nothing more
	SwapApprove = "approve" // the router may take exactly the amount
	SwapTrading = "swap"    // the trade
)

// PreparedSwap is the next step of a swap, which waits for its stamp.
type PreparedSwap struct {
	Step string    `json:"step"`
	Swap SwapTrade `json:"swap"`
	PreparedTransaction
}

// SwapStep is a step that is signed.
type SwapStep struct {
	Step string `json:"step"`
	Transaction
}

// Quote tells what a swap would bring back now. It asks for no key.
func (s *SwapsService) Quote(ctx context.Context, req SwapRequest) (*SwapQuote, error) {
	q := url.Values{
		"fromToken": {req.FromToken}, "toToken": {req.ToToken}, "amount": {req.Amount.String()},
		"chainId": {decimal(req.ChainID)},
	}
	for name, value := range map[string]string{"slippage": req.Slippage.String(), "protocol": req.Protocol} {
		if value != "" {
			q.Set(name, value)
		}
	}
	r, err := send[SwapQuote](ctx, s.c, request{
		method: http.MethodGet, path: "/v1/action/execute/swap/quote?" + q.Encode(), bare: true,
	})
	if err != nil {
		return nil, err
	}
	return &r.Data, nil
}

// Prepare gives the next step to stamp, and checks that it does nothing but that step: an allowance of exactly the
// amount for a router that this client knows, or the trade, for at least Minimum and to the address that sells.
func (s *SwapsService) Prepare(ctx context.Context, req SwapRequest) (*PreparedSwap, error) {
	expect, err := s.expectation(req)
	if err != nil {
		return nil, err
	}
	r, err := send[PreparedSwap](ctx, s.c, request{
		method: http.MethodPost, path: "/v1/action/execute/swap/prepare", body: req,
	})
	if err != nil {
		return nil, err
	}
	if s.c.verify == nil {
		return &r.Data, nil
	}
	inner := &reply[PreparedTransaction]{Data: r.Data.PreparedTransaction, Floor: r.Floor}
	expect.swap.step = r.Data.Step
	if _, err := expect.verified(ctx, s.c, inner); err != nil {
		return nil, err
	}
	r.Data.PreparedTransaction = inner.Data
	return &r.Data, nil
}

// Confirm hands in the stamp of a step.
func (s *SwapsService) Confirm(ctx context.Context, id string, signed SignedActivity) (*SwapStep, error) {
	body := ConfirmTransactionRequest{TransactionID: id, SignedActivity: signed}
	r, err := send[SwapStep](ctx, s.c, request{
		method: http.MethodPost, path: "/v1/action/execute/swap/confirm", body: body,
	})
	if err != nil {
		return nil, err
	}
	return checked(&r.Data, s.c.Transactions.confirmed(&r.Data.Transaction, body))
}

// mostSteps is what a swap takes: an allowance of another amount is taken back, the right one given, and the trade
// made.
const mostSteps = 3

// Swap prepares, verifies, stamps and confirms each step of a swap in turn, and gives the trade. Between two steps it
// waits until the first one is confirmed. Where a step needs approval, the error is a QueuedError.
func (s *SwapsService) Swap(ctx context.Context, pk Passkey, req SwapRequest) (*SwapStep, error) {
	ctx = withoutKey(ctx) // each step is a call of its own
	for range mostSteps {
		p, err := s.Prepare(ctx, req)
		if err != nil {
			return nil, fmt.Errorf("preparing a swap: %w", err)
		}
		signed, err := stamp(pk, p.Prepared)
		if err != nil {
			return nil, err
		}
		done, err := s.Confirm(ctx, p.TransactionID, signed)
		if err != nil || done.Step == SwapTrading {
			return done, err
		}
		if _, err := s.c.Transactions.WaitConfirmed(ctx, p.TransactionID, time.Second); err != nil {
			return nil, fmt.Errorf("waiting for the step %s of a swap: %w", done.Step, err)
		}
	}
	return nil, errors.New("railkit: the router's allowance is not what was stamped; somebody else uses it")
}

// swapOf is what a step of a swap is held against.
type swapOf struct {
	SwapRequest
	sell, buy chain.Token
	amount    string // smallest unit of what is sold
	minimum   *big.Int
	step      string // as the answer says
}

// expectation refuses, before the call, what could not be checked after it.
func (s *SwapsService) expectation(req SwapRequest) (*expectation, error) {
	e, err := s.c.Transactions.expectation(PrepareTransactionRequest{
		Type: Call, SignWith: req.SignWith, ChainID: req.ChainID, Network: req.Network, FeeLimit: req.FeeLimit,
		MaxSlippagePercent: req.MaxSlippagePercent, UnpricedSwap: req.UnpricedSwap,
	})
	if err != nil || s.c.verify == nil {
		return e, err
	}
	x := swapOf{SwapRequest: req}
	var known, alsoKnown, number bool
	x.sell, known = e.network.Asset(req.FromToken)
	x.buy, alsoKnown = e.network.Asset(req.ToToken)
	if x.minimum, number = new(big.Int).SetString(req.Minimum, 10); !number || x.minimum.Sign() <= 0 {
		return nil, errors.New("railkit: Minimum is missing: the server's price is no more than its word")
	}
	if !known || !alsoKnown {
		return nil, errors.New("railkit: FromToken and ToToken are listed tokens of the network, or native")
	}
	x.amount, err = toUnits(req.Amount.String(), x.sell.Decimals)
	e.swap = &x
	return e, err
}

// matchSwap wants the effects of one step and no others, in the enclave's words.
func (e *expectation) matchSwap(shown *Preview) error {
	x := e.swap
	if x.step == SwapTrading {
		return x.matchTrade(e, shown)
	}
	amount := map[string]string{SwapRevoke: "0", SwapApprove: x.amount}[x.step]
	if len(shown.Effects) != 1 || amount == "" {
		return tampered(ReasonPreview, "the enclave shows something else than an allowance for a router")
	}
	f := shown.Effects[0]
	_, listed := chain.MarketAt(e.network, f.Spender)
	if f.Kind != chain.Approve || !sameAddress(f.Asset, assetOf(x.sell)) || !sameAddress(f.From, e.from) || !listed ||
		f.Amount != amount {
		return tampered(ReasonPreview, "the enclave shows another allowance than that of the swap's router")
	}
	return nil
}

func (x *swapOf) matchTrade(e *expectation, shown *Preview) error {
	if len(shown.Effects) != 2 {
		return tampered(ReasonPreview, "the enclave shows %d effects where a swap has two", len(shown.Effects))
	}
	sold, bought := shown.Effects[0], shown.Effects[1]
	_, listed := chain.MarketAt(e.network, sold.To)
	if sold.Kind != chain.Transfer || !sameAddress(sold.Asset, assetOf(x.sell)) || sold.Amount != x.amount ||
		!sameAddress(sold.From, e.from) || !listed {
		return tampered(ReasonPreview, "the enclave shows that something else is sold than was asked for")
	}
	least, number := new(big.Int).SetString(bought.Amount, 10)
	if bought.Kind != chain.Receive || !sameAddress(bought.Asset, assetOf(x.buy)) || !sameAddress(bought.To, e.from) ||
		!number || least.Cmp(x.minimum) < 0 {
		return tampered(ReasonPreview, "the enclave shows that less, something else or somebody else is bought for")
	}
	return nil
}

// assetOf is how effects name a token.
func assetOf(t chain.Token) string {
	if t.Address == "" {
		return nativeAsset
	}
	return t.Address
}
