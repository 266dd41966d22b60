package node

import (
	"context"
	"errors"
	"math"
	"strings"

	"github.com/railkit/railkit/chain"
)

// All is what the client of all nodes of a network has of its family whatever that is. What is read is asked of the
// first node, and of the next where that one gives an error; what decides about money the family asks all of them.
type All struct {
	nodes []One
	of    chain.Network
}

// One asks a single node.
type One interface {
	Observe(Observer)
	Close()
	CheckNetwork(context.Context) error
	Version(context.Context) (string, error)
	Head(context.Context) (int64, error)
	Latest(context.Context) (Header, error)
	Headers(ctx context.Context, numbers []int64) ([]Header, error)
	Transfers(context.Context, Query) ([]Transfer, error)
	Send(ctx context.Context, signed []byte) error
}

// DialAll prepares the clients of a network's nodes, whose URLs are with spaces between; nothing is asked yet.
func DialAll[C One](urls string, n chain.Network, dial func(url string, n chain.Network) (C, error)) ([]C, All, error) {
	all := All{of: n}
	var nodes []C
	for _, u := range strings.Fields(urls) {
		c, err := dial(u, n)
		if err != nil {
			all.Close()
			return nil, All{}, err
		}
		nodes, all.nodes = append(nodes, c), append(all.nodes, c)
	}
	return nodes, all, nil
}

// Observe has each question to any of the nodes told, before the first one is put.
func (a *All) Observe(o Observer) {
	for _, c := range a.nodes {
		c.Observe(o)
	}
}

// Network is the network that the clients were made for.
func (a *All) Network() chain.Network { return a.of }

// Close drops idle connections.
func (a *All) Close() {
	for _, c := range a.nodes {
		c.Close()
	}
}

// CheckNetwork asks every node which network it is on.
func (a *All) CheckNetwork(ctx context.Context) error {
	_, errs := Each(ctx, a.nodes, func(ctx context.Context, c One) (bool, error) { return true, c.CheckNetwork(ctx) })
	return errors.Join(errs...)
}

// Version names the programs of all nodes.
func (a *All) Version(ctx context.Context) (string, error) {
	all, errs := Each(ctx, a.nodes, func(ctx context.Context, c One) (string, error) { return c.Version(ctx) })
	return strings.Join(all, ", "), errors.Join(errs...)
}

// Head is the number of the newest final block.
func (a *All) Head(ctx context.Context) (int64, error) {
	return First(ctx, a.nodes, func(ctx context.Context, c One) (int64, error) { return c.Head(ctx) })
}

// Latest is the newest final block.
func (a *All) Latest(ctx context.Context) (Header, error) {
	return First(ctx, a.nodes, func(ctx context.Context, c One) (Header, error) { return c.Latest(ctx) })
}

// Headers are those of the final blocks with these numbers.
func (a *All) Headers(ctx context.Context, numbers []int64) ([]Header, error) {
	return First(ctx, a.nodes, func(ctx context.Context, c One) ([]Header, error) { return c.Headers(ctx, numbers) })
}

// Transfers are those of the final blocks of a range.
func (a *All) Transfers(ctx context.Context, q Query) ([]Transfer, error) {
	return First(ctx, a.nodes, func(ctx context.Context, c One) ([]Transfer, error) { return c.Transfers(ctx, q) })
}

// Send hands signed bytes to all nodes. Nil where one of them took them.
func (a *All) Send(ctx context.Context, signed []byte) error { return Send(ctx, a.nodes, signed) }

// Send hands signed bytes to nodes. Nil where one of them took them.
func Send[C One](ctx context.Context, nodes []C, signed []byte) error {
	_, errs := Each(ctx, nodes, func(ctx context.Context, c C) (bool, error) { return true, c.Send(ctx, signed) })
	for _, err := range errs {
		if err == nil {
			return nil
		}
	}
	return errors.Join(append(errs, ErrNobody)...)
}

// Least is the lowest number that the nodes say. All have to answer.
func Least[N any](ctx context.Context, nodes []N, ask func(context.Context, N) (int64, error)) (int64, error) {
	all, errs := Each(ctx, nodes, ask)
	least := int64(math.MaxInt64)
	for _, n := range all {
		least = min(least, n)
	}
	return least, errors.Join(errs...)
}
