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
	errTwice  = errors.New("the node tells the same transaction in two blocks")
)

// step brings the stored transfers nearer to the chain. More reports that another step can follow at once. Say the
// cursor is at block 120:
//
//   - The tip is 125: forward reads 121 to 125, if the parent of 121 is the 120 at the cursor.
//   - The parent of 121 is another 120, or the tip is 120 or lower and another block: rollBack looks for the highest
//     stored block that is still on the chain, say 117, drops the transfers above it and sets the cursor to 117.
//   - The tip is 118, and that is the 118 read before: no block was removed, the node is only behind. errBehind ends
//     the step, and nothing is dropped.
func (f *follower) step(ctx context.Context) (more bool, err error) {
	tip, err := f.node.Latest(ctx)
	if err != nil {
		return false, err
	}
	at, found, err := f.store.Cursor(ctx, f.network.Slug)
	f.noteTip(tip, at)
	switch {
	case err != nil:
		return false, err
	case !found:
		return true, f.initCursor(ctx, tip)
	case f.from > 0:
		return true, f.rewind(ctx, at, tip)
	case tip.Number == at.Number && tip.Hash == at.Hash:
		if released, err := f.release(ctx, at); err != nil || released {
			return released, err
		}
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
	f.noteTip(tip, at)
	return false, f.rescan(ctx, at)
}

// initCursor sets the first cursor lookBack blocks below the tip, since an address may have received a transfer before
// the watcher first ran, or just below the block of --watch-from. The watcher does not look for older transfers.
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

// rewind moves the cursor back to just below the block that --watch-from names. The stored transfers above it stay:
// the next steps drop those whose block is gone. The hashes above it stay too, so that the watcher does not take a
// node that falls behind meanwhile for a reorg.
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
	if other { // a reorg began below, where reading from here on would miss the removed blocks
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
		f.log.InfoContext(ctx, "deposits are read again", "from", f.from)
		f.from = 0
	}
	return err
}

// replaced reports whether the watcher read another block earlier in the place of this one. On a network that leaves
// numbers out, it may also have read that the number has no block: inside of the window the watcher remembers every
// block, unless it was far behind the chain.
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

// rollBack finds the highest remembered block that is still on the chain, sets the cursor to it and drops the
// transfers above it.
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

// undo drops the transfers above a block, and forgets the hashes of the blocks there.
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

// ancestor finds the highest remembered block that the node has too, no higher than the cursor and the node's tip.
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

// headers reads blocks that the node had a moment ago. If one is missing now, the chain has moved.
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

// changed passes the changed transfers to the sink.
func (f *follower) changed(ctx context.Context, tx Tx, all ...Transfer) error {
	for _, t := range all {
		if t.State == Dropped && !t.FinalAt.IsZero() {
			f.log.ErrorContext(ctx, "a reorg took a transfer back that was final", "transfer", t.ID, "tx", t.Tx)
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
