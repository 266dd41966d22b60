// Package balance tells what an address has of a token and what went to and from it, and all that a wallet has, as the
// networks' nodes say it. An address need not be one of a wallet. Nothing is stored.
//
// Read balance.go and activity.go for an address; wallet.go and recent.go for a wallet.
package balance

import (
	"context"
	"log/slog"
	"time"

	"github.com/railkit/railkit/chain"
	"github.com/railkit/railkit/chain/families"
	"github.com/railkit/railkit/chain/node"
	"github.com/railkit/railkit/clock"
	"github.com/railkit/railkit/fault"
	"github.com/railkit/railkit/kit/signing/nodes"
	"github.com/railkit/railkit/kit/signing/wallet"
	"github.com/railkit/railkit/rest"
)

// Config wires a Service.
type Config struct {
	Nodes   *nodes.Set
	Wallets *wallet.Service
	Clock   clock.Clock
	Log     *slog.Logger
}

// Service asks the nodes.
type Service struct {
	c      Config
	recent recent
}

// New makes one.
func New(c Config) *Service { return &Service{c: c, recent: recent{clock: c.Clock}} }

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
	if a.network, ok = chain.Named(s.c.Nodes.Networks(), network); !ok {
		return a, fault.Field("chain", chain.Unknown(s.c.Nodes.Networks()))
	}
	if a.token, ok = a.network.TokenBySymbol(symbol); !ok {
		return a, fault.Field("symbol", "is not a listed token of "+a.network.Slug+": there are "+a.network.Symbols())
	}
	family, _ := families.Of(a.network.Kind)
	if a.address, err = family.ParseAddress(address); err != nil {
		return a, fault.Field("address", "must be an address ("+family.Form().Typed+")")
	}
	a.node, err = s.c.Nodes.Node(a.network.Slug)
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
	v := rest.TokenBalance{
		Address: a.address, Chain: a.network.Slug, ChainID: a.network.ChainID, Symbol: a.token.Symbol,
		TokenAddress: a.token.Address, Decimals: a.token.Decimals, Balance: has.String(),
		Formatted: chain.FormatUnits(has, a.token.Decimals),
	}
	v.OtherAccounts = s.others(ctx, a)
	return v, nil
}

// othersWithin is how long a node may take to list accounts that no payment goes to.
const othersWithin = 2 * time.Second

// others are the accounts of the token that payments to the address do not go to. Strangers can make so many that no
// node lists them: then the balance is told without them.
func (s *Service) others(ctx context.Context, a account) (all []rest.TokenAccount) {
	asks, ok := a.node.(node.Scattered)
	if !ok {
		return nil
	}
	ctx, cancel := context.WithTimeout(ctx, othersWithin)
	defer cancel()
	some, err := asks.OtherAccounts(ctx, a.address, a.token.Address)
	if err != nil {
		s.c.Log.LogAttrs(ctx, slog.LevelWarn, "a node does not list other accounts of a token",
			slog.String("network", a.network.Slug), slog.String("address", a.address), slog.Any("error", err))
	}
	for _, o := range some {
		all = append(all, rest.TokenAccount{
			Account: o.Address, Balance: o.Amount.String(), Formatted: chain.FormatUnits(o.Amount, a.token.Decimals),
		})
	}
	return all
}
