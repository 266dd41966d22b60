package queue_test

import (
	"context"
	"errors"
	"log/slog"
	"strings"
	"testing"
	"time"

	"github.com/railkit/railkit/internal/test/testlog"
	"github.com/railkit/railkit/internal/test/testwait"
	"github.com/railkit/railkit/job"
	"github.com/railkit/railkit/job/queue"
	"github.com/railkit/railkit/kit/signing"
	"github.com/railkit/railkit/kit/signing/transaction"
	"github.com/railkit/railkit/platform/command"
	"github.com/railkit/railkit/requestid"
)

// A job works for the request that asked for it first, also when it runs once more or fails. A second request for the
// same work adds no second job.
func TestJobHasTheRequest(t *testing.T) { onEach(t, testJobHasTheRequest) }

func testJobHasTheRequest(t *testing.T, r *rig) {
	ran, log, fails := make(chan string, 10), &testlog.Log{}, 2
	for _, request := range []string{"first", "second", ""} {
		ctx := requestid.With(t.Context(), request)
		err := r.Signing().Work(ctx, ws, func(ctx context.Context, tx signing.Tx) (command.Audit, error) {
			return command.Audit{}, tx.Enqueue(ctx, job.Job{Kind: transaction.JobConfirm, ID: "a", WorkspaceID: ws})
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	r.start(t, queue.Config{
		Log: requestid.Log(slog.New(slog.NewTextHandler(log, nil))), Workers: 1,
		Handlers: job.Handlers{transaction.JobConfirm: func(ctx context.Context, _, _ string) (time.Duration, error) {
			ran <- requestid.Of(ctx)
			if fails--; fails == 0 {
				return 0, errors.New("broken")
			}
			if fails < 0 {
				return 0, nil
			}
			return time.Millisecond, nil
		}},
	})
	for _, what := range []string{"first run", "the next", "after a failure"} {
		if got := next(t, what, ran); got != "first" {
			t.Errorf("%s: the request is %q", what, got)
		}
	}
	testwait.Until(t, "the line of the failure", func() bool {
		return strings.Contains(log.String(), "job failed") && strings.Contains(log.String(), "request_id=first")
	})
	select {
	case <-ran:
		t.Error("the second request has a job of its own")
	default:
	}
}

// What monitoring reads: how much there is of each kind and state, and how late the first is.
func TestBacklog(t *testing.T) { onEach(t, testBacklog) }

func testBacklog(t *testing.T, r *rig) {
	began, release := make(chan string, 1), make(chan struct{})
	runner := r.start(t, queue.Config{Workers: 1, Handlers: job.Handlers{
		transaction.JobConfirm: func(context.Context, string, string) (time.Duration, error) {
			began <- ""
			<-release
			return 0, nil
		},
	}})
	t.Cleanup(func() { close(release) })
	r.enqueue(t, job.Job{Kind: transaction.JobConfirm, ID: "runs"}, nil)
	next(t, "the job that runs", began)
	now := time.Now()
	r.enqueue(t, job.Job{Kind: transaction.JobConfirm, ID: "late", RunAt: now.Add(-time.Hour)}, nil)
	r.enqueue(t, job.Job{Kind: transaction.JobConfirm, ID: "waits", RunAt: now.Add(-time.Minute)}, nil)
	r.enqueue(t, job.Job{Kind: transaction.JobBroadcast, ID: "later", RunAt: now.Add(time.Hour)}, nil)
	all, err := runner.Backlog(t.Context(), r.Reader())
	if err != nil {
		t.Fatal(err)
	}
	jobs, late := map[string]int64{}, map[string]time.Duration{}
	for _, b := range all {
		name := string(b.Kind) + " " + b.State
		jobs[name], late[name] = b.Jobs, b.Late
	}
	confirm, broadcast := string(transaction.JobConfirm), string(transaction.JobBroadcast)
	if len(jobs) != 3 || jobs[confirm+" running"] != 1 || jobs[confirm+" available"] != 2 ||
		jobs[broadcast+" scheduled"] != 1 {
		t.Errorf("found %v", jobs)
	}
	if first := late[confirm+" available"]; first < time.Hour || first > time.Hour+testwait.Bound {
		t.Errorf("the first is late by %v", first)
	}
	if first := late[broadcast+" scheduled"]; first >= 0 {
		t.Errorf("what is still to come is late by %v", first)
	}
}

// Each run is told, also one that fails or panics.
func TestRunsAreTold(t *testing.T) {
	r, told := fresh(t), make(chan error, 10)
	how := map[string]error{"fine": nil, "fails": errors.New("broken")}
	r.start(t, queue.Config{
		Done: func(kind job.Kind, took time.Duration, err error) {
			if kind != transaction.JobBroadcast || took < 0 {
				t.Errorf("told of %s, %v", kind, took)
			}
			told <- err
		},
		Handlers: broadcasts(func(_ context.Context, id string) error {
			if id == "panics" {
				panic("out of cheese")
			}
			return how[id]
		}),
	})
	for _, id := range []string{"fine", "fails", "panics"} {
		r.enqueue(t, job.Job{Kind: transaction.JobBroadcast, ID: id}, nil)
		err := next(t, id, told)
		for err != nil && id == "panics" && err.Error() == "broken" { // the failed one is tried again meanwhile
			err = next(t, id, told)
		}
		if id == "fine" && err != nil || id == "fails" && !errors.Is(err, how[id]) || id == "panics" && err == nil {
			t.Errorf("%s: %v", id, err)
		}
	}
}
