package onchain

import (
	"context"

	"github.com/railkit/railkit/chain"
	"github.com/railkit/railkit/chain/families"
	"github.com/railkit/railkit/chain/node"
)

const (
	payGas = 120_000 // what a transfer of a token may need
	reorgs = 64      // blocks that others may come in place of
)

// numbered is a network that takes one transaction of each number of a sender's.
type numbered struct {
	node interface {
		node.Client
		node.Numbered
	}
}

func (w numbered) terms(
	ctx context.Context, from string, call chain.Call, lowest uint64,
) (tx chain.Tx, none node.Window, err error) {
	fee, err := w.node.Fee(ctx)
	if err != nil {
		return tx, none, err
	}
	next, err := w.node.NextNonce(ctx, from)
	if err != nil {
		return tx, none, err
	}
	family, _ := families.Of(w.node.Network().Kind)
	tx, err = family.Assemble(w.node.Network(), chain.Intent{From: from, Call: call, Gas: payGas},
		chain.Terms{Nonce: max(next, lowest), Fee: fee.Fee})
	return tx, none, err
}

// Fate is that of the block which has it now.
func (w numbered) Fate(ctx context.Context, s Signed) (f Fate, err error) {
	r, found, err := w.node.Receipt(ctx, s.ID)
	return Fate{Landed: found, Succeeded: r.Succeeded, Block: r.BlockNumber}, err
}

func (numbered) Again() int64 { return reorgs }

// Next is the lowest number that no block has of the treasury. Not numbered: there are none.
func (c *Chain) Next(ctx context.Context) (next uint64, isNumbered bool, err error) {
	n, isNumbered := c.Client.(node.Numbered)
	if !isNumbered {
		return 0, false, nil
	}
	from, err := c.Address(Treasury, 0)
	if err == nil {
		next, err = n.NextNonce(ctx, from)
	}
	return next, true, err
}
