// Package record is what the rows of every kit have in common: their ids, how they are written, the error of a write
// that came second, and how a sweep goes over the rows that wait.
//
// Read record.go, then writer.go and sweep.go.
package record

import (
	"context"
	"errors"

	"github.com/railkit/railkit/job"
	"github.com/railkit/railkit/platform/command"
)

// Writer is the writing half of a noun's store. Tx is the noun's own interface: the few methods that it writes with.
type Writer[Tx any] interface {
	// Commit runs fn in one transaction of the database, adds the audit row and, where the command has a key, the
	// idempotency row, and answers with the rendered bytes. Where the command came from a passkey page, its link is
	// finished with it. Where another call with the key committed first, nothing of fn remains and the first call's
	// answer is returned. fn may run more than once.
	Commit(ctx context.Context, cmd *command.Command,
		fn func(context.Context, Tx) (command.Reply, error)) (command.Answer, error)
	// Work is Commit for the server's own jobs: there is no caller and no key. The audit row, where fn names an
	// action, says that the system did it.
	Work(ctx context.Context, workspaceID string, fn func(context.Context, Tx) (command.Audit, error)) error
}

// Queue adds a job that runs only if the transaction commits.
type Queue interface {
	Enqueue(ctx context.Context, j job.Job) error
}

// Do makes one change by the server itself, without an audit row.
func Do[Tx any](ctx context.Context, in Writer[Tx], workspaceID string, change func(context.Context, Tx) error) error {
	return in.Work(ctx, workspaceID, func(ctx context.Context, tx Tx) (command.Audit, error) {
		return command.Audit{}, change(ctx, tx)
	})
}

// Answer answers a command that has nothing to write. Under a key that has its answer already it is that answer, to the
// byte.
func Answer[Tx any](
	ctx context.Context, in Writer[Tx], cmd *command.Command, reply command.Reply,
) (command.Answer, error) {
	if cmd.Key != nil {
		return in.Commit(ctx, cmd, func(context.Context, Tx) (command.Reply, error) { return reply, nil })
	}
	body, err := cmd.Render(reply)
	return command.Answer{Status: reply.Status, Body: body}, err
}

// errUnanswered undoes the transaction of Answered.
var errUnanswered = errors.New("the key has no answer")

// Answered finds the answer that another call under the command's key has committed already. A command whose answer
// leaves rows of its own outside of its commit asks before it makes them.
func Answered[Tx any](
	ctx context.Context, in Writer[Tx], cmd *command.Command,
) (a command.Answer, found bool, err error) {
	if cmd.Key == nil {
		return a, false, nil
	}
	a, err = in.Commit(ctx, cmd, func(context.Context, Tx) (command.Reply, error) {
		return command.Reply{}, errUnanswered
	})
	if errors.Is(err, errUnanswered) {
		return a, false, nil
	}
	return a, err == nil, err
}
