package watch

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"slices"

	"github.com/railkit/railkit/chain/node"
)

// Some families leave block numbers out: a Solana slot whose leader was away has no block. On such a network the
// watcher first asks which numbers of a range have a block, and then reads those blocks. The cursor is always at a
// number that has a block.
//
// Example: the numbers 7, 8 and 11 have blocks. At the cursor 8 the next range is 11 alone, and the parent of 11 must
// be 8. If a reorg removes 8, the parent of 11 is 7, and the watcher rolls back.
//
// The watcher believes that a number has no block only if the next block above names a parent below that number.

var errNumbers = errors.New("the node's list of blocks is not one of the range")

// listBlocks asks the node for the numbers of a range that have a block, and checks their order.
func (f *follower) listBlocks(ctx context.Context, from, to int64) ([]int64, error) {
	all, err := f.network.Gaps.Blocks(ctx, from, to)
	if err != nil {
		return nil, err
	}
	last := from - 1
	for _, n := range all {
		if n <= last || n > to {
			return nil, fmt.Errorf("%w: %d after %d", errNumbers, n, last)
		}
		last = n
	}
	return all, nil
}

// mostEmpty bounds how many numbers in a row may have no block. Only a lying node names a tip further up with no block
// below it. The watcher ends the step after some 40 questions to such a node, and tries again at the next step.
const mostEmpty = 1 << 40

// setRange sets the range of a batch: the blocks that follow its cursor. If a range has no block, setRange asks for
// the numbers above it, until it finds a block: at the latest the node's newest.
func (f *follower) setRange(ctx context.Context, r *batch, tip int64) error {
	r.from, r.to = r.at.Number+1, min(tip, r.at.Number+f.span)
	if f.network.Gaps == nil {
		return nil
	}
	for low, width := r.from, f.span; low <= tip && width < mostEmpty; width *= 2 {
		high := min(tip, low+width-1)
		all, err := f.listBlocks(ctx, low, high)
		if err != nil {
			return err
		}
		if len(all) > 0 {
			r.numbers = all[:min(int64(len(all)), f.span)]
			r.to = r.numbers[len(r.numbers)-1]
			return nil
		}
		low = high + 1
	}
	return errMoved
}

// first is the lowest number of a batch that has a block.
func (r *batch) first() int64 {
	if r.numbers != nil {
		return r.numbers[0]
	}
	return r.from
}

// listed yields the numbers of a batch that have a block and are not below from.
func (r *batch) listed(from int64) iter.Seq[int64] {
	if r.numbers != nil {
		i, _ := slices.BinarySearch(r.numbers, from)
		return slices.Values(r.numbers[i:])
	}
	return func(yield func(int64) bool) {
		for n := from; n <= r.to && yield(n); n++ {
		}
	}
}

// fits reports whether a header agrees with the list of the numbers that have a block.
func (r *batch) fits(h node.Header) bool {
	if r.numbers == nil {
		return true
	}
	i, listed := slices.BinarySearch(r.numbers, h.Number)
	return listed && (i == 0 || r.numbers[i-1] == h.ParentNumber)
}

// witness is the number of the block that shows whether a number has a block: the number itself or, if it has none, the
// next one above that has a block, whose parent is then below.
func (r *batch) witness(number int64) int64 {
	if i, _ := slices.BinarySearch(r.numbers, number); i < len(r.numbers) {
		return r.numbers[i]
	}
	return number
}

// header reads the header of the block with a number or, if that has no block, of the next one below.
func (f *follower) header(ctx context.Context, number int64) (node.Header, error) {
	if f.network.Gaps != nil {
		var err error
		if number, err = f.blockUpTo(ctx, number); err != nil {
			return node.Header{}, err
		}
	}
	all, err := f.node.Headers(ctx, []int64{number})
	if err != nil {
		return node.Header{}, err
	}
	return all[0], nil
}

func (f *follower) blockUpTo(ctx context.Context, number int64) (int64, error) {
	for width := f.span; number >= 0; width *= 2 {
		low := max(0, number-width+1)
		all, err := f.listBlocks(ctx, low, number)
		if err != nil {
			return 0, err
		}
		if len(all) > 0 {
			return all[len(all)-1], nil
		}
		number = low - 1
	}
	return 0, node.ErrNoBlock
}

// stillNumbers filters remembered blocks, the highest first: it leaves out those whose numbers have no block now.
func (f *follower) stillNumbers(ctx context.Context, known []node.Header) (all []node.Header, err error) {
	if f.network.Gaps == nil {
		return known, nil
	}
	for len(known) > 0 {
		near := 1
		for near < len(known) && known[0].Number-known[near].Number < mostBlocks {
			near++
		}
		there, err := f.listBlocks(ctx, known[near-1].Number, known[0].Number)
		if err != nil {
			return nil, err
		}
		for _, h := range known[:near] {
			if _, found := slices.BinarySearch(there, h.Number); found {
				all = append(all, h)
			}
		}
		known = known[near:]
	}
	return all, nil
}

// memory returns the hashes to remember with a batch, and the number below which all are forgotten. On a network that
// leaves numbers out, the watcher keeps one more block below the window and the batch, and forgets the hashes of the
// range whose numbers have no block any more.
func (f *follower) memory(ctx context.Context, r *batch) (keep []node.Header, from int64, err error) {
	from = r.to - f.window
	if f.network.Gaps == nil {
		return r.remembered(from + 1), from, nil
	}
	known, err := f.store.Blocks(ctx, f.network.Slug)
	if err != nil {
		return nil, 0, err
	}
	edge := int64(0)
	for _, h := range known {
		if h.Number <= min(from, r.at.Number) {
			edge = max(edge, h.Number)
		}
	}
	keep = r.remembered(edge)
	for _, h := range known {
		if h.Number > r.to {
			keep = append(keep, h)
		}
	}
	return keep, edge, nil
}
