package app

import (
	"cmp"
	"context"

	"github.com/railkit/railkit/chain"
	"github.com/railkit/railkit/chain/families"
	"github.com/railkit/railkit/chain/node"
	"github.com/railkit/railkit/job"
	"github.com/railkit/railkit/kit/payout/arrival"
	"github.com/railkit/railkit/platform/watch"
)

// newWatcher makes the watcher of every network that has a node.
func (a *App) newWatcher() *watch.Watcher {
	c := a.config
	w := watch.Config{
		Store: a.Store.Watch(), Nodes: map[string]watch.Node{}, Sink: deposits{}, From: c.WatchFrom, Clock: c.Clock,
		Log: c.Log, Every: c.WatchEvery,
	}
	for _, n := range a.nodes {
		network := watched(n.Network(), c.WatchDepth)
		network.Gaps, _ = n.(node.BlockLister)
		w.Networks = append(w.Networks, network)
		w.Nodes[n.Network().Slug] = n
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
	w := watch.Network{
		Slug: n.Slug, Confirmations: int64(cmp.Or(depth, n.Confirmations)),
		Has: func(address string) bool {
			family, ok := families.Of(n.Kind)
			if !ok {
				return false
			}
			_, err := family.ParseAddress(address)
			return err == nil
		},
	}
	for _, t := range n.Tokens {
		w.Tokens = append(w.Tokens, watch.Token{
			Symbol: t.Symbol, Address: families.Lookup(t.Address), Decimals: t.Decimals,
		})
	}
	return w
}
