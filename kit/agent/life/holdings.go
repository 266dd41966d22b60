package life

import (
	"context"
	"math/big"
	"slices"
	"strings"

	"github.com/railkit/railkit/chain"
	"github.com/railkit/railkit/enclave/wire"
	"github.com/railkit/railkit/fault"
	"github.com/railkit/railkit/kit/agent/call"
	"github.com/railkit/railkit/kit/signing/nodes"
	"github.com/railkit/railkit/platform/auth"
	"github.com/railkit/railkit/rest"
)

// Wallet tells where an agent's money is.
func (s *Service) Wallet(ctx context.Context, p auth.Principal, id string) (rest.AgentWallet, error) {
	a, now, err := s.find(ctx, p.WorkspaceID, id)
	if err == nil && now.Address == "" {
		err = errNoWallet
	}
	if err != nil {
		return rest.AgentWallet{}, err
	}
	w := rest.AgentWallet{
		AgentID: now.AgentID, WalletID: now.WalletID, Address: now.Address, Networks: []rest.AgentWalletNetwork{},
	}
	for _, n := range s.paysOn(a, now) {
		token, _ := n.TokenBySymbol(budgetToken)
		at := rest.AgentWalletNetwork{
			Network: n.Slug, Name: n.Name, ChainID: n.ChainID, Address: now.AddressOn(n.Kind),
			TokenAddress: token.Address,
		}
		if at.Address != "" {
			at.ExplorerURL = n.AddressPage(at.Address)
		}
		if w.ExplorerURL == "" {
			w.ExplorerURL = at.ExplorerURL
		}
		w.Networks = append(w.Networks, at)
	}
	return w, nil
}

// errNoWallet is of agents that were made before agents had wallets.
var errNoWallet = fault.Missing("Wallet")

// Balance asks the nodes what an agent has, on one network or on all on which it pays. Where a node does not answer,
// there is no answer: a sum without it would be too low, and zero is said only where there is nothing.
func (s *Service) Balance(ctx context.Context, p auth.Principal, id, network string) (rest.AgentBalance, error) {
	a, now, err := s.find(ctx, p.WorkspaceID, id)
	if err == nil {
		err = p.MayReadAgent(now.AgentID)
	}
	if err == nil && now.Address == "" {
		err = errNoWallet
	}
	if err != nil {
		return rest.AgentBalance{}, err
	}
	pays := s.paysOn(a, now)
	asked := hasOn(pays, now)
	if network != "" {
		n, err := oneOf(pays, now, network)
		if err != nil {
			return rest.AgentBalance{}, err
		}
		asked = []chain.Network{n}
	}
	ctx, cancel := context.WithTimeout(ctx, nodes.AskTimeout)
	defer cancel()
	v := rest.AgentBalance{AgentID: now.AgentID, Address: now.Address, Networks: []rest.AgentNetworkBalance{}}
	sum := new(big.Int)
	for _, n := range asked {
		at, micro, err := s.balanceOn(ctx, n, now.AddressOn(n.Kind))
		if err != nil {
			return rest.AgentBalance{}, err
		}
		v.Networks, sum = append(v.Networks, at), sum.Add(sum, micro)
	}
	v.BalanceUSDC = chain.FormatUnits(sum, places)
	return v, nil
}

func (s *Service) balanceOn(
	ctx context.Context, n chain.Network, address string,
) (v rest.AgentNetworkBalance, micro *big.Int, err error) {
	client, err := s.c.Nodes.Node(n.Slug)
	if err != nil {
		return v, nil, err
	}
	token, _ := n.TokenBySymbol(budgetToken)
	has, err := nodes.Balances(ctx, client, []string{address}, token.Address)
	if err != nil {
		return v, nil, err
	}
	coin, held := has[0].Coin, has[0].Tokens[0]
	return rest.AgentNetworkBalance{
		Network: n.Slug, ChainID: n.ChainID, Address: address, BalanceUSDC: chain.FormatUnits(held, places),
		Native: chain.FormatUnits(coin, n.Native.Decimals), NativeCoin: n.Native.Symbol,
	}, held, nil
}

// paysOn lists the networks on which an agent pays; of one that is not activated, those that were asked for.
func (s *Service) paysOn(a Agent, now wire.AgentReply) (all []chain.Network) {
	allowed := a.Asked.Limits.AllowedChains
	if now.Limits != nil {
		allowed = now.Limits.AllowedChains
	}
	for _, n := range s.c.Networks {
		if _, _, ok := s.c.Nodes.USDC(n.Slug); ok && slices.Contains(allowed, n.Slug) {
			all = append(all, n)
		}
	}
	return all
}

// hasOn are those for which the agent's wallet has an account.
func hasOn(pays []chain.Network, now wire.AgentReply) []chain.Network {
	return slices.DeleteFunc(slices.Clone(pays), func(n chain.Network) bool { return now.AddressOn(n.Kind) == "" })
}

// oneOf is a network that a call names, if the agent pays on it and can.
func oneOf(pays []chain.Network, now wire.AgentReply, slug string) (chain.Network, error) {
	n, ok := chain.WithSlug(pays, slug)
	switch {
	case !ok:
		return n, fault.Field("network", "must be one on which the agent pays: "+slugs(pays))
	case now.AddressOn(n.Kind) == "":
		return n, fault.Field("network", call.WithoutAccount(now, n))
	}
	return n, nil
}

func slugs(all []chain.Network) string {
	var names []string
	for _, n := range all {
		names = append(names, n.Slug)
	}
	return strings.Join(names, ", ")
}
