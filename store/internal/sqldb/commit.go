package sqldb

import (
	"cmp"
	"context"
	"errors"
	"fmt"

	"github.com/railkit/railkit/crash"
	"github.com/railkit/railkit/platform/audit"
	"github.com/railkit/railkit/platform/command"
	"github.com/railkit/railkit/platform/idempotency"
)

// Writer begins transactions whose writing half is T: the few methods that one noun of a kit writes with. A kit has
// declared T as an interface of its own, so that its tests see which tables a step can change.
type Writer[T any] struct {
	db     *DB
	narrow func(*Tx) T
}

// WriterOf makes one; narrow is the noun's part of a transaction.
func WriterOf[T any](d *DB, narrow func(*Tx) T) Writer[T] { return Writer[T]{d, narrow} }

// Commit runs fn in one transaction with the audit row and, where the command has a key, the row of its answer. Where
// another call with that key committed first, nothing of fn remains and the first one's answer is returned. fn may run
// more than once.
func (w Writer[T]) Commit(ctx context.Context, cmd *command.Command,
	fn func(context.Context, T) (command.Reply, error),
) (command.Answer, error) {
	var answer command.Answer
	do := func(ctx context.Context, tx *Tx) (err error) {
		answer, err = tx.run(ctx, cmd, func() (command.Reply, error) { return fn(ctx, w.narrow(tx)) })
		return err
	}
	err := w.db.together(&change{ctx: ctx, workspaceID: cmd.Principal.WorkspaceID, key: cmd.Key, do: do})
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

// Work is Commit for the server's own jobs: no caller, no key, and an audit row only where fn names an action.
func (w Writer[T]) Work(
	ctx context.Context, workspaceID string, fn func(context.Context, T) (command.Audit, error),
) error {
	var mark string
	do := func(ctx context.Context, tx *Tx) error {
		done, err := fn(ctx, w.narrow(tx))
		mark = cmp.Or(done.Action, tx.Mark)
		crash.At(mark, "before-commit")
		if err != nil || done.Action == "" {
			return err
		}
		return tx.Audit(audit.Entry{WorkspaceID: workspaceID, Actor: audit.System}, done)
	}
	err := w.db.together(&change{ctx: ctx, workspaceID: workspaceID, do: do})
	if err == nil {
		crash.At(mark, "after-commit")
	}
	return err
}

// Transact runs do in a transaction of its own, as often as it takes to get it through.
func (d *DB) Transact(ctx context.Context, do func(*Tx) error) error {
	return d.alone(&change{ctx: ctx, do: func(_ context.Context, tx *Tx) error { return do(tx) }})
}

func (t *Tx) run(
	ctx context.Context, cmd *command.Command, fn func() (command.Reply, error),
) (command.Answer, error) {
	reply, err := fn()
	if err != nil {
		return command.Answer{}, err
	}
	if cmd.As != nil {
		reply = cmd.As(reply)
	}
	if reply.Status < 200 || reply.Status > 299 || reply.Audit.Action == "" {
		return command.Answer{}, fmt.Errorf(
			"committing %s: status %d and audit action %q: only a 2xx with an action is committed",
			cmd.Operation, reply.Status, reply.Audit.Action,
		)
	}
	who := audit.Entry{
		WorkspaceID: cmp.Or(reply.Audit.WorkspaceID, cmd.Principal.WorkspaceID),
		Actor:       audit.ActorKind(cmd.Principal.Kind), ActorID: cmd.Principal.ID,
		Operation: cmd.Operation, RequestID: cmd.RequestID, RemoteIP: cmd.RemoteIP,
	}
	if cmd.Ceremony != nil {
		who.Actor, who.ActorID = audit.Ceremony, cmd.Ceremony.ID
	}
	body, err := cmd.Render(reply)
	if err != nil {
		return command.Answer{}, fmt.Errorf("rendering the answer of %s: %w", cmd.Operation, err)
	}
	if t.answer, err = seal(cmd, reply.Status, body); err != nil {
		return command.Answer{}, err
	}
	if err := t.finishCeremony(ctx, cmd.Ceremony); err != nil {
		return command.Answer{}, err
	}
	err = t.Audit(who, reply.Audit)
	crash.At(cmd.Operation, "before-commit")
	return command.Answer{Status: reply.Status, Body: body}, err
}

// finishCeremony notes in the commit that a ceremony led to that it did. A
// second one with the same stamp finds it noted.
func (t *Tx) finishCeremony(ctx context.Context, c *command.Ceremony) error {
	if c == nil {
		return nil
	}
	return Doing("finishing a ceremony", t.Q.FinishCeremony(ctx, Micros(t.Begun), c.Given, c.ID))
}
