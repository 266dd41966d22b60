package store

import (
	"context"

	"github.com/railkit/railkit/kit/payout"
	"github.com/railkit/railkit/kit/signing"
	"github.com/railkit/railkit/platform/command"
)

// Payout is the store as the payout kit sees it.
type Payout struct{ *Store }

var (
	_ payout.Store     = Payout{}
	_ payout.BookStore = Payout{}
)

// payoutTx is a transaction as the payout kit sees it.
type payoutTx struct{ *tx }

var _ payout.Tx = payoutTx{}

// Commit runs fn in one transaction, as Store.Commit does.
func (s Payout) Commit(ctx context.Context, cmd *command.Command,
	fn func(context.Context, payout.Tx) (command.Reply, error),
) (command.Answer, error) {
	return s.commit(ctx, cmd, func(ctx context.Context, tx *tx) (command.Reply, error) { return fn(ctx, payoutTx{tx}) })
}

// Work runs fn in one transaction, as Store.Work does.
func (s Payout) Work(ctx context.Context, workspaceID string, fn func(context.Context, payout.Tx) (command.Audit, error)) error {
	return s.work(ctx, workspaceID, func(ctx context.Context, tx *tx) (command.Audit, error) { return fn(ctx, payoutTx{tx}) })
}

// Enqueue puts a job of the kit into the one queue.
func (t payoutTx) Enqueue(ctx context.Context, j payout.Job) error {
	return t.tx.Enqueue(ctx, signing.Job{
		Kind: signing.JobKind(j.Kind), WorkspaceID: j.WorkspaceID, ID: j.ID, RunAt: j.RunAt, Anew: j.Anew,
	})
}

// swapped is the answer to a compare-and-swap of the kit's.
func swapped(what string, n int64, err error) error {
	if err == nil && n == 0 {
		return payout.ErrStale
	}
	return doing(what, err)
}
