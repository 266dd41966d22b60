package faucet

import (
	"context"
	"strings"

	"github.com/railkit/railkit/chain"
	"github.com/railkit/railkit/fault"
	"github.com/railkit/railkit/kit/signing/nodes"
	"github.com/railkit/railkit/kit/signing/plan"
	"github.com/railkit/railkit/platform/command"
	"github.com/railkit/railkit/rest"
)

// Faucet gives test money. There is none outside of the sandbox.
type Faucet interface {
	// Fund gives, and under one name (once; "": none) no more than once.
	Fund(ctx context.Context, once, slug, address, asset, amount string) (txHash string, err error)
}

// Fund sends test money from the devnet's faucet.
func (s *Service) Fund(
	ctx context.Context, cmd *command.Command, f Faucet, in rest.FaucetRequest,
) (command.Answer, error) {
	n, _ := s.nodes.BySlug(in.Chain)
	family, ok := s.nodes.Family(in.Chain)
	if !ok {
		return command.Answer{}, fault.Field("chain", chain.Unknown(s.nodes.Networks()))
	}
	to, err := family.ParseAddress(in.Address)
	if err != nil {
		return command.Answer{}, fault.Field("address", "must be an address ("+family.Form().Typed+")")
	}
	if err := family.CheckPayee(to); err != nil {
		what := strings.TrimPrefix(err.Error(), "is ")
		return command.Answer{}, fault.Field("address", "must not be "+what+": what is sent there is gone")
	}
	decimals := n.Native.Decimals
	if in.Asset != "native" {
		token, ok := n.TokenBySymbol(in.Asset)
		if !ok {
			return command.Answer{}, fault.Field("asset", "must be native or a listed token of the network")
		}
		if token.Wraps != "" {
			return command.Answer{}, fault.Field("asset",
				"must not be a wrapped coin, which nobody can mint: ask for native")
		}
		decimals = token.Decimals
	}
	amount, err := plan.Units(in.Amount, decimals)
	if err != nil {
		return command.Answer{}, err
	}
	in.Address, in.Amount = to, chain.FormatUnits(amount, decimals)
	hash, err := f.Fund(ctx, cmd.Once(), in.Chain, in.Address, in.Asset, in.Amount)
	if err != nil {
		return command.Answer{}, nodes.ErrNode.Because(err)
	}
	return s.store.Commit(ctx, cmd, func(context.Context, Tx) (command.Reply, error) {
		return command.Reply{
			Status: 200, Data: rest.FaucetPayment{TxHash: hash, FaucetRequest: in},
			Audit: command.Audit{Action: "sandbox.fund",
				Resource: in.Address},
		}, nil
	})
}
