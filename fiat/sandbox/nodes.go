package sandbox

import (
	"context"
	"sync"

	"github.com/railkit/railkit/chain"
	"github.com/railkit/railkit/chain/evm/rpc"
)

// nodes are the clients of the chains, made when they are first needed: a chain
// of the devnet that nobody asks for does not start.
type nodes struct {
	mu  sync.Mutex
	all map[string]*rpc.Client
}

func (s *Server) node(ctx context.Context, n chain.Network) (*rpc.Client, error) {
	s.nodes.mu.Lock()
	defer s.nodes.mu.Unlock()
	if c := s.nodes.all[n.Slug]; c != nil {
		return c, nil
	}
	c, err := rpc.Dial(ctx, s.devnet.RPCURL(n.Slug), n)
	if err != nil {
		return nil, err
	}
	if s.nodes.all == nil {
		s.nodes.all = map[string]*rpc.Client{}
	}
	s.nodes.all[n.Slug] = c
	return c, nil
}

func (n *nodes) close() {
	n.mu.Lock()
	defer n.mu.Unlock()
	for _, c := range n.all {
		c.Close()
	}
}
