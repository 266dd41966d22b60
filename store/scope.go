package store

import (
	"context"

	"github.com/railkit/railkit/platform/command"
)

// scope begins transactions whose writing half is T: the few methods that one noun of a kit writes with. A kit declares
// T as an interface of its own, so that its tests see which tables a step can change; *tx, or a type around it, has the
// methods of all.
type scope[T any] struct {
	*Store
	narrow func(*tx) T
}

// Commit runs fn in one transaction with the audit row and, where the command has a key, the row of its answer. Where
// another call with that key committed first, nothing of fn remains and the first one's answer is returned. fn may run
// more than once.
func (s scope[T]) Commit(ctx context.Context, cmd *command.Command,
	fn func(context.Context, T) (command.Reply, error),
) (command.Answer, error) {
	return s.commit(ctx, cmd, func(ctx context.Context, tx *tx) (command.Reply, error) { return fn(ctx, s.narrow(tx)) })
}

// Work is Commit for the server's own jobs: no caller, no key, and an audit row only where fn names an action.
func (s scope[T]) Work(ctx context.Context, workspaceID string, fn func(context.Context, T) (command.Audit, error)) error {
	return s.work(ctx, workspaceID, func(ctx context.Context, tx *tx) (command.Audit, error) { return fn(ctx, s.narrow(tx)) })
}
