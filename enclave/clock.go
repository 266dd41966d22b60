package enclave

import (
	"sync"
	"time"
)

// slack is how far the wall clock may run ahead of what the journal proves.
const slack = 5 * time.Minute

// trustedClock is the enclave's own time. The host sets the machine's clock, so
// that clock is only believed as far as the journal and this process's uptime
// bear it out: time never goes back, and never runs ahead of the last journaled
// time plus uptime plus slack.
type trustedClock struct {
	wall  func() time.Time
	since func() time.Duration // monotonic, since start

	mu   sync.Mutex
	base time.Time // last journaled time at start, or what the operator accepted
	last time.Time
}

func newClock(base time.Time) *trustedClock {
	start := time.Now() // carries the monotonic reading
	return &trustedClock{
		wall:  func() time.Time { return time.Now().Round(0).UTC() },
		since: func() time.Duration { return time.Since(start) },
		base:  base,
		last:  base,
	}
}

// Now is the trusted time.
func (c *trustedClock) Now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	now := c.wall()
	if limit := c.base.Add(c.since() + slack); now.After(limit) {
		now = limit
	}
	if now.Before(c.last) {
		now = c.last
	}
	c.last = now
	return now
}

// behind is how far the trusted time lags the machine's clock.
func (c *trustedClock) behind() time.Duration { return c.wall().Sub(c.Now()) }

// accept takes the machine's clock as the truth: the operator said so.
func (c *trustedClock) accept() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	if now := c.wall(); now.After(c.last) {
		c.last = now
		c.base = now.Add(-c.since())
	}
	return c.last
}
