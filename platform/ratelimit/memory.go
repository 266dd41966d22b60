// Package ratelimit limits calls by an exact sliding window: any 60 seconds, from any start, have at most as many
// admitted calls as the limit. Memory counts for one process, redislimit for all processes that share a Redis;
// limittest has one test suite for both.
package ratelimit

import (
	"context"
	"sync"
	"time"

	"github.com/railkit/railkit/clock"
)

// Window is the length of the window. A call that is exactly this old no longer counts. Each limiter takes its window
// as a parameter, so that a test with a shorter one need not wait for a minute.
const Window = time.Minute

// Limiter counts a caller's calls. A refused call does not count.
type Limiter interface {
	Take(ctx context.Context, who string, class Class, limit int) (Verdict, error)
}

// Memory counts in this process.
type Memory struct {
	clock  clock.Clock
	window time.Duration
	most   int // exact windows at most; zero: one for each caller

	mu    sync.Mutex
	rings map[counter]*ring
	crowd *crowd // counts the callers without an exact window; nil: all have one one
	swept time.Time
}

type counter struct {
	who   string
	class Class
}

// NewMemory makes a Memory with exact windows for up to most callers. Further callers are counted approximately in a
// memory of fixed size (see crowd), so that many callers cannot fill the memory. If most is zero, every caller has an
// exact window; that is for API keys, whose number is bounded.
func NewMemory(clk clock.Clock, window time.Duration, most int) *Memory {
	return &Memory{clock: clk, window: window, most: most, rings: map[counter]*ring{}, swept: clk.Now()}
}

// Take counts a call and says whether it is admitted.
func (m *Memory) Take(_ context.Context, who string, class Class, limit int) (Verdict, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	now := m.clock.Now()
	m.sweep(now)
	id := counter{who, class.Counted()}
	if m.placeless(id) {
		if m.crowd == nil {
			m.crowd = newCrowd(now, m.window)
		}
		return m.crowd.take(id, now, limit), nil
	}
	if m.rings[id] == nil {
		m.rings[id] = &ring{}
	}
	return m.rings[id].take(now, m.window, limit), nil
}

// placeless reports whether this caller has no exact window and none is free. The crowd's counts are kept until half
// of the windows are free, so that its callers' counts do not start from zero each minute.
func (m *Memory) placeless(id counter) bool {
	return m.most > 0 && m.rings[id] == nil && (len(m.rings) >= m.most || m.crowd != nil)
}

// full is placeless for callers outside of this type.
func (m *Memory) full(who string, class Class) bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.placeless(counter{who, class.Counted()})
}

// sweep removes, once a window, the callers that made no call during a whole window.
func (m *Memory) sweep(now time.Time) {
	if age := now.Sub(m.swept); age >= 0 && age < m.window {
		return
	}
	m.swept = now
	for id, r := range m.rings {
		if r.age(now, m.window); len(r.calls) == 0 {
			delete(m.rings, id)
		}
	}
	if len(m.rings) < m.most/2 {
		m.crowd = nil
	}
}

// ring holds the instants of the admitted calls of one caller, oldest first, never more than the limit.
type ring struct{ calls []time.Time }

func (r *ring) take(now time.Time, window time.Duration, limit int) Verdict {
	r.age(now, window)
	v := Verdict{At: now, Limit: limit, Admitted: len(r.calls) < limit}
	if v.Admitted {
		r.calls = append(r.calls, now)
	}
	v.Remaining = max(0, limit-len(r.calls))
	v.Reset = r.calls[max(0, len(r.calls)-limit)].Add(window).Sub(now)
	return v
}

// age drops the calls that no longer count. Calls with an instant in the future were counted before the clock was set
// back. They count as made now: without them, the caller could make too many calls, and with their own instants, the
// caller would be refused for as long as the clock was ahead.
func (r *ring) age(now time.Time, window time.Duration) {
	old := 0
	for old < len(r.calls) && now.Sub(r.calls[old]) >= window {
		old++
	}
	r.calls = r.calls[old:]
	for i := len(r.calls) - 1; i >= 0 && r.calls[i].After(now); i-- {
		r.calls[i] = now
	}
}
