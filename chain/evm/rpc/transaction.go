package rpc

import (
	"context"
	"errors"
	"fmt"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/common/hexutil"

	"github.com/railkit/railkit/chain"
	"github.com/railkit/railkit/chain/evm"
	"github.com/railkit/railkit/chain/node"
)

// Send hands signed bytes to the node. Their id is computed from them: a node that names another id has done something
// else with them, so nothing is known.
func (c *Client) Send(ctx context.Context, signed []byte) error {
	tx, _, err := evm.DecodeSigned(signed)
	if err != nil {
		return fmt.Errorf("%w: %w", node.ErrRefused, err)
	}
	if tx.ChainID != c.network.ChainID {
		return fmt.Errorf("%w: %w", node.ErrRefused, errOtherChain)
	}
	var answer common.Hash
	err = c.call(ctx, &answer, "eth_sendRawTransaction", hexutil.Bytes(signed))
	if errors.Is(err, errAlreadyKnown) {
		return nil
	}
	if err == nil && answer != evm.ID(signed) {
		return fmt.Errorf("%w: another id than the transaction's", ErrLyingNode)
	}
	return err
}

var errOtherChain = errors.New("the transaction is for another chain")

type wireReceipt struct {
	TransactionHash *common.Hash `json:"transactionHash"`
	Status          *quantity    `json:"status"`
	BlockNumber     *quantity    `json:"blockNumber"`
	BlockHash       *common.Hash `json:"blockHash"`
}

// Receipt looks a mined transaction up. One that is not mined is not found; a
// node that is still indexing does not know, which is an error.
func (c *Client) Receipt(ctx context.Context, id string) (r node.Receipt, found bool, err error) {
	hash, err := parseHash(id)
	if err != nil {
		return r, false, err
	}
	var w *wireReceipt
	err = c.call(ctx, &w, "eth_getTransactionReceipt", hash)
	if err != nil || w == nil {
		return r, false, err
	}
	if w.TransactionHash == nil || *w.TransactionHash != hash {
		return r, false, fmt.Errorf("%w: the receipt of another transaction", ErrLyingNode)
	}
	if w.Status == nil || *w.Status > 1 || w.BlockNumber == nil || w.BlockHash == nil {
		return r, false, fmt.Errorf("%w: a receipt with parts missing", ErrNode)
	}
	return node.Receipt{
		Succeeded: *w.Status == 1, BlockNumber: int64(*w.BlockNumber), BlockHash: chain.Hex(w.BlockHash[:]),
	}, true, nil
}

// parseHash reads the id of a transaction or the hash of a block.
func parseHash(text string) (common.Hash, error) {
	raw, err := chain.ParseHex(text)
	if err != nil || len(raw) != len(common.Hash{}) {
		return common.Hash{}, errors.New("not a hash of 32 bytes")
	}
	return common.Hash(raw), nil
}

// Head is the number of the newest block.
func (c *Client) Head(ctx context.Context) (int64, error) {
	var n quantity
	err := c.call(ctx, &n, "eth_blockNumber")
	return int64(n), err
}

// BlockHash is the hash of the block that has the number now, if there is one.
// Compared with a receipt's, it shows a reorg.
func (c *Client) BlockHash(ctx context.Context, number int64) (hash string, found bool, err error) {
	var block *struct {
		Number *quantity    `json:"number"`
		Hash   *common.Hash `json:"hash"`
	}
	err = c.call(ctx, &block, "eth_getBlockByNumber", hexutil.Uint64(number), false)
	if err != nil || block == nil {
		return "", false, err
	}
	if block.Hash == nil || block.Number == nil || int64(*block.Number) != number {
		return "", false, errOtherBlock
	}
	return chain.Hex(block.Hash[:]), true, nil
}

// Known says whether the node has the transaction, mined or waiting.
func (c *Client) Known(ctx context.Context, id string) (bool, error) {
	_, found, err := c.transaction(ctx, id)
	return found, err
}

// Transaction reads one that is mined or waits.
func (c *Client) Transaction(ctx context.Context, id string) (t node.Transaction, found bool, err error) {
	w, found, err := c.transaction(ctx, id)
	if err != nil || !found {
		return t, false, err
	}
	if w.From == nil || w.Value == nil {
		return t, false, fmt.Errorf("%w: a transaction with parts missing", ErrNode)
	}
	t = node.Transaction{From: chain.Hex(w.From[:]), Value: w.Value.ToInt(), Data: w.Input}
	if w.To != nil {
		t.To = chain.Hex(w.To[:])
	}
	return t, true, nil
}

type wireTransaction struct {
	Hash  *common.Hash    `json:"hash"`
	From  *common.Address `json:"from"`
	To    *common.Address `json:"to"`
	Value *hexutil.Big    `json:"value"`
	Input hexutil.Bytes   `json:"input"`
}

func (c *Client) transaction(ctx context.Context, id string) (w *wireTransaction, found bool, err error) {
	hash, err := parseHash(id)
	if err != nil {
		return nil, false, err
	}
	err = c.call(ctx, &w, "eth_getTransactionByHash", hash)
	if err != nil || w == nil {
		return nil, false, err
	}
	if w.Hash == nil || *w.Hash != hash {
		return nil, false, fmt.Errorf("%w: another transaction than the one asked for", ErrLyingNode)
	}
	return w, true, nil
}
