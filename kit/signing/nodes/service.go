// Package nodes is the kit's port to the nodes of the networks: what it asks of one, what callers are told of their
// errors, and the set of those that the operator runs. Nothing that a node says is trusted with more than liveness:
// what is signed is stamped, and ids are computed by the server.
//
// Read node.go for the port, set.go for how a node is found and how signed bytes are sent, newest.go for what is asked
// once a block, and errors.go for what callers are told.
package nodes

import (
	"github.com/railkit/railkit/chain"
)

// Set is the networks of the environment, and the nodes that the operator runs for them.
type Set struct {
	networks []chain.Network
	nodes    map[string]Node    // by slug
	newest   map[string]*newest // likewise, where transactions have nonces
}

// NewSet makes a Set.
func NewSet(networks []chain.Network, nodes map[string]Node) *Set {
	s := &Set{networks, nodes, map[string]*newest{}}
	for slug, n := range nodes {
		if n, ok := n.(Numbered); ok {
			s.newest[slug] = &newest{node: n}
		}
	}
	return s
}
