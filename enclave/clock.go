package enclave

import (
	"sync"
	"time"
)

// refill is how much longer the process has to run than the slack it gets back: a
// machine whose clock is ahead makes a day shorter by 5 minutes, and not more,
// however often it starts the enclave.
const refill = 288

// slack is how far the wall clock may run ahead of what the journal proves.
const slack = 5 * time.Minute

// trustedClock is the enclave's own time. The host sets the machine's clock, so
// that clock is only believed as far as the journal and this process's uptime
// bear it out: time never goes back, and never runs ahead of what is proven by
// more than the slack, over all starts together. A machine's clock that was set
// back for longer than the slack leaves it behind, until the operator says so.
type trustedClock struct {
	wall  func() time.Time
	since func() time.Duration // monotonic, since start

	mu   sync.Mutex
	base time.Time // at start: of the last journaled time what was proven, or what the operator accepted
	last time.Time
}

func newClock(base, last time.Time) *trustedClock {
	start := time.Now() // carries the monotonic reading
	return &trustedClock{
		wall:  func() time.Time { return time.Now().Round(0).UTC() },
		since: func() time.Duration { return time.Since(start) },
		base:  base,
		last:  last,
	}
}

// Now is the trusted time.
func (c *trustedClock) Now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	now := c.wall()
	if limit := c.proven().Add(slack); now.After(limit) {
		now = limit
	}
	if now.Before(c.last) {
		now = c.last
	}
	c.last = now
	c.forfeit()
	return now
}

// forfeit takes back what is proven far beyond a time that the machine's clock
// held back, as a restart would: all of it at once would end delays that had just
// begun. The caller holds mu.
func (c *trustedClock) forfeit() {
	if unused := c.proven().Sub(c.last); unused > slack {
		c.base = c.base.Add(slack - unused)
	}
}

// proven is the time that does not rest on the machine's clock: where the journal
// left it, and the uptime since. What was believed beyond it, because the enclave
// was stopped or the machine's clock was moved, becomes proven slowly. The caller
// holds mu.
func (c *trustedClock) proven() time.Time {
	up := c.since()
	p := c.base.Add(up)
	return p.Add(max(0, min(c.last.Sub(p), up/refill)))
}

// ahead is how much of a time is not proven, in milliseconds.
func (c *trustedClock) ahead(timeMs int64) int64 {
	c.mu.Lock()
	defer c.mu.Unlock()
	return max(0, timeMs-c.proven().UnixMilli())
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
