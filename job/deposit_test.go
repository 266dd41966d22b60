package job_test

import (
	"context"
	"testing"
	"time"

	"github.com/railkit/railkit/job"
	"github.com/railkit/railkit/platform/watch"
	"github.com/railkit/railkit/store"
)

// deposits is a Handler that takes deposits too.
type deposits struct {
	handler
	got chan string
}

func (d deposits) Deposit(_ context.Context, workspaceID, id string) (time.Duration, error) {
	d.got <- workspaceID + " " + id
	return 0, nil
}

// What the watcher's sink queues is worked by who takes deposits.
func TestDeposits(t *testing.T) { onEach(t, testDeposits) }

func testDeposits(t *testing.T, r *rig) {
	d := deposits{got: make(chan string, 3)}
	r.start(t, d, job.Config{})
	err := store.Watch{Store: r.Store}.Write(t.Context(), func(ctx context.Context, tx watch.Tx) error {
		return tx.Queue(ctx, string(job.Deposit), ws, "transfer-1")
	})
	if err != nil {
		t.Fatal(err)
	}
	if got := next(t, "deposit", d.got); got != ws+" transfer-1" {
		t.Errorf("got %q", got)
	}
}
