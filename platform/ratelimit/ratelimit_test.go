package ratelimit

import (
	"context"
	"net/http"
	"strconv"
	"sync"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/railkit/railkit/clock"
	"github.com/railkit/railkit/platform/auth"
)

type manual struct{ now time.Time }

func (m *manual) Now() time.Time { return m.now }

func newManual() *manual { return &manual{time.Date(2026, 3, 4, 5, 6, 7, 0, time.UTC)} }

// Whatever the gaps, no 60 seconds hold more admitted calls than the limit, and
// a call is refused only where one more would break that.
func TestNoWindowHoldsMoreThanTheLimit(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		clk := newManual()
		m := NewMemory(clk, Window, 10)
		limit := rapid.IntRange(1, 8).Draw(t, "limit")
		var admitted []time.Time
		for _, gap := range rapid.SliceOfN(rapid.OneOf(rapid.Int64Range(0, 20e9), rapid.SampledFrom([]int64{
			0, 1, 60e9 - 1, 60e9, 60e9 + 1,
		})), 1, 80).Draw(t, "gaps") {
			clk.now = clk.now.Add(time.Duration(gap))
			v := take(m, "k", Financial, limit)
			if v.Admitted {
				admitted = append(admitted, clk.now)
			}
			inWindow := 0
			for _, at := range admitted {
				if clk.now.Sub(at) < Window {
					inWindow++
				}
			}
			if inWindow > limit {
				t.Fatalf("%d calls in 60 s, limit %d", inWindow, limit)
			}
			if !v.Admitted && inWindow != limit {
				t.Fatalf("refused with %d of %d calls in 60 s", inWindow, limit)
			}
			if v.Remaining != limit-inWindow || v.Limit != limit || v.Reset <= 0 || v.Reset > Window {
				t.Fatalf("%+v with %d of %d", v, inWindow, limit)
			}
		}
	})
}

// Reset is the truth: a nanosecond earlier there is no room, then there is.
func TestResetIsExact(t *testing.T) {
	clk := newManual()
	m := NewMemory(clk, Window, 10)
	for range 3 {
		take(m, "k", Standard, 3)
		clk.now = clk.now.Add(7 * time.Second)
	}
	v := take(m, "k", Standard, 3)
	if v.Admitted || v.Reset != 39*time.Second {
		t.Fatalf("%+v", v)
	}
	clk.now = clk.now.Add(v.Reset - 1)
	if take(m, "k", Standard, 3).Admitted {
		t.Error("admitted too early")
	}
	clk.now = clk.now.Add(1)
	if !take(m, "k", Standard, 3).Admitted {
		t.Error("refused when there was room")
	}
}

// Callers beyond the places are held to their limit each, in a memory that does not
// grow; those with a place keep their exact window, and so does everybody afterwards.
func TestPlatform_H08_Crowd(t *testing.T) {
	clk := newManual()
	m := NewMemory(clk, Window, 100)
	known := take(m, "0", Standard, 5)
	flood := func(calls int) (admitted int) {
		for i := range 100_000 {
			for range calls {
				if take(m, strconv.Itoa(i), Standard, 5).Admitted {
					admitted++
				}
			}
		}
		return admitted
	}
	if n := flood(1); n < 99_000 {
		t.Errorf("only %d of 100,000 callers had their first call", n)
	}
	if n := flood(9); n > 400_000-1 || len(m.rings) != 100 {
		t.Errorf("%d further calls in one window, %d places", n, len(m.rings))
	}
	for i := range 4 {
		known = take(m, "0", Standard, 6+i)
	}
	if !known.Admitted || known.Remaining != 0 {
		t.Errorf("a caller with a place: %+v", known)
	}
	clk.now = clk.now.Add(Window)
	if take(m, "new", Standard, 5); len(m.rings) != 1 || m.crowd != nil {
		t.Errorf("%d places are taken after an idle minute", len(m.rings))
	}
	unbounded := NewMemory(clk, Window, 0)
	for i := range 200 {
		if v := take(unbounded, strconv.Itoa(i), Standard, 1); !v.Admitted ||
			take(unbounded, strconv.Itoa(i), Standard, 1).Admitted {
			t.Fatalf("key %d: %+v", i, v)
		}
	}
}

