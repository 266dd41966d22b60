// Package exchange tells what a token buys of another at the exchanges of a network, now, and by which pools. It asks
// the network's node and stores nothing. What it says is not trusted: the least that may be bought is part of the
// transaction that is stamped, and the chain holds the trade to it.
//
// Read exchange.go for a request and its quote, route.go for the pools that are compared, v2.go and v3.go for how each
// kind of exchange is asked.
package exchange

import (
	"context"
	"errors"
	"math/big"
	"time"

	"github.com/railkit/railkit/chain"
	"github.com/railkit/railkit/chain/evm"
	"github.com/railkit/railkit/chain/evm/router"
	"github.com/railkit/railkit/chain/node"
)

// Nodes finds what answers calls of contracts on a network, or the error that a caller is to read.
type Nodes interface {
	Caller(slug string) (node.Caller, error)
}

// patience bounds all that one quote asks a node.
const patience = 10 * time.Second

// Service asks the exchanges of an environment.
type Service struct {
	networks []chain.Network
	nodes    Nodes
}

// New makes a Service.
func New(networks []chain.Network, nodes Nodes) *Service { return &Service{networks, nodes} }

// Native names the network's own coin.
const Native = "native"

// Request is a question for a quote.
type Request struct {
	Chain       string // slug, chain id or name
	Sell, Buy   string // symbol or address of a listed token, or Native
	Amount      string // of what is sold, decimal, in units of the asset
	SlippageBps int    // how far below the quote the trade may end, in hundredths of a percent
	Protocol    string // "": every exchange of the network
}

// Quote is the best route that was found.
type Quote struct {
	Network             chain.Network
	Market              chain.Market
	Path                []chain.Token // the first or last is the network's own coin where that was named
	Fees                []int         // v3: of the pools, in millionths
	In, Out, MinimumOut *big.Int      // in smallest units
	SlippageBps         int
	ImpactBps           int    // how much worse the amount is paid than a very small one; the pools' fees are not in it
	Gas                 uint64 // about what the swap takes
}

// Quote finds the route that buys most.
func (s *Service) Quote(ctx context.Context, in Request) (Quote, error) {
	t, err := s.read(in)
	if err != nil {
		return Quote{}, err
	}
	asked, err := s.nodes.Caller(t.network.Slug)
	if err != nil {
		return Quote{}, err
	}
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	best, err := t.best(ctx, asked)
	if err != nil {
		return Quote{}, err
	}
	if err := best.measure(ctx, asked, t.in); err != nil {
		return Quote{}, err
	}
	return t.quote(best)
}

// Trade is the call by which the seller gets at least the minimum, until the deadline.
func (q Quote) Trade(seller string, deadline time.Time) (chain.Call, error) {
	t, err := q.Swap(seller, uint64(deadline.Unix()))
	if err != nil {
		return chain.Call{}, err
	}
	to, value, data, err := t.Call()
	return chain.Call{To: to.String(), Value: value, Data: data}, err
}

// Swap is the quote's trade at the router. Deadline is in seconds since 1970.
func (q Quote) Swap(receiver string, deadline uint64) (router.Swap, error) {
	at, noRouter := evm.ParseAddress(q.Market.Router)
	to, noReceiver := evm.ParseAddress(receiver)
	if err := errors.Join(noRouter, noReceiver); err != nil {
		return router.Swap{}, err
	}
	last := len(q.Path) - 1
	t := router.Swap{
		Kind: q.Market.Kind, Router: at, Fees: q.Fees, In: q.In, MinOut: q.MinimumOut, Receiver: to,
		Deadline: deadline, NativeIn: q.Path[0].Address == "", NativeOut: q.Path[last].Address == "",
	}
	for _, token := range q.Path {
		t.Path = append(t.Path, contractOf(q.Network, token))
	}
	return t, nil
}

// contractOf is a token's contract, and for the network's own coin that of the wrapped one, as which pools trade it.
// Listed addresses are well formed.
func contractOf(n chain.Network, t chain.Token) evm.Address {
	if t.Address == "" {
		t, _ = n.Wrapped()
	}
	a, _ := evm.ParseAddress(t.Address)
	return a
}
