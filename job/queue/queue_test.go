package queue_test

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"time"
	_ "time/tzdata" // for machines without zones

	"github.com/railkit/railkit/clock"
	"github.com/railkit/railkit/internal/test/testenv"
	"github.com/railkit/railkit/internal/test/testlog"
	"github.com/railkit/railkit/internal/test/testwait"
	"github.com/railkit/railkit/job"
	"github.com/railkit/railkit/job/queue"
	"github.com/railkit/railkit/kit/signing"
	"github.com/railkit/railkit/kit/signing/transaction"
	"github.com/railkit/railkit/platform/command"
	"github.com/railkit/railkit/store"
)

const ws = "ws-1"

func TestMain(m *testing.M) {
	if path := os.Getenv(crashEnv); path != "" {
		crash(path)
	}
	testenv.Overlap()
	os.Exit(m.Run())
}

// rig is a database with its queue.
type rig struct {
	*store.Store
	queue *queue.Queue
}

func newRig(tb testing.TB, where string) *rig {
	tb.Helper()
	r, err := openRig(tb.Context(), where)
	if err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(func() { _ = r.Close() })
	return r
}

// openRig opens the database at a file's path or a server's URL.
func openRig(ctx context.Context, where string) (*rig, error) {
	newQueue, openStore := queue.SQLite, store.OpenSQLite
	if strings.HasPrefix(where, "postgres://") {
		newQueue, openStore = queue.Postgres, store.OpenPostgres
	}
	jobs, err := newQueue()
	if err != nil {
		return nil, err
	}
	st, err := openStore(ctx, where, jobs, clock.System{})
	if err != nil {
		return nil, err
	}
	return &rig{st, jobs}, nil
}

func fresh(tb testing.TB) *rig {
	tb.Helper()
	return newRig(tb, filepath.Join(tb.TempDir(), "railkit.db"))
}

// start runs the queue until the test ends.
func (r *rig) start(tb testing.TB, c queue.Config) *queue.Runner {
	tb.Helper()
	if c.Handlers == nil {
		c.Handlers = confirms(make(chan string, 1)) // River starts with one kind at least
	}
	runner, err := r.queue.NewRunner(r.Writer(), c)
	if err != nil {
		tb.Fatal(err)
	}
	if err := runner.Start(tb.Context()); err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(func() {
		ctx, cancel := context.WithTimeout(context.Background(), testwait.Bound)
		defer cancel()
		if err := runner.Stop(ctx); err != nil {
			tb.Errorf("stopping: %v", err)
		}
	})
	return runner
}

// enqueue commits a job, or rolls it back where err is given.
func (r *rig) enqueue(tb testing.TB, j job.Job, err error) {
	tb.Helper()
	j.WorkspaceID = ws
	got := r.Signing().Work(tb.Context(), ws, func(ctx context.Context, tx signing.Tx) (command.Audit, error) {
		return command.Audit{}, errors.Join(tx.Enqueue(ctx, j), err)
	})
	if !errors.Is(got, err) {
		tb.Fatalf("enqueueing: %v", got)
	}
}

// next is the next value that comes, or the end of the test.
func next[T any](tb testing.TB, what string, from <-chan T) T {
	tb.Helper()
	select {
	case v := <-from:
		return v
	case <-time.After(testwait.Bound):
		tb.Fatalf("%s did not come", what)
		panic("unreachable")
	}
}

func confirms(sent chan<- string) job.Handlers {
	return job.Handlers{transaction.JobConfirm: func(_ context.Context, _, id string) (time.Duration, error) {
		sent <- id
		return 0, nil
	}}
}

// broadcasts are handlers of the one kind.
func broadcasts(do func(ctx context.Context, id string) error) job.Handlers {
	return job.Handlers{transaction.JobBroadcast: job.Once(func(ctx context.Context, _, id string) error {
		return do(ctx, id)
	})}
}

func TestCommittedJobsRunAndRolledBackOnesNever(t *testing.T) {
	onEach(t, testCommittedJobsRunAndRolledBackOnesNever)
}

func testCommittedJobsRunAndRolledBackOnesNever(t *testing.T, r *rig) {
	broken := errors.New("broken")
	r.enqueue(t, job.Job{Kind: transaction.JobConfirm, ID: "rolled-back"}, broken)
	ran := make(chan string, 10)
	r.start(t, queue.Config{Handlers: confirms(ran)})
	r.enqueue(t, job.Job{Kind: transaction.JobConfirm, ID: "rolled-back-while-working"}, broken)
	for _, id := range []string{"a", "b"} {
		r.enqueue(t, job.Job{Kind: transaction.JobConfirm, ID: id}, nil)
		if got := next(t, id, ran); got != id {
			t.Errorf("ran %s, want %s", got, id)
		}
	}
}

