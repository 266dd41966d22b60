package onchain

import (
	"context"
	"errors"
	"fmt"

	"github.com/railkit/railkit/chain"
	"github.com/railkit/railkit/chain/families"
	"github.com/railkit/railkit/chain/node"
)

// expiring is a network whose transactions name a recent block. Two messages of one payment would be two payments: a
// second one is made only when the first has expired, by the heights and by all that the node has.
type expiring struct {
	node interface {
		node.Client
		node.Expiring
	}
}

func (w expiring) terms(
	ctx context.Context, from string, call chain.Call, _ uint64,
) (tx chain.Tx, window node.Window, err error) {
	i := chain.Intent{From: from, Call: call}
	o, err := w.node.Offer(ctx, node.Wish{Intent: i})
	switch {
	case err != nil:
		return tx, window, err
	case errors.Is(o.Failure, node.ErrReverts), errors.Is(o.Failure, node.ErrPayee):
		return tx, window, fmt.Errorf("%w: %w", ErrNever, o.Failure)
	case o.Failure != nil:
		return tx, window, o.Failure
	}
	i.Gas, i.Rent = o.Units, o.Rent
	family, _ := families.Of(w.node.Network().Kind)
	tx, err = family.Assemble(w.node.Network(), i, chain.Terms{Recent: &o.Recent})
	return tx, o.Window, err
}

// Fate is that of the final block which has it, or that no block can have it any more.
func (w expiring) Fate(ctx context.Context, s Signed) (Fate, error) {
	o, err := w.node.Outcome(ctx, node.Sent{Signed: s.Raw, Window: s.Window})
	return Fate{Landed: o.Landed, Succeeded: o.Succeeded, Block: o.BlockNumber, Expired: o.Expired}, err
}

// Again is none: what is read is final.
func (expiring) Again() int64 { return 0 }
