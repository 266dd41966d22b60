package app

import (
	"context"
	"errors"
	"math/big"

	"github.com/railkit/railkit/chain"
	"github.com/railkit/railkit/chain/devnet"
	"github.com/railkit/railkit/chain/node"
	"github.com/railkit/railkit/crash"
	payoutmail "github.com/railkit/railkit/kit/payout/mail"
	"github.com/railkit/railkit/kit/signing/mail"
	"github.com/railkit/railkit/kit/signing/nodes"
	"github.com/railkit/railkit/kit/widget/reward"
	"github.com/railkit/railkit/platform/notify"
)

// crashing names the places at which the crash suite ends a server that speaks with a node.
type crashing struct{ node.Client }

func (c crashing) Send(ctx context.Context, signed []byte) error {
	crash.At("node", "before-send")
	err := c.Client.Send(ctx, signed)
	crash.At("node", "after-send")
	return err
}

// NonceAt is of nodes whose tokens are moved by signatures.
func (c crashing) NonceAt(ctx context.Context, t chain.SignedTransfer, block int64) (used bool, time int64, err error) {
	if asks, ok := c.Client.(node.SignedTransfers); ok {
		return asks.NonceAt(ctx, t, block)
	}
	return false, 0, node.ErrRefused
}

// Carries is of nodes whose tokens are moved by signatures.
func (c crashing) Carries(ctx context.Context, tx string, t chain.SignedTransfer) (bool, error) {
	if asks, ok := c.Client.(node.SignedTransfers); ok {
		return asks.Carries(ctx, tx, t)
	}
	return false, node.ErrRefused
}

// Call is of nodes of networks with contracts.
func (c crashing) Call(ctx context.Context, asked node.ContractCall) ([]byte, error) {
	if asks, ok := c.Client.(node.Caller); ok {
		return asks.Call(ctx, asked)
	}
	return nil, node.ErrRefused
}

// Gain is of the same nodes.
func (c crashing) Gain(ctx context.Context, asked node.ContractCall, token, owner string) (*big.Int, error) {
	if asks, ok := c.Client.(node.Caller); ok {
		return asks.Gain(ctx, asked, token, owner)
	}
	return nil, node.ErrRefused
}

var _ node.Caller = crashing{}

// Transaction is of nodes that tell what a transaction says.
func (c crashing) Transaction(ctx context.Context, id string) (node.Transaction, bool, error) {
	if asks, ok := c.Client.(node.Reader); ok {
		return asks.Transaction(ctx, id)
	}
	return node.Transaction{}, false, node.ErrRefused
}

func (c crashing) Receipt(ctx context.Context, id string) (r node.Receipt, found bool, err error) {
	if r, found, err = c.Client.Receipt(ctx, id); found {
		crash.At("node", "after-receipt")
	}
	return r, found, err
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

// post is the platform's mail in the words of the kit.
type post struct{ notify.Mailer }

// mailOf is nil where there is no mailer.
func mailOf(m notify.Mailer) mail.Mailer {
	if m == nil {
		return nil
	}
	return post{m}
}

func (p post) Send(ctx context.Context, m mail.Message) error {
	err := p.Mailer.Send(ctx, notify.Message(m))
	if errors.Is(err, notify.ErrRefused) {
		return errors.Join(mail.ErrRefused, err)
	}
	return err
}

// invitePost is the same in the words of the payout kit.
type invitePost struct{ notify.Mailer }

// inviteMailOf is nil where there is no mailer.
func inviteMailOf(m notify.Mailer) payoutmail.Mailer {
	if m == nil {
		return nil
	}
	return invitePost{m}
}

func (p invitePost) Send(ctx context.Context, m payoutmail.Message) error {
	err := p.Mailer.Send(ctx, notify.Message(m))
	if errors.Is(err, notify.ErrRefused) {
		return errors.Join(payoutmail.ErrRefused, err)
	}
	return err
}