// Whatever the gaps, no window of a caller of the crowd holds more admitted calls than
// the limit, and there is room once Reset is over.
func TestPlatform_H08_CrowdHoldsTheLimit(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		now := newManual().now
		c := newCrowd(now, Window)
		limit := rapid.IntRange(1, 5).Draw(t, "limit")
		var admitted []time.Time
		for _, gap := range rapid.SliceOfN(rapid.Int64Range(0, 30e9), 1, 40).Draw(t, "gaps") {
			now = now.Add(time.Duration(gap))
			v := c.take(counter{"a", Standard}, now, limit)
			if v.Admitted {
				admitted = append(admitted, now)
			}
			n := 0
			for _, at := range admitted {
				if now.Sub(at) < Window {
					n++
				}
			}
			if n > limit || v.Reset <= 0 || v.Reset > Window+Window/6 || v.Remaining > limit-n {
				t.Fatalf("%d in a window, limit %d: %+v", n, limit, v)
			}
			if !v.Admitted {
				now = now.Add(v.Reset)
				if v = c.take(counter{"a", Standard}, now, limit); !v.Admitted {
					t.Fatalf("no room after Reset: %+v", v)
				}
				admitted = append(admitted, now)
			}
		}
	})
	c := newCrowd(newManual().now, Window)
	c.take(counter{"a", Standard}, newManual().now, 1)
	if c.take(counter{"a", Standard}, newManual().now.Add(-time.Hour), 1).Admitted {
		t.Error("a clock that is set back admits anew")
	}
	if !c.take(counter{"a", Standard}, newManual().now.Add(Window+Window/6-time.Hour), 1).Admitted {
		t.Error("a clock that was set back keeps a caller out for an hour")
	}
}

func TestConcurrentCallers(t *testing.T) {
	m := NewMemory(clock.System{}, Window, 10)
	var wg sync.WaitGroup
	var mu sync.Mutex
	admitted := 0
	for range 50 {
		wg.Go(func() {
			for range 10 {
				if take(m, "k", Financial, 20).Admitted {
					mu.Lock()
					admitted++
					mu.Unlock()
				}
			}
		})
	}
	wg.Wait()
	if admitted != 20 {
		t.Errorf("%d admitted", admitted)
	}
}

func TestClassOf(t *testing.T) {
	cases := []struct {
		method, path string
		want         Class
	}{
		{"POST", "/v1/signing/wallets/prepare", Financial},
		{"PATCH", "/v1/signing/policies/1", Financial},
		{"DELETE", "/v1/signing/policies/1", Financial},
		{"GET", "/v1/signing/wallets", Standard},
		{"HEAD", "/v1/signing/wallets", Standard},
		{"POST", "/v1/transactions/prepare", Financial},
		{"DELETE", "/v1/transactions/sign/1", Financial},
		{"GET", "/v1/transactions/broadcast/1", Standard},
		{"POST", "/v1/payout/onramp/quote", Financial},
		{"PATCH", "/v1/payout/recipients/1", Financial},
		{"POST", "/v1/orders/1/cancel", Financial},
		{"POST", "/v1/orders", Financial},
		{"GET", "/v1/orders", Standard},
		{"POST", "/v1/ordersomething", Standard},
		{"POST", "/v1/sandbox/faucet", Standard},
		{"POST", "/v1/action/builders/swap", Standard},
		{"GET", "/v1/", Health},
		{"POST", "/v1/payout/rails/webhooks", Notices},
		{"GET", "/v1/action/execute/swap/quote", Standard},
		{"POST", "/v1/action/execute/swap/confirm", Financial},
		{"POST", "/v1/protocols/lending/aave/execute/supply", Financial},
		{"POST", "/v1/defi/lending/supply-avax", Standard},
	}
	for _, c := range cases {
		if got := ClassOf(c.method, c.path); got != c.want {
			t.Errorf("%s %s is %s", c.method, c.path, got)
		}
	}
}

func TestLimitOf(t *testing.T) {
	cases := []struct {
		limits auth.Limits
		class  Class
		want   int
	}{
		{auth.Limits{}, Standard, 100},
		{auth.Limits{}, Financial, 20},
		{auth.Limits{Standard: 500, Financial: 300}, Standard, 500},
		{auth.Limits{Standard: 500, Financial: 300}, Financial, 300},
		{auth.Limits{Standard: 1, Financial: 1}, Financial, 20},
	}
	for _, c := range cases {
		if got := LimitOf(c.limits, c.class); got != c.want {
			t.Errorf("%+v %s: %d", c.limits, c.class, got)
		}
	}
}

func TestHeadersAndError(t *testing.T) {
	v := Verdict{Limit: 20, Remaining: 3, Reset: 1500 * time.Millisecond, Admitted: true}
	h := http.Header{}
	v.Headers(h, Financial)
	if h.Get("RateLimit-Policy") != `"financial";q=20;w=60` || h.Get("RateLimit") != `"financial";r=3;t=2` {
		t.Errorf("%v", h)
	}
	if v.Err() != nil {
		t.Error("an admitted call has an error")
	}
	v.Admitted = false
	if err := v.Err(); err == nil {
		t.Error("a refused call has none")
	}
}

func take(m *Memory, who string, c Class, limit int) Verdict {
	v, _ := m.Take(context.Background(), who, c, limit) // memory never fails
	return v
}
