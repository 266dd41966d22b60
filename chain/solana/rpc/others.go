package rpc

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"math/big"
	"slices"

	"github.com/railkit/railkit/chain/node"
	"github.com/railkit/railkit/chain/solana"
)

// OtherAccounts lists the token accounts of an owner that are not his associated one, the fullest first.
func (n *Network) OtherAccounts(ctx context.Context, owner, token string) (all []node.TokenAccount, err error) {
	who, err := solana.ParseAddress(owner)
	if err != nil {
		return nil, err
	}
	mint, err := solana.ParseAddress(token)
	if err != nil {
		return nil, err
	}
	others, err := node.First(ctx, n.nodes, func(ctx context.Context, c *Client) ([]other, error) {
		return c.others(ctx, who, mint)
	})
	for _, o := range others {
		all = append(all, node.TokenAccount{Address: o.Account.String(), Amount: new(big.Int).SetUint64(o.Tokens)})
	}
	return all, err
}

// other is a token account that is not the associated one.
type other struct {
	Account solana.Address
	Holder
}

// others are those of an owner, the fullest first.
func (c *Client) others(ctx context.Context, owner, mint solana.Address) (all []other, err error) {
	var told struct {
		Value []struct {
			Address string       `json:"pubkey"`
			Account *wireAccount `json:"account"`
		}
	}
	err = c.call(ctx, &told, "getTokenAccountsByOwner", owner.String(), options{"mint": mint.String()},
		options{"commitment": "finalized", "encoding": "base64"})
	if err != nil {
		return nil, err
	}
	for _, v := range told.Value {
		at, err := solana.ParseAddress(v.Address)
		if err != nil {
			return nil, fmt.Errorf("%w: %w", ErrLyingNode, err)
		}
		h, err := v.Account.holder()
		if err != nil {
			return nil, err
		}
		if h.Kind != Token || h.Owner != owner || h.Mint != mint {
			return nil, fmt.Errorf("%w: an account of somebody else, or of another mint", ErrLyingNode)
		}
		if at != solana.AssociatedAddress(owner, mint, solana.TokenProgram) {
			all = append(all, other{at, h})
		}
	}
	slices.SortFunc(all, func(a, b other) int {
		return cmp.Or(cmp.Compare(b.Tokens, a.Tokens), bytes.Compare(a.Account[:], b.Account[:]))
	})
	return all[:min(len(all), node.MostAccounts)], nil
}
