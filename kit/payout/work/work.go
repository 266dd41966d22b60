// Package work is how every noun of the payout kit changes its rows: in whole
// transactions and by compare-and-swap. Who loses such a swap takes it for what it
// is: somebody else was faster.
package work

import (
	"context"
	"errors"

	"github.com/google/uuid"

	"github.com/railkit/railkit/fault"
	"github.com/railkit/railkit/job"
	"github.com/railkit/railkit/platform/command"
)

// ErrStale is a lost compare-and-swap: the row is not in the state that the
// change starts from.
var ErrStale = errors.New("payout: row is in another state")

// Batch is how many rows that wait for the partner or for a mail one sweep takes on.
const Batch = 50

// Transactions begins the transactions of one noun. Tx is what the noun writes
// with, good inside one Commit or Work.
type Transactions[Tx any] interface {
	// Commit runs fn in one transaction, adds the audit row and, where the
	// command has a key, the idempotency row, and answers with the rendered
	// bytes. Where another call with that key committed first, nothing of fn
	// remains and the first one's answer is returned. fn may run more than once.
	Commit(ctx context.Context, cmd *command.Command, fn func(context.Context, Tx) (command.Reply, error)) (command.Answer, error)
	// Work is Commit for the server's own jobs: no caller, no key. The audit
	// row, where fn names an action, has the system as the actor.
	Work(ctx context.Context, workspaceID string, fn func(context.Context, Tx) (command.Audit, error)) error
}

// Jobs enqueues jobs that run only if the transaction commits.
type Jobs interface {
	Enqueue(ctx context.Context, j job.Job) error
}

// Waiting finds the orders that wait in review for a recipient or a bank account,
// before that one is changed. The wake that it returns is called in the
// transaction of the change, and has those orders looked at once it commits.
type Waiting func(ctx context.Context, workspaceID, id string) (wake func(context.Context, Jobs) error, err error)

// Do makes one change by the server itself, without a line in the audit record.
func Do[Tx any](ctx context.Context, in Transactions[Tx], workspaceID string, change func(context.Context, Tx) error) error {
	return in.Work(ctx, workspaceID, func(ctx context.Context, tx Tx) (command.Audit, error) {
		return command.Audit{}, change(ctx, tx)
	})
}

// Answer answers a command that has nothing to write. Under a key that has its
// answer already it is that answer, to the byte.
func Answer[Tx any](ctx context.Context, in Transactions[Tx], cmd *command.Command, reply command.Reply) (command.Answer, error) {
	if cmd.Key != nil {
		return in.Commit(ctx, cmd, func(context.Context, Tx) (command.Reply, error) { return reply, nil })
	}
	body, err := cmd.Render(reply)
	return command.Answer{Status: reply.Status, Body: body}, err
}

// NewID is the id of a new row: UUIDv7, so that rows lie in the order of time.
func NewID() string { return uuid.Must(uuid.NewV7()).String() }

// races is how many swaps in a row are lost before a call gives up.
const races = 10

// Retry does again what somebody else was faster with: it reads the row anew, and
// tries to change that.
func Retry(do func() error) (err error) {
	for range races {
		if err = do(); !errors.Is(err, ErrStale) {
			return err
		}
	}
	return err
}

// IgnoreStale is no error where somebody else was faster: what was to be done is done.
func IgnoreStale(err error) error {
	if errors.Is(err, ErrStale) {
		return nil
	}
	return err
}

// IsMissing tells whether an error says that there is no such row.
func IsMissing(err error) bool {
	f, ok := fault.As(err)
	return ok && f.Kind == fault.NotFound
}

// Each does something with each row of a sweep. It goes on past a row that fails,
// but not where the next one would fail alike: the partner is away.
func Each[T any](rows []T, do func(T) error) (err error) {
	for _, r := range rows {
		failed := do(r)
		err = errors.Join(err, failed)
		if f, ok := fault.As(failed); ok && f.Kind == fault.Unavailable {
			return err
		}
	}
	return err
}
