// Package ratelimit counts calls in an exact sliding window: no 60 seconds, from
// wherever one measures, ever hold more admitted calls than the limit.
package ratelimit

import (
	"context"
	"sync"
	"time"

	"github.com/railkit/railkit/clock"
)

// Window is the length of the window. A call that is exactly this old no longer counts.
const Window = time.Minute

// Memory counts in this process.
type Memory struct {
	clock clock.Clock
	most  int

	mu    sync.Mutex
	rings map[counter]*ring
	swept time.Time
}

type counter struct {
	who   string
	class Class
}

// NewMemory makes a Memory that tells at most so many callers apart. Those
// beyond share one count, so that their number cannot fill the memory.
func NewMemory(clk clock.Clock, most int) *Memory {
	return &Memory{clock: clk, most: most, rings: map[counter]*ring{}, swept: clk.Now()}
}

// Take counts a call and says whether it is admitted. A refused call does not count.
func (m *Memory) Take(_ context.Context, who string, class Class, limit int) (Verdict, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	now := m.clock.Now()
	m.sweep(now)
	return m.ring(counter{who, class}).take(now, limit), nil
}

func (m *Memory) ring(id counter) *ring {
	if m.rings[id] == nil && len(m.rings) >= m.most {
		id.who = ""
	}
	if m.rings[id] == nil {
		m.rings[id] = &ring{}
	}
	return m.rings[id]
}

// sweep forgets, once a window, the callers that did not call for a whole one.
func (m *Memory) sweep(now time.Time) {
	if now.Sub(m.swept) < Window {
		return
	}
	m.swept = now
	for id, r := range m.rings {
		if r.drop(now); len(r.calls) == 0 {
			delete(m.rings, id)
		}
	}
}

// ring holds the instants of the admitted calls of one caller, oldest first,
// never more than the limit.
type ring struct{ calls []time.Time }

func (r *ring) take(now time.Time, limit int) Verdict {
	r.drop(now)
	v := Verdict{Limit: limit, Admitted: len(r.calls) < limit}
	if v.Admitted {
		r.calls = append(r.calls, now)
	}
	v.Remaining = max(0, limit-len(r.calls))
	v.Reset = r.calls[max(0, len(r.calls)-limit)].Add(Window).Sub(now)
	return v
}

func (r *ring) drop(now time.Time) {
	old := 0
	for old < len(r.calls) && now.Sub(r.calls[old]) >= Window {
		old++
	}
	r.calls = r.calls[old:]
}
