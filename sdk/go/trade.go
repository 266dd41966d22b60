package railkit

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math/big"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/railkit/railkit/chain"
	"github.com/railkit/railkit/chain/evm/aave"
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
	ReturnTo
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

// Bodies of the API: see package rest for their fields.
type (
	AvaxLendingRequest   = rest.AvaxRequest
	LendingSupplyRequest = rest.AssetSupplyRequest
	LendingTransaction   = rest.LendingTransaction
	LendingPositions     = rest.LendingPositions
	LendingMarkets       = rest.LendingMarkets
	LendingChains        = rest.LendingChains
	LendingHealth        = rest.LendingHealth
	LendingStatus        = rest.LendingStatus
)

// LendingOrderRequest asks for a transaction of a wallet. What is supplied is the wallet's, and what is withdrawn comes
// back to it.
type LendingOrderRequest struct {
	SignWith     string      `json:"signWith"`     // address of one of the workspace's wallets
	TokenAddress string      `json:"tokenAddress"` // or the symbol of a listed token; native: the network's own coin
	Amount       json.Number `json:"amount"`       // in whole units
	ChainID      uint64      `json:"chainId"`

	// FeeLimit, in wei: see PrepareTransactionRequest.
	FeeLimit string `json:"-"`
	ReturnTo
}

// PreparedLending waits for the owner's stamp, which Transactions.Confirm hands in. After a Step of "revoke" or
// "approve", the call is made again once that transaction is confirmed.
type PreparedLending struct {
	Step string `json:"step"`
	PreparedTransaction
}

// LendingService supplies assets to lending pools, takes them out again, and tells what they earn.
type LendingService struct{ c *Client }

const (
	lendingPath   = "/v1/defi/lending/"
	executingPath = "/v1/protocols/lending/aave/execute/"
)

// SupplyAvax makes the unsigned transaction that supplies AVAX, for the owner of the address to sign and send. Its
// bytes are checked: they do what was asked for.
func (s *LendingService) SupplyAvax(ctx context.Context, req AvaxLendingRequest) (*LendingTransaction, error) {
	return s.unsigned(ctx, "supply-avax", req,
		lendingOrder{req.ChainID, req.UserAddress, "native", string(req.Amount), true})
}

// WithdrawAvax makes the one that takes AVAX out again; see SupplyAvax.
func (s *LendingService) WithdrawAvax(ctx context.Context, req AvaxLendingRequest) (*LendingTransaction, error) {
	return s.unsigned(ctx, "withdraw-avax", req,
		lendingOrder{req.ChainID, req.UserAddress, "native", string(req.Amount), false})
}

// Supply makes the one that supplies any asset; see SupplyAvax.
func (s *LendingService) Supply(ctx context.Context, req LendingSupplyRequest) (*LendingTransaction, error) {
	return s.unsigned(ctx, "supply", req,
		lendingOrder{req.ChainID, req.UserAddress, req.TokenAddress, req.Amount, true})
}

func (s *LendingService) unsigned(
	ctx context.Context, name string, body any, o lendingOrder,
) (*LendingTransaction, error) {
	r, err := send[LendingTransaction](ctx, s.c, request{
		method: http.MethodPost, path: lendingPath + name, body: body, bare: true,
	})
	if err != nil {
		return nil, err
	}
	e, err := s.expected(o, r.Data.Step, "")
	if err != nil {
		return nil, err
	}
	tx, err := e.readUnsigned(r.Data.SerializedTransaction)
	if err != nil {
		return nil, tampered(ReasonBody, "serializedTransaction: %v", err)
	}
	if e.To == "" {
		e.To = tx.To
	}
	if tx.NetworkID != e.network.ID() || !sameAddress(tx.To, e.To) || tx.Value.String() != e.Value ||
		chain.Hex(tx.Data) != e.Data {
		return nil, tampered(ReasonBody, "the transaction is another one than was asked for")
	}
	return &r.Data, nil
}

// PrepareSupply gives the next step of a supply to stamp, and checks that it is one of what was asked for.
func (s *LendingService) PrepareSupply(ctx context.Context, req LendingOrderRequest) (*PreparedLending, error) {
	return s.prepare(ctx, "supply", req, true)
}

// PrepareWithdrawal gives the next step of a withdrawal to stamp, and checks that it is one of what was asked for.
func (s *LendingService) PrepareWithdrawal(ctx context.Context, req LendingOrderRequest) (*PreparedLending, error) {
	return s.prepare(ctx, "withdraw", req, false)
}

func (s *LendingService) prepare(
	ctx context.Context, name string, req LendingOrderRequest, supply bool,
) (*PreparedLending, error) {
	r, err := send[PreparedLending](ctx, s.c, request{method: http.MethodPost, path: executingPath + name, body: req})
	if err != nil {
		return nil, err
	}
	if s.c.verify == nil {
		return &r.Data, nil
	}
	o := lendingOrder{req.ChainID, req.SignWith, req.TokenAddress, string(req.Amount), supply}
	e, err := s.expected(o, r.Data.Step, req.FeeLimit)
	if err != nil {
		return nil, err
	}
	if e.To == "" {
		e.To = r.Data.To
	}
	inner := &reply[PreparedTransaction]{Data: r.Data.PreparedTransaction, Floor: r.Floor}
	if _, err := e.verified(ctx, s.c, inner); err != nil {
		return nil, err
	}
	r.Data.PreparedTransaction = inner.Data
	return checked(&r.Data, s.c.Transactions.notePrepared(ctx, e, &r.Data.PreparedTransaction))
}