func TestPickUp(t *testing.T) {
	r := fresh(t)
	ran := make(chan string, 1)
	r.start(t, queue.Config{Handlers: confirms(ran)})
	var waits []time.Duration
	for i := range 20 {
		r.enqueue(t, job.Job{Kind: transaction.JobConfirm, ID: fmt.Sprint(i)}, nil)
		since := time.Now()
		next(t, "job", ran)
		waits = append(waits, time.Since(since))
	}
	slices.Sort(waits)
	t.Logf("pick-up: median %v, worst %v", waits[10], waits[19])
	// A job that nobody looks for waits for River's scheduler, which comes every 5 s. A busy machine is quick at times.
	if waits[0] > 4*time.Second {
		t.Errorf("every job waits longer than %v", waits[0])
	}
}

// A short snooze and a short RunAt must hold in every time zone: River's driver
// writes some instants as local time. A process has one zone from its start on.
func TestShortWaits(t *testing.T) {
	for _, zone := range []string{"UTC", "Asia/Karachi", "America/Bogota"} { // +5 and -5, no summer time
		t.Run(zone, func(t *testing.T) {
			t.Parallel()
			cmd := exec.Command(os.Args[0], "-test.run=^TestShortWaitsHere$", "-test.v")
			cmd.Env = append(os.Environ(), "TZ="+zone)
			if out, err := cmd.CombinedOutput(); err != nil ||
				!strings.Contains(string(out), "--- PASS: TestShortWaitsHere") {
				t.Errorf("%v\n%s", err, out)
			}
		})
	}
}

func TestShortWaitsHere(t *testing.T) {
	const wait = 400 * time.Millisecond
	r := fresh(t)
	ran := make(chan time.Time, 2)
	var calls atomic.Int64
	r.start(t,
		queue.Config{Handlers: job.Handlers{transaction.JobConfirm: func(
			context.Context, string, string,
		) (time.Duration, error) {
			ran <- time.Now()
			if calls.Add(1) == 1 {
				return wait, nil
			}
			return 0, nil
		}}})
	committed := time.Now()
	r.enqueue(t, job.Job{Kind: transaction.JobConfirm, ID: "x", RunAt: committed.Add(wait)}, nil)
	first := next(t, "run", ran)
	second := next(t, "run after the snooze", ran)
	for _, took := range []time.Duration{first.Sub(committed), second.Sub(first)} {
		// River keeps milliseconds; a wrong zone is hours away
		if took < wait-2*time.Millisecond || took > wait+testwait.Bound {
			t.Errorf("%v: a wait of %v took %v", time.Local, wait, took)
		}
	}
}

func TestScheduledLater(t *testing.T) { onEach(t, testScheduledLater) }

func testScheduledLater(t *testing.T, r *rig) {
	r.enqueue(t, job.Job{Kind: transaction.JobConfirm, ID: "x", RunAt: time.Now().Add(time.Hour)}, nil)
	if n := r.count(t, "state = 'scheduled'"); n != 1 {
		t.Errorf("%d scheduled jobs, want 1", n)
	}
}

func (r *rig) count(tb testing.TB, where string) (n int) {
	tb.Helper()
	if err := r.Writer().QueryRowContext(
		tb.Context(), "SELECT COUNT(*) FROM river_job WHERE "+where,
	).Scan(&n); err != nil {
		tb.Fatal(err)
	}
	return n
}

func TestFailingJobIsRetriedAndStopsNoOther(t *testing.T) {
	onEach(t, testFailingJobIsRetriedAndStopsNoOther)
}

func testFailingJobIsRetriedAndStopsNoOther(t *testing.T, r *rig) {
	var log testlog.Log
	tries, others := make(chan time.Time, 10), make(chan string, 10)
	var calls atomic.Int64
	h := confirms(others)
	h[transaction.JobBroadcast] = job.Once(func(context.Context, string, string) error {
		tries <- time.Now()
		switch calls.Add(1) {
		case 1:
			return errors.New("node is away")
		case 2:
			panic("a bug")
		}
		return nil
	})
	r.start(t, queue.Config{Handlers: h, Log: slog.New(slog.NewTextHandler(&log, nil)), Workers: 1})
	r.enqueue(t, job.Job{Kind: transaction.JobBroadcast, ID: "bad"}, nil)
	first := next(t, "first try", tries)
	r.enqueue(t, job.Job{Kind: transaction.JobConfirm, ID: "good"}, nil)
	next(t, "another job", others)
	second := next(t, "second try", tries)
	third := next(t, "third try", tries)
	t.Logf("retried after %v and %v", second.Sub(first), third.Sub(second))
	if second.Sub(first) < 700*time.Millisecond || third.Sub(second) < 1400*time.Millisecond {
		t.Error("the waits between tries do not grow")
	}
	for _, want := range []string{"job failed", "node is away", "job panicked"} {
		if !strings.Contains(log.String(), want) {
			t.Errorf("the log does not say %q", want)
		}
	}
}

