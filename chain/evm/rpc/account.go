package rpc

import (
	"context"
	"errors"
	"fmt"
	"math/big"

	"github.com/ethereum/go-ethereum/common/hexutil"

	"github.com/railkit/railkit/chain/evm"
)

// Which state of the chain a question is about.
const (
	latest  = "latest"
	pending = "pending"
)

// Balance is what an address holds of the chain's own coin, in wei.
func (c *Client) Balance(ctx context.Context, owner evm.Address) (*big.Int, error) {
	var wei number
	if err := c.call(ctx, &wei, "eth_getBalance", owner.String(), latest); err != nil {
		return nil, err
	}
	return &wei.Int, nil
}

// TokenBalance is what an address holds of a token, in its smallest unit.
func (c *Client) TokenBalance(ctx context.Context, token, owner evm.Address) (*big.Int, error) {
	var word hexutil.Bytes
	args := callArgs{To: token.String(), Data: evm.EncodeBalanceOf(owner)}
	if err := c.call(ctx, &word, "eth_call", args, latest); err != nil {
		return nil, err
	}
	if len(word) != 32 {
		return nil, fmt.Errorf("%w: no token answers at the address", ErrNode)
	}
	return new(big.Int).SetBytes(word), nil
}

// MinedNonce counts the address's mined transactions: the lowest nonce that is free.
func (c *Client) MinedNonce(ctx context.Context, from evm.Address) (uint64, error) {
	return c.nonce(ctx, from, latest)
}

// PendingNonce also counts what waits in the node's pool.
func (c *Client) PendingNonce(ctx context.Context, from evm.Address) (uint64, error) {
	return c.nonce(ctx, from, pending)
}

func (c *Client) nonce(ctx context.Context, from evm.Address, at string) (uint64, error) {
	var n quantity
	err := c.call(ctx, &n, "eth_getTransactionCount", from.String(), at)
	return uint64(n), err
}

// Fee is what EIP-1559 wants to know, in wei per gas.
type Fee struct {
	MaxFeePerGas         *big.Int
	MaxPriorityFeePerGas *big.Int
}

// minTip is the least that a simulated miner takes at all; below it a
// transaction waits for ever without a word.
var minTip = big.NewInt(1_000_000)

// maxSaneFee bounds what a node can talk us into: 100,000 gwei, far above any
// fee that a chain has asked for.
var maxSaneFee = big.NewInt(100_000_000_000_000)

// SuggestFee is twice the base fee, which covers six full blocks in a row, and a
// tip of the node's choice.
func (c *Client) SuggestFee(ctx context.Context) (Fee, error) {
	var head struct {
		BaseFee *number `json:"baseFeePerGas"`
	}
	if err := c.call(ctx, &head, "eth_getBlockByNumber", latest, false); err != nil {
		return Fee{}, err
	}
	if head.BaseFee == nil {
		return Fee{}, fmt.Errorf("%w: its blocks have no base fee", ErrNode)
	}
	tip, err := c.tip(ctx)
	if err != nil {
		return Fee{}, err
	}
	most := new(big.Int).Lsh(&head.BaseFee.Int, 1)
	most.Add(most, tip)
	if most.Cmp(maxSaneFee) > 0 {
		return Fee{}, fmt.Errorf("%w: its fee is beyond reason", ErrLyingNode)
	}
	return Fee{MaxFeePerGas: most, MaxPriorityFeePerGas: tip}, nil
}

func (c *Client) tip(ctx context.Context) (*big.Int, error) {
	var tip number
	err := c.call(ctx, &tip, "eth_maxPriorityFeePerGas")
	if errors.Is(err, errNoMethod) {
		err = nil // not every node has it; the floor has to do
	}
	if err != nil {
		return nil, err
	}
	if tip.Cmp(minTip) < 0 {
		return new(big.Int).Set(minTip), nil
	}
	return &tip.Int, nil
}

// callArgs is a call that is tried and not sent.
type callArgs struct {
	From  string        `json:"from,omitempty"`
	To    string        `json:"to,omitempty"`
	Value *hexutil.Big  `json:"value,omitempty"`
	Data  hexutil.Bytes `json:"data,omitempty"`
}

// EstimateGas is the gas that the call needs now, without a margin. A nil to
// creates a contract. ErrReverted says that the call would fail,
// ErrInsufficientFunds that the sender lacks the value.
func (c *Client) EstimateGas(ctx context.Context, from evm.Address, to *evm.Address, value *big.Int, data []byte) (uint64, error) {
	args := callArgs{From: from.String(), Data: data}
	if to != nil {
		args.To = to.String()
	}
	if value != nil && value.Sign() > 0 {
		args.Value = (*hexutil.Big)(value)
	}
	var gas quantity
	err := c.call(ctx, &gas, "eth_estimateGas", args)
	return uint64(gas), err
}
