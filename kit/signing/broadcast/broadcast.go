package broadcast

import (
	"context"
	"errors"
	"time"

	"github.com/railkit/railkit/chain/node"
	"github.com/railkit/railkit/clock"
	"github.com/railkit/railkit/fault"
	"github.com/railkit/railkit/kit/signing/nodes"
	"github.com/railkit/railkit/kit/signing/transaction"
	"github.com/railkit/railkit/platform/auth"
	"github.com/railkit/railkit/platform/command"
	"github.com/railkit/railkit/platform/record"
	"github.com/railkit/railkit/rest"
)

// Errors of sending, and of sending again.
var (
	ErrNotSigned = fault.Define(fault.Conflict, "not_signed", "Transaction is not signed",
		"Only a signed transaction can be broadcast")
	ErrNotFailed = fault.Define(fault.Conflict, "not_failed", "Only a failed broadcast can be retried",
		"The transaction is on its way or confirmed")
	ErrReverted = fault.Define(fault.Conflict, "reverted_on_chain",
		"The transaction was mined and reverted; prepare a new one",
		"Its nonce is used: the same bytes can never be mined again")
	ErrNodeRefused = fault.Define(fault.Upstream, "node_refused", "The network's node refuses the transaction",
		"The signed transaction stays as it is; broadcast it again later")
)

func viewOf(t transaction.Transaction) rest.Broadcast {
	v := rest.Broadcast{
		TransactionID: t.ID, TxHash: t.TxHash, Status: string(t.State), Network: t.Chain,
		BroadcastedAt: clock.ISOOrNil(t.BroadcastAt),
		ConfirmedAt:   clock.ISOOrNil(t.ConfirmedAt), Confirmations: t.Confirmations, Reason: t.Reason,
		WaitsFor: t.WaitsFor, Stuck: t.IsStuck(), ReplacedBy: t.ReplacedBy,
	}
	if !t.MinedAt.IsZero() {
		v.BlockNumber = &t.BlockNumber
	}
	return v
}

func replyOf(t transaction.Transaction) command.Reply {
	return command.Reply{
		Status: 200, Data: viewOf(t),
		Audit: command.Audit{Action: "transaction.broadcast", Resource: t.ID,
			Detail: map[string]string{"txHash": t.TxHash}},
	}
}

// loadSigned finds a transaction that has a signature.
func (s *Service) loadSigned(ctx context.Context, workspaceID, id string) (transaction.Transaction, error) {
	t, err := s.c.Store.Transaction(ctx, workspaceID, id)
	if err != nil {
		return t, err
	}
	if t.SignedTransaction == "" {
		return t, ErrNotSigned
	}
	t.WaitsFor, err = s.c.Rows.WaitsFor(ctx, t)
	return t, err
}

// Status tells where a signed transaction stands.
func (s *Service) Status(ctx context.Context, p auth.Principal, id string) (rest.Broadcast, error) {
	t, err := s.loadSigned(ctx, p.WorkspaceID, id)
	if err != nil {
		return rest.Broadcast{}, err
	}
	return viewOf(t), nil
}

// Send sends a signed transaction. One that was sent already is
// answered as it stands: sending twice is sending once.
func (s *Service) Send(ctx context.Context, cmd *command.Command, id string) (command.Answer, error) {
	t, err := s.loadSigned(ctx, cmd.Principal.WorkspaceID, id)
	if err != nil {
		return command.Answer{}, err
	}
	if t.State != transaction.Pending {
		return s.replyUnchanged(ctx, cmd, t)
	}
	if err := t.Replaced(); err != nil {
		return command.Answer{}, err
	}
	return s.sendNow(ctx, cmd, t)
}

// Retry sends a transaction again that could not be sent: the same
// bytes, since no others were ever stamped.
func (s *Service) Retry(ctx context.Context, cmd *command.Command, id string) (command.Answer, error) {
	t, err := s.loadSigned(ctx, cmd.Principal.WorkspaceID, id)
	if err != nil {
		return command.Answer{}, err
	}
	switch {
	case t.State == transaction.Failed && !t.MinedAt.IsZero():
		return command.Answer{}, ErrReverted
	case t.State != transaction.Failed && t.State != transaction.Pending:
		return command.Answer{}, ErrNotFailed
	case t.ReplacedBy != "":
		return command.Answer{}, t.Replaced()
	}
	return s.sendNow(ctx, cmd, t)
}

// sendNow sends what waits or has failed, and commits it as sent.
func (s *Service) sendNow(ctx context.Context, cmd *command.Command,
	t transaction.Transaction,
) (command.Answer, error) {
	if err := s.c.Nodes.Send(ctx, t.Chain, t.From, t.SignedTransaction); err != nil {
		if x, ok := s.expires(t); ok {
			if expired := x.refused(ctx); expired != nil {
				return command.Answer{}, expired
			}
		}
		if errors.Is(err, node.ErrRefused) || errors.Is(err, node.ErrNonceUsed) {
			return command.Answer{}, ErrNodeRefused.Because(err)
		}
		return command.Answer{}, publicSendError(err)
	}
	from, change := []transaction.State{t.State}, sentChange(s.c.Clock.Now())
	t.Apply(transaction.Broadcast, change)
	a, err := s.c.Store.Commit(ctx, cmd, func(ctx context.Context, tx Tx) (command.Reply, error) {
		if err := tx.MoveTransaction(ctx, t.WorkspaceID, t.ID, from, transaction.Broadcast, change); err != nil {
			return command.Reply{}, err
		}
		return replyOf(t), transaction.EnqueueNext(ctx, tx, t)
	})
	if errors.Is(err, record.ErrStale) {
		if t, err = s.loadSigned(ctx, t.WorkspaceID, t.ID); err != nil {
			return command.Answer{}, err
		}
		return s.replyUnchanged(ctx, cmd, t)
	}
	return a, err
}

func sentChange(now time.Time) transaction.Change {
	noReason, unset, never, zero := "", false, time.Time{}, 0
	return transaction.Change{Now: now, BroadcastAt: &now, Reason: &noReason, Held: &unset, FailedAt: &never,
		Attempts: &zero, Stuck: &unset}
}

func (s *Service) replyUnchanged(
	ctx context.Context, cmd *command.Command, t transaction.Transaction,
) (command.Answer, error) {
	return s.c.Store.Commit(ctx, cmd, func(context.Context, Tx) (command.Reply, error) { return replyOf(t), nil })
}

// publicSendError is the public error of a send that may be tried again.
func publicSendError(err error) error {
	if _, ok := fault.As(err); ok {
		return err
	}
	switch {
	case errors.Is(err, node.ErrUnderpriced), errors.Is(err, node.ErrNoFunds):
		return ErrNodeRefused.Because(err)
	case errors.Is(err, node.ErrReverts):
		return nodes.ErrWouldFail.Because(err).With("reason", nodes.Words(err))
	}
	return nodes.ErrNode.Because(err)
}
