package app

import (
	"context"
	"errors"
	"fmt"
	"os"
	"time"

	"github.com/railkit/railkit/kit/signing/rollback"
	"github.com/railkit/railkit/platform/ratelimit"
	"github.com/railkit/railkit/platform/ratelimit/redislimit"
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
				a.config.Log.DebugContext(ctx,
					"the signer could not be compared with what was seen of it", "error", err)
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

const (
	askEvery = 100 * time.Millisecond
	sayEvery = 10 * time.Second // that a start waits, and for what
	// redisPatience is how long a start waits for Redis. After that the server goes
	// on as its settings for an outage say, instead of making one outage of two.
	redisPatience = 5 * time.Second
	// rightsPatience is how long a start takes "permission denied" for a moment of the other side's own start: the
	// signer opens its socket to the server's group just after it listens.
	rightsPatience = 3 * time.Second
)

// await asks until there is an answer or the context ends, and says in the log that
// the start waits: at once, and again every ten seconds.
func (a *App) await(ctx context.Context, what, where string, ask func() error) error {
	var said, refused time.Time
	for {
		err := ask()
		switch {
		case err == nil:
			return nil
		case !errors.Is(err, os.ErrPermission):
			refused = time.Time{}
		case refused.IsZero():
			refused = time.Now()
		case time.Since(refused) > rightsPatience: // more waiting changes no rights
			return fmt.Errorf("%s at %s is not open to this user: %w", what, where, err)
		}
		if ctx.Err() != nil {
			return fmt.Errorf("%s does not answer: %w", what, err)
		}
		if time.Since(said) >= sayEvery {
			said = time.Now()
			a.config.Log.WarnContext(ctx, "the start waits for "+what, "at", where, "error", err)
		}
		select {
		case <-ctx.Done():
		case <-time.After(askEvery):
		}
	}
}

// meetRedis waits a moment for the Redis that counts calls: after the machine's own
// start it may be later than the server. Without it the server starts all the same.
func (a *App) meetRedis(ctx context.Context) error {
	if a.limits.redis == nil {
		return nil
	}
	soon, cancel := context.WithTimeout(ctx, redisPatience)
	defer cancel()
	err := a.await(soon, "Redis", redislimit.Address(a.config.RedisURL), func() error {
		return a.limits.redis.Answers(soon, a.limits.prefix("ready"))
	})
	if err == nil || ctx.Err() != nil {
		return errors.Join(err, ctx.Err())
	}
	a.config.Log.WarnContext(ctx,
		"starting without Redis: calls are counted, or refused, as the settings for its outage say",
		"standard", a.config.RateLimitOutageStandard, "financial", a.config.RateLimitOutageFinancial, "error", err)
	return nil
}
