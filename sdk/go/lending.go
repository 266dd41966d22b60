package railkit

import (
	"context"
	"encoding/json"
	"fmt"
	"math/big"
	"net/http"
	"net/url"
	"strings"

	"github.com/railkit/railkit/chain"
	"github.com/railkit/railkit/chain/evm/aave"
	"github.com/railkit/railkit/rest"
)

// Bodies of the API: see package rest for their fields.
type (
	LendingTransaction = rest.LendingTransaction
	LendingPositions   = rest.LendingPositions
	LendingMarkets     = rest.LendingMarkets
	LendingChains      = rest.LendingChains
	LendingHealth      = rest.LendingHealth
	LendingStatus      = rest.LendingStatus
)

// AvaxLendingRequest asks for the transaction that supplies or withdraws AVAX.
type AvaxLendingRequest struct {
	UserAddress string      `json:"userAddress"` // who signs, and owns what is supplied
	Amount      json.Number `json:"amount"`      // in whole coins
	ChainID     uint64      `json:"chainId"`
}

// LendingSupplyRequest asks for the transaction that supplies any asset.
type LendingSupplyRequest struct {
	UserAddress  string `json:"userAddress"`
	TokenAddress string `json:"tokenAddress"` // or the symbol of a listed token; native: the network's own coin
	Amount       string `json:"amount"`       // decimal, in whole units
	ChainID      uint64 `json:"chainId"`
}

// LendingOrderRequest asks for a transaction of a wallet. What is supplied is the wallet's, and what is withdrawn comes
// back to it.
type LendingOrderRequest struct {
	SignWith     string      `json:"signWith"`     // address of one of the workspace's wallets
	TokenAddress string      `json:"tokenAddress"` // or the symbol of a listed token; native: the network's own coin
	Amount       json.Number `json:"amount"`       // in whole units
	ChainID      uint64      `json:"chainId"`

	// FeeLimit, in wei: see PrepareTransactionRequest.
	FeeLimit string `json:"-"`
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
	coin := n.Native
	if name == "native" || name == coin.Symbol || name == strings.ToLower(coin.Symbol) ||
		strings.EqualFold(name, "0x0000000000000000000000000000000000000000") {
		return coin, true, true
	}
	if t, known = n.TokenByAddress(name); !known {
		t, known = n.TokenBySymbol(name)
	}
	return t, false, known
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
