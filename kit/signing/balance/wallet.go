package balance

import (
	"context"
	"log/slog"
	"math/big"
	"slices"
	"strings"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/railkit/railkit/chain"
	"github.com/railkit/railkit/chain/families"
	"github.com/railkit/railkit/chain/node"
	"github.com/railkit/railkit/clock"
	"github.com/railkit/railkit/fault"
	"github.com/railkit/railkit/kit/signing/nodes"
	"github.com/railkit/railkit/kit/signing/wallet"
	"github.com/railkit/railkit/platform/auth"
	"github.com/railkit/railkit/rest"
)

const (
	mostAddresses = 50              // of a wallet, in one answer
	patience      = 5 * time.Second // with each node, however many addresses it is asked about
	atOnce        = 8               // networks that one call asks at the same time
)

// Wallet tells what the addresses of a wallet have on every network that has a node: of its coin and of each listed
// stablecoin. A node that does not answer is an error of its own network's part alone. With an address it is about that
// one; without, about the oldest.
func (s *Service) Wallet(ctx context.Context, p auth.Principal, id, address string) (rest.WalletBalances, error) {
	w, rows, err := s.c.Wallets.WithAddresses(ctx, p, id)
	if err != nil {
		return rest.WalletBalances{}, err
	}
	if address != "" {
		spelled, _, _ := families.ParseAddress(address)
		rows = slices.DeleteFunc(rows, func(a wallet.Address) bool { return a.Address != spelled })
		if len(rows) == 0 {
			return rest.WalletBalances{}, fault.Missing("Address")
		}
	}
	asked := rows[:min(len(rows), mostAddresses)]
	byKind := map[chain.Kind][]string{}
	for _, a := range asked {
		byKind[chain.Kind(a.Kind)] = append(byKind[chain.Kind(a.Kind)], a.Address)
	}
	return rest.WalletBalances{
		WalletID: w.EnclaveID, AddressesLeftOut: len(rows) - len(asked), Networks: s.onNetworks(ctx, byKind),
	}, nil
}

// onNetworks asks the nodes at the same time, each about the addresses of its family.
func (s *Service) onNetworks(ctx context.Context, addresses map[chain.Kind][]string) []rest.NetworkBalances {
	networks := slices.DeleteFunc(s.c.Nodes.Served(), func(n chain.Network) bool { return addresses[n.Kind] == nil })
	all := make([]rest.NetworkBalances, len(networks))
	var asking errgroup.Group
	asking.SetLimit(atOnce)
	for i, n := range networks {
		asking.Go(func() error {
			all[i] = s.onNetwork(ctx, n, addresses[n.Kind])
			return nil
		})
	}
	_ = asking.Wait() // what a node failed with is in its part
	return all
}

func (s *Service) onNetwork(ctx context.Context, n chain.Network, addresses []string) rest.NetworkBalances {
	v := rest.NetworkBalances{Chain: n.Slug, Name: n.Name, ChainID: n.ChainID, Balances: []rest.WalletBalance{}}
	assets := stablecoins(n)
	told := s.recent.answer(n.Slug+" "+strings.Join(addresses, " "), func() answer {
		held, err := s.ask(ctx, n, addresses, assets)
		return answer{at: s.c.Clock.Now(), held: held, err: err}
	})
	v.AsOf = clock.ISO(told.at)
	if told.err != nil {
		v.Error = &rest.NetworkError{Code: nodes.ErrNode.Code, Message: nodes.ErrNode.Message}
		return v
	}
	for i, address := range addresses {
		v.Balances = append(v.Balances, view(n.Native, address, told.held[i].Coin))
		for j, token := range assets {
			v.Balances = append(v.Balances, view(token, address, told.held[i].Tokens[j]))
		}
	}
	return v
}

// ask does not end with the caller: others may wait for the same answer.
func (s *Service) ask(
	ctx context.Context, n chain.Network, addresses []string, assets []chain.Token,
) (all []node.Balance, err error) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), patience)
	defer cancel()
	client, err := s.c.Nodes.Node(n.Slug)
	if err != nil {
		return nil, err
	}
	var tokens []string
	for _, t := range assets {
		tokens = append(tokens, t.Address)
	}
	for some := range slices.Chunk(addresses, node.MostBalances) {
		held, err := nodes.Balances(ctx, client, some, tokens...)
		if err != nil {
			s.c.Log.LogAttrs(ctx, slog.LevelWarn, "a node does not tell the balances of a wallet",
				slog.String("network", n.Slug), slog.Any("error", err))
			return nil, err
		}
		all = append(all, held...)
	}
	return all, nil
}

// stablecoins are the listed tokens but those that only wrap the network's own coin.
func stablecoins(n chain.Network) (some []chain.Token) {
	for _, t := range n.Tokens {
		if t.Wraps == "" {
			some = append(some, t)
		}
	}
	return some
}

func view(t chain.Token, address string, amount *big.Int) rest.WalletBalance {
	return rest.WalletBalance{
		Address: address, Symbol: t.Symbol, TokenAddress: t.Address, Decimals: t.Decimals, Balance: amount.String(),
		Formatted: chain.FormatUnits(amount, t.Decimals),
	}
}
