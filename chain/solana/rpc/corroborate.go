package rpc

import (
	"context"
	"errors"
	"fmt"

	"github.com/railkit/railkit/chain/node"
	"github.com/railkit/railkit/chain/solana/follow"
)

// Corroborate has every node read the blocks of transfers that one of them told: each that has the block has to have
// the same block there, and the same transfers in it.
func (n *Network) Corroborate(ctx context.Context, told []node.Transfer) error {
	if len(n.nodes) < 2 {
		return nil
	}
	_, errs := each(ctx, n.nodes, func(ctx context.Context, c *Client) (bool, error) {
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
		if err := c.hasAll(ctx, slot, some); err != nil {
			return err
		}
	}
	return nil
}

// hasAll fails with node.ErrDisagree where the node has read as far as a slot and does not have all transfers there.
func (c *Client) hasAll(ctx context.Context, slot int64, told []node.Transfer) error {
	b, err := c.Block(ctx, slot, true)
	if errors.Is(err, node.ErrNoBlock) {
		tip, failed := c.Tip(ctx)
		if failed == nil && tip.Slot > slot {
			return fmt.Errorf("%w: there is no block in the slot %d of %s", node.ErrDisagree, slot, told[0].Tx)
		}
	}
	if err != nil {
		return nil // it says nothing
	}
	if err := follow.Once(b); err != nil {
		return errors.Join(node.ErrDisagree, err)
	}
	for _, t := range told {
		q := node.Query{Tokens: []string{t.Token}, Receivers: []string{t.To}}
		all, err := b.Transfers(q)
		if err != nil {
			return errors.Join(node.ErrDisagree, err)
		}
		if b.Hash != t.BlockHash || !has(all, t) {
			return fmt.Errorf("%w: what %s brings in slot %d", node.ErrDisagree, t.Tx, slot)
		}
	}
	return nil
}

func has(all []node.Transfer, t node.Transfer) bool {
	for _, other := range all {
		if other.Tx == t.Tx && other.Amount.Cmp(t.Amount) == 0 {
			return true
		}
	}
	return false
}
