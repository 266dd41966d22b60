package app

import (
	"context"
	"fmt"
	"time"

	"github.com/railkit/railkit/kit/signing/rollback"
	"github.com/railkit/railkit/platform/ratelimit"
	"github.com/railkit/railkit/platform/ready"
)

// newGuard compares the signer with what servers have seen of it, before anything is handed to it.
func (a *App) newGuard(ctx context.Context) error {
	a.guard = rollback.New(a.Store.Signing().SignerMarks(), a.enclave, a.config.Clock, a.config.Log)
	a.signer = rollback.Guarded(a.enclave, a.guard, a.Store.Signing())
	if err := a.guard.Look(ctx); err != nil {
		return fmt.Errorf("comparing the signer with what was seen of it: %w", err)
	}
	return nil
}

// lookEvery is how long a signer that was put back goes unnoticed, and how much of its journal is not in the mark.
const lookEvery = time.Second

// keepGuard looks again and again: the signer may be put back while the server runs.
func (a *App) keepGuard(ctx context.Context) {
	a.running.Go(func() {
		tick := time.NewTicker(lookEvery)
		defer tick.Stop()
		for {
			select {
			case <-ctx.Done():
				return
			case <-tick.C:
			}
			if err := a.guard.Look(ctx); err != nil && ctx.Err() == nil {
				a.config.Log.Debug("the signer could not be compared with what was seen of it", "error", err)
			}
		}
	})
}

// newProbe asks what a server cannot work without. Nodes, the partner and mail are
// not among it: without them much still goes, and another server has no others.
func (a *App) newProbe() *ready.Probe {
	parts := []ready.Part{
		{Name: "database", Ask: a.Store.Ping},
		{Name: "schema", Ask: func(ctx context.Context) error {
			if a.Store.Ping(ctx) != nil {
				return nil // the database's line says it
			}
			return a.Store.Current(ctx)
		}},
		{Name: "signer", Ask: func(ctx context.Context) error {
			_, err := a.enclave.Info(ctx)
			return err
		}},
	}
	if a.limits.needed() {
		parts = append(parts, ready.Part{Name: "redis", Ask: func(ctx context.Context) error {
			return a.limits.redis.Answers(ctx, a.limits.prefix("ready"))
		}})
	}
	return ready.New(a.config.Log, parts...)
}

// needed reports whether calls are refused while Redis does not answer.
func (l limits) needed() bool {
	return l.redis != nil &&
		(l.config.RateLimitOutageFinancial == ratelimit.Closed || l.config.RateLimitOutageStandard == ratelimit.Closed)
}
