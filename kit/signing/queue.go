package signing

import (
	"context"
	"errors"

	"github.com/railkit/railkit/enclave/client"
	"github.com/railkit/railkit/enclave/wire"
	"github.com/railkit/railkit/platform/command"
)

// approvalID is the id of the approval that a transaction waits for, if it does.
func (t Transaction) approvalID() string {
	return approvalID(t.WorkspaceID, t.Fingerprint)
}

func (s *Service) approvalOfTransaction(t Transaction, out client.Outcome) (Approval, error) {
	return approvalOf(Approval{WorkspaceID: t.WorkspaceID, Kind: SubjectTransaction, Subject: t.ID, WalletID: t.WalletID}, out, s.clock.Now())
}

// queueTransaction commits that the enclave holds a transaction for votes.
func (s *Service) queueTransaction(ctx context.Context, cmd *command.Command, t Transaction, out client.Outcome, stamp *wire.Stamp) (command.Answer, error) {
	a, err := s.approvalOfTransaction(t, out)
	if err != nil {
		return command.Answer{}, err
	}
	answer, err := s.store.Commit(ctx, cmd, func(ctx context.Context, tx Tx) (command.Reply, error) {
		if err := errors.Join(insertApproval(ctx, tx, cmd, a), s.queueRow(ctx, tx, t)); err != nil {
			return command.Reply{}, err
		}
		return a.queued("transaction.sign"), s.used(ctx, tx, t.WorkspaceID, t.SubOrganizationID, stamp)
	})
	if errors.Is(err, ErrStale) { // another caller committed the same, or it was decided already
		return s.reload(ctx, cmd, t)
	}
	return answer, err
}

func (s *Service) queueRow(ctx context.Context, tx Tx, t Transaction) error {
	none := ""
	return tx.MoveTransaction(ctx, t.WorkspaceID, t.ID, []State{Awaiting}, AwaitingApproval, TransactionChange{Now: s.clock.Now(), Reason: &none})
}

// recoverQueued writes what the enclave holds and a crash kept out of the database.
func (s *Service) recoverQueued(ctx context.Context, t Transaction, out client.Outcome) error {
	a, err := s.approvalOfTransaction(t, out)
	if err != nil {
		return err
	}
	return unlessStale(s.store.Work(ctx, t.WorkspaceID, func(ctx context.Context, tx Tx) (command.Audit, error) {
		return command.Audit{
			Action: "transaction.recover", Resource: t.ID, Detail: map[string]string{"approvalId": a.ID},
		}, errors.Join(insertApproval(ctx, tx, nil, a), s.queueRow(ctx, tx, t))
	}))
}
