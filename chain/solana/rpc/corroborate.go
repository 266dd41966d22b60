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
	bySlot := map[int64][]node.Transfer{}
	for _, t := range told {
		bySlot[t.Block] = append(bySlot[t.Block], t)
	}
	for slot, some := range bySlot {
		switch err := c.hasAll(ctx, slot, some); {
		case errors.Is(err, node.ErrDisagree):
			return err
		case errors.Is(err, ErrTransport): // it is away: to ask it for the next slot would take as long again
			return nil
		}
	}
	return nil
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
