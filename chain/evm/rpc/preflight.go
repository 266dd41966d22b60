package rpc

import (
	"context"
	"encoding/json"
	"errors"
	"math/big"
	"net/http"
	"slices"
	"sync"

	"github.com/ethereum/go-ethereum/common/hexutil"
	gethrpc "github.com/ethereum/go-ethereum/rpc"

	"github.com/railkit/railkit/chain/evm"
)

// Flight is a transaction about which a node is asked before it is signed.
type Flight struct {
	From     evm.Address
	To       *evm.Address
	Value    *big.Int
	Data     []byte
	Token    *evm.Address // also what From holds of it; may be nil
	Estimate bool         // also the gas that it needs
}

// Preflight is what a node says of it.
type Preflight struct {
	MinedNonce   uint64
	Fee          Fee
	Balance      *big.Int
	TokenBalance *big.Int // nil where it was not asked for
	Gas          uint64
	GasError     error // a refused estimate is an answer too: the balances may say why
}

// Preflight asks everything in one request: the way to a node and back is most
// of what a question costs.
func (c *Client) Preflight(ctx context.Context, f Flight) (Preflight, error) {
	var b batch
	var nonce, gas quantity
	var balance, tip number
	var h head
	var held hexutil.Bytes
	from := f.From.String()
	noNonce := b.add(&nonce, "eth_getTransactionCount", from, latest)
	noBalance := b.add(&balance, "eth_getBalance", from, latest)
	noHead := b.add(&h, "eth_getBlockByNumber", latest, false)
	noTip := b.add(&tip, "eth_maxPriorityFeePerGas")
	noToken, noGas := none, none
	if f.Token != nil {
		noToken = b.add(&held, "eth_call", balanceOf(*f.Token, f.From), latest)
	}
	if f.Estimate {
		noGas = b.add(&gas, "eth_estimateGas", tryArgs(f.From, f.To, f.Value, f.Data))
	}
	if err := c.askAll(ctx, b); err != nil {
		return Preflight{}, err
	}
	if err := errors.Join(noNonce(), noBalance(), noHead(), noToken()); err != nil {
		return Preflight{}, err
	}
	p := Preflight{MinedNonce: uint64(nonce), Balance: &balance.Int, Gas: uint64(gas), GasError: noGas()}
	if p.Gas > maxSaneGas {
		p.Gas, p.GasError = 0, errSaneGas
	}
	var err error
	if p.Fee, err = feeOf(h, &tip, noTip()); err != nil || f.Token == nil {
		return p, err
	}
	p.TokenBalance, err = tokenAmount(held)
	return p, err
}

func none() error { return nil }

// batch is several questions for one request.
type batch []gethrpc.BatchElem

// add gives what the question failed with, once the batch was asked.
func (b *batch) add(result any, method string, args ...any) (failure func() error) {
	i := len(*b)
	*b = append(*b, gethrpc.BatchElem{Method: method, Args: args, Result: result})
	return func() error { return (*b)[i].Error }
}

// askAll is call for a batch. A node that takes none, or none of this size, is
// asked one by one.
func (c *Client) askAll(ctx context.Context, b batch) error {
	if err := c.onChain(ctx); err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(ctx, c.timeout)
	defer cancel()
	err := c.node.BatchCallContext(ctx, b)
	switch {
	case b.refused(err):
		c.askEach(ctx, b)
	case err != nil:
		return c.failed("several things", err)
	}
	for i := range b {
		if b[i].Error != nil {
			b[i].Error = c.failed(b[i].Method, b[i].Error)
		}
	}
	return nil
}

// askEach asks at once, each question in a request of its own.
func (c *Client) askEach(ctx context.Context, b batch) {
	var all sync.WaitGroup
	for i := range b {
		all.Go(func() { b[i].Error = c.node.CallContext(ctx, b[i].Result, b[i].Method, b[i].Args...) })
	}
	all.Wait()
}

// refused says that an answer came which is none to a batch: an error for all of
// it, a page, or a part. A node that is away or has had enough is not asked more.
func (b batch) refused(err error) bool {
	var page gethrpc.HTTPError
	if errors.As(err, &page) {
		return !slices.Contains([]int{http.StatusUnauthorized, http.StatusTooManyRequests,
			http.StatusBadGateway, http.StatusServiceUnavailable, http.StatusGatewayTimeout}, page.StatusCode)
	}
	var object *json.UnmarshalTypeError
	if err != nil {
		return errors.As(err, &object)
	}
	return slices.ContainsFunc(b, func(e gethrpc.BatchElem) bool {
		var answer gethrpc.Error
		return errors.Is(e.Error, gethrpc.ErrMissingBatchResponse) ||
			errors.As(e.Error, &answer) && answer.ErrorCode() == codeInvalidRequest
	})
}
