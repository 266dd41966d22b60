package watch

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"slices"

	"github.com/railkit/railkit/chain/node"
)

// Some families leave block numbers out: a Solana slot whose leader was away has no block. Of such a network the
// watcher asks which numbers of a range have one, and then reads those. The cursor is always at a number that has one.
//
// Example: blocks 7, 8 and 11 are there. At the cursor 8 the next range is 11 alone, and its parent has to be 8. A
// reorg that leaves out 8 shows in the parent of the next block, which is 7 then.
//
// That a number has no block is believed only where the block above names a parent below.

var errNumbers = errors.New("the node's list of blocks is not one of the range")

// listBlocks are the numbers of a range that have a block.
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

// mostEmpty bounds the numbers in a row that have no block. Only a lying node shows a tip further up, with nothing
// below: it is asked some 40 questions, and again at the next look.
const mostEmpty = 1 << 40

// setRange makes a batch of what follows its cursor. A range without any block is made longer until it has one: the
// node's newest block at the latest.
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

// listed are the numbers of a batch from one on that have a block.
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

// fits holds the header of a block against the list of the numbers that have one.
func (r *batch) fits(h node.Header) bool {
	if r.numbers == nil {
		return true
	}
	i, listed := slices.BinarySearch(r.numbers, h.Number)
	return listed && (i == 0 || r.numbers[i-1] == h.ParentNumber)
}

// witness is the block that shows what is at a number: its own or, where it has none, the next above, whose parent is
// below then.
func (r *batch) witness(number int64) int64 {
	if i, _ := slices.BinarySearch(r.numbers, number); i < len(r.numbers) {
		return r.numbers[i]
	}
	return number
}

// header is that of the highest block up to a number.
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

// stillNumbers leaves out remembered blocks, the highest first, whose numbers have no block now.
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

// memory is which hashes are kept with a batch, and from which number on. Where numbers are left out, one block below
// the window and the batch is kept, and numbers of the range that have no block any more are forgotten.
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
