package enclave

import (
	"strconv"
	"testing"
	"time"

	"github.com/railkit/railkit/enclave/decide"
	"github.com/railkit/railkit/enclave/wire"
	"github.com/railkit/railkit/fault"
)

func TestSigning_S15_Times(t *testing.T) {
	w := newWorld(t)
	alice := w.register("alice@example.com")
	now := time.Now()
	at := func(made, expires time.Time) wire.Body {
		b := w.fresh(alice, wire.CreateWallet, wire.CreateWalletParams{WalletName: "w" + made.String()[:19], MnemonicLength: "12"})
		b.TimestampMs, b.ExpiresAtMs = strconv.FormatInt(made.UnixMilli(), 10), strconv.FormatInt(expires.UnixMilli(), 10)
		return b
	}
	odd := func(timestamp string) wire.Body {
		b := at(now, now.Add(time.Minute))
		b.TimestampMs = timestamp
		return b
	}
	for name, c := range map[string]struct {
		body wire.Body
		want *fault.Error
	}{
		"61 minutes old":       {at(now.Add(-61*time.Minute), now.Add(-2*time.Minute)), decide.ErrExpired},
		"expired":              {at(now.Add(-16*time.Minute), now.Add(-time.Second)), decide.ErrExpired},
		"6 minutes ahead":      {at(now.Add(6*time.Minute), now.Add(10*time.Minute)), decide.ErrBody},
		"lives two hours":      {at(now, now.Add(2*time.Hour)), decide.ErrBody},
		"expires before made":  {at(now, now.Add(-time.Minute)), decide.ErrBody},
		"not decimal":          {odd("1e12"), decide.ErrBody},
		"over 64 bits":         {odd("99999999999999999999"), decide.ErrBody},
		"empty":                {odd(""), decide.ErrBody},
		"negative":             {odd("-1"), decide.ErrBody},
		"with a leading space": {odd(" 1700000000000"), decide.ErrBody},
	} {
		body := w.body(c.body)
		_, err := w.Submit(wire.SubmitRequest{Body: body, Stamp: w.stamp(alice, body)})
		refused(t, name, err, c.want)
	}
	w.must(alice, at(now.Add(4*time.Minute), now.Add(10*time.Minute)))
}

func TestSigning_S15_ClockOfTheHost(t *testing.T) {
	start := time.Date(2026, 11, 21, 12, 0, 0, 0, time.UTC)
	wall, up := start, time.Duration(0)
	c := newClock(start, start)
	c.wall, c.since = func() time.Time { return wall }, func() time.Duration { return up }
	step := func(name string, w time.Time, u time.Duration, want time.Time) {
		t.Helper()
		wall, up = w, u
		if got := c.Now(); !got.Equal(want) {
			t.Errorf("%s: %v, want %v", name, got, want)
		}
	}
	step("runs along", start.Add(time.Minute), time.Minute, start.Add(time.Minute))
	step("set back two hours", start.Add(-2*time.Hour), 2*time.Minute, start.Add(time.Minute))
	step("set forward two hours", start.Add(2*time.Hour), 3*time.Minute, start.Add(3*time.Minute+slack))
	step("right again", start.Add(10*time.Minute), 10*time.Minute, start.Add(10*time.Minute))
	wall = start.Add(24 * time.Hour)
	if got := c.accept(); !got.Equal(wall) {
		t.Errorf("accepted %v, want %v", got, wall)
	}
}

// A host that sets the machine's clock forward and starts the enclave over and
// over gets the slack once, and a delay that is five minutes a day shorter.
func TestSigning_R06_RestartsDoNotMakeTime(t *testing.T) {
	start := time.Date(2026, 11, 21, 12, 0, 0, 0, time.UTC)
	proven, last, real := start, start, start
	run := func(up time.Duration, wall time.Time) time.Time {
		c := newClock(proven, last)
		c.wall, c.since = func() time.Time { return wall }, func() time.Duration { return up }
		now := c.Now()
		ahead := time.Duration(c.ahead(now.UnixMilli())) * time.Millisecond
		proven, last, real = now.Add(-ahead), now, real.Add(up)
		return now
	}
	for range 1000 {
		run(0, start.Add(100*time.Hour))
	}
	if got := last.Sub(start); got != slack {
		t.Errorf("a thousand starts are worth %v", got)
	}
	for range 72 * 60 {
		run(time.Minute, start.Add(200*time.Hour))
	}
	if got, most := last.Sub(real), slack+72*time.Hour/refill+time.Second; got > most || got < slack {
		t.Errorf("after 72 hours it is %v ahead, want at most %v", got, most)
	}
}

// A host that holds the machine's clock back for as long as the delay lasts, begins
// a recovery and sets the clock right has not waited.
func TestSigning_R06_TimeHeldBackIsLost(t *testing.T) {
	start := time.Date(2026, 11, 21, 12, 0, 0, 0, time.UTC)
	wall, up := start, time.Duration(0)
	c := newClock(start, start)
	c.wall, c.since = func() time.Time { return wall }, func() time.Duration { return up }
	for up < 72*time.Hour {
		up += time.Minute
		c.Now()
	}
	began := c.Now()
	wall = start.Add(up)
	if got := c.Now().Sub(began); got > 2*slack {
		t.Errorf("a recovery that began this moment has waited %v", got)
	}
	up, wall = up+time.Hour, wall.Add(time.Hour)
	if got := c.Now().Sub(began); got < time.Hour || got > time.Hour+3*slack {
		t.Errorf("after an hour it has waited %v", got)
	}
}

// Stops of a minute a day need no operator.
func TestSigning_R06_ShortStopsAreForgiven(t *testing.T) {
	wall := time.Date(2026, 11, 21, 12, 0, 0, 0, time.UTC)
	proven, last := wall, wall
	for day := range 100 {
		wall = wall.Add(time.Minute)
		c, begin := newClock(proven, last), wall
		c.wall, c.since = func() time.Time { return wall }, func() time.Duration { return wall.Sub(begin) }
		for range 24 {
			if got := c.Now(); !got.Equal(wall) {
				t.Fatalf("day %d: %v, want %v", day, got, wall)
			}
			wall = wall.Add(time.Hour)
		}
		last = c.Now()
		proven = last.Add(-time.Duration(c.ahead(last.UnixMilli())) * time.Millisecond)
	}
}

func TestSigning_R06_ClockOverRestarts(t *testing.T) {
	w := newTimed(t)
	start := w.clock.Now()
	for range 10 {
		w.set(w.now.Load().Add(time.Hour))
		w.checkpointNow()
		w.reopen()
		w.reopen()
	}
	if got := w.clock.Now().Sub(start); got < slack-time.Second || got > slack+time.Minute {
		t.Errorf("20 starts made %v of nothing", got)
	}
}
