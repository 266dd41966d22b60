package balance

import (
	"context"
	"slices"
	"time"

	"github.com/railkit/railkit/chain"
	"github.com/railkit/railkit/chain/families"
	"github.com/railkit/railkit/chain/node"
	"github.com/railkit/railkit/clock"
	"github.com/railkit/railkit/kit/signing/nodes"
	"github.com/railkit/railkit/rest"
)

const (
	window  = 2_000  // blocks that are asked for at once: a limit of many providers
	deepest = 10_000 // blocks that are looked through: 5.5 hours of Base, 33 of Ethereum
)

// Activity lists an address's transfers of USDC or, on a network that lists none, of the first token that it does,
// newest first: at most limit, of the last days and of the last 10,000 blocks.
func (s *Service) Activity(
	ctx context.Context, network, address string, days, limit int,
) ([]rest.TokenMovement, error) {
	symbol := "USDC"
	if n, ok := chain.Named(s.c.Nodes.Networks(), network); ok && len(n.Tokens) > 0 {
		if _, listed := n.TokenBySymbol(symbol); !listed {
			symbol = n.Tokens[0].Symbol
		}
	}
	a, err := s.account(network, address, symbol)
	if err != nil {
		return nil, err
	}
	ctx, cancel := context.WithTimeout(ctx, 2*nodes.AskTimeout)
	defer cancel()
	if asks, ok := a.node.(node.Historian); ok {
		return a.history(ctx, asks, days, limit)
	}
	head, err := a.node.Latest(ctx)
	if err != nil {
		return nil, nodes.ErrNode.Because(err)
	}
	all := []rest.TokenMovement{}
	since := head.Time - int64(days)*24*60*60
	for to := head.Number; to >= 0 && to > head.Number-deepest && len(all) < limit; to -= window {
		found, err := a.moved(ctx, max(to-window+1, head.Number-deepest+1, 0), to)
		if err != nil {
			return nil, nodes.ErrNode.Because(err)
		}
		slices.Reverse(found)
		for _, m := range found {
			if m.Time < since {
				return all, nil
			}
			if len(all) < limit {
				all = append(all, a.view(m))
			}
		}
	}
	return all, nil
}

// history is Activity where the node tells an address's latest transfers by itself, however long ago they were.
func (a account) history(ctx context.Context, asks node.Historian, days, limit int) ([]rest.TokenMovement, error) {
	head, err := a.node.Latest(ctx)
	if err != nil {
		return nil, nodes.ErrNode.Because(err)
	}
	moved, err := asks.History(ctx, a.address, a.token.Address, head.Time-int64(days)*24*60*60, limit)
	if err != nil {
		return nil, nodes.ErrNode.Because(err)
	}
	all := []rest.TokenMovement{}
	for _, m := range moved {
		all = append(all, a.view(m))
	}
	return all, nil
}

// moved lists the transfers from and to the account in a range of blocks, the oldest first. One from the account to
// itself is both, and is listed once. One of nothing is left out: anybody can write it in the account's name, to an
// address that looks like one that it paid, for its owner to copy (address poisoning).
func (a account) moved(ctx context.Context, from, to int64) ([]node.Moved, error) {
	q := node.Query{From: from, To: to, Tokens: []string{a.token.Address}, Receivers: []string{a.address}}
	all, err := a.node.Transfers(ctx, q)
	if err != nil {
		return nil, err
	}
	q.Senders, q.Receivers = q.Receivers, nil
	left, err := a.node.Transfers(ctx, q)
	if err != nil {
		return nil, err
	}
	all = append(all, slices.DeleteFunc(left, func(t node.Transfer) bool { return t.To == t.From })...)
	all = slices.DeleteFunc(all, func(t node.Transfer) bool { return t.Amount.Sign() == 0 })
	slices.SortFunc(all, func(a, b node.Transfer) int {
		if a.Block != b.Block {
			return int(a.Block - b.Block)
		}
		return int(a.Index - b.Index)
	})
	return a.timed(ctx, all)
}

// timed asks when the blocks of sorted transfers were made.
func (a account) timed(ctx context.Context, all []node.Transfer) ([]node.Moved, error) {
	var numbers []int64
	for _, t := range all {
		numbers = append(numbers, t.Block)
	}
	numbers = slices.Compact(numbers)
	headers, err := a.node.Headers(ctx, numbers)
	if err != nil {
		return nil, err
	}
	times := map[int64]int64{}
	for _, h := range headers {
		times[h.Number] = h.Time
	}
	timed := make([]node.Moved, len(all))
	for i, t := range all {
		timed[i] = node.Moved{Transfer: t, Time: times[t.Block]}
	}
	return timed, nil
}

func (a account) view(m node.Moved) rest.TokenMovement {
	v := rest.TokenMovement{
		TxHash: m.Tx, Chain: a.network.Slug, Symbol: a.token.Symbol, From: spelled(a.network, m.From),
		To: spelled(a.network, m.To), Amount: m.Amount.String(),
		Formatted: chain.FormatUnits(m.Amount, a.token.Decimals), Direction: "in", Account: m.Account,
		BlockNumber: m.Block,
		Timestamp:   clock.ISO(time.Unix(m.Time, 0)),
	}
	if v.From == a.address {
		v.Direction = "out"
	}
	return v
}

// spelled is an address of a node's answer in its canonical spelling.
func spelled(n chain.Network, address string) string {
	family, _ := families.Of(n.Kind)
	if canonical, err := family.ParseAddress(address); err == nil {
		return canonical
	}
	return address
}
