package app

import (
	"cmp"
	"context"
	"errors"
	"math"

	"github.com/railkit/railkit/chain"
	"github.com/railkit/railkit/chain/evm"
	"github.com/railkit/railkit/chain/evm/rpc"
	"github.com/railkit/railkit/job"
	"github.com/railkit/railkit/kit/payout/arrival"
	"github.com/railkit/railkit/platform/watch"
)

// newWatcher makes the watcher of every EVM network that has a node.
func (a *App) newWatcher() *watch.Watcher {
	c := a.config
	w := watch.Config{
		Store: a.Store.Watch(), Nodes: map[string]watch.Node{}, Sink: deposits{}, From: c.WatchFrom, Clock: c.Clock,
		Log: c.Log, Every: c.WatchEvery,
	}
	for _, n := range a.nodes {
		w.Networks = append(w.Networks, watched(n.Network(), c.WatchDepth))
		w.Nodes[n.Network().Slug] = eye{n}
	}
	return watch.New(w)
}

// keepWatch follows the chains for as long as the server runs.
func (a *App) keepWatch(ctx context.Context) {
	a.running.Go(func() { a.watcher.Run(ctx) })
}

// deposits makes a job of each change of what came to a withdrawal address.
type deposits struct{}

func (deposits) Changed(ctx context.Context, tx watch.Jobs, t watch.Transfer) error {
	if t.Owner != watch.Withdraw {
		return nil
	}
	return tx.Enqueue(ctx, job.Job{Kind: arrival.Job, WorkspaceID: t.WorkspaceID, ID: t.ID})
}

func watched(n chain.Network, depth int) watch.Network {
	w := watch.Network{Slug: n.Slug, Confirmations: int64(cmp.Or(depth, n.Confirmations))}
	for _, t := range n.Tokens {
		w.Tokens = append(w.Tokens, watch.Token{Symbol: t.Symbol, Address: t.Address, Decimals: t.Decimals})
	}
	return w
}

// eye makes a watch.Node of an RPC client.
type eye struct{ *rpc.Client }

func (e eye) Latest(ctx context.Context) (watch.Header, error) {
	h, err := e.Client.Latest(ctx)
	return header(h), err
}

func (e eye) Headers(ctx context.Context, numbers []int64) ([]watch.Header, error) {
	wanted := make([]uint64, len(numbers))
	for i, n := range numbers {
		wanted[i] = uint64(n)
	}
	found, err := e.Client.Headers(ctx, wanted)
	if errors.Is(err, rpc.ErrNoBlock) {
		return nil, errors.Join(watch.ErrNoBlock, err)
	}
	all := make([]watch.Header, len(found))
	for i, h := range found {
		all[i] = header(h)
	}
	return all, err
}

func header(h rpc.Header) watch.Header {
	return watch.Header{
		Number: int64(min(h.Number, math.MaxInt64)), Hash: chain.Hex(h.Hash[:]), Parent: chain.Hex(h.Parent[:]),
	}
}

func (e eye) Transfers(ctx context.Context, q watch.Query) ([]watch.Log, error) {
	asked, err := transferQuery(q)
	if err != nil {
		return nil, err
	}
	found, err := e.Client.Transfers(ctx, asked)
	all := make([]watch.Log, len(found))
	for i, t := range found {
		all[i] = watch.Log{
			Block: int64(t.Block), BlockHash: chain.Hex(t.BlockHash[:]), Tx: chain.Hex(t.Tx[:]), Index: int64(t.Index),
			Token: chain.Hex(t.Token[:]), From: chain.Hex(t.From[:]), To: chain.Hex(t.To[:]), Amount: t.Amount,
		}
	}
	return all, err
}

func transferQuery(q watch.Query) (asked rpc.TransferQuery, err error) {
	asked.From, asked.To = uint64(q.From), uint64(q.To)
	if q.Hash != "" {
		hash, err := transactionHash(q.Hash) // of a block: they look alike
		if err != nil {
			return asked, err
		}
		asked.Hash = &hash
	}
	if asked.Tokens, err = addresses(q.Tokens); err != nil {
		return asked, err
	}
	asked.Receivers, err = addresses(q.Receivers)
	return asked, err
}

func addresses(texts []string) ([]evm.Address, error) {
	all := make([]evm.Address, len(texts))
	for i, text := range texts {
		var err error
		if all[i], err = evm.ParseAddress(text); err != nil {
			return nil, err
		}
	}
	return all, nil
}
