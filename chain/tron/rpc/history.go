package rpc

import (
	"context"
	"slices"

	"github.com/railkit/railkit/chain/node"
)

const (
	// looked is how many of the newest solid blocks are looked through for the transfers of an address: nodes keep no
	// list of them. On a network these are of half an hour.
	looked = 600
	// chunk is how many are read before it is asked whether that is enough.
	chunk = 50
)

// History lists the latest transfers of a token from and to an address, newest first, as far as the newest blocks have
// them. One of nothing is left out: anybody can write it in the address's name.
func (n *Network) History(
	ctx context.Context, address, token string, since int64, limit int,
) ([]node.Moved, error) {
	return node.First(ctx, n.nodes, func(ctx context.Context, c *Client) ([]node.Moved, error) {
		return c.history(ctx, address, token, since, limit)
	})
}

func (c *Client) history(
	ctx context.Context, address, token string, since int64, limit int,
) (all []node.Moved, err error) {
	tip, err := c.tip(ctx, solid)
	if err != nil {
		return nil, err
	}
	for to := tip.number; to > max(tip.number-looked, 0) && len(all) < limit; to -= chunk {
		var numbers []int64
		for n := to; n > max(to-chunk, tip.number-looked, 0); n-- {
			numbers = append(numbers, n)
		}
		blocks, err := parallel(ctx, numbers, func(ctx context.Context, n int64) (full, error) {
			return c.solidBlock(ctx, n)
		})
		if err != nil {
			return nil, err
		}
		for _, f := range blocks {
			if f.time/1000 < since {
				return all, nil
			}
			some, err := f.moved(address, token)
			if err != nil {
				return nil, err
			}
			all = append(all, some...)
		}
	}
	return all[:min(len(all), limit)], nil
}

// moved are the transfers of a block from and to an address, the last first.
func (f full) moved(address, token string) (all []node.Moved, err error) {
	told, err := f.transfers(node.Query{Tokens: []string{token}})
	for _, t := range slices.Backward(told) {
		if t.Amount.Sign() > 0 && (t.From == address || t.To == address) {
			all = append(all, node.Moved{Transfer: t, Time: f.time / 1000})
		}
	}
	return all, err
}
