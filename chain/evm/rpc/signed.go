package rpc

import (
	"bytes"
	"context"
	"errors"
	"math/big"

	"github.com/ethereum/go-ethereum/common/hexutil"

	"github.com/railkit/railkit/chain"
	"github.com/railkit/railkit/chain/evm"
	"github.com/railkit/railkit/chain/evm/signed"
)

var errNoTransfer = errors.New("no signed transfer of a token")

// NonceAt asks the contract that takes a signed transfer whether its nonce is used up after a block.
func (c *Client) NonceAt(ctx context.Context, t chain.SignedTransfer, block int64) (used bool, time int64, err error) {
	from, err := evm.ParseAddress(t.From)
	if err != nil {
		return false, 0, err
	}
	nonce := new(big.Int).SetBytes(t.Nonce[:])
	args := callArgs{To: t.Token.Address, Data: signed.StateCall(from, t.Nonce)}
	switch t.Method {
	case chain.EIP3009:
	case chain.Permit2:
		args = callArgs{To: evm.Permit2Address().String(), Data: signed.BitmapCall(from, nonce)}
	default:
		return false, 0, errNoTransfer
	}
	var word hexutil.Bytes
	var head *struct {
		Number *quantity `json:"number"`
		Time   *quantity `json:"timestamp"`
	}
	var b batch
	at := hexutil.Uint64(block)
	called := b.add(&word, "eth_call", args, at)
	timed := b.add(&head, "eth_getBlockByNumber", at, false)
	if err := c.askAll(ctx, b); err != nil {
		return false, 0, err
	}
	if err := errors.Join(called(), timed()); err != nil {
		return false, 0, err
	}
	if head == nil || head.Number == nil || head.Time == nil || int64(*head.Number) != block {
		return false, 0, errOtherBlock
	}
	if t.Method == chain.Permit2 {
		bits, ok := signed.ReadNumber(word)
		if !ok {
			return false, 0, errNoTransfer
		}
		return signed.NonceUsed(bits, nonce), int64(*head.Time), nil
	}
	used, ok := signed.ReadBool(word)
	if !ok {
		return false, 0, errNoTransfer
	}
	return used, int64(*head.Time), nil
}

// Carries reads the data of a mined transaction.
func (c *Client) Carries(ctx context.Context, tx string, t chain.SignedTransfer) (bool, error) {
	hash, err := parseHash(tx)
	if err != nil {
		return false, err
	}
	var mined *struct {
		Input hexutil.Bytes `json:"input"`
	}
	if err := c.call(ctx, &mined, "eth_getTransactionByHash", hash); err != nil {
		return false, err
	}
	return mined != nil && bytes.Contains(mined.Input, t.Nonce[:]), nil
}
