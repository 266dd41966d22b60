package app

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"

	"github.com/railkit/railkit/chain"
	"github.com/railkit/railkit/chain/devnet"
	"github.com/railkit/railkit/chain/evm/rpc"
	"github.com/railkit/railkit/chain/families"
	"github.com/railkit/railkit/chain/node"
	solanarpc "github.com/railkit/railkit/chain/solana/rpc"
	tronrpc "github.com/railkit/railkit/chain/tron/rpc"
	"github.com/railkit/railkit/internal/config"
	"github.com/railkit/railkit/job"
	"github.com/railkit/railkit/kit/payout/arrival"
	"github.com/railkit/railkit/platform/issuer"
	"github.com/railkit/railkit/platform/watch"
)

// Dialer makes the client of a network's nodes; nothing is asked yet.
type Dialer func(ctx context.Context, urls string, n chain.Network) (node.Client, error)

// dial has a Dialer for each family of networks.
var dial = map[chain.Kind]Dialer{
	chain.EVM: func(ctx context.Context, url string, n chain.Network) (node.Client, error) {
		return rpc.Dial(ctx, url, n)
	},
	chain.Solana: func(_ context.Context, urls string, n chain.Network) (node.Client, error) {
		return solanarpc.DialAll(urls, n)
	},
	chain.Tron: func(_ context.Context, urls string, n chain.Network) (node.Client, error) {
		return tronrpc.DialAll(urls, n)
	},
}

// DialNode prepares the client of a network's nodes, whose URLs have spaces between; nothing is asked yet.
func DialNode(ctx context.Context, urls string, n chain.Network) (node.Client, error) {
	family, known := dial[n.Kind]
	switch {
	case !known:
		return nil, fmt.Errorf("no client for nodes of the family %q", n.Kind)
	case n.Kind == chain.EVM && len(strings.Fields(urls)) > 1:
		return nil, fmt.Errorf("%s names two nodes of %s, which takes one", config.Called("rpc"), n.Slug)
	}
	return family(ctx, urls, n)
}

// dialNode is DialNode, with the families that a test adds.
func (c Config) dialNode(ctx context.Context, url string, n chain.Network) (node.Client, error) {
	dial, added := c.Dialers[n.Kind]
	if !added {
		dial = DialNode
	}
	client, err := dial(ctx, url, n)
	if err != nil {
		return nil, err
	}
	if o, can := client.(interface{ Observe(node.Observer) }); can {
		o.Observe(c.nodeAsked)
	}
	return client, nil
}

// meetNodes asks every node which chain it is on and writes down what is wrong.
// The server starts all the same: a node may come later, and to one on another
// chain nothing is sent, since the client asks again before each first call.
func (a *App) meetNodes(ctx context.Context) {
	for _, n := range a.nodes {
		a.running.Go(func() {
			err := n.CheckNetwork(ctx)
			switch network := n.Network(); {
			case errors.Is(err, node.ErrWrongNetwork):
				a.config.Log.ErrorContext(ctx, "a node is on another chain: nothing is sent to it; "+
					"give --rpc the URL of a node of the network",
					"network", network.Slug, "chainId", network.ChainID, "error", err)
			case err != nil && ctx.Err() == nil:
				a.config.Log.WarnContext(ctx, "a node does not answer", "network", network.Slug, "error", err)
			}
		})
	}
}

// refuseDevnet ends the start of a production server of which a node is the
// sandbox's, whatever chain it says to be on: what it confirms has not happened.
// A node that does not answer now is not judged.
func (a *App) refuseDevnet(ctx context.Context) error {
	if a.config.Environment != string(chain.Production) {
		return nil
	}
	found := make([]error, len(a.nodes))
	var asking sync.WaitGroup
	for i, n := range a.nodes {
		asking.Go(func() {
			if IsDevnet(ctx, n) {
				found[i] = fmt.Errorf("%s: production refuses the devnet, which is the node of %s",
					config.Called("rpc"), n.Network().Slug)
			}
		})
	}
	asking.Wait()
	return errors.Join(found...)
}

// localnet is in how the sandbox's chains that are no EVM name themselves.
const localnet = "railkit-localnet"

// IsDevnet tells whether a node says that it is the sandbox's own.
func IsDevnet(ctx context.Context, n node.Client) bool {
	name, err := n.Version(ctx)
	return err == nil && (strings.HasPrefix(name, devnet.Program) || strings.Contains(name, localnet))
}

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
		network.Others, _ = n.(node.Corroborating)
		if _, tells := n.(node.CoinTeller); tells {
			coin := n.Network().Native
			network.Tokens = append(network.Tokens, watch.Token{
				Symbol: coin.Symbol, Address: node.Coin, Decimals: coin.Decimals,
			})
		}
		if slug := network.Slug; a.issuers.Nodes[slug] != nil {
			network.Held = func(ctx context.Context, tokens []string) []string {
				issued := slices.DeleteFunc(slices.Clone(tokens), func(t string) bool { return t == node.Coin })
				return a.issuers.Held(ctx, slug, issued)
			}
		}
		w.Networks = append(w.Networks, network)
		w.Nodes[n.Network().Slug] = n
	}
	return watch.New(w)
}

// newIssuers watches who issues the tokens of networks whose nodes tell it.
func (a *App) newIssuers() *issuer.Service {
	c := a.config
	all := issuer.Config{
		Store: a.Store.Issuers(), Nodes: map[string]node.Issuing{}, Every: c.IssuersEvery, Clock: c.Clock, Log: c.Log,
	}
	for _, n := range a.nodes {
		tells, ok := n.(node.Issuing)
		if !ok {
			continue
		}
		slug := n.Network().Slug
		all.Nodes[slug] = tells
		for _, t := range n.Network().Tokens {
			all.Tokens = append(all.Tokens, issuer.Token{
				Network: slug, Address: families.Lookup(t.Address), Symbol: t.Symbol,
			})
		}
	}
	return issuer.New(all)
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
