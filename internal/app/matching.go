package app

import (
	"context"
	"errors"
	"fmt"

	"github.com/railkit/railkit/chain"
	"github.com/railkit/railkit/chain/node"
	"github.com/railkit/railkit/fiat"
	"github.com/railkit/railkit/internal/config"
	"github.com/railkit/railkit/kit/payout/reconcile"
	"github.com/railkit/railkit/platform/watch"
	"github.com/railkit/railkit/store"
)

// newMatcher compares the books with the partner and the chains. It asks the
// partner without the crash points of payouts: it moves nothing.
func newMatcher(c Config, s *store.Store, p fiat.Partner, nodes []node.Client) *reconcile.Matcher {
	eyes := eyes{}
	for _, n := range nodes {
		eyes[n.Network().Slug] = n
	}
	return reconcile.NewMatcher(s.Payout(), s.Watch(), p, eyes, c.Clock, c.Log)
}

// OpenMatcher is the comparison for who has only a database and the settings of a
// server. Nil: there is no partner to compare with.
func OpenMatcher(ctx context.Context, c Config, s *store.Store) (_ *reconcile.Matcher, closing func(), err error) {
	c = c.withDefaults()
	p, err := newPartner(c)
	if err != nil || p == nil {
		return nil, func() {}, err
	}
	var nodes []node.Client
	closing = func() {
		for _, n := range nodes {
			n.Close()
		}
	}
	for slug, url := range c.RPCURLs {
		network, known := chain.BySlug(chain.Environment(c.Environment), slug)
		if !known {
			return nil, closing, fmt.Errorf("%s names what is no network of this environment", config.Called("rpc"))
		}
		n, err := c.dialNode(ctx, url, network)
		if err != nil {
			return nil, closing, fmt.Errorf("the node of %s: %w", slug, err)
		}
		nodes = append(nodes, n)
	}
	return newMatcher(c, s, p, nodes), closing, nil
}

// eyes are the nodes by chain.
type eyes map[string]watch.Node

var errNoNode = errors.New("there is no node of it")

func (e eyes) Gone(ctx context.Context, chain string, some []watch.Transfer) ([]string, error) {
	n, known := e[chain]
	if !known {
		return nil, errNoNode
	}
	return watch.MissingTransfers(ctx, n, some)
}
