package metrics

import (
	"cmp"
	"context"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/railkit/railkit/api/edge"
	"github.com/railkit/railkit/platform/ratelimit"
)

// calls count what callers ask.
type calls struct {
	done     *prometheus.CounterVec
	took     *prometheus.HistogramVec
	inFlight prometheus.Gauge
	refused  *prometheus.CounterVec
}

func newCalls() calls {
	c := calls{
		done: counter("railkit_calls_total", "Calls of the API and of the passkey page, by operation of the OpenAPI "+
			"document, status and kind of caller; unknown is no operation, none a call without a good credential.",
			"operation", "status", "caller"),
		took: histogram("railkit_call_seconds", "How long calls took, without streams.", slow, "operation"),
		inFlight: prometheus.NewGauge(prometheus.GaugeOpts{
			Name: "railkit_calls_in_flight", Help: "Calls that are not answered yet.",
		}),
		refused: counter("railkit_rate_limit_refusals_total",
			"Calls over their limit, by class; authentication counts wrong credentials.", "class"),
	}
	for _, class := range []ratelimit.Class{
		ratelimit.Standard, ratelimit.Financial, ratelimit.Stops, ratelimit.Failures, ratelimit.Health,
		ratelimit.Notices,
	} {
		c.refused.WithLabelValues(string(class))
	}
	return c
}

func (c calls) all() []prometheus.Collector {
	return []prometheus.Collector{c.done, c.took, c.inFlight, c.refused}
}

// Begin is the edge's hook before a call.
func (c calls) Begin() { c.inFlight.Inc() }

// End is the edge's hook behind a call.
func (c calls) End(m edge.Measured) {
	c.inFlight.Dec()
	operation := cmp.Or(m.Operation, unknown)
	c.done.WithLabelValues(
		operation, cmp.Or(statuses[m.Status], unknown), cmp.Or(string(m.Caller), "none"),
	).Inc()
	if !m.Stream {
		c.took.WithLabelValues(operation).Observe(seconds(m.Took))
	}
}

// Limiter is a limiter whose refusals are counted.
func (c calls) Limiter(next ratelimit.Limiter) ratelimit.Limiter { return limiter{next, c.refused} }

type limiter struct {
	next    ratelimit.Limiter
	refused *prometheus.CounterVec
}

func (l limiter) Take(
	ctx context.Context, who string, class ratelimit.Class, limit int,
) (ratelimit.Verdict, error) {
	v, err := l.next.Take(ctx, who, class, limit)
	if err == nil && !v.Admitted {
		l.refused.WithLabelValues(string(class)).Inc()
	}
	return v, err
}
