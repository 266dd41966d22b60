package rpc

import (
	"context"
	"errors"
	"fmt"
	"math/big"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/common/hexutil"

	"github.com/railkit/railkit/chain"
	"github.com/railkit/railkit/chain/evm"
	"github.com/railkit/railkit/chain/node"
)

// Which state of the chain a question is about.
const (
	latest  = "latest"
	pending = "pending"
)

// Balance is what an address holds of the chain's own coin, in wei.
func (c *Client) Balance(ctx context.Context, owner string) (*big.Int, error) {
	a, err := evm.ParseAddress(owner)
	if err != nil {
		return nil, err
	}
	var wei number
	if err := c.call(ctx, &wei, "eth_getBalance", a.String(), latest); err != nil {
		return nil, err
	}
	return &wei.Int, nil
}

// TokenBalance is what an address holds of a token, in its smallest unit.
func (c *Client) TokenBalance(ctx context.Context, token, owner string) (*big.Int, error) {
	all, err := addresses([]string{token, owner})
	if err != nil {
		return nil, err
	}
	var word hexutil.Bytes
	if err := c.call(ctx, &word, "eth_call", balanceOf(all[0], all[1]), latest); err != nil {
		return nil, err
	}
	return tokenAmount(word)
}

// Balances are what addresses hold of the chain's own coin and of tokens, in one batch.
func (c *Client) Balances(ctx context.Context, owners, tokens []string) ([]node.Balance, error) {
	at, err := addresses(owners)
	if err != nil {
		return nil, err
	}
	contracts, err := addresses(tokens)
	if err != nil {
		return nil, err
	}
	var b batch
	var asked []*holding
	for _, owner := range at {
		h := &holding{words: make([]hexutil.Bytes, len(contracts))}
		h.failures = append(h.failures, b.add(&h.coin, "eth_getBalance", owner.String(), latest))
		for i, token := range contracts {
			h.failures = append(h.failures, b.add(&h.words[i], "eth_call", balanceOf(token, owner), latest))
		}
		asked = append(asked, h)
	}
	if err := c.askAll(ctx, b); err != nil {
		return nil, err
	}
	all := make([]node.Balance, len(asked))
	for i, h := range asked {
		if all[i], err = h.read(); err != nil {
			return nil, err
		}
	}
	return all, nil
}

// holding is what a batch is told of one address.
type holding struct {
	coin     number
	words    []hexutil.Bytes // of the tokens
	failures []func() error
}

func (h *holding) read() (node.Balance, error) {
	for _, failure := range h.failures {
		if err := failure(); err != nil {
			return node.Balance{}, err
		}
	}
	all := node.Balance{Coin: &h.coin.Int}
	for _, word := range h.words {
		amount, err := tokenAmount(word)
		if err != nil {
			return node.Balance{}, err
		}
		all.Tokens = append(all.Tokens, amount)
	}
	return all, nil
}

func balanceOf(token, owner evm.Address) callArgs {
	return callArgs{To: token.String(), Data: evm.EncodeBalanceOf(owner)}
}

func tokenAmount(word []byte) (*big.Int, error) {
	if len(word) != 32 {
		return nil, fmt.Errorf("%w: no token answers at the address", ErrNode)
	}
	return new(big.Int).SetBytes(word), nil
}

func addresses(texts []string) ([]evm.Address, error) {
	all := make([]evm.Address, len(texts))
	for i, text := range texts {
		var err error
		if all[i], err = evm.ParseAddress(text); err != nil {
			return nil, err
		}
	}
	return all, nil
}

// NextNonce counts the address's mined transactions: the lowest nonce that is free.
func (c *Client) NextNonce(ctx context.Context, from string) (uint64, error) {
	return c.nonce(ctx, from, latest)
}

// PendingNonce also counts what waits in the node's pool.
func (c *Client) PendingNonce(ctx context.Context, from string) (uint64, error) {
	return c.nonce(ctx, from, pending)
}

func (c *Client) nonce(ctx context.Context, from, at string) (uint64, error) {
	a, err := evm.ParseAddress(from)
	if err != nil {
		return 0, err
	}
	var n quantity
	err = c.call(ctx, &n, "eth_getTransactionCount", a.String(), at)
	return uint64(n), err
}

// minTip is the least that a simulated miner takes at all; below it a
// transaction waits for ever without a word.
var minTip = big.NewInt(1_000_000)

// maxSaneFee bounds what a node can talk us into: 100,000 gwei, far above any
// fee that a chain has asked for.
var maxSaneFee = big.NewInt(100_000_000_000_000)

// head is what a block says of fees.
type head struct {
	Hash    *common.Hash `json:"hash"`
	BaseFee *number      `json:"baseFeePerGas"`
}

// Fee proposes twice the base fee, which covers six full blocks in a row, and a
// tip of the node's choice, in wei per gas.
func (c *Client) Fee(ctx context.Context) (node.Fee, error) {
	var h head
	if err := c.call(ctx, &h, "eth_getBlockByNumber", latest, false); err != nil {
		return node.Fee{}, err
	}
	var tip number
	return feeOf(h, &tip, c.call(ctx, &tip, "eth_maxPriorityFeePerGas"))
}

// feeOf judges what a node says of fees.
func feeOf(h head, tip *number, tipErr error) (node.Fee, error) {
	if tipErr != nil && !errors.Is(tipErr, errNoMethod) { // not every node has it; the floor has to do
		return node.Fee{}, tipErr
	}
	if h.BaseFee == nil {
		return node.Fee{}, fmt.Errorf("%w: its blocks have no base fee", ErrNode)
	}
	priority := new(big.Int).Set(minTip)
	if tip.Cmp(minTip) > 0 {
		priority.Set(&tip.Int)
	}
	most := new(big.Int).Lsh(&h.BaseFee.Int, 1)
	most.Add(most, priority)
	if most.Cmp(maxSaneFee) > 0 {
		return node.Fee{}, fmt.Errorf("%w: its fee is beyond reason", ErrLyingNode)
	}
	return node.Fee{Fee: chain.Fee{Max: most, Priority: priority}, Base: &h.BaseFee.Int}, nil
}

// maxSaneGas bounds an estimate: far above any block's gas.
const maxSaneGas = 1 << 32

var errSaneGas = fmt.Errorf("%w: its estimate is beyond reason", ErrLyingNode)

// callArgs is a call that is tried and not sent.
type callArgs struct {
	From  string        `json:"from,omitempty"`
	To    string        `json:"to,omitempty"`
	Value *hexutil.Big  `json:"value,omitempty"`
	Data  hexutil.Bytes `json:"data,omitempty"`
}

// tryArgs is a call to be estimated. A nil to creates a contract.
func tryArgs(from evm.Address, to *evm.Address, value *big.Int, data []byte) callArgs {
	args := callArgs{From: from.String(), Data: data}
	if to != nil {
		args.To = to.String()
	}
	if value != nil && value.Sign() > 0 {
		args.Value = (*hexutil.Big)(value)
	}
	return args
}
