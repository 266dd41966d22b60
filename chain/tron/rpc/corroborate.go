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
	has := func(ctx context.Context, c *Client, block int64, told []node.Transfer) error {
		return c.hasAll(ctx, block, told)
	}
	return node.Confirm(ctx, n.nodes, told, ErrTransport, has)
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
