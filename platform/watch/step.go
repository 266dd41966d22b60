package watch

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/railkit/railkit/chain/node"
)

var (
	errMoved     = errors.New("the chain moved while it was read")
	errUnchanged = fmt.Errorf("%w, and is what it was", errMoved)
	errBehind    = errors.New("the node is behind what was seen before")
	errTooDeep   = errors.New("no block that was seen before is on the node's chain: " +
		"the node is on a fork or the chain began anew; give --watch-from the block to read from")
	errHidden = errors.New("the node leaves out a transfer that it told before, in the same block")
)

// step brings the rows nearer to the chain: a range forward, or back to where
// the chain and the rows part. More says that a step forward can follow at once.
func (f *follower) step(ctx context.Context) (more bool, err error) {
	tip, err := f.node.Latest(ctx)
	if err != nil {
		return false, err
	}
	at, found, err := f.store.Cursor(ctx, f.network.Slug)
	switch {
	case err != nil:
		return false, err
	case !found:
		return true, f.initCursor(ctx, tip)
	case f.from > 0:
		return true, f.rewind(ctx, at, tip)
	case tip.Number == at.Number && tip.Hash == at.Hash:
		return false, f.rescan(ctx, at)
	case tip.Number <= at.Number:
		return false, f.rollBack(ctx, at, tip)
	}
	if more, err = f.forward(ctx, at, tip); err != nil || more {
		return more, err
	}
	if at, _, err = f.store.Cursor(ctx, f.network.Slug); err != nil {
		return false, err
	}
	return false, f.rescan(ctx, at)
}

// initCursor starts a little below the head, since an address may be older than the first look. Older transfers are out
// of scope.
func (f *follower) initCursor(ctx context.Context, tip node.Header) error {
	number := max(0, tip.Number-lookBack)
	if f.from > 0 {
		number = f.from - 1
	}
	below, err := f.header(ctx, number)
	if err != nil {
		return err
	}
	err = f.store.Write(ctx, func(ctx context.Context, tx Tx) error {
		err := tx.Begin(ctx, Cursor{Chain: f.network.Slug, Number: below.Number, Hash: below.Hash})
		if err != nil {
			return err
		}
		return tx.Remember(ctx, f.network.Slug, []node.Header{below}, 0)
	})
	if err == nil {
		f.from = 0
	}
	return err
}

// rewind moves the cursor back to a block that was asked for. Rows above it stay: the
// steps that follow drop those that are in no block any more. The hashes above it
// stay too, so that a node that is behind meanwhile is not taken for a reorg.
func (f *follower) rewind(ctx context.Context, at Cursor, tip node.Header) error {
	if f.from > at.Number {
		f.from = 0
		return nil
	}
	if tip.Number < f.from-1 {
		return f.rollBack(ctx, at, tip)
	}
	below, err := f.header(ctx, f.from-1)
	if err != nil {
		return err
	}
	other, err := f.replaced(ctx, below)
	if err != nil {
		return err
	}
	if other { // a reorg began below: reading from here on would not find what it took there
		if err := f.rollBack(ctx, at, tip); !errors.Is(err, errTooDeep) && !errors.Is(err, errUnchanged) {
			return err
		}
	}
	err = f.store.Write(ctx, func(ctx context.Context, tx Tx) error {
		if err := tx.Move(ctx, at, below.Number, below.Hash); err != nil {
			return err
		}
		return tx.Remember(ctx, f.network.Slug, []node.Header{below}, 0)
	})
	if err == nil {
		f.log.Info("deposits are read again", "from", f.from)
		f.from = 0
	}
	return err
}

// replaced tells whether the chain that was read has another block in the place of one. Where numbers are left out, it
// may have none there: inside of the window every block was remembered, unless the watcher was far behind the chain.
func (f *follower) replaced(ctx context.Context, now node.Header) (bool, error) {
	known, err := f.store.Blocks(ctx, f.network.Slug)
	if err != nil || len(known) == 0 {
		return false, err
	}
	at := slices.IndexFunc(known, func(h node.Header) bool { return h.Number == now.Number })
	if at >= 0 {
		return known[at].Hash != now.Hash, nil
	}
	highest := known[0].Number
	return f.network.Gaps != nil && highest > now.Number && highest < now.Number+f.window, nil
}

// rollBack finds the highest remembered block that is still on the chain and takes
// everything above it back.
func (f *follower) rollBack(ctx context.Context, at Cursor, tip node.Header) error {
	ancestor, err := f.ancestor(ctx, at, tip)
	if err != nil {
		return err
	}
	if ancestor.Number == at.Number {
		return errUnchanged
	}
	if ancestor.Number == tip.Number {
		return errBehind
	}
	now := f.clock.Now()
	return f.store.Write(ctx, func(ctx context.Context, tx Tx) error {
		if err := tx.Move(ctx, at, ancestor.Number, ancestor.Hash); err != nil {
			return err
		}
		return f.undo(ctx, tx, ancestor.Number, now)
	})
}

// undo drops what stands above a block, and forgets the hashes there.
func (f *follower) undo(ctx context.Context, tx Tx, above int64, now time.Time) error {
	if err := tx.Forget(ctx, f.network.Slug, above); err != nil {
		return err
	}
	dropped, err := tx.Undo(ctx, f.network.Slug, above, now)
	if err != nil {
		return err
	}
	return f.changed(ctx, tx, dropped...)
}

// ancestor is the highest remembered block that the node has, up to the cursor and
// to the node's tip.
func (f *follower) ancestor(ctx context.Context, at Cursor, tip node.Header) (node.Header, error) {
	known, err := f.store.Blocks(ctx, f.network.Slug)
	if err != nil {
		return node.Header{}, err
	}
	highest := min(at.Number, tip.Number)
	known = slices.DeleteFunc(known, func(h node.Header) bool { return h.Number > highest })
	if len(known) == 0 || highest < at.Number-f.window {
		return node.Header{}, errBehind
	}
	for some := range slices.Chunk(known, 16) {
		if some, err = f.stillNumbers(ctx, some); err != nil {
			return node.Header{}, err
		}
		theirs, err := f.headers(ctx, numbers(some))
		if err != nil {
			return node.Header{}, err
		}
		for i, ours := range some {
			if theirs[i].Hash == ours.Hash {
				return ours, nil
			}
		}
	}
	return node.Header{}, errTooDeep
}

// headers asks for blocks that the node showed a moment ago.
func (f *follower) headers(ctx context.Context, numbers []int64) ([]node.Header, error) {
	all, err := f.node.Headers(ctx, numbers)
	if errors.Is(err, node.ErrNoBlock) {
		return nil, errors.Join(errMoved, err)
	}
	if err == nil && len(all) != len(numbers) {
		return nil, fmt.Errorf("watch: %d headers, not %d", len(all), len(numbers))
	}
	return all, err
}

func numbers(blocks []node.Header) []int64 {
	all := make([]int64, len(blocks))
	for i, b := range blocks {
		all[i] = b.Number
	}
	return all
}

// changed tells the sink.
func (f *follower) changed(ctx context.Context, tx Tx, all ...Transfer) error {
	for _, t := range all {
		if t.State == Dropped && !t.FinalAt.IsZero() {
			f.log.Error("a reorg took a transfer back that was final", "transfer", t.ID, "tx", t.Tx)
		}
		if f.sink == nil {
			continue
		}
		if err := f.sink.Changed(ctx, tx, t); err != nil {
			return fmt.Errorf("telling of a transfer: %w", err)
		}
	}
	return nil
}
