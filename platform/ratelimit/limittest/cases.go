package limittest

import (
	"context"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/railkit/railkit/platform/ratelimit"
)

// Reset tells the truth: not later than there is room.
func resets(t *testing.T, s Subject) {
	c := s.start(t)
	for range 3 {
		c.take(t, "k", ratelimit.Standard, 3)
		s.Wait(s.Window / 8)
	}
	v := c.take(t, "k", ratelimit.Standard, 3)
	if s.Set != nil && (v.Admitted || v.Reset <= 0) || v.Reset > s.Window-3*s.Window/8 && !v.Admitted {
		t.Errorf("full: %+v", v)
	}
	if v.Admitted { // on everybody's clock, more than a window has gone by
		return
	}
	s.Wait(v.Reset)
	if v := c.take(t, "k", ratelimit.Standard, 3); !v.Admitted {
		t.Errorf("after Reset: %+v", v)
	}
}

func lowered(t *testing.T, s Subject) {
	c := s.start(t)
	for range 5 {
		c.take(t, "k", ratelimit.Standard, 5)
		s.Wait(s.Window / 50)
	}
	if v := c.take(t, "k", ratelimit.Standard, 2); s.Set != nil && (v.Admitted || v.Remaining != 0) {
		t.Errorf("%+v", v)
	}
	if v := c.take(t, "k", ratelimit.Standard, 6); !v.Admitted {
		t.Errorf("raised: %+v", v)
	}
}

func apart(t *testing.T, s Subject) {
	c := s.start(t)
	for _, who := range []string{"a", "b", "a:b", "", "2001:db8::/64", "\x00\xff*{}"} {
		for _, class := range []ratelimit.Class{ratelimit.Standard, ratelimit.Financial} {
			if !c.take(t, who, class, 1).Admitted || c.take(t, who, class, 1).Admitted && s.Set != nil {
				t.Errorf("%q %s shares its count", who, class)
			}
		}
	}
}

// Who goes on calling while it is refused is not kept out for it.
func refused(t *testing.T, s Subject) {
	c := s.start(t)
	c.take(t, "k", ratelimit.Standard, 1)
	for range 8 {
		s.Wait(s.Window / 6)
		c.take(t, "k", ratelimit.Standard, 1)
	}
	if n := len(c.model.admitted["standard k"]); n < 2 {
		t.Errorf("%d admitted in more than a window", n)
	}
}

// Parallel callers over more than two windows: no window, wherever one puts it,
// holds more than the limit, and nobody was refused for whom there was room.
func parallel(t *testing.T, s Subject) {
	const limit = 20
	Exact(t, Storm(t, []ratelimit.Limiter{s.New(t)}, s, limit), s.Window, limit)
}

// Storm has eight callers of each limiter call for more than two windows.
func Storm(t *testing.T, limiters []ratelimit.Limiter, s Subject, limit int) []ratelimit.Verdict {
	t.Helper()
	var all []ratelimit.Verdict
	for round := 0; round < 24 || s.Set == nil && !shows(all, limit); round++ {
		var wg sync.WaitGroup
		var mu sync.Mutex
		for _, l := range limiters {
			for range 8 {
				wg.Go(func() {
					v, err := l.Take(context.Background(), "k", ratelimit.Financial, limit)
					if err != nil {
						t.Error(err)
						return
					}
					mu.Lock()
					defer mu.Unlock()
					all = append(all, v)
				})
			}
		}
		wg.Wait()
		if round < 24 {
			s.Wait(s.Window / 10)
		}
	}
	return all
}

// shows reports whether somebody was refused, and more were admitted than a window holds: on everybody's clock a busy
// machine may need more than two windows for that.
func shows(all []ratelimit.Verdict, limit int) bool {
	admitted := 0
	for _, v := range all {
		if v.Admitted {
			admitted++
		}
	}
	return admitted > limit && admitted < len(all)
}

// Exact holds the verdicts of one caller and class to the limit at every instant.
func Exact(t *testing.T, all []ratelimit.Verdict, window time.Duration, limit int) {
	t.Helper()
	var admitted []time.Time
	for _, v := range all {
		if v.Admitted {
			admitted = append(admitted, v.At)
		}
	}
	slices.SortFunc(admitted, time.Time.Compare)
	if !shows(all, limit) {
		t.Errorf("%d of %d admitted: this shows nothing", len(admitted), len(all))
	}
	for i := limit; i < len(admitted); i++ {
		if age := admitted[i].Sub(admitted[i-limit]); age < window {
			t.Errorf("%d calls within %v", limit+1, age)
		}
	}
	for _, v := range all {
		if counted := within(admitted, v.At, window); !v.Admitted && counted < limit {
			t.Errorf("refused at %v with %d counted", v.At, counted)
		}
	}
}

// within is how many of the instants count at now. Of the same instant each may have come first.
func within(admitted []time.Time, now time.Time, window time.Duration) int {
	n := 0
	for _, at := range admitted {
		if age := now.Sub(at); age >= 0 && age < window {
			n++
		}
	}
	return n
}

// A call counts until it is exactly a window old.
func edge(t *testing.T, s Subject) {
	c := s.start(t)
	for range 4 {
		c.take(t, "k", ratelimit.Financial, 4)
	}
	s.Wait(s.Window - time.Microsecond)
	if v := c.take(t, "k", ratelimit.Financial, 4); v.Admitted || v.Reset != time.Microsecond {
		t.Errorf("a microsecond before the edge: %+v", v)
	}
	s.Wait(time.Microsecond)
	for n := range 5 {
		if v := c.take(t, "k", ratelimit.Financial, 4); v.Admitted != (n < 4) {
			t.Errorf("call %d at the edge: %+v", n, v)
		}
	}
}

func instant(t *testing.T, s Subject) {
	c := s.start(t)
	for n := range 300 {
		if v := c.take(t, "k", ratelimit.Standard, 250); v.Admitted != (n < 250) {
			t.Fatalf("call %d: %+v", n, v)
		}
	}
}

// Set back, the clock shows what was counted as the future. It goes on counting,
// for one window more and no longer, also where a new call has an old one's instant.
func setBack(t *testing.T, s Subject) {
	l := s.New(t)
	take := func() ratelimit.Verdict {
		v, err := l.Take(t.Context(), "k", ratelimit.Standard, 3)
		if err != nil {
			t.Fatal(err)
		}
		return v
	}
	take()
	take()
	s.Set(time.Hour)
	if v := take(); !v.Admitted || v.Remaining != 0 || v.Reset != s.Window {
		t.Errorf("third call, an hour earlier: %+v", v)
	}
	s.Wait(s.Window - time.Microsecond)
	if v := take(); v.Admitted {
		t.Errorf("fourth call within a window: %+v", v)
	}
	s.Wait(time.Microsecond)
	if v := take(); !v.Admitted || v.Remaining != 2 {
		t.Errorf("after a window: %+v", v)
	}
	again(t, s)
}

// again sets the clock back so that it comes to the instant of a counted call anew.
func again(t *testing.T, s Subject) {
	l := s.New(t)
	for n, move := range []func(){func() {}, func() { s.Set(time.Millisecond) }, func() { s.Wait(time.Millisecond) }} {
		move()
		if v, err := l.Take(t.Context(), "k", ratelimit.Standard, 10); err != nil || v.Remaining != 9-n {
			t.Errorf("call %d: %+v, %v", n+1, v, err)
		}
	}
}