// A job that hangs has one of the workers, for 30 seconds at most; the others go on.
func TestHangingJobHoldsOneWorker(t *testing.T) {
	r := fresh(t)
	ends, others, release := make(chan time.Duration, 1), make(chan string, 10), make(chan struct{})
	defer close(release)
	h := confirms(others)
	h[transaction.JobBroadcast] = job.Once(func(ctx context.Context, _, _ string) error {
		end, limited := ctx.Deadline()
		if !limited {
			t.Error("it may hang for good")
		}
		ends <- time.Until(end)
		<-release
		return nil
	})
	r.start(t, queue.Config{Handlers: h, Workers: 2})
	r.enqueue(t, job.Job{Kind: transaction.JobBroadcast, ID: "hangs"}, nil)
	if left := next(t, "the job that hangs", ends); left > 30*time.Second {
		t.Errorf("it may hang for %v", left)
	}
	for _, id := range []string{"one", "two", "three"} {
		r.enqueue(t, job.Job{Kind: transaction.JobConfirm, ID: id}, nil)
		next(t, "another job", others)
	}
}

func TestStopWaitsForRunningJobs(t *testing.T) { onEach(t, testStopWaitsForRunningJobs) }

func testStopWaitsForRunningJobs(t *testing.T, r *rig) {
	started, release := make(chan string, 1), make(chan struct{})
	runner := r.start(t, queue.Config{Handlers: broadcasts(func(ctx context.Context, id string) error {
		started <- id
		<-release
		return ctx.Err()
	})})
	r.enqueue(t, job.Job{Kind: transaction.JobBroadcast, ID: "x"}, nil)
	next(t, "job", started)
	stopped := make(chan error, 1)
	go func() { stopped <- runner.Stop(context.Background()) }()
	close(release)
	if err := next(t, "stop", stopped); err != nil {
		t.Fatal(err)
	}
	if n := r.count(t, "state = 'completed'"); n != 1 {
		t.Errorf("%d completed jobs, want 1", n)
	}
}

func TestStopCutsShortAndNextStartRunsAgain(t *testing.T) {
	onEach(t, testStopCutsShortAndNextStartRunsAgain)
}

func testStopCutsShortAndNextStartRunsAgain(t *testing.T, r *rig) {
	started := make(chan string, 1)
	runner := r.start(t, queue.Config{Handlers: broadcasts(func(ctx context.Context, id string) error {
		started <- id
		<-ctx.Done()
		return ctx.Err()
	})})
	r.enqueue(t, job.Job{Kind: transaction.JobBroadcast, ID: "x"}, nil)
	next(t, "job", started)
	late, cancel := context.WithCancel(context.Background())
	cancel()
	if err := runner.Stop(late); err != nil {
		t.Fatal(err)
	}
	again := make(chan string, 1)
	r.start(t, queue.Config{Handlers: broadcasts(func(_ context.Context, id string) error {
		again <- id
		return nil
	})})
	next(t, "the job of the stopped runner", again)
}

func TestSweeps(t *testing.T) { onEach(t, testSweeps) }

func testSweeps(t *testing.T, r *rig) {
	swept := make(chan int64, 100)
	var calls atomic.Int64
	r.start(t, queue.Config{Sweep: func(context.Context) error {
		n := calls.Add(1)
		swept <- n
		switch n {
		case 1:
			return errors.New("database is away")
		case 2:
			panic("a bug")
		}
		return nil
	}, SweepEvery: 20 * time.Millisecond})
	for want := int64(1); want <= 4; want++ {
		if got := next(t, "sweep", swept); got != want {
			t.Errorf("sweep %d, want %d", got, want)
		}
	}
}

func TestSweepsAtStart(t *testing.T) {
	swept := make(chan struct{}, 2)
	fresh(t).start(t, queue.Config{Sweep: func(context.Context) error {
		swept <- struct{}{}
		return nil
	}, SweepEvery: time.Hour})
	next(t, "sweep at start", swept)
}

// BenchmarkIdle reports how much of one core an idle queue takes.
func BenchmarkIdle(b *testing.B) {
	r := fresh(b)
	r.start(b, queue.Config{})
	const window = 5 * time.Second
	for b.Loop() {
		before := cpu(b)
		<-time.After(window) // by its plan
		b.ReportMetric(100*float64(cpu(b)-before)/float64(window), "%core")
	}
}

func cpu(tb testing.TB) time.Duration {
	tb.Helper()
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		tb.Fatal(err)
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}
