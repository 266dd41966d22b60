package queue

import (
	"context"
	"database/sql"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"sync"
	"time"

	"github.com/riverqueue/river"
	"github.com/riverqueue/river/rivertype"

	"github.com/railkit/railkit/job"
)

const (
	maxAttempts = 25 // River gives a job up after them; the sweeper does not
	firstRetry  = time.Second
	lastRetry   = time.Minute
	timeout     = 30 * time.Second
	stuckAfter  = 90 * time.Second // a job of a process that died runs again
	grace       = 5 * time.Second  // for a job that was cut short
)

// Config sets a Runner. Zero fields have defaults.
type Config struct {
	Handlers job.Handlers
	// Done is told of each run of a job: how long it took, and how it failed. Default: nobody is.
	Done func(kind job.Kind, took time.Duration, err error)
	// Finds rows that have waited too long, and does what they wait for; default none.
	Sweep      func(context.Context) error
	Log        *slog.Logger
	Workers    int           // at once; default 10
	Poll       time.Duration // how often to look for new jobs; default 150 ms
	SweepEvery time.Duration // default 15 s
}

func (c Config) withDefaults() Config {
	if c.Log == nil {
		c.Log = slog.New(slog.DiscardHandler)
	}
	if c.Workers == 0 {
		c.Workers = 10
	}
	if c.Poll == 0 {
		c.Poll = 150 * time.Millisecond
	}
	if c.SweepEvery == 0 {
		c.SweepEvery = 15 * time.Second
	}
	if c.Done == nil {
		c.Done = func(job.Kind, time.Duration, error) {}
	}
	if c.Sweep == nil {
		c.Sweep = func(context.Context) error { return nil }
	}
	return c
}

// Runner works the queue and sweeps.
type Runner struct {
	client  *river.Client[*sql.Tx]
	prepare func(context.Context) error
	config  Config
	count   string // SQL of Backlog
	cancel  context.CancelFunc
	sweeps  sync.WaitGroup
}

// NewRunner makes a Runner on the database's writing handle.
func (q *Queue) NewRunner(writer *sql.DB, c Config) (*Runner, error) {
	c = c.withDefaults()
	workers := river.NewWorkers()
	for kind, handle := range c.Handlers {
		river.AddWorkerArgs(workers, args{kind: kind}, &worker{handle: handle, done: c.Done})
	}
	client, err := river.NewClient(q.driver(writer), &river.Config{
		ID:                   runnerName(),
		Queues:               map[string]river.QueueConfig{river.QueueDefault: {MaxWorkers: c.Workers}},
		Workers:              workers,
		PollOnly:             true,
		FetchPollInterval:    c.Poll,
		FetchCooldown:        min(c.Poll, 50*time.Millisecond),
		JobTimeout:           timeout,
		RescueStuckJobsAfter: stuckAfter,
		RetryPolicy:          backoff{},
		ErrorHandler:         &errorLog{log: c.Log},
		ReindexerIndexNames:  []string{},
		Logger:               slog.New(atLeast{c.Log.Handler(), slog.LevelWarn}),
	})
	if err != nil {
		return nil, fmt.Errorf("making the job client: %w", err)
	}
	r := &Runner{client: client, config: c, count: q.count}
	r.prepare = func(ctx context.Context) error { return q.reclaim(ctx, writer) }
	return r, nil
}

// Start begins to work and to sweep, and returns. What runs afterwards ends by
// Stop; the end of ctx only cuts Start itself short.
func (r *Runner) Start(ctx context.Context) error {
	if err := r.prepare(ctx); err != nil {
		return err
	}
	running, cancel := context.WithCancel(context.WithoutCancel(ctx))
	r.cancel = cancel
	if err := r.client.Start(running); err != nil {
		cancel()
		return fmt.Errorf("starting the job client: %w", err)
	}
	r.sweeps.Go(func() { r.sweep(running) })
	return nil
}

// Stop takes no more jobs, waits for those that run, and cuts them short when
// ctx ends. A job that was cut short runs again at the next start.
func (r *Runner) Stop(ctx context.Context) error {
	if r.cancel == nil {
		return nil
	}
	stopped := r.client.Stopped()
	err := r.client.Stop(ctx)
	r.cancel()
	r.sweeps.Wait()
	if err == nil {
		return nil
	}
	select {
	case <-stopped:
		return nil
	case <-time.After(grace):
		return fmt.Errorf("stopping the job client: %w", err)
	}
}

// sweep is not a job: it must go on where the queue does not.
func (r *Runner) sweep(ctx context.Context) {
	ticker := time.NewTicker(r.config.SweepEvery)
	defer ticker.Stop()
	for {
		if err := r.sweepOnce(ctx); err != nil && ctx.Err() == nil {
			r.config.Log.ErrorContext(ctx, "sweep failed", "error", err)
		}
		select {
		case <-ticker.C:
		case <-ctx.Done():
			return
		}
	}
}

func (r *Runner) sweepOnce(ctx context.Context) (err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("sweeping: panic: %v", p)
		}
	}()
	return r.config.Sweep(ctx)
}

// backoff doubles the wait from firstRetry to lastRetry, less a random part.
type backoff struct{}

// NextRetry is called by River after each failure.
func (backoff) NextRetry(j *rivertype.JobRow) time.Time {
	wait := firstRetry << min(len(j.Errors), 6)
	wait = min(wait, lastRetry)
	return time.Now().UTC().Add(wait - rand.N(wait/4))
}
