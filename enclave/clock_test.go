package enclave

import (
	"strconv"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/railkit/railkit/enclave/refusal"
	"github.com/railkit/railkit/enclave/wire"
	"github.com/railkit/railkit/fault"
)

func TestSigning_S15_Times(t *testing.T) {
	w := newWorld(t)
	alice := w.register("alice@example.com")
	now := time.Now()
	at := func(made, expires time.Time) wire.Body {
		b := w.fresh(alice, wire.CreateWallet, wire.CreateWalletParams{
			WalletName: "w" + made.String()[:19], MnemonicLength: "12",
		})
		b.TimestampMs, b.ExpiresAtMs = strconv.FormatInt(
			made.UnixMilli(), 10,
		), strconv.FormatInt(expires.UnixMilli(), 10)
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
		"61 minutes old":       {at(now.Add(-61*time.Minute), now.Add(-2*time.Minute)), refusal.ErrExpired},
		"expired":              {at(now.Add(-16*time.Minute), now.Add(-time.Second)), refusal.ErrExpired},
		"6 minutes ahead":      {at(now.Add(6*time.Minute), now.Add(10*time.Minute)), refusal.ErrBody},
		"lives two hours":      {at(now, now.Add(2*time.Hour)), refusal.ErrBody},
		"expires before made":  {at(now, now.Add(-time.Minute)), refusal.ErrBody},
		"not decimal":          {odd("1e12"), refusal.ErrBody},
		"over 64 bits":         {odd("99999999999999999999"), refusal.ErrBody},
		"empty":                {odd(""), refusal.ErrBody},
		"negative":             {odd("-1"), refusal.ErrBody},
		"with a leading space": {odd(" 1700000000000"), refusal.ErrBody},
	} {
		body := w.body(c.body)
		_, err := w.Submit(wire.SubmitRequest{Body: body, Stamp: w.stamp(alice, body)})
		refused(t, name, err, c.want)
	}
	w.must(alice, at(now.Add(4*time.Minute), now.Add(10*time.Minute)))
}

func TestSigning_S15_ClockOfTheHost(t *testing.T) {
	start := time.Date(2026, 11, 21, 12, 0, 0, 0, time.UTC)
	m := &machine{wall: start}
	m.start(start, start)
	step := func(name string, w time.Time, u time.Duration, want time.Time) {
		t.Helper()
		m.wall, m.up = w, u
		if got := m.Now(); !got.Equal(want) {
			t.Errorf("%s: %v, want %v", name, got, want)
		}
	}
	step("runs along", start.Add(time.Minute), time.Minute, start.Add(time.Minute))
	step("set back two hours", start.Add(-2*time.Hour), 2*time.Minute, start.Add(time.Minute))
	step("set forward two hours", start.Add(2*time.Hour), 3*time.Minute, start.Add(2*time.Minute+slack))
	step("right again", start.Add(10*time.Minute), 10*time.Minute, start.Add(10*time.Minute))
	m.wall = start.Add(24 * time.Hour)
	if got := m.accept(); !got.Equal(m.wall) {
		t.Errorf("accepted %v, want %v", got, m.wall)
	}
}

// machine is where a clock runs: its host sets wall at will, and up passes.
type machine struct {
	*trustedClock
	wall time.Time
	up   time.Duration
}

// start begins a process at what the journal says.
func (m *machine) start(proven, last time.Time) {
	m.trustedClock = newClock(proven, last)
	began := m.up
	m.trustedClock.wall = func() time.Time { return m.wall }
	m.since = func() time.Duration { return m.up - began }
}

// restart journals the time as the service does, and starts from there.
func (m *machine) restart() {
	now := m.Now().UnixMilli()
	m.start(time.UnixMilli(now-m.ahead(now)).UTC(), time.UnixMilli(now).UTC())
}

// pass lets an honest clock run, with a heartbeat each minute.
func (m *machine) pass(d time.Duration) {
	for end := m.up + d; m.up < end; m.Now() {
		m.up += heartbeat
		m.wall = m.wall.Add(heartbeat)
	}
}

