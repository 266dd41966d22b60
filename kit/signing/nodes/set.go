package nodes

import (
	"context"
	"errors"
	"strings"
	"time"

	"github.com/railkit/railkit/chain"
	"github.com/railkit/railkit/chain/families"
	"github.com/railkit/railkit/chain/node"
)

// SendTimeout bounds the one try at the node inside a request: the signed bytes
// are safe, and a job goes on trying.
const SendTimeout = 3 * time.Second

// AskTimeout bounds all that one request asks a node before anything is signed: a
// node that is slow each time is as good as none.
const AskTimeout = 10 * time.Second

// BySlug finds a network of the environment.
func (s *Set) BySlug(slug string) (chain.Network, bool) {
	return chain.WithSlug(s.networks, slug)
}

// Networks lists the networks of the environment.
func (s *Set) Networks() []chain.Network { return s.networks }

// Served lists the networks that the operator runs a node of.
func (s *Set) Served() (all []chain.Network) {
	for _, n := range s.networks {
		if s.nodes[n.Slug] != nil {
			all = append(all, n)
		}
	}
	return all
}

// ByChainID finds a network of the environment.
func (s *Set) ByChainID(id uint64) (chain.Network, bool) {
	return chain.WithChainID(s.networks, id)
}

// Named finds the network that a transaction names, or, where transactions name none, the only one of the kind.
func (s *Set) Named(k chain.Kind, id string) (chain.Network, bool) {
	if id != "" {
		return chain.WithID(s.networks, k, id)
	}
	for _, n := range chain.OfKind(k, s.networks) {
		if n.ChainID == 0 {
			return n, true
		}
	}
	return chain.Network{}, false
}

// Family is that of a network of the environment.
func (s *Set) Family(slug string) (chain.Family, bool) {
	n, _ := s.BySlug(slug)
	return families.Of(n.Kind)
}

// USDC is what agents pay with on a network, which they name as the enclave reads it (chain.OfCluster); false where
// they pay nothing there.
func (s *Set) USDC(name string) (chain.Network, chain.Token, bool) {
	n, ok := chain.OfCluster(s.networks, name)
	if !ok {
		return n, chain.Token{}, false
	}
	t, ok := n.USDC()
	return n, t, ok
}

// WhyNoUSDC says why agents pay nothing on a network, as a field that names it is refused.
func (s *Set) WhyNoUSDC(name string) string {
	if n, known := chain.OfCluster(s.networks, name); known {
		return n.WhyNoAgents()
	}
	var slugs []string
	for _, n := range s.networks {
		if _, ok := n.USDC(); ok {
			slugs = append(slugs, n.Slug)
		}
	}
	return "must be a network on which agents pay: " + strings.Join(slugs, ", ") +
		"; Solana's is also devnet in the sandbox, and mainnet-beta in production"
}

// Node is the node of a network. The operator may run none.
func (s *Set) Node(slug string) (Node, error) {
	n, ok := s.nodes[slug]
	if !ok {
		return nil, ErrNoNode
	}
	return n, nil
}

// Numbered is the node of a network whose transactions have nonces.
func (s *Set) Numbered(slug string) (Numbered, error) {
	n, ok := s.nodes[slug].(Numbered)
	if !ok {
		return nil, ErrNoNode
	}
	return n, nil
}

// Expiring is the node of a network whose transactions have none; false also where the operator runs no node for it.
func (s *Set) Expiring(slug string) (Expiring, bool) {
	n, ok := s.nodes[slug].(Expiring)
	return n, ok
}

// Sponsoring is the node of a network on which somebody else can pay the fee of a payment.
func (s *Set) Sponsoring(slug string) (node.Sponsoring, bool) {
	n, ok := s.nodes[slug].(node.Sponsoring)
	return n, ok
}

// Preflight is what the node of a network says of a transaction before it is signed, as of its newest block: asked now,
// or kept since it was asked for that block. What was kept may be as old as newestFor, so it refuses nothing: who would
// refuse by it asks PreflightAnew.
func (s *Set) Preflight(ctx context.Context, slug string, f node.Flight) (p node.Preflight, kept bool, err error) {
	l, ok := s.newest[slug]
	if !ok {
		return p, false, ErrNoNode
	}
	if p, kept, err = l.preflight(ctx, f); err != nil {
		err = ErrNode.Because(err)
	}
	return p, kept, err
}

// PreflightAnew asks now.
func (s *Set) PreflightAnew(ctx context.Context, slug string, f node.Flight) (p node.Preflight, err error) {
	l, ok := s.newest[slug]
	if !ok {
		return p, ErrNoNode
	}
	if p, err = l.anew(ctx, ask(f)); err != nil {
		err = ErrNode.Because(err)
	}
	return p, err
}

// Send gives signed bytes of an address to the node of a network. A node that has them already is a success. So is a
// nonce that is used up where the node has a receipt of these very bytes: an earlier try came through, and its answer
// was lost. What the node said of the address before is forgotten; "" where nobody knows whose bytes they are.
func (s *Set) Send(ctx context.Context, slug, from, signed string) error {
	n, err := s.Node(slug)
	if err != nil {
		return err
	}
	raw, err := chain.ParseHex(signed)
	if err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(ctx, SendTimeout)
	defer cancel()
	err = n.Send(ctx, raw)
	if l, ok := s.newest[slug]; ok {
		l.forget(from)
	}
	if family, ok := s.Family(slug); ok && errors.Is(err, node.ErrNonceUsed) {
		_, found, lookErr := n.Receipt(ctx, family.ID(raw))
		if lookErr != nil {
			return lookErr // whose nonce it was is not known
		}
		if found {
			return nil
		}
	}
	return err
}
