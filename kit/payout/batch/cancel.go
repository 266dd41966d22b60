package batch

import (
	"context"

	"github.com/railkit/railkit/platform/command"
	"github.com/railkit/railkit/platform/record"
)

// Cancel ends a batch that is not executed. Of Cancel and Execute at once, the transaction that commits first wins.
func (s *Service) Cancel(ctx context.Context, cmd *command.Command, id string) (a command.Answer, err error) {
	err = record.Retry(func() error {
		b, err := s.store.Batch(ctx, cmd.Principal.WorkspaceID, id)
		if err != nil {
			return err
		}
		a, err = s.cancel(ctx, cmd, b)
		return err
	})
	return a, err
}

// cancel is one attempt of Cancel.
func (s *Service) cancel(ctx context.Context, cmd *command.Command, b Batch) (command.Answer, error) {
	reply := command.Reply{
		Status: 200, Message: "Batch canceled", Audit: command.Audit{Action: "batch.cancel", Resource: b.ID},
	}
	switch b.Status {
	case Executed:
		return command.Answer{}, errExecuted
	case Canceled: // canceled before: nothing to write, and the same answer
		reply.Data = b.view(s.clock.Now())
		return record.Answer(ctx, s.store, cmd, reply)
	}
	was := b.Status
	return s.store.Commit(ctx, cmd, func(ctx context.Context, tx Tx) (command.Reply, error) {
		now, err := tx.Now(ctx)
		if err != nil {
			return command.Reply{}, err
		}
		b.Status, b.EndedAt = Canceled, now
		reply.Data = b.view(now)
		return reply, tx.EndBatch(ctx, b, was)
	})
}
