package queue_test

import (
	"context"
	"testing"
	"time"

	"github.com/railkit/railkit/job"
	"github.com/railkit/railkit/job/queue"
	"github.com/railkit/railkit/kit/payout/arrival"
	"github.com/railkit/railkit/platform/watch"
)

// What the watcher's sink enqueues in the watcher's transaction is worked like any other job.
func TestDeposits(t *testing.T) { onEach(t, testDeposits) }

func testDeposits(t *testing.T, r *rig) {
	ran := make(chan string, 3)
	r.start(t, queue.Config{Handlers: job.Handlers{
		arrival.Job: func(_ context.Context, workspaceID, id string) (time.Duration, error) {
			ran <- workspaceID + " " + id
			return 0, nil
		},
	}})
	err := r.Store.Watch().Write(t.Context(), func(ctx context.Context, tx watch.Tx) error {
		return tx.Enqueue(ctx, job.Job{Kind: arrival.Job, WorkspaceID: ws, ID: "transfer-1"})
	})
	if err != nil {
		t.Fatal(err)
	}
	if got := next(t, "deposit", ran); got != ws+" transfer-1" {
		t.Errorf("got %q", got)
	}
}
