package ratelimit_test

import (
	"testing"
	"time"

	"github.com/railkit/railkit/clock"
	"github.com/railkit/railkit/platform/ratelimit"
	"github.com/railkit/railkit/platform/ratelimit/limittest"
)

func TestMemoryConforms(t *testing.T) {
	now := time.Date(2026, 3, 4, 5, 6, 7, 0, time.UTC)
	clk := clock.Func(func() time.Time { return now })
	limittest.Run(t, limittest.Subject{
		New:    func(*testing.T) ratelimit.Limiter { return ratelimit.NewMemory(clk, ratelimit.Window, 100) },
		Window: ratelimit.Window,
		Wait:   func(d time.Duration) { now = now.Add(d) },
		Set:    func(back time.Duration) { now = now.Add(-back) },
	})
}
