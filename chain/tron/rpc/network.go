package rpc

import (
	"context"
	"errors"
	"fmt"
	"math"
	"strings"

	"github.com/railkit/railkit/chain"
	"github.com/railkit/railkit/chain/node"
	"github.com/railkit/railkit/chain/tron"
)

// Network is all nodes of a network as the server asks them. What decides about money is asked of all of them (Offer,
// Outcome, Send, Corroborate); what is read is asked of the first, and of the next where that one gives an error.
type Network struct {
	nodes   []*Client
	network chain.Network
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
	all := &Network{network: n}
	for _, u := range strings.Fields(urls) {
		c, err := Dial(u, n)
		if err != nil {
			all.Close()
			return nil, err
		}
		all.nodes = append(all.nodes, c)
	}
	return all, nil
}

// Observe has each question to any of the nodes told, before the first one is put.
func (n *Network) Observe(o node.Observer) {
	for _, c := range n.nodes {
		c.Observe(o)
	}
}

// Network is the network that the clients were made for.
func (n *Network) Network() chain.Network { return n.network }

// Close drops idle connections.
func (n *Network) Close() {
	for _, c := range n.nodes {
		c.Close()
	}
}

// CheckNetwork asks every node for its first block.
func (n *Network) CheckNetwork(ctx context.Context) error {
	_, errs := node.Each(ctx, n.nodes, func(ctx context.Context, c *Client) (bool, error) {
		return true, c.CheckNetwork(ctx)
	})
	return errors.Join(errs...)
}

// Version names the programs of all nodes.
func (n *Network) Version(ctx context.Context) (string, error) {
	all, errs := node.Each(ctx, n.nodes, func(ctx context.Context, c *Client) (string, error) {
		return c.Version(ctx)
	})
	return strings.Join(all, ", "), errors.Join(errs...)
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

// Send hands signed bytes to all nodes. Nil where one of them took them.
func (n *Network) Send(ctx context.Context, signed []byte) error {
	_, errs := node.Each(ctx, n.nodes, func(ctx context.Context, c *Client) (bool, error) {
		return true, c.Send(ctx, signed)
	})
	for _, err := range errs {
		if err == nil {
			return nil
		}
	}
	return errors.Join(append(errs, node.ErrNobody)...)
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

// Head is the number of the newest solid block.
func (n *Network) Head(ctx context.Context) (int64, error) {
	return node.First(ctx, n.nodes, func(ctx context.Context, c *Client) (int64, error) { return c.Head(ctx) })
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

// Latest is the newest solid block.
func (n *Network) Latest(ctx context.Context) (node.Header, error) {
	return node.First(ctx, n.nodes, func(ctx context.Context, c *Client) (node.Header, error) { return c.Latest(ctx) })
}

// Headers are those of the solid blocks with these numbers.
func (n *Network) Headers(ctx context.Context, numbers []int64) ([]node.Header, error) {
	return node.First(ctx, n.nodes, func(ctx context.Context, c *Client) ([]node.Header, error) {
		return c.Headers(ctx, numbers)
	})
}

// Transfers are those of the solid blocks of a range.
func (n *Network) Transfers(ctx context.Context, q node.Query) ([]node.Transfer, error) {
	return node.First(ctx, n.nodes, func(ctx context.Context, c *Client) ([]node.Transfer, error) {
		return c.Transfers(ctx, q)
	})
}

// Finalized is the lowest number of a newest solid block that the nodes say. All have to answer.
func (n *Network) Finalized(ctx context.Context) (int64, error) {
	all, errs := node.Each(ctx, n.nodes, func(ctx context.Context, c *Client) (int64, error) { return c.Head(ctx) })
	least := int64(math.MaxInt64)
	for _, height := range all {
		least = min(least, height)
	}
	return least, errors.Join(errs...)
}
