package watch

import (
	"context"
	"slices"
)

// final is the highest number of a block whose transfers are as deep as the network wants, below a newest block.
func (f *follower) final(newest int64) int64 { return newest - f.network.Confirmations + 1 }

// held asks, before a batch is written, of which tokens nothing becomes final with it: of those only that have
// something to become so.
func (f *follower) held(ctx context.Context, r *batch) ([]string, error) {
	if f.network.Held == nil {
		return nil, nil
	}
	upTo := f.final(r.to)
	tokens, err := f.store.Unsettled(ctx, f.network.Slug, upTo)
	if err != nil {
		return nil, err
	}
	for _, t := range r.found {
		if t.BlockNumber <= upTo {
			tokens = append(tokens, t.Token)
		}
	}
	slices.Sort(tokens)
	return f.network.Held(ctx, slices.Compact(tokens)), nil
}

// release makes final what was held and is held no longer, where no new block comes with which that would happen.
func (f *follower) release(ctx context.Context, at Cursor) (released bool, err error) {
	if f.network.Held == nil {
		return false, nil
	}
	upTo := f.final(at.Number)
	tokens, err := f.store.Unsettled(ctx, f.network.Slug, upTo)
	if err != nil || len(tokens) == 0 {
		return false, err
	}
	held := f.network.Held(ctx, tokens)
	if len(held) == len(tokens) {
		return false, nil
	}
	return true, f.store.Write(ctx, func(ctx context.Context, tx Tx) error {
		if err := tx.Move(ctx, at, at.Number, at.Hash); err != nil {
			return err
		}
		return f.settle(ctx, tx, upTo, held)
	})
}

// settle makes the transfers up to a block final, but for those of tokens that are held.
func (f *follower) settle(ctx context.Context, tx Tx, upTo int64, held []string) error {
	final, err := tx.Settle(ctx, f.network.Slug, upTo, held, f.clock.Now())
	if err != nil {
		return err
	}
	return f.changed(ctx, tx, final...)
}
