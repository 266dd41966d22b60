package rpc

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/railkit/railkit/chain/node"
)

// Corroborate has every node read the blocks of transfers that one of them told: each that has a block has to have the
// same one there, and the same transfers in it.
func (n *Network) Corroborate(ctx context.Context, told []node.Transfer) error {
	if len(n.nodes) < 2 {
		return nil
	}
	_, errs := node.Each(ctx, n.nodes, func(ctx context.Context, c *Client) (bool, error) {
		return true, c.corroborates(ctx, told)
	})
	var all []error
	for i, err := range errs {
		if errors.Is(err, node.ErrDisagree) {
			all = append(all, fmt.Errorf("node %d: %w", i+1, err))
		}
	}
	return errors.Join(all...)
}

func (c *Client) corroborates(ctx context.Context, told []node.Transfer) error {
	byNumber := map[int64][]node.Transfer{}
	for _, t := range told {
		byNumber[t.Block] = append(byNumber[t.Block], t)
	}
	for number, some := range byNumber {
		switch err := c.hasAll(ctx, number, some); {
		case errors.Is(err, node.ErrDisagree):
			return err
		case errors.Is(err, ErrTransport): // it is away: to ask it for the next block would take as long again
			return nil
		}
	}
	return nil
}

// hasAll fails with node.ErrDisagree where the node has the block and does not have all transfers there, or leaves out
// something of it. Every other error says nothing of them.
func (c *Client) hasAll(ctx context.Context, number int64, told []node.Transfer) error {
	f, err := c.solidBlock(ctx, number)
	if errors.Is(err, ErrLyingNode) {
		return errors.Join(node.ErrDisagree, err)
	}
	if err != nil {
		return err
	}
	var q node.Query
	for _, t := range told {
		q.Tokens, q.Receivers = append(q.Tokens, t.Token), append(q.Receivers, t.To)
	}
	all, err := f.transfers(q)
	if err != nil {
		return errors.Join(node.ErrDisagree, err)
	}
	for _, t := range told {
		found := slices.ContainsFunc(all, func(other node.Transfer) bool { return node.SameTransfer(other, t) })
		if f.id != t.BlockHash || !found {
			return fmt.Errorf("%w: what %s brings in block %d", node.ErrDisagree, t.Tx, number)
		}
	}
	return nil
}
