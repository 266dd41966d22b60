package swap

import (
	"context"
	"errors"

	"github.com/railkit/railkit/chain"
	"github.com/railkit/railkit/chain/node"
	"github.com/railkit/railkit/fault"
	"github.com/railkit/railkit/kit/signing/nodes"
	"github.com/railkit/railkit/kit/signing/plan"
	"github.com/railkit/railkit/kit/signing/transaction"
	"github.com/railkit/railkit/platform/command"
)

// Confirm has the enclave sign a stamped step, and sends it. A swap that the router would refuse now is not signed: it
// would cost its gas and trade nothing.
func (s *Service) Confirm(ctx context.Context, cmd *command.Command, in ConfirmSwapInput) (command.Answer, error) {
	t, err := s.c.Store.Transaction(ctx, cmd.Principal.WorkspaceID, in.TransactionID)
	if err != nil && !errors.Is(err, fault.ErrNotFound) {
		return command.Answer{}, err
	}
	step, call := s.stepOf(t)
	if err != nil || step == "" {
		return command.Answer{}, ErrNotASwap
	}
	if step == Trading && t.State == transaction.Awaiting { // once it is signed, the first answer is given again
		if err := s.stillTrades(ctx, t, call); err != nil {
			return command.Answer{}, err
		}
	}
	own := *cmd
	own.As = func(r command.Reply) command.Reply { return confirmedReply(r, step) }
	return s.c.Transactions.Confirm(ctx, &own, transaction.ConfirmTransactionInput{
		TransactionID: t.ID, SignedActivity: &in.SignedActivity,
	})
}

// stepOf reads the step in the transaction's own bytes; "" where it is none. The row does not say it: what counts is
// what is signed.
func (s *Service) stepOf(t transaction.Transaction) (Step, chain.Call) {
	n, known := s.c.Nodes.BySlug(t.Chain)
	family, ok := s.c.Nodes.Family(t.Chain)
	raw, err := chain.ParseHex(t.UnsignedTransaction)
	if !known || !ok || err != nil || t.Type != plan.ContractCall || t.External() {
		return "", chain.Call{}
	}
	tx, err := family.DecodeUnsigned(raw)
	if err != nil {
		return "", chain.Call{}
	}
	effects := family.Effects(n, t.From, tx.Call)
	if _, listed := chain.MarketAt(n, tx.To); listed && effects[len(effects)-1].Kind == chain.Receive {
		return Trading, tx.Call
	}
	if len(effects) == 1 && effects[0].Kind == chain.Approve {
		if _, listed := chain.MarketAt(n, effects[0].Spender); listed {
			return allowing(effects[0].Amount), tx.Call
		}
	}
	return "", chain.Call{}
}

func allowing(amount string) Step {
	if amount == "0" {
		return Revoke
	}
	return Approve
}

// stillTrades asks the router what the swap would do now. It sees the price, the deadline and the allowance at once.
func (s *Service) stillTrades(ctx context.Context, t transaction.Transaction, c chain.Call) error {
	asking, cancel := context.WithTimeout(ctx, nodes.AskTimeout)
	defer cancel()
	n, err := s.c.Nodes.Node(t.Chain)
	if err != nil {
		return err
	}
	_, err = nodes.Call(asking, n, node.ContractCall{From: t.From, To: c.To, Value: c.Value, Data: c.Data})
	if errors.Is(err, node.ErrReverts) {
		return ErrMoved.Because(err)
	}
	return err
}

// confirmedReply is the answer and the audit entry of a transaction in the words of a swap.
func confirmedReply(r command.Reply, step Step) command.Reply {
	r.Audit.Action = "swap.confirm"
	if t, signed := r.Data.(transaction.TransactionView); signed {
		r.Data = SwapStep{Step: step, TransactionView: t}
	} else {
		r.Audit.Action = "swap.queue"
	}
	return r
}
