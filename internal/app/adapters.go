package app

import (
	"context"

	"github.com/railkit/railkit/chain/devnet"
	"github.com/railkit/railkit/chain/node"
	"github.com/railkit/railkit/crash"
	"github.com/railkit/railkit/kit/signing/nodes"
	"github.com/railkit/railkit/kit/widget/reward"
)

// crashing names the places at which the crash suite ends a server that speaks with a node.
type crashing struct{ node.Client }

func (c crashing) Send(ctx context.Context, signed []byte) error {
	crash.At("node", "before-send")
	err := c.Client.Send(ctx, signed)
	crash.At("node", "after-send")
	return err
}

func (c crashing) Receipt(ctx context.Context, id string) (r node.Receipt, found bool, err error) {
	if r, found, err = c.Client.Receipt(ctx, id); found {
		crash.At("node", "after-receipt")
	}
	return r, found, err
}

// contracts are what the client of a network with contracts can do.
type contracts interface {
	node.Numbered
	node.SignedTransfers
	node.Caller
	node.Reader
}

// withCrashes names the places at which the crash suite ends a server, and keeps what the client can do beside.
func withCrashes(n node.Client) nodes.Node {
	switch can := n.(type) {
	case contracts:
		return struct {
			crashing
			contracts
		}{crashing{n}, can}
	case node.Numbered:
		return struct {
			crashing
			node.Numbered
		}{crashing{n}, can}
	case interface {
		node.Expiring
		node.Sponsoring
		node.Historian
		node.Scattered
	}:
		return struct {
			crashing
			node.Expiring
			node.Sponsoring
			node.Historian
			node.Scattered
		}{crashing{n}, can, can, can, can}
	case interface {
		node.Expiring
		node.Historian
	}:
		return struct {
			crashing
			node.Expiring
			node.Historian
		}{crashing{n}, can, can}
	}
	return crashing{n}
}

// callers find the node that answers calls of contracts on a network.
type callers map[string]nodes.Node

func (c callers) Caller(slug string) (node.Caller, error) {
	asks, ok := c[slug].(node.Caller)
	if !ok {
		return nil, nodes.ErrNoNode
	}
	return asks, nil
}

// verifiers find the node that tells whether a transaction was an execution of a mini app.
type verifiers map[string]nodes.Node

func (v verifiers) Node(slug string) (reward.Node, bool) {
	at, ok := v[slug].(reward.Node)
	return at, ok
}

// faucet is the devnet's.
type faucet struct{ *devnet.Client }

func (f faucet) Fund(ctx context.Context, once, slug, address, asset, amount string) (string, error) {
	if once == "" {
		return f.Client.Faucet(ctx, slug, address, asset, amount)
	}
	return f.Client.FaucetOnce(ctx, once, slug, address, asset, amount)
}
