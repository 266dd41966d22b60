package node

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
)

// ErrNobody says that there is no node to ask.
var ErrNobody = errors.New("no node is configured")

// Each asks all nodes at once. Its answers and errors are in the order of the nodes.
func Each[N, T any](ctx context.Context, nodes []N, ask func(context.Context, N) (T, error)) ([]T, []error) {
	type one struct {
		place int
		value T
		err   error
	}
	answers := make(chan one, len(nodes))
	for i, n := range nodes {
		go func() {
			v, err := ask(ctx, n)
			answers <- one{i, v, err}
		}()
	}
	all, errs := make([]T, len(nodes)), make([]error, len(nodes))
	for range nodes {
		a := <-answers
		all[a.place], errs[a.place] = a.value, a.err
	}
	return all, errs
}

// First asks the nodes one after the other, until one answers without an error.
func First[N, T any](ctx context.Context, nodes []N, ask func(context.Context, N) (T, error)) (v T, err error) {
	if len(nodes) == 0 {
		return v, ErrNobody
	}
	for _, n := range nodes {
		var failed error
		if v, failed = ask(ctx, n); failed == nil {
			return v, nil
		}
		err = errors.Join(err, failed)
	}
	return v, err
}

// SameTransfer reports whether two nodes tell one transfer alike: also who sent it, who is screened.
func SameTransfer(a, b Transfer) bool {
	return a.Tx == b.Tx && a.Token == b.Token && a.To == b.To && a.From == b.From && a.Amount.Cmp(b.Amount) == 0 &&
		slices.Equal(slices.Sorted(slices.Values(a.Senders)), slices.Sorted(slices.Values(b.Senders)))
}

// Confirm has every node read the blocks of transfers that one of them told, and says which nodes contradict. hasAll
// fails with ErrDisagree where a node does not have all of a block's transfers. Every other error says nothing of them;
// one of the class away ends what that node is asked: the next block would take as long again.
func Confirm[N any](
	ctx context.Context, nodes []N, told []Transfer, away error,
	hasAll func(ctx context.Context, n N, block int64, told []Transfer) error,
) error {
	if len(nodes) < 2 {
		return nil
	}
	byBlock := map[int64][]Transfer{}
	for _, t := range told {
		byBlock[t.Block] = append(byBlock[t.Block], t)
	}
	_, errs := Each(ctx, nodes, func(ctx context.Context, n N) (bool, error) {
		for block, some := range byBlock {
			err := hasAll(ctx, n, block, some)
			if errors.Is(err, ErrDisagree) || errors.Is(err, away) {
				return true, err
			}
		}
		return true, nil
	})
	var all []error
	for i, err := range errs {
		if errors.Is(err, ErrDisagree) {
			all = append(all, fmt.Errorf("node %d: %w", i+1, err))
		}
	}
	return errors.Join(all...)
}

// Seen is what one node says of a transaction, and the height up to which it has looked; 0: not so far.
type Seen struct {
	Receipt
	Found  bool
	Height int64
}

// Together is what all nodes say of a transaction, as Expiring.LookFor tells it.
func Together(all []Seen, errs []error) (r Receipt, found bool, height int64, err error) {
	height, answered := math.MaxInt64, false
	for i, s := range all {
		if s.Found {
			r, found = s.Receipt, true
		}
		height, answered = min(height, s.Height), answered || errs[i] == nil
	}
	switch {
	case !answered:
		return r, false, 0, errors.Join(append(errs, ErrNobody)...)
	case errors.Join(errs...) != nil:
		height = 0
	}
	return r, found, height, nil
}
