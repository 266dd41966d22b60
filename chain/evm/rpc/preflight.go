package rpc

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"slices"
	"sync"
	"time"

	"github.com/ethereum/go-ethereum/common/hexutil"
	gethrpc "github.com/ethereum/go-ethereum/rpc"

	"github.com/railkit/railkit/chain"
	"github.com/railkit/railkit/chain/evm"
	"github.com/railkit/railkit/chain/node"
)

// flight is a node.Flight whose texts were read.
type flight struct {
	node.Flight
	from      evm.Address
	to, token *evm.Address
}

func readFlight(f node.Flight) (r flight, err error) {
	r.Flight = f
	if r.from, err = evm.ParseAddress(f.From); err != nil {
		return r, err
	}
	if r.to, err = optional(f.To); err != nil {
		return r, err
	}
	r.token, err = optional(f.Token)
	return r, err
}

func optional(address string) (*evm.Address, error) {
	if address == "" {
		return nil, nil
	}
	a, err := evm.ParseAddress(address)
	return &a, err
}

// Preflight asks everything in one request: the way to a node and back is most
// of what a question costs.
func (c *Client) Preflight(ctx context.Context, asked node.Flight) (node.Preflight, error) {
	f, err := readFlight(asked)
	if err != nil {
		return node.Preflight{}, err
	}
	var b batch
	var nonce, gas quantity
	var balance, tip number
	var h head
	var held hexutil.Bytes
	from := f.from.String()
	noHead := b.add(&h, "eth_getBlockByNumber", latest, false) // first: see node.Preflight
	noNonce := b.add(&nonce, "eth_getTransactionCount", from, latest)
	noBalance := b.add(&balance, "eth_getBalance", from, latest)
	noTip := b.add(&tip, "eth_maxPriorityFeePerGas")
	noToken, noGas := none, none
	if f.token != nil {
		noToken = b.add(&held, "eth_call", balanceOf(*f.token, f.from), latest)
	}
	if f.Estimate {
		noGas = b.add(&gas, "eth_estimateGas", tryArgs(f.from, f.to, f.Value, f.Data))
	}
	if err := c.askAll(ctx, b); err != nil {
		return node.Preflight{}, err
	}
	if err := errors.Join(noNonce(), noBalance(), noHead(), noToken()); err != nil {
		return node.Preflight{}, err
	}
	p := node.Preflight{NextNonce: uint64(nonce), Balance: &balance.Int, Gas: uint64(gas), GasError: noGas()}
	if h.Hash != nil {
		p.Block = chain.Hex(h.Hash[:])
	}
	if p.Gas > maxSaneGas {
		p.Gas, p.GasError = 0, errSaneGas
	}
	if p.Fee, err = feeOf(h, &tip, noTip()); err != nil || f.token == nil {
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
	began := time.Now()
	err := c.conn.BatchCallContext(ctx, b)
	switch {
	case b.refused(err):
		c.askEach(ctx, b)
		err = nil
	case err != nil:
		err = c.failed("several things", err)
	}
	c.observe(ctx, c.network, "several things", time.Since(began), err)
	if err != nil {
		return err
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
		all.Go(func() { b[i].Error = c.conn.CallContext(ctx, b[i].Result, b[i].Method, b[i].Args...) })
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
