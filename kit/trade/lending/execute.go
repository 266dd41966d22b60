package lending

import (
	"context"

	"github.com/railkit/railkit/fault"
	"github.com/railkit/railkit/kit/signing/nodes"
	"github.com/railkit/railkit/kit/signing/plan"
	"github.com/railkit/railkit/kit/signing/transaction"
	"github.com/railkit/railkit/platform/command"
)

// confirmURL is where a stamped step goes: it is a transaction as any other.
const confirmURL = "/v1/transactions/confirm"

// ExecuteSupply prepares the next step of a supply from a wallet.
func (s *Service) ExecuteSupply(ctx context.Context, cmd *command.Command, in OrderInput) (command.Answer, error) {
	return s.execute(ctx, cmd, in, Supply)
}

// ExecuteWithdraw prepares the next step of a withdrawal to the wallet that supplied.
func (s *Service) ExecuteWithdraw(ctx context.Context, cmd *command.Command, in OrderInput) (command.Answer, error) {
	return s.execute(ctx, cmd, in, Withdraw)
}

func (s *Service) execute(
	ctx context.Context, cmd *command.Command, in OrderInput, step Step,
) (command.Answer, error) {
	ctx, cancel := context.WithTimeout(ctx, nodes.AskTimeout)
	defer cancel()
	o, err := s.order(ctx, cmd.Principal.WorkspaceID, in)
	if err != nil {
		return command.Answer{}, err
	}
	o.step = step
	next, call, err := o.next(ctx)
	if err != nil {
		return command.Answer{}, err
	}
	d, err := s.c.Transactions.Draft(ctx, cmd.Principal.WorkspaceID, plan.CallOf(o.user, o.network, call), confirmURL)
	if err != nil {
		return command.Answer{}, err
	}
	return s.c.Store.Commit(ctx, cmd, func(ctx context.Context, tx transaction.DraftTx) (command.Reply, error) {
		return command.Reply{
			Status: 200, Message: o.says(next) + "; only the passkey of the wallet's owner can sign it",
			Data: PreparedLending{Step: next, PreparedTransaction: d.View},
			Audit: command.Audit{Action: "lending.prepare", Resource: d.Row.ID, Detail: map[string]string{
				"step": string(next), "of": string(step), "protocol": o.Protocol, "network": o.network.Slug,
				"asset": o.asset.Symbol, "amount": string(in.Amount),
			}},
		}, d.Insert(ctx, tx, cmd.Return)
	})
}

// order reads what is asked of a wallet. What only the owner's passkey can do is refused by name: who asks for it
// relies on it.
func (s *Service) order(ctx context.Context, workspaceID string, in OrderInput) (o order, err error) {
	switch {
	case in.AutoApprove:
		return o, fault.Field("autoApprove", "must not be true: the wallet's owner stamps the allowance, too")
	case in.AutoBroadcast:
		return o, fault.Field("autoBroadcast", "must not be true: the wallet's owner stamps a step before it is sent")
	}
	if err := exact(in.Amount); err != nil {
		return o, err
	}
	if o.pool, err = s.pool(in.ChainID); err != nil {
		return o, err
	}
	if o.asset, err = o.pool.asset(in.TokenAddress); err != nil {
		return o, err
	}
	if o.amount, err = plan.Units(string(in.Amount), o.asset.Decimals); err != nil {
		return o, err
	}
	sender, err := s.c.Wallets.Own(ctx, workspaceID, in.SignWith)
	switch {
	case err != nil:
		return o, err
	case sender.Family.Kind() != o.network.Kind:
		return o, fault.Field("signWith", "is an address of another kind of network")
	}
	o.user = sender.From
	return o, nil
}
