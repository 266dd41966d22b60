package nodes

import (
	"context"
	"errors"
	"math/big"
	"slices"

	"github.com/railkit/railkit/chain/node"
)

// Node is what the kit asks of a network's node. How far each answer is trusted is written at node.Client.
type Node interface {
	Balances(ctx context.Context, addresses, tokens []string) ([]node.Balance, error)
	Send(ctx context.Context, signed []byte) error
	Receipt(ctx context.Context, id string) (r node.Receipt, found bool, err error)
	Head(context.Context) (int64, error)
	BlockHash(ctx context.Context, number int64) (hash string, found bool, err error)
	Latest(context.Context) (node.Header, error)
	Headers(ctx context.Context, numbers []int64) ([]node.Header, error)
	Transfers(context.Context, node.Query) ([]node.Transfer, error)
}

// Numbered is the node of a network whose transactions have nonces.
type Numbered interface {
	Node
	node.Numbered
}

// Expiring is the node of a network whose transactions name a recent block, and expire with it.
type Expiring interface {
	Node
	node.Expiring
}

// Balances are what addresses have of the network's coin and of tokens. An answer that is not about all of them is as
// good as none.
func Balances(ctx context.Context, n Node, addresses []string, tokens ...string) ([]node.Balance, error) {
	all, err := n.Balances(ctx, addresses, tokens)
	if err != nil || len(all) != len(addresses) {
		return nil, ErrNode.Because(err)
	}
	for _, b := range all {
		if b.Coin == nil || len(b.Tokens) != len(tokens) || slices.Contains(b.Tokens, nil) {
			return nil, ErrNode
		}
	}
	return all, nil
}

// TokenBalance is what an address has of a token, in its smallest unit.
func TokenBalance(ctx context.Context, n Node, token, owner string) (*big.Int, error) {
	all, err := Balances(ctx, n, []string{owner}, token)
	if err != nil {
		return nil, err
	}
	return all[0].Tokens[0], nil
}

// Gain tries a call, and tells what an address would have more of a token after it. false: the node cannot try it so.
func Gain(ctx context.Context, n Node, c node.ContractCall, token, owner string) (*big.Int, bool) {
	asks, ok := n.(node.Caller)
	if !ok {
		return nil, false
	}
	gain, err := asks.Gain(ctx, c, token, owner)
	return gain, err == nil
}

// Call runs a contract's call at a node, where its network has contracts.
func Call(ctx context.Context, n Node, c node.ContractCall) ([]byte, error) {
	asks, ok := n.(node.Caller)
	if !ok {
		return nil, ErrNoNode
	}
	answer, err := asks.Call(ctx, c)
	if err != nil && !errors.Is(err, node.ErrReverts) {
		err = ErrNode.Because(err)
	}
	return answer, err
}
