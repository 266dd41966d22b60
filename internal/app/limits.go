package app

import (
	"fmt"

	"github.com/railkit/railkit/internal/config"
	"github.com/railkit/railkit/platform/ratelimit"
	"github.com/railkit/railkit/platform/ratelimit/redislimit"
)

// limits makes the server's limiters: of this process alone, or of all that share
// a Redis.
type limits struct {
	config Config
	redis  *redislimit.Redis // nil: each process counts for itself
	outage *ratelimit.Outage
}

func newLimits(c Config) (limits, error) {
	if c.RedisURL == "" {
		return limits{config: c}, nil
	}
	redis, err := redislimit.Open(c.RedisURL)
	if err != nil {
		return limits{}, fmt.Errorf("%s: %w", config.Called("redis-url"), err)
	}
	return limits{c, redis, ratelimit.NewOutage(ratelimit.Policies{
		ratelimit.Standard:  c.RateLimitOutageStandard,
		ratelimit.Financial: c.RateLimitOutageFinancial,
		ratelimit.Stops:     ratelimit.Open, // what cannot be stopped goes on paying
		ratelimit.Health:    ratelimit.Open, // it says itself that Redis is away
		ratelimit.Notices:   ratelimit.Open, // they are signed
	}, c.Log)}, nil
}

// named is a limiter with counts of its own. For so many callers it is exact, and
// where most is zero for all.
func (l limits) named(name string, most int) ratelimit.Limiter {
	own := ratelimit.NewMemory(l.config.Clock, ratelimit.Window, most)
	if l.redis == nil {
		return l.config.meter.Limiter(own)
	}
	return l.config.meter.Limiter(l.outage.Guard(l.redis.Limiter(l.prefix(name), ratelimit.Window), own))
}

// prefix is that of the keys in Redis that hold the counts of the name.
func (l limits) prefix(name string) string {
	return "railkit:" + l.config.Environment + ":limit:" + name
}

func (l limits) close() error {
	if l.redis == nil {
		return nil
	}
	return l.redis.Close()
}

// LimitOutages are the decisions that were made while the Redis that counts was
// away, and how often it did not answer, since the start.
func (a *App) LimitOutages() (decisions map[ratelimit.Decision]uint64, failures uint64) {
	if a.limits.outage == nil {
		return nil, 0
	}
	return a.limits.outage.Counts()
}
