package store

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/railkit/railkit/crash"
	"github.com/railkit/railkit/platform/audit"
	"github.com/railkit/railkit/platform/command"
	"github.com/railkit/railkit/platform/idempotency"
	"github.com/railkit/railkit/store/db"
	"github.com/railkit/railkit/store/postgres"
)

// answered undoes a transaction whose idempotency key has its answer already.
type answered struct{ row idempotency.Row }

func (*answered) Error() string { return "store: the idempotency key has its answer already" }

// commit runs fn in one transaction with the audit row and, where the command
// has a key, the row of its answer. Where another call with that key committed
// first, nothing of fn remains and the first one's answer is returned. fn may
// run more than once.
func (s *Store) commit(ctx context.Context, cmd *command.Command,
	fn func(context.Context, *tx) (command.Reply, error),
) (command.Answer, error) {
	var answer command.Answer
	err := s.transact(ctx, func(tx *tx) (err error) {
		answer, err = tx.run(ctx, cmd, fn)
		return err
	})
	var first *answered
	if errors.As(err, &first) {
		return idempotency.Replay(first.row, cmd.Key)
	}
	if err != nil {
		return command.Answer{}, err
	}
	crash.At(cmd.Operation, "after-commit")
	return answer, nil
}

// work is commit for the server's own jobs: no caller, no key, and an audit row
// only where fn names an action.
func (s *Store) work(ctx context.Context, workspaceID string, fn func(context.Context, *tx) (command.Audit, error)) error {
	var mark string
	err := s.transact(ctx, func(tx *tx) error {
		done, err := fn(ctx, tx)
		mark = cmp.Or(done.Action, tx.mark)
		if err == nil {
			err = tx.putCounts(ctx)
		}
		crash.At(mark, "before-commit")
		if err != nil || done.Action == "" {
			return err
		}
		return tx.audit(ctx, audit.Entry{WorkspaceID: workspaceID, Actor: audit.System}, done)
	})
	if err == nil {
		crash.At(mark, "after-commit")
	}
	return err
}

// transact runs do in a transaction, as often as it takes to get it through.
func (s *Store) transact(ctx context.Context, do func(*tx) error) error {
	return postgres.Tell(s.retry(ctx, func() error {
		handle, release, err := s.begin(ctx)
		if err != nil {
			return fmt.Errorf("beginning a transaction: %w", err)
		}
		defer release()
		defer handle.Rollback() // does nothing after a commit
		err = do(&tx{handle: handle, q: db.New(s.within(handle)), jobs: s.jobs, now: s.clock.Now(), time: s.time})
		if err != nil {
			return err
		}
		if err := handle.Commit(); err != nil {
			return fmt.Errorf("committing a transaction: %w", err)
		}
		return nil
	}))
}

func (t *tx) run(ctx context.Context, cmd *command.Command,
	fn func(context.Context, *tx) (command.Reply, error),
) (command.Answer, error) {
	if err := t.claim(ctx, cmd); err != nil {
		return command.Answer{}, err
	}
	reply, err := fn(ctx, t)
	if err != nil {
		return command.Answer{}, err
	}
	if reply.Status < 200 || reply.Status > 299 || reply.Audit.Action == "" {
		return command.Answer{}, fmt.Errorf("committing %s: status %d and audit action %q: only a 2xx with an action is committed",
			cmd.Operation, reply.Status, reply.Audit.Action)
	}
	who := audit.Entry{
		WorkspaceID: cmp.Or(reply.Audit.WorkspaceID, cmd.Principal.WorkspaceID), Actor: audit.ActorKind(cmd.Principal.Kind), ActorID: cmd.Principal.ID,
		Operation: cmd.Operation, RequestID: cmd.RequestID, RemoteIP: cmd.RemoteIP,
	}
	if cmd.Ceremony != nil {
		who.Actor, who.ActorID = audit.Ceremony, cmd.Ceremony.ID
	}
	body, err := cmd.Render(reply)
	if err != nil {
		return command.Answer{}, fmt.Errorf("rendering the answer of %s: %w", cmd.Operation, err)
	}
	err = errors.Join(t.finishCeremony(ctx, cmd.Ceremony), t.fill(ctx, cmd, reply.Status, body), t.putCounts(ctx))
	if err != nil {
		return command.Answer{}, err
	}
	err = t.audit(ctx, who, reply.Audit) // last, see there
	crash.At(cmd.Operation, "before-commit")
	return command.Answer{Status: reply.Status, Body: body}, err
}

// claim takes the row of the command's key before any work is done under it, so
// that of several callers one works and the others wait at the row.
func (t *tx) claim(ctx context.Context, cmd *command.Command) error {
	if cmd.Key == nil {
		return nil
	}
	since := micros(t.now.Add(-idempotency.Retention))
	waiting, cancel := context.WithTimeout(ctx, idempotency.Patience) // for another server's call
	defer cancel()
	n, err := t.q.ClaimAnswer(waiting, db.ClaimAnswerParams{
		WorkspaceID: cmd.Principal.WorkspaceID, KeyHash: cmd.Key.Hash, Request: cmd.Key.Request,
		Sealed: []byte{}, Now: micros(t.now), Since: since,
	})
	if err != nil && waiting.Err() != nil && ctx.Err() == nil {
		return idempotency.ErrInFlight.After(time.Second).Because(err)
	}
	if err != nil {
		return fmt.Errorf("claiming the idempotency key: %w", err)
	}
	if n == 1 {
		return nil
	}
	row, err := t.q.Answer(ctx, cmd.Principal.WorkspaceID, cmd.Key.Hash, since)
	if err != nil {
		return fmt.Errorf("reading the answer of the idempotency key: %w", err)
	}
	return &answered{answerRow(row)}
}

// fill puts the answer into the claimed row.
func (t *tx) fill(ctx context.Context, cmd *command.Command, status int, body []byte) error {
	if cmd.Key == nil {
		return nil
	}
	sealed, err := cmd.Key.Seal(body)
	if err != nil {
		return fmt.Errorf("sealing the answer of %s: %w", cmd.Operation, err)
	}
	err = t.q.FillAnswer(ctx, db.FillAnswerParams{
		WorkspaceID: cmd.Principal.WorkspaceID, KeyHash: cmd.Key.Hash, Status: int64(status), Sealed: sealed,
	})
	if err != nil {
		return fmt.Errorf("storing the answer of %s: %w", cmd.Operation, err)
	}
	return nil
}

// Answer finds the answer of an idempotency key that was made after since.
func (s *Store) Answer(ctx context.Context, workspaceID, keyHash string, since time.Time) (idempotency.Row, bool, error) {
	row, err := s.read.Answer(ctx, workspaceID, keyHash, micros(since))
	if none(err) {
		return idempotency.Row{}, false, nil
	}
	if err != nil {
		return idempotency.Row{}, false, fmt.Errorf("reading the answer of the idempotency key: %w", postgres.Tell(err))
	}
	return answerRow(row), true, nil
}

// DropAnswers deletes the answers of idempotency keys that are older than the
// instant: nobody can ask for them any more.
func (s *Store) DropAnswers(ctx context.Context, before time.Time) error {
	return s.transact(ctx, func(tx *tx) error {
		if err := tx.q.DropAnswers(ctx, micros(before)); err != nil {
			return fmt.Errorf("dropping old answers: %w", err)
		}
		return nil
	})
}