// However long a signer ran honestly, its clock can be set ahead by five minutes,
// and 72 hours can be made 20 minutes shorter: 5, and 5 more for each day.
func TestSigning_R06_UptimeIsNoSlack(t *testing.T) {
	const day = 24 * time.Hour
	begin := time.Date(2026, 11, 21, 12, 0, 0, 0, time.UTC)
	for name, before := range map[string]time.Duration{
		"0": 0, "7 days": 7 * day, "1 year": 365 * day, "3 years": 3 * 365 * day,
	} {
		for how, again := range map[string]func(*machine){
			"one process": func(*machine) {}, "restarts": (*machine).restart,
		} {
			m := &machine{wall: begin}
			m.start(begin, begin)
			m.pass(before)
			from, up := m.Now(), m.up
			m.wall = from.Add(1000 * time.Hour)
			for range 1000 {
				m.Now()
				again(m)
			}
			if got := m.Now().Sub(from); got != slack {
				t.Errorf("after %s, %s: a thousand calls made %v of nothing, want %v", name, how, got, slack)
			}
			for m.Now().Sub(from) < 72*time.Hour {
				m.up += heartbeat
				m.Now()
				again(m)
			}
			if got := m.up - up; got < 72*time.Hour-20*time.Minute || got > 72*time.Hour-19*time.Minute {
				t.Errorf("after %s, %s: 72 hours were over after %v, want 20 minutes less", name, how, got)
			}
		}
	}
}

// The same for a host that does whatever it wants, for as long as it wants.
func TestSigning_R06_TimeIsJournalAndUptime(t *testing.T) {
	begin := time.Date(2026, 11, 21, 12, 0, 0, 0, time.UTC)
	rapid.Check(t, func(rt *rapid.T) {
		m := &machine{wall: begin}
		m.start(begin, begin)
		type seen struct {
			time.Time
			up time.Duration
		}
		all := []seen{{m.Now(), 0}}
		spans := []time.Duration{
			0, 1, time.Millisecond, time.Second, heartbeat, slack, time.Hour, 24 * time.Hour, 400 * 24 * time.Hour,
		}
		span := rapid.SampledFrom(spans)
		rt.Repeat(map[string]func(*rapid.T){
			"time passes": func(rt *rapid.T) {
				d := span.Draw(rt, "passed")
				m.up += d
				m.wall = m.wall.Add(d)
			},
			"set ahead":  func(rt *rapid.T) { m.wall = m.wall.Add(span.Draw(rt, "ahead")) },
			"set back":   func(rt *rapid.T) { m.wall = m.wall.Add(-span.Draw(rt, "back")) },
			"set right":  func(*rapid.T) { m.wall = begin.Add(m.up) },
			"restarted":  func(*rapid.T) { m.restart() },
			"many calls": func(*rapid.T) { m.Now(); m.Now(); m.Now() },
			"": func(rt *rapid.T) {
				now := seen{m.Now(), m.up}
				for _, before := range all {
					up := now.up - before.up
					if most := up + up/refill + slack; now.Sub(before.Time) > most {
						rt.Fatalf("%v passed in %v of uptime, want at most %v", now.Sub(before.Time), up, most)
					}
				}
				if last := all[len(all)-1]; now.UnixMilli() < last.UnixMilli() {
					rt.Fatalf("time went back by %v", last.Sub(now.Time))
				}
				all = append(all, now)
			},
		})
	})
}

// A host that holds the machine's clock back for as long as the delay lasts, begins
// a recovery and sets the clock right has not waited.
func TestSigning_R06_TimeHeldBackIsLost(t *testing.T) {
	start := time.Date(2026, 11, 21, 12, 0, 0, 0, time.UTC)
	m := &machine{wall: start}
	m.start(start, start)
	for m.up < 72*time.Hour {
		m.up += time.Minute
		m.Now()
	}
	began := m.Now()
	m.wall = start.Add(m.up)
	if got := m.Now().Sub(began); got > slack {
		t.Errorf("a recovery that began this moment has waited %v", got)
	}
	m.up, m.wall = m.up+time.Hour, m.wall.Add(time.Hour)
	if got := m.Now().Sub(began); got < time.Hour || got > time.Hour+slack+time.Hour/refill {
		t.Errorf("after an hour it has waited %v", got)
	}
}

// Stops of a minute a day need no operator.
func TestSigning_R06_ShortStopsAreForgiven(t *testing.T) {
	start := time.Date(2026, 11, 21, 12, 0, 0, 0, time.UTC)
	m := &machine{wall: start}
	m.start(start, start)
	for day := range 100 {
		m.restart()
		m.wall = m.wall.Add(time.Minute)
		for range 24 {
			if got := m.Now(); !got.Equal(m.wall) {
				t.Fatalf("day %d: %v, want %v", day, got, m.wall)
			}
			m.up, m.wall = m.up+time.Hour, m.wall.Add(time.Hour)
		}
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
