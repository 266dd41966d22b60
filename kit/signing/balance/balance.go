// Package balance tells what an address has of a token and what went to and from it, as the network's node says it now.
// The address need not be one of a wallet. Nothing is stored.
package balance

import (
	"context"

	"github.com/railkit/railkit/chain"
	"github.com/railkit/railkit/chain/families"
	"github.com/railkit/railkit/fault"
	"github.com/railkit/railkit/kit/signing/nodes"
	"github.com/railkit/railkit/rest"
)

// Service asks the nodes.
type Service struct{ nodes *nodes.Set }

// New makes one.
func New(n *nodes.Set) *Service { return &Service{n} }

// account is an address on a network, and the token that is asked about.
type account struct {
	network chain.Network
	token   chain.Token
	address string
	node    nodes.Node
}

// account reads the three names that every question has.
func (s *Service) account(network, address, symbol string) (a account, err error) {
	var ok bool
	if a.network, ok = chain.Named(s.nodes.Networks(), network); !ok {
		return a, fault.Field("chain", chain.Unknown(s.nodes.Networks()))
	}
	if a.token, ok = a.network.TokenBySymbol(symbol); !ok {
		return a, fault.Field("symbol", "is not a listed token of "+a.network.Slug+": there are "+a.network.Symbols())
	}
	family, _ := families.Of(a.network.Kind)
	if a.address, err = family.ParseAddress(address); err != nil {
		return a, fault.Field("address", "must be an address ("+family.Form().Typed+")")
	}
	a.node, err = s.nodes.Node(a.network.Slug)
	return a, err
}

// Token is what an address has of a token.
func (s *Service) Token(ctx context.Context, network, address, symbol string) (rest.TokenBalance, error) {
	a, err := s.account(network, address, symbol)
	if err != nil {
		return rest.TokenBalance{}, err
	}
	ctx, cancel := context.WithTimeout(ctx, nodes.AskTimeout)
	defer cancel()
	has, err := nodes.TokenBalance(ctx, a.node, a.token.Address, a.address)
	if err != nil {
		return rest.TokenBalance{}, err
	}
	return rest.TokenBalance{
		Address: a.address, Chain: a.network.Slug, ChainID: a.network.ChainID, Symbol: a.token.Symbol,
		TokenAddress: a.token.Address, Decimals: a.token.Decimals, Balance: has.String(),
		Formatted: chain.FormatUnits(has, a.token.Decimals),
	}, nil
}
