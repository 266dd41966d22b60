package node

import (
	"context"
	"errors"
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
