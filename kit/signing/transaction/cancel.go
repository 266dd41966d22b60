package transaction

import (
	"context"
	"errors"

	"github.com/railkit/railkit/platform/command"
	"github.com/railkit/railkit/platform/record"
)

// Cancel makes sure that a prepared transaction is never signed. The enclave hears of it first: what the enclave has
// cancelled no stamp brings back, and what it has signed no cancellation takes back.
func (s *Service) Cancel(ctx context.Context, cmd *command.Command, id string) (command.Answer, error) {
	t, err := s.c.Store.Transaction(ctx, cmd.Principal.WorkspaceID, id)
	if err != nil {
		return command.Answer{}, err
	}
	if t.State == Cancelled {
		return s.c.Rows.answer(ctx, cmd, t, "transaction.cancel")
	}
	if t.State != Awaiting {
		return command.Answer{}, ErrNotAwaiting
	}
	if err := s.forbid(ctx, t); err != nil {
		return command.Answer{}, err
	}
	why := "cancelled by the caller"
	change := Change{Now: s.c.Clock.Now(), Reason: &why}
	t.Apply(Cancelled, change)
	a, err := s.c.Store.Commit(ctx, cmd, func(ctx context.Context, tx Tx) (command.Reply, error) {
		return t.reply("transaction.cancel"), tx.MoveTransaction(ctx, t.WorkspaceID, t.ID, From(Cancelled), Cancelled,
			change)
	})
	if errors.Is(err, record.ErrStale) {
		return s.answerCancelled(ctx, cmd, t)
	}
	return a, err
}

// forbid has the enclave never sign. What is signed outside it has no part in.
func (s *Service) forbid(ctx context.Context, t Transaction) error {
	if t.External() {
		return nil
	}
	forbidden, err := s.c.Activities.Forbid(ctx, t.Fingerprint)
	if err == nil && !forbidden {
		err = ErrNotAwaiting // a stamp came first
	}
	return err
}

// answerCancelled is for the caller who lost a race of two cancels, or of a
// cancel and the clock.
func (s *Service) answerCancelled(ctx context.Context, cmd *command.Command, t Transaction) (command.Answer, error) {
	now, err := s.c.Store.Transaction(ctx, t.WorkspaceID, t.ID)
	if err != nil {
		return command.Answer{}, err
	}
	if now.State != Cancelled {
		return command.Answer{}, ErrNotAwaiting
	}
	return s.c.Rows.answer(ctx, cmd, now, "transaction.cancel")
}
