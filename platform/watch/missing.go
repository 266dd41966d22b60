package watch

import (
	"cmp"
	"context"
	"slices"

	"github.com/railkit/railkit/chain/node"
)

// goneSpan is how many blocks one question about known transfers covers.
const goneSpan = 500

// MissingTransfers asks a node for the blocks of some stored transfers, and returns the ids of those that it does not
// report in the stored block with the stored amount. It uses no other stored data.
func MissingTransfers(ctx context.Context, n Node, some []Transfer) (ids []string, err error) {
	some = slices.SortedFunc(slices.Values(some), func(a, b Transfer) int {
		return cmp.Compare(a.BlockNumber, b.BlockNumber)
	})
	tip, err := n.Latest(ctx)
	if err != nil {
		return nil, err
	}
	for len(some) > 0 {
		near := 1
		for near < len(some) && some[near].BlockNumber-some[0].BlockNumber < goneSpan {
			near++
		}
		if some[near-1].BlockNumber > tip.Number {
			return ids, errBehind
		}
		gone, err := missingFrom(ctx, n, some[:near])
		if err != nil {
			return ids, err
		}
		ids, some = append(ids, gone...), some[near:]
	}
	return ids, nil
}

// storedTransfer names a stored transfer with its block and amount. A node that has it reports all of them alike.
type storedTransfer struct {
	transferKey
	block, amount string
}

func missingFrom(ctx context.Context, n Node, some []Transfer) (ids []string, err error) {
	q := node.Query{From: some[0].BlockNumber, To: some[len(some)-1].BlockNumber}
	for _, t := range some {
		q.Tokens, q.Receivers = append(q.Tokens, t.Token), append(q.Receivers, t.To)
	}
	slices.Sort(q.Tokens)
	slices.Sort(q.Receivers)
	q.Tokens, q.Receivers = slices.Compact(q.Tokens), slices.Compact(q.Receivers)
	logs, err := n.Transfers(ctx, q)
	if err != nil {
		return nil, err
	}
	there, places := map[storedTransfer]bool{}, ordinals{}
	for _, l := range logs {
		there[storedTransfer{transferKey{l.Tx, l.Token, l.To, places.next(l)}, l.BlockHash, l.Amount.String()}] = true
	}
	for _, t := range some {
		if !there[storedTransfer{t.key(), t.BlockHash, t.Amount}] {
			ids = append(ids, t.ID)
		}
	}
	return ids, nil
}
