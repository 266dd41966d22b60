package enclave

import (
	"fmt"
	"sync"
	"time"

	"golang.org/x/sys/unix"
)

// slack is how far the trusted time may be ahead of what is proven.
const slack = 5 * time.Minute

// refill is how much uptime gives back a part of the slack that was used: 288
// minutes give back one minute, a day gives back five.
const refill = 288

// trustedClock is the enclave's own time. The host sets the machine's clock, so that
// clock is only believed as far as the journal and the uptime bear it out.
type trustedClock struct {
	wall  func() time.Time
	since func() time.Duration // uptime of this process

	mu sync.Mutex
	at reading
}

// reading is what the clock said last. After every step
//
//	proven <= now <= proven + slack
//
// and proven grows by the uptime, and by 1/288 of it where slack is in use. So in 72
// hours of uptime the time moves by 72 h + 15 min + 5 min at most, whatever the host
// does to the machine's clock, and however often it asks or starts the process.
//
// An example: proven and now are 12:00, and the host sets the machine's clock to
// 18:00. Now is 12:05, also if it is asked a thousand times. An hour of uptime
// later proven is 13:00:12.5 and now is 13:05:12.5.
type reading struct {
	proven time.Time // what the journal and the uptime bear out
	now    time.Time
	up     time.Duration
}

// step is the next reading, at this uptime and with this time of the machine's clock.
func (r reading) step(up time.Duration, wall time.Time) reading {
	passed := up - r.up
	used := r.now.Sub(r.proven)
	proven := r.proven.Add(passed + min(used, passed/refill))
	now := latest(r.now, earliest(wall, proven.Add(slack)))
	// A machine's clock that is behind what is proven makes the difference unproven.
	// If it counted later, setting the clock right would end delays that began meanwhile.
	return reading{proven: earliest(proven, now), now: now, up: up}
}

func earliest(a, b time.Time) time.Time {
	if b.Before(a) {
		return b
	}
	return a
}

func latest(a, b time.Time) time.Time {
	if b.After(a) {
		return b
	}
	return a
}

// newClock goes on where the journal ends: at its last time, of which so much was proven.
func newClock(proven, last time.Time) *trustedClock {
	start := monotonic()
	return &trustedClock{
		wall:  func() time.Time { return time.Now().Round(0).UTC() },
		since: func() time.Duration { return monotonic() - start },
		at:    reading{proven: proven, now: last},
	}
}

// monotonic is the time since the machine was started. Whoever may set the machine's
// clock may also make CLOCK_MONOTONIC, which Go's time package uses, run 10 % faster
// (adjtimex), but not this one.
func monotonic() time.Duration {
	var ts unix.Timespec
	if err := unix.ClockGettime(unix.CLOCK_MONOTONIC_RAW, &ts); err != nil {
		panic(fmt.Errorf("reading CLOCK_MONOTONIC_RAW, which every Linux since 2.6.28 has: %w", err))
	}
	return time.Duration(ts.Nano())
}

// Now is the trusted time.
func (c *trustedClock) Now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.at = c.at.step(c.since(), c.wall())
	return c.at.now
}

// ahead is how much of a time is not proven, in milliseconds.
func (c *trustedClock) ahead(timeMs int64) int64 {
	c.mu.Lock()
	defer c.mu.Unlock()
	return max(0, timeMs-c.at.proven.UnixMilli())
}

// capAhead adds to a time that the clock gave, up to what the clock may be at most: of a clock that is proven until
// 12:00:00, with a slack of 30 seconds, 11:59:59 plus 60 seconds is 12:00:30.
func (c *trustedClock) capAhead(now time.Time, after time.Duration) time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return latest(now, earliest(now.Add(after), c.at.proven.Add(slack)))
}

// behind is how far the trusted time lags the machine's clock.
func (c *trustedClock) behind() time.Duration { return c.wall().Sub(c.Now()) }

// accept takes the machine's clock as the truth: the operator said so.
func (c *trustedClock) accept() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	if now := c.wall(); now.After(c.at.now) {
		c.at = reading{proven: now, now: now, up: c.since()}
	}
	return c.at.now
}
