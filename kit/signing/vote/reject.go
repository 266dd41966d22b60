package vote

import (
	"cmp"
	"context"
	"errors"

	"github.com/railkit/railkit/enclave/wire"
	"github.com/railkit/railkit/kit/signing/approval"
	"github.com/railkit/railkit/kit/signing/transaction"
	"github.com/railkit/railkit/platform/command"
	"github.com/railkit/railkit/platform/record"
	"github.com/railkit/railkit/rest"
)

// Reject cancels the waiting request in the enclave, and then in the database, so that it is never executed. It only
// tightens, so an API key suffices.
func (s *Service) Reject(
	ctx context.Context, cmd *command.Command, id string, in rest.RejectRequest,
) (command.Answer, error) {
	a, err := s.c.Store.Approval(ctx, cmd.Principal.WorkspaceID, id)
	if err != nil {
		return command.Answer{}, err
	}
	if a.State == approval.Rejected {
		return s.answerRejected(ctx, cmd, execution{Approval: a})
	}
	if !a.Open() {
		return command.Answer{}, a.Resolved()
	}
	if err := s.giveReason(ctx, &a, in.Reason); err != nil {
		return command.Answer{}, err
	}
	out, err := s.c.Enclave.Cancel(ctx, a.Fingerprint)
	if err != nil {
		return command.Answer{}, err
	}
	if out.State != wire.Cancelled { // the last vote came first
		return command.Answer{}, s.gone(ctx, a)
	}
	answer, err := s.answerRejected(ctx, cmd, s.end(a, a.State, approval.Rejected, in.Reason))
	if !errors.Is(err, record.ErrStale) {
		return answer, err
	}
	if a, err = s.c.Store.Approval(ctx, a.WorkspaceID, a.ID); err != nil {
		return command.Answer{}, err
	}
	if a.State != approval.Rejected {
		return command.Answer{}, a.Resolved()
	}
	return s.answerRejected(ctx, cmd, execution{Approval: a})
}

// giveReason writes down why, before the enclave cancels: from then on whoever asks for the approval, such as an agent
// that waits, may be the first to write that it is rejected.
func (s *Service) giveReason(ctx context.Context, a *approval.Approval, why string) error {
	if why == "" {
		return nil
	}
	a.Comment, a.UpdatedAt = why, s.c.Clock.Now()
	work := func(ctx context.Context, tx Tx) (command.Audit, error) {
		return command.Audit{}, tx.MoveApproval(ctx, *a, a.State)
	}
	return record.UnlessStale(s.c.Store.Work(ctx, a.WorkspaceID, work))
}

// answerRejected commits a rejection, or answers with the one that there was.
func (s *Service) answerRejected(ctx context.Context, cmd *command.Command, x execution) (command.Answer, error) {
	view, err := s.view(ctx, x)
	if err != nil {
		return command.Answer{}, err
	}
	if view.Transaction != nil && x.from != "" {
		view.Transaction.Status, view.Transaction.Reason = string(transaction.Cancelled), cmp.Or(x.Comment, "rejected")
	}
	return s.c.Store.Commit(ctx, cmd, func(ctx context.Context, tx Tx) (command.Reply, error) {
		reply := command.Reply{
			Status: 201, Message: "Rejected", Data: view,
			Audit: command.Audit{Action: "approval.reject", Resource: x.Subject,
				Detail: map[string]string{"approvalId": x.ID, "reason": x.Comment}},
		}
		if x.from == "" {
			return reply, nil
		}
		return reply, x.save(ctx, tx, s.c.Clock.Now())
	})
}
