package lending

import (
	"context"
	"strconv"

	"github.com/railkit/railkit/chain"
	"github.com/railkit/railkit/kit/signing/nodes"
	"github.com/railkit/railkit/kit/signing/plan"
	"github.com/railkit/railkit/platform/auth"
	"github.com/railkit/railkit/rest"
)

// SupplyAvax makes the transaction that supplies AVAX.
func (s *Service) SupplyAvax(
	ctx context.Context, by auth.Principal, in rest.AvaxRequest,
) (rest.LendingTransaction, error) {
	return s.avax(ctx, by, in, Supply)
}

// WithdrawAvax makes the transaction that takes AVAX out again.
func (s *Service) WithdrawAvax(
	ctx context.Context, by auth.Principal, in rest.AvaxRequest,
) (rest.LendingTransaction, error) {
	return s.avax(ctx, by, in, Withdraw)
}

func (s *Service) avax(
	ctx context.Context, by auth.Principal, in rest.AvaxRequest, step Step,
) (rest.LendingTransaction, error) {
	if err := exact(in.Amount); err != nil {
		return rest.LendingTransaction{}, err
	}
	p, user, err := s.atAvax(Of{in.UserAddress, in.ChainID})
	if err != nil {
		return rest.LendingTransaction{}, err
	}
	o := order{pool: p, user: user, asset: p.network.Native, step: step}
	if o.amount, err = plan.Units(string(in.Amount), o.asset.Decimals); err != nil {
		return rest.LendingTransaction{}, err
	}
	return s.unsigned(ctx, by, o)
}

// Supply makes the transaction that supplies any asset.
func (s *Service) Supply(
	ctx context.Context, by auth.Principal, in rest.AssetSupplyRequest,
) (rest.LendingTransaction, error) {
	p, user, err := s.at(Of{in.UserAddress, in.ChainID})
	if err != nil {
		return rest.LendingTransaction{}, err
	}
	asset, err := p.asset(in.TokenAddress)
	if err != nil {
		return rest.LendingTransaction{}, err
	}
	o := order{pool: p, user: user, asset: asset, step: Supply}
	if o.amount, err = plan.Units(in.Amount, asset.Decimals); err != nil {
		return rest.LendingTransaction{}, err
	}
	return s.unsigned(ctx, by, o)
}

// unsigned is the next step of an order. Nobody here signs or keeps it.
func (s *Service) unsigned(ctx context.Context, by auth.Principal, o order) (v rest.LendingTransaction, err error) {
	ctx, cancel := context.WithTimeout(ctx, nodes.AskTimeout)
	defer cancel()
	step, call, err := o.next(ctx)
	if err != nil {
		return v, err
	}
	p, err := s.c.Planner.Plan(ctx, by.WorkspaceID, plan.CallOf(o.user, o.network, call))
	if err != nil {
		return v, err
	}
	return rest.LendingTransaction{
		Success: true, Message: o.says(step), Step: string(step), SerializedTransaction: chain.Hex(p.Tx.Unsigned),
		GasEstimation: rest.GasEstimation{
			GasLimit:      strconv.FormatUint(p.Tx.Gas, 10),
			EstimatedCost: chain.FormatUnits(p.Tx.MaxFee, o.network.Native.Decimals),
		},
	}, nil
}
