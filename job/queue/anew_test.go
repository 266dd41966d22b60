package queue_test

import (
	"context"
	"testing"
	"time"

	"github.com/railkit/railkit/internal/test/testwait"
	"github.com/railkit/railkit/job"
	"github.com/railkit/railkit/job/queue"
	"github.com/railkit/railkit/kit/signing/transaction"
)

const unended = "state IN ('available', 'pending', 'retryable', 'running', 'scheduled')"

// A job that waits for an hour runs now if it is wanted anew, and stays one job however often it is wanted.
func TestAnewRunsWhatWaits(t *testing.T) { onEach(t, testAnewRunsWhatWaits) }

func testAnewRunsWhatWaits(t *testing.T, r *rig) {
	j := job.Job{Kind: transaction.JobConfirm, ID: "x", RunAt: time.Now().Add(time.Hour)}
	r.enqueue(t, j, nil)
	j.RunAt = time.Time{}
	r.enqueue(t, j, nil) // not anew: it goes on waiting
	if n := r.count(t, "state = 'scheduled'"); n != 1 {
		t.Fatalf("%d scheduled jobs, want 1", n)
	}
	j.Anew = true
	for range 5 {
		r.enqueue(t, j, nil)
	}
	if n := r.count(t, unended); n != 1 {
		t.Fatalf("%d jobs, want 1", n)
	}
	ran := make(chan string, 10)
	r.start(t, queue.Config{Handlers: confirms(ran)})
	next(t, "the job", ran)
	r.enqueue(t, job.Job{Kind: transaction.JobConfirm, ID: "y"}, nil)
	if got := next(t, "another job", ran); got != "y" {
		t.Errorf("%s ran twice", got)
	}
}

// A job that is wanted anew while it runs runs once more, since it may have read its row before. Then one job stays.
func TestAnewBesideARunningJob(t *testing.T) { onEach(t, testAnewBesideARunningJob) }

func testAnewBesideARunningJob(t *testing.T, r *rig) {
	started, release := make(chan struct{}, 1000), make(chan struct{})
	r.start(t, queue.Config{Handlers: job.Handlers{transaction.JobConfirm: func(
		context.Context, string, string,
	) (time.Duration, error) {
		started <- struct{}{}
		<-release
		return 300 * time.Millisecond, nil
	}}})
	j := job.Job{Kind: transaction.JobConfirm, ID: "x", Anew: true}
	r.enqueue(t, j, nil)
	next(t, "the first run", started)
	for range 3 {
		r.enqueue(t, j, nil)
	}
	next(t, "the second run", started)
	close(release)
	testwait.Until(t, "one job of the row", func() bool { return r.count(t, unended) == 1 })
	for range 3 {
		next(t, "a further run", started)
	}
	if n := r.count(t, unended); n != 1 {
		t.Errorf("%d jobs, want 1", n)
	}
}

// Where the job that was there first has ended, a job goes on for the second one.
func TestAnewGoesOn(t *testing.T) { onEach(t, testAnewGoesOn) }

func testAnewGoesOn(t *testing.T, r *rig) {
	started, release := make(chan int, 10), make(chan time.Duration, 10)
	r.start(t, queue.Config{Workers: 1, Handlers: job.Handlers{transaction.JobConfirm: func(
		context.Context, string, string,
	) (time.Duration, error) {
		started <- 1
		return <-release, nil
	}}})
	j := job.Job{Kind: transaction.JobConfirm, ID: "x", Anew: true}
	r.enqueue(t, j, nil)
	next(t, "the first run", started)
	r.enqueue(t, j, nil)
	release <- 0
	next(t, "the second run", started)
	release <- time.Hour
	testwait.Until(t, "a job for later", func() bool {
		return r.count(t, "state = 'scheduled'") == 1 && r.count(t, unended) == 1
	})
}
