package rpc

import (
	"context"
	"errors"
	"fmt"

	"github.com/railkit/railkit/chain"
	"github.com/railkit/railkit/chain/node"
	"github.com/railkit/railkit/chain/tron"
)

// Network is all nodes of a network as the server asks them. What decides about money is asked of all of them (Offer,
// Outcome, Send, Corroborate); what is read is asked of the first, and of the next where that one gives an error.
type Network struct {
	node.All
	nodes []*Client
}

var (
	_ node.Client     = (*Network)(nil)
	_ node.Expiring   = (*Network)(nil)
	_ node.Historian  = (*Network)(nil)
	_ node.CoinTeller = (*Network)(nil)

	_ node.Corroborating = (*Network)(nil)
)

// TellsCoins says that Transfers has TRX too.
func (*Network) TellsCoins() {}

// DialAll prepares the clients of a network's nodes, whose URLs are with spaces between; nothing is asked yet.
func DialAll(urls string, n chain.Network) (*Network, error) {
	nodes, all, err := node.DialAll(urls, n, Dial)
	return &Network{all, nodes}, err
}

// Balances are what addresses have in the state of the newest block, which need not be final: what was just spent is
// no longer there.
func (n *Network) Balances(ctx context.Context, addresses, tokens []string) ([]node.Balance, error) {
	asked, err := parsed(addresses)
	if err != nil {
		return nil, err
	}
	contracts, err := parsed(tokens)
	if err != nil {
		return nil, err
	}
	return node.First(ctx, n.nodes, func(ctx context.Context, c *Client) ([]node.Balance, error) {
		return parallel(ctx, asked, func(ctx context.Context, a tron.Address) (node.Balance, error) {
			return c.balance(ctx, a, contracts)
		})
	})
}

func parsed(texts []string) (all []tron.Address, err error) {
	for _, t := range texts {
		a, err := tron.ParseAddress(t)
		if err != nil {
			return nil, fmt.Errorf("%q: %w", t, err)
		}
		all = append(all, a)
	}
	return all, nil
}

// Receipt is what became of a transaction, by a node that has it in a solid block.
func (n *Network) Receipt(ctx context.Context, id string) (r node.Receipt, found bool, err error) {
	if !isID(id) {
		return r, false, fmt.Errorf("%w: %q is no id", node.ErrRefused, id)
	}
	for _, c := range n.nodes {
		l, _, found, failed := c.find(ctx, id)
		if failed == nil && found {
			return l.receipt(), true, nil
		}
		err = errors.Join(err, failed)
	}
	return r, false, err
}

// BlockHash is the id of the solid block of a number.
func (n *Network) BlockHash(ctx context.Context, number int64) (hash string, found bool, err error) {
	b, err := node.First(ctx, n.nodes, func(ctx context.Context, c *Client) (block, error) {
		return c.header(ctx, solid, number)
	})
	if errors.Is(err, node.ErrNoBlock) {
		return "", false, nil
	}
	return b.id, err == nil, err
}

// Finalized is the lowest number of a newest solid block that the nodes say. All have to answer.
func (n *Network) Finalized(ctx context.Context) (int64, error) {
	return node.Least(ctx, n.nodes, func(ctx context.Context, c *Client) (int64, error) { return c.Head(ctx) })
}
