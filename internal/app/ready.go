package app

import (
	"context"

	"github.com/railkit/railkit/platform/ratelimit"
	"github.com/railkit/railkit/platform/ready"
)

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
