package ratelimit

import (
	"context"
	"errors"
	"log/slog"
	"net/http"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/railkit/railkit/fault"
	"github.com/railkit/railkit/internal/test/testlog"
	"github.com/railkit/railkit/platform/auth"
)

// far is a shared limiter that can be away.
type far struct {
	Limiter
	away  error
	asked int
}

func (f *far) Take(ctx context.Context, who string, class Class, limit int) (Verdict, error) {
	f.asked++
	if f.away != nil {
		return Verdict{}, f.away
	}
	return f.Limiter.Take(ctx, who, class, limit)
}

type outageFixture struct {
	*Outage
	clk    *manual
	log    *testlog.Log
	shared *far
	Limiter
}

func newOutage(p Policies) *outageFixture {
	clk, log := newManual(), &testlog.Log{}
	f := &outageFixture{Outage: NewOutage(p, slog.New(slog.NewTextHandler(log, nil))), clk: clk, log: log}
	f.Outage.now = clk.Now
	f.shared = &far{Limiter: NewMemory(clk, Window, 10)}
	f.Limiter = f.Guard(f.shared, NewMemory(clk, Window, 10))
	return f
}

func (f *outageFixture) call(class Class, limit int) (Verdict, error) {
	return f.Take(context.Background(), "k", class, limit)
}

var usual = Policies{Standard: Open, Financial: Closed}

var errAway = errors.New("connection refused")

func TestOutagePolicies(t *testing.T) {
	for _, c := range []struct {
		policies Policies
		open     map[Class]bool
	}{
		{usual, map[Class]bool{Standard: true, Financial: false, Failures: true}},
		{Policies{Standard: Closed, Financial: Open},
			map[Class]bool{Standard: false, Financial: true, Failures: false}},
	} {
		f := newOutage(c.policies)
		f.shared.away = errAway
		for class, open := range c.open {
			v, err := f.call(class, 5)
			if open != (err == nil && v.Admitted) {
				t.Errorf("%v %s: %+v, %v", c.policies, class, v, err)
			}
			if told, _ := fault.As(err); !open && (!errors.Is(err, ErrUnavailable) || told.RetryAfter <= 0) {
				t.Errorf("%v %s: %v", c.policies, class, err)
			}
		}
	}
}

// An outage begins with what this process admitted before, and lets no caller
// have more than its limit here.
func TestOutageGoesOnCounting(t *testing.T) {
	f := newOutage(usual)
	for range 3 {
		if v, err := f.call(Standard, 5); !v.Admitted || err != nil {
			t.Fatal(v, err)
		}
	}
	f.shared.away = errAway
	admitted := 0
	for range 10 {
		if v, err := f.call(Standard, 5); err == nil && v.Admitted {
			admitted++
		}
	}
	if admitted != 2 {
		t.Errorf("%d admitted of the 2 that were left", admitted)
	}
	_, _ = f.call(Financial, 5)
	counts, failures := f.Counts()
	if counts[Decision{Standard, Open}] != 10 || counts[Decision{Financial, Closed}] != 1 ||
		len(counts) != 2 || failures != 1 {
		t.Errorf("%v, %d failures", counts, failures)
	}
}

// What only stops counts with the other financial calls, wherever they are counted, and goes on while they are refused:
// a caller has no more of both than its limit.
func TestOutageServesWhatStops(t *testing.T) {
	f := newOutage(Policies{Standard: Closed, Financial: Closed, Stops: Open})
	for i, class := range []Class{Financial, Stops, Financial} {
		if v, err := f.call(class, 5); !v.Admitted || err != nil || v.Remaining != 4-i {
			t.Fatalf("%s, call %d: %+v, %v", class, i, v, err)
		}
	}
	f.shared.away = errAway
	for i := range 3 {
		if _, err := f.call(Financial, 5); !errors.Is(err, ErrUnavailable) {
			t.Errorf("what moves money: %v", err)
		}
		if v, err := f.call(Stops, 5); err != nil || v.Admitted != (i < 2) {
			t.Errorf("what stops, call %d of the 2 that are left: %+v, %v", i, v, err)
		}
	}
	h := http.Header{}
	Verdict{Limit: LimitOf(auth.Limits{Financial: 30}, Stops)}.Headers(h, Stops)
	if got := h.Get("RateLimit-Policy"); got != `"financial";q=30;w=60` {
		t.Error(got)
	}
}

// While it is away it is asked once in each pause, and is back at the first answer.
func TestOutageIsAskedNowAndThen(t *testing.T) {
	f := newOutage(usual)
	f.shared.away = errAway
	const seconds = 25
	for range seconds * 100 {
		_, _ = f.call(Standard, 5)
		f.clk.now = f.clk.now.Add(10 * time.Millisecond)
	}
	if most := seconds * int(time.Second/pause); f.shared.asked < most-1 || f.shared.asked > most+1 {
		t.Errorf("asked %d times in %d s", f.shared.asked, seconds)
	}
	f.shared.away = nil
	f.clk.now = f.clk.now.Add(pause)
	for range 3 {
		if v, err := f.call(Financial, 5); err != nil || !v.Admitted {
			t.Errorf("back: %+v, %v", v, err)
		}
	}
	lines := strings.Count(f.log.String(), "does not answer")
	if lines != 3 || strings.Count(f.log.String(), "answers again") != 1 ||
		!strings.Contains(f.log.String(), "connection refused") {
		t.Errorf("the log of %d s:\n%s", seconds, f.log)
	}
}

// A count that comes and goes does not flood the log.
func TestFlappingIsQuiet(t *testing.T) {
	f := newOutage(usual)
	for n := range 100 {
		if f.shared.away = nil; n%2 == 0 {
			f.shared.away = errAway
		}
		f.clk.now = f.clk.now.Add(pause)
		_, _ = f.call(Standard, 1000)
	}
	if lines := strings.Count(f.log.String(), "\n"); lines > 8 { // two in ten of 25 seconds
		t.Errorf("%d lines:\n%s", lines, f.log)
	}
}

// Callers for whom there is no place are counted here alone, so that a flood of
// networks does not fill the memory that all share.
func TestPlatform_H08_CrowdStaysHere(t *testing.T) {
	f := newOutage(usual)
	for i := range 1000 {
		who := strconv.Itoa(i)
		if v, err := f.Take(t.Context(), who, Standard, 1); err != nil || !v.Admitted {
			t.Fatalf("caller %d: %+v, %v", i, v, err)
		}
		if v, err := f.Take(t.Context(), who, Standard, 1); err != nil || v.Admitted {
			t.Fatalf("caller %d again: %+v, %v", i, v, err)
		}
	}
	if f.shared.asked != 20 {
		t.Errorf("the shared count was asked %d times for ten callers with a place", f.shared.asked)
	}
}