// lendingOrder is what is asked for, of which the answer is a step.
type lendingOrder struct {
	chainID             uint64
	user, asset, amount string
	supply              bool
}

// expected is what a step of an order has to be: its call is known here, as the pools are. Only the address of an
// aToken is not; then To is empty. What the allowance is for, the gateway cannot take of anything else.
func (s *LendingService) expected(o lendingOrder, step, feeLimit string) (*expectation, error) {
	from, err := s.c.sender(o.chainID, "", o.user)
	if err != nil {
		return nil, err
	}
	call, err := o.call(from.network, from.from, step)
	if err != nil {
		return nil, err
	}
	e := &expectation{sender: from, PrepareTransactionRequest: PrepareTransactionRequest{
		Type: Call, SignWith: o.user, ChainID: o.chainID, To: call.To, Value: call.Value.String(),
		Data: chain.Hex(call.Data), FeeLimit: feeLimit,
	}}
	return checked(e, e.bound())
}

func (o lendingOrder) call(n chain.Network, user, step string) (c chain.Call, err error) {
	pools := chain.LendingPools(n)
	token, isCoin, known := lendingAsset(n, o.asset)
	if len(pools) == 0 || !known {
		return c, fmt.Errorf("railkit: no lending pool of %s for %s is known here", n.Name, o.asset)
	}
	units, err := toUnits(o.amount, token.Decimals)
	if err != nil {
		return c, err
	}
	amount, err := chain.ParseUnits(units, 0)
	if err != nil {
		return c, err
	}
	p := pools[0]
	needsAllowance := o.supply != isCoin // of a token that is supplied, or of the aToken of a coin that comes back
	switch {
	case step == "revoke" && needsAllowance:
		return o.allowance(p, token, isCoin, new(big.Int))
	case step == "approve" && needsAllowance:
		return o.allowance(p, token, isCoin, amount)
	case step == "supply" && o.supply && isCoin:
		return aave.SupplyCoin(p, amount, user)
	case step == "supply" && o.supply:
		return aave.Supply(p, token.Address, amount, user)
	case step == "withdraw" && !o.supply && isCoin:
		return aave.WithdrawCoin(p, amount, user)
	case step == "withdraw" && !o.supply:
		return aave.Withdraw(p, token.Address, amount, user)
	}
	return c, tampered(ReasonResult, "the answer is no step of what was asked for")
}

func (o lendingOrder) allowance(p chain.LendingPool, t chain.Token, isCoin bool, amount *big.Int) (chain.Call, error) {
	if !isCoin {
		return aave.Approve(t.Address, p.Pool, amount)
	}
	c, err := aave.Approve(p.Gateway, p.Gateway, amount)
	c.To = ""
	return c, err
}

// lendingAsset reads the names that the API takes.
func lendingAsset(n chain.Network, name string) (t chain.Token, isCoin, known bool) {
	if name == strings.ToLower(n.Native.Symbol) {
		return n.Native, true, true
	}
	t, known = n.Asset(name)
	return t, known && t == n.Native, known
}

// AvaxSupply reads what an address has supplied of AVAX, in whole coins.
func (s *LendingService) AvaxSupply(ctx context.Context, userAddress string, chainID uint64) (string, error) {
	v, err := data[rest.AvaxSupply](ctx, s.c, http.MethodGet, lendingRead("my-avax-supply", userAddress, chainID), nil)
	if err != nil {
		return "", err
	}
	return v.AvaxSupply, nil
}

// Positions reads what an address has supplied and owes.
func (s *LendingService) Positions(ctx context.Context, userAddress string, chainID uint64) (*LendingPositions, error) {
	return data[LendingPositions](ctx, s.c, http.MethodGet, lendingRead("positions", userAddress, chainID), nil)
}

// Markets reads what the pool of a network lends, and what an address has there; "": nobody's.
func (s *LendingService) Markets(ctx context.Context, userAddress string, chainID uint64) (*LendingMarkets, error) {
	return data[LendingMarkets](ctx, s.c, http.MethodGet, lendingRead("markets", userAddress, chainID), nil)
}

// Health tells whether the nodes of the networks with a pool answer.
func (s *LendingService) Health(ctx context.Context) (*LendingHealth, error) {
	return data[LendingHealth](ctx, s.c, http.MethodGet, lendingPath+"health", nil)
}

// Chains lists the networks with a pool.
func (s *LendingService) Chains(ctx context.Context) (*LendingChains, error) {
	return data[LendingChains](ctx, s.c, http.MethodGet, executingPath+"chains", nil)
}

// Status reads what became of a transaction of lending, as the network's node sees it now.
func (s *LendingService) Status(ctx context.Context, transactionID string) (*LendingStatus, error) {
	path := executingPath + "status/" + url.PathEscape(transactionID)
	return data[LendingStatus](ctx, s.c, http.MethodGet, path, nil)
}

func lendingRead(name, userAddress string, chainID uint64) string {
	q := url.Values{"chainId": {decimal(chainID)}}
	if userAddress != "" {
		q.Set("userAddress", userAddress)
	}
	return lendingPath + name + "?" + q.Encode()
}
