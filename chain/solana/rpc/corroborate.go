package rpc

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/railkit/railkit/chain/node"
	"github.com/railkit/railkit/chain/solana/follow"
)

// Corroborate has every node read the blocks of transfers that one of them told: each that has the block has to have
// the same block there, and the same transfers in it.
func (n *Network) Corroborate(ctx context.Context, told []node.Transfer) error {
	has := func(ctx context.Context, c *Client, block int64, told []node.Transfer) error {
		return c.hasAll(ctx, block, told)
	}
	return node.Confirm(ctx, n.nodes, told, ErrTransport, has)
}

// hasAll fails with node.ErrDisagree where the node has the slot's block, or knows that there is none, and does not
// have all transfers there. Every other error says nothing of them.
func (c *Client) hasAll(ctx context.Context, slot int64, told []node.Transfer) error {
	b, err := c.Block(ctx, slot, true)
	if errors.Is(err, node.ErrNoBlock) {
		return c.passesOver(ctx, slot, told[0].Tx)
	}
	if err != nil {
		return err
	}
	if err := follow.Once(b); err != nil {
		return errors.Join(node.ErrDisagree, err)
	}
	var q node.Query
	for _, t := range told {
		q.Tokens, q.Receivers = append(q.Tokens, t.Token), append(q.Receivers, t.To)
	}
	all, err := b.Transfers(q)
	if err != nil {
		return errors.Join(node.ErrDisagree, err)
	}
	for _, t := range told {
		found := slices.ContainsFunc(all, func(other node.Transfer) bool { return node.SameTransfer(other, t) })
		if b.Hash != t.BlockHash || !found {
			return fmt.Errorf("%w: what %s brings in slot %d", node.ErrDisagree, t.Tx, slot)
		}
	}
	return nil
}

// passesOver fails with node.ErrDisagree where the node's next block names a parent below the slot. One that is behind,
// or was started from a snapshot above and has lost the block, says the same of the slot and knows nothing of it.
func (c *Client) passesOver(ctx context.Context, slot int64, tx string) error {
	blocks, err := c.Range(ctx, slot, slot)
	if err == nil && len(blocks) == 0 {
		err = fmt.Errorf("%w: there is no block in the slot %d of %s", node.ErrDisagree, slot, tx)
	}
	return err
}
