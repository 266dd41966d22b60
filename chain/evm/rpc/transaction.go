package rpc

import (
	"context"
	"errors"
	"fmt"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/common/hexutil"

	"github.com/railkit/railkit/chain/evm"
)

// Send hands signed bytes to the node and gives their id, which is computed from
// them. A node that names another id has done something else with them, so
// nothing is known; the id is ours in every case.
func (c *Client) Send(ctx context.Context, signed []byte) ([32]byte, error) {
	id := evm.ID(signed)
	tx, _, err := evm.DecodeSigned(signed)
	if err != nil {
		return id, fmt.Errorf("%w: %w", ErrRefused, err)
	}
	if tx.ChainID != c.network.ChainID {
		return id, fmt.Errorf("%w: %w", ErrRefused, errOtherChain)
	}
	var answer common.Hash
	if err := c.call(ctx, &answer, "eth_sendRawTransaction", hexutil.Bytes(signed)); err != nil {
		return id, err
	}
	if answer != id {
		return id, fmt.Errorf("%w: another id than the transaction's", ErrLyingNode)
	}
	return id, nil
}

var errOtherChain = errors.New("the transaction is for another chain")

// Receipt is what became of a transaction, as this node sees the chain now.
type Receipt struct {
	Found       bool
	Reverted    bool // mined and paid for, without effect
	BlockNumber uint64
	BlockHash   [32]byte
	GasUsed     uint64
}

type wireReceipt struct {
	TransactionHash *common.Hash `json:"transactionHash"`
	Status          *quantity    `json:"status"`
	BlockNumber     *quantity    `json:"blockNumber"`
	BlockHash       *common.Hash `json:"blockHash"`
	GasUsed         quantity     `json:"gasUsed"`
}

// Receipt looks a mined transaction up. One that is not mined is not found; a
// node that is still indexing does not know, which is an error.
func (c *Client) Receipt(ctx context.Context, id [32]byte) (Receipt, error) {
	var w *wireReceipt
	err := c.call(ctx, &w, "eth_getTransactionReceipt", common.Hash(id))
	if err != nil || w == nil {
		return Receipt{}, err
	}
	if w.TransactionHash == nil || *w.TransactionHash != id {
		return Receipt{}, fmt.Errorf("%w: the receipt of another transaction", ErrLyingNode)
	}
	if w.Status == nil || *w.Status > 1 || w.BlockNumber == nil || w.BlockHash == nil {
		return Receipt{}, fmt.Errorf("%w: a receipt with parts missing", ErrNode)
	}
	return Receipt{
		Found:       true,
		Reverted:    *w.Status == 0,
		BlockNumber: uint64(*w.BlockNumber),
		BlockHash:   *w.BlockHash,
		GasUsed:     uint64(w.GasUsed),
	}, nil
}

// Head is the number of the newest block.
func (c *Client) Head(ctx context.Context) (uint64, error) {
	var n quantity
	err := c.call(ctx, &n, "eth_blockNumber")
	return uint64(n), err
}

// BlockHash is the hash of the block that has the number now, if there is one.
// Compared with a receipt's, it shows a reorg.
func (c *Client) BlockHash(ctx context.Context, number uint64) (hash [32]byte, found bool, err error) {
	var block *struct {
		Number *quantity    `json:"number"`
		Hash   *common.Hash `json:"hash"`
	}
	if err := c.call(ctx, &block, "eth_getBlockByNumber", hexutil.Uint64(number), false); err != nil {
		return [32]byte{}, false, err
	}
	if block == nil {
		return [32]byte{}, false, nil
	}
	if block.Hash == nil || block.Number == nil || uint64(*block.Number) != number {
		return [32]byte{}, false, fmt.Errorf("%w: another block than the one asked for", ErrLyingNode)
	}
	return *block.Hash, true, nil
}

// TransactionKnown says whether the node has the transaction, mined or waiting.
func (c *Client) TransactionKnown(ctx context.Context, id [32]byte) (bool, error) {
	var tx *struct {
		Hash *common.Hash `json:"hash"`
	}
	err := c.call(ctx, &tx, "eth_getTransactionByHash", common.Hash(id))
	if err != nil || tx == nil {
		return false, err
	}
	if tx.Hash == nil || *tx.Hash != id {
		return false, fmt.Errorf("%w: another transaction than the one asked for", ErrLyingNode)
	}
	return true, nil
}
