// Package limittest is what every implementation of ratelimit.Limiter has to do.
// Each verdict is compared with that of a model too plain to be wrong, at the
// instant which the limiter says that it counted.
package limittest

import (
	"context"
	"math/rand/v2"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/railkit/railkit/platform/ratelimit"
)

// Subject is a limiter under test.
type Subject struct {
	New    func(t *testing.T) ratelimit.Limiter // that has counted nothing, of this window
	Window time.Duration
	Wait   func(time.Duration)      // until the limiter's clock is so much later
	Set    func(back time.Duration) // puts its clock back; nil where that is not the test's to set
	Calls  int                      // of the one series that is made where Set is nil
	Seed   uint64                   // of its dice
}

// Run holds a limiter to all of it.
func Run(t *testing.T, s Subject) {
	for name, test := range map[string]func(*testing.T, Subject){
		"verdicts are the model's":    verdicts,
		"reset is when there is room": resets,
		"a lowered limit":             lowered,
		"classes and callers apart":   apart,
		"refused calls do not count":  refused,
		"parallel callers":            parallel,
	} {
		t.Run(name, func(t *testing.T) {
			if s.Set == nil { // the clock is everybody's
				t.Parallel()
			}
			test(t, s)
		})
	}
	if s.Set == nil {
		return
	}
	t.Run("the window's edge", func(t *testing.T) { edge(t, s) })
	t.Run("many calls in one instant", func(t *testing.T) { instant(t, s) })
	t.Run("a clock that is set back", func(t *testing.T) { setBack(t, s) })
}

// model counts by looking at every call that there ever was.
type model struct {
	window   time.Duration
	admitted map[string][]time.Time
}

func (m *model) take(who string, class ratelimit.Class, limit int, now time.Time) ratelimit.Verdict {
	id := string(class) + " " + who
	var counted []time.Time
	for _, at := range m.admitted[id] {
		if now.Sub(at) < m.window {
			counted = append(counted, at)
		}
	}
	v := ratelimit.Verdict{Limit: limit, At: now, Admitted: len(counted) < limit}
	if v.Admitted {
		counted = append(counted, now)
		m.admitted[id] = append(m.admitted[id], now)
	}
	v.Remaining = max(0, limit-len(counted))
	// Room comes with the first instant at which fewer count than do now, and fewer than the limit.
	for _, at := range counted {
		left := 0
		for _, other := range counted {
			if other.After(at) {
				left++
			}
		}
		if left < limit && left < len(counted) {
			v.Reset = at.Add(m.window).Sub(now)
			break
		}
	}
	return v
}

// checked compares every verdict of a limiter with the model's.
type checked struct {
	ratelimit.Limiter
	model model
}

func (s Subject) start(t *testing.T) *checked {
	t.Helper()
	return &checked{s.New(t), model{s.Window, map[string][]time.Time{}}}
}

func (c *checked) take(t rapid.TB, who string, class ratelimit.Class, limit int) ratelimit.Verdict {
	t.Helper()
	v, err := c.Take(context.Background(), who, class, limit)
	if err != nil {
		t.Fatal(err)
	}
	if want := c.model.take(who, class, limit, v.At); v != want {
		t.Fatalf("%s %s, limit %d: %+v, the model says %+v", who, class, limit, v, want)
	}
	return v
}

// verdicts makes calls of several callers with all kinds of gaps: many series
// where the clock is the test's, else a single one, which takes the time that it says.
func verdicts(t *testing.T, s Subject) {
	if s.Set == nil {
		series(t, s.start(t), s, s.Calls, rand.New(rand.NewPCG(s.Seed, 0)).IntN)
		return
	}
	rapid.Check(t, func(r *rapid.T) {
		pick := func(n int) int { return rapid.IntRange(0, n-1).Draw(r, "pick") }
		series(r, s.start(t), s, 1+pick(60), pick)
	})
}

func series(t rapid.TB, c *checked, s Subject, calls int, pick func(n int) int) {
	gaps := []time.Duration{
		0, 0, 0, 0, 0, time.Microsecond, s.Window / 7, s.Window / 3, s.Window - time.Microsecond, s.Window,
		s.Window + time.Microsecond,
	}
	callers := []string{"a", "a", "b"}
	classes := []ratelimit.Class{ratelimit.Standard, ratelimit.Financial}
	for range calls {
		if gap := gaps[pick(len(gaps))]; gap > 0 {
			s.Wait(gap)
		}
		c.take(t, callers[pick(len(callers))], classes[pick(len(classes))], 1+pick(6))
	}
}
