package rpc

import (
	"context"
	"fmt"
	"math"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/common/hexutil"

	"github.com/railkit/railkit/chain"
	"github.com/railkit/railkit/chain/node"
)

// maxHeaders is how many are asked for in one request.
const maxHeaders = 64

type wireHeader struct {
	Number *quantity    `json:"number"`
	Hash   *common.Hash `json:"hash"`
	Parent *common.Hash `json:"parentHash"`
	Time   *quantity    `json:"timestamp"`
}

// Latest is the newest block's header.
func (c *Client) Latest(ctx context.Context) (node.Header, error) {
	var w *wireHeader
	if err := c.call(ctx, &w, "eth_getBlockByNumber", latest, false); err != nil {
		return node.Header{}, err
	}
	return w.header()
}

// Headers are those of the blocks that have the numbers now, in the order of the
// numbers. One that is missing is node.ErrNoBlock.
func (c *Client) Headers(ctx context.Context, numbers []int64) ([]node.Header, error) {
	all := make([]node.Header, 0, len(numbers))
	for len(numbers) > 0 {
		n := min(len(numbers), maxHeaders)
		some, err := c.headers(ctx, numbers[:n])
		if err != nil {
			return nil, err
		}
		all, numbers = append(all, some...), numbers[n:]
	}
	return all, nil
}

func (c *Client) headers(ctx context.Context, numbers []int64) ([]node.Header, error) {
	var b batch
	answers := make([]*wireHeader, len(numbers))
	failures := make([]func() error, len(numbers))
	for i, n := range numbers {
		failures[i] = b.add(&answers[i], "eth_getBlockByNumber", hexutil.Uint64(n), false)
	}
	if err := c.askAll(ctx, b); err != nil {
		return nil, err
	}
	all := make([]node.Header, len(numbers))
	for i, n := range numbers {
		if err := failures[i](); err != nil {
			return nil, err
		}
		h, err := answers[i].header()
		if err != nil {
			return nil, err
		}
		if h.Number != n {
			return nil, errOtherBlock
		}
		all[i] = h
	}
	return all, nil
}

var errOtherBlock = fmt.Errorf("%w: another block than the one asked for", ErrLyingNode)

func (w *wireHeader) header() (node.Header, error) {
	if w == nil {
		return node.Header{}, node.ErrNoBlock
	}
	if w.Number == nil || w.Hash == nil || w.Parent == nil || w.Time == nil {
		return node.Header{}, fmt.Errorf("%w: a block with parts missing", ErrNode)
	}
	if *w.Number > math.MaxInt64 || *w.Time > math.MaxInt64 {
		return node.Header{}, fmt.Errorf("%w: a block number or time beyond 63 bits", ErrNode)
	}
	return node.Header{
		Number: int64(*w.Number), Hash: chain.Hex(w.Hash[:]), Parent: chain.Hex(w.Parent[:]),
		ParentNumber: int64(*w.Number) - 1, Time: int64(*w.Time),
	}, nil
}
