package lending

import (
	"context"
	"strconv"
	"strings"

	"github.com/railkit/railkit/chain"
	"github.com/railkit/railkit/kit/signing/nodes"
	"github.com/railkit/railkit/rest"
)

// networks are those with a pool and a node.
func (s *Service) networks() (all []chain.Network) {
	for _, n := range s.c.Nodes.Networks() {
		if _, err := s.pool(n.ChainID); err == nil {
			all = append(all, n)
		}
	}
	return all
}

// pooled names the networks with a pool where a message says which there are.
func (s *Service) pooled() string {
	var all []string
	for _, n := range s.c.Nodes.Networks() {
		if len(chain.LendingPools(n)) > 0 {
			all = append(all, n.Slug+" ("+n.ID()+")")
		}
	}
	return strings.Join(all, ", ")
}

// Chains lists the networks with a pool.
func (s *Service) Chains() rest.LendingChains {
	testnets := s.c.Environment == chain.Sandbox
	v := rest.LendingChains{Mainnets: []rest.LendingChain{}, Testnets: []rest.LendingChain{}, TestnetsEnabled: testnets}
	for _, n := range s.networks() {
		c := rest.LendingChain{ChainID: n.ChainID, Name: n.Name, IsTestnet: testnets}
		if testnets {
			v.Testnets = append(v.Testnets, c)
		} else {
			v.Mainnets = append(v.Mainnets, c)
		}
	}
	return v
}

// Health asks the node of every network with a pool whether it answers.
func (s *Service) Health(ctx context.Context) (rest.LendingHealth, error) {
	ctx, cancel := context.WithTimeout(ctx, nodes.AskTimeout)
	defer cancel()
	all := s.networks()
	answering, err := each(all, func(n chain.Network) (int, error) {
		p, err := s.pool(n.ChainID)
		if err != nil {
			return 0, err
		}
		if _, err = p.node.Head(ctx); err != nil {
			return 0, nil // it is what is asked
		}
		return 1, nil
	})
	if err != nil {
		return rest.LendingHealth{}, err
	}
	up := 0
	for _, n := range answering {
		up += n
	}
	return rest.LendingHealth{
		Status: healthOf(up, len(all)), Service: "lending", Timestamp: s.c.Clock.Now().UnixMilli(),
		Message: strconv.Itoa(up) + " of " + strconv.Itoa(len(all)) + " networks with a pool answer",
	}, nil
}

func healthOf(up, all int) string {
	switch {
	case up == 0:
		return "unavailable"
	case up < all:
		return "degraded"
	}
	return "healthy"
}
