package app

import (
	"context"
	"errors"
	"fmt"
	"os"
	"time"

	"github.com/railkit/railkit/platform/ratelimit/redislimit"
)

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
			a.config.Log.Warn("the start waits for "+what, "at", where, "error", err)
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
	a.config.Log.Warn("starting without Redis: calls are counted, or refused, as the settings for its outage say",
		"standard", a.config.RateLimitOutageStandard, "financial", a.config.RateLimitOutageFinancial, "error", err)
	return nil
}
