// Package agent runs an agent in a Go program: it pays within the agent's limits, waits for its owner where a payment
// needs approval, stops when the agent is killed, and reports what the agent spent.
//
// Payments fail closed: while the API does not say that the agent may pay, nothing is paid. Events fail open: what
// cannot be reported now is reported later, and never makes a payment fail.
//
// The signer holds every limit whatever this package does. Read watch.go for the kill watch, pay.go for payments and
// events.go for the batcher.
package agent

import (
	"context"
	"fmt"
	"log/slog"
	"sync"
	"time"

	railkit "github.com/railkit/railkit/sdk/go"
)

// Runtime is a running agent. It is safe for concurrent use.
type Runtime struct {
	cfg    Config
	client *railkit.AgentClient
	log    *slog.Logger

	live  context.Context // ends with ErrKilled or ErrClosed; waits for approval end with it
	end   context.CancelCauseFunc
	asked chan struct{} // closed once the first poll has ended

	mu      sync.Mutex
	blocked error // nil: the last poll said that the agent may pay
	gone    bool  // killed; no later answer brings it back

	events      events
	stopReports context.CancelFunc

	loops  sync.WaitGroup
	once   sync.Once
	closed chan struct{} // closed once Close is done
	lost   error         // what Close says
}

// New starts an agent. Close it, for example on SIGTERM, or its last events are lost.
func New(cfg Config) (*Runtime, error) {
	cfg, err := cfg.withDefaults()
	if err != nil {
		return nil, err
	}
	client, err := cfg.client()
	if err != nil {
		return nil, fmt.Errorf("agent: %w", err)
	}
	r := &Runtime{
		cfg: cfg, client: client, log: cfg.Logger.With("agent", cfg.AgentID),
		asked: make(chan struct{}), closed: make(chan struct{}),
		blocked: fmt.Errorf("%w: it was not asked yet", ErrUnreachable),
		events:  events{wake: make(chan struct{}, 1)},
	}
	r.live, r.end = context.WithCancelCause(context.Background())
	var reporting context.Context
	reporting, r.stopReports = context.WithCancel(context.Background())
	r.loops.Go(r.watch)
	r.loops.Go(func() { r.report(reporting) })
	return r, nil
}

// Client is for the calls that this package has no form of its own for.
func (r *Runtime) Client() *railkit.AgentClient { return r.client }

// Close stops the kill watch and all waiting for approvals, and reports the events that wait. The error counts those
// that could not be reported. A second Close waits for the first one, and says the same.
func (r *Runtime) Close(ctx context.Context) error {
	r.once.Do(func() {
		r.end(ErrClosed)
		r.events.close()
		r.stopReports()
		r.loops.Wait()
		r.lost = r.flush(ctx)
		close(r.closed)
	})
	<-r.closed
	return r.lost
}

// sleep waits, unless the context or the agent ends before.
func (r *Runtime) sleep(ctx context.Context, d time.Duration) error {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	case <-r.live.Done():
		return context.Cause(r.live)
	}
}
