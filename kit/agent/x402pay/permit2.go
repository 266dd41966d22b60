package x402pay

import (
	"context"
	"math/big"

	"github.com/railkit/railkit/chain"
	"github.com/railkit/railkit/chain/evm"
	"github.com/railkit/railkit/chain/node"
	"github.com/railkit/railkit/kit/signing/nodes"
	"github.com/railkit/railkit/x402"
)

// allowed refuses an offer by Permit2 that the wallet's allowance is too small for: the transfer would fail, and stay
// counted. The refusal has the transaction that gives the allowance, of exactly the amount.
func (s *Service) allowed(ctx context.Context, from string, c x402.Choice) error {
	owner, err := evm.ParseAddress(from)
	if err != nil {
		return errRow
	}
	n, err := s.c.Nodes.Node(c.Network.Slug)
	if err != nil {
		return err
	}
	answer, err := nodes.Call(ctx, n, node.ContractCall{
		To: c.Token.Address, Data: evm.EncodeAllowance(owner, evm.Permit2Address()),
	})
	if err != nil || len(answer) != 32 {
		return nodes.ErrNode.Because(err)
	}
	has := new(big.Int).SetBytes(answer)
	if has.Cmp(c.Amount) >= 0 {
		return nil
	}
	approve, err := evm.EncodeApprove(evm.Permit2Address(), c.Amount)
	if err != nil {
		return err
	}
	return ErrAllowance.With("network", c.Network.Slug).With("token", c.Token.Address).
		With("owner", from).With("spender", evm.Permit2Address().String()).
		With("allowance", has.String()).With("amount", c.Amount.String()).
		With("prepare", map[string]string{
			"type": "call", "signWith": from, "network": c.Network.Slug, "to": c.Token.Address,
			"data": chain.Hex(approve),
		})
}
