package enclave

import (
	"reflect"
	"time"

	"github.com/railkit/railkit/enclave/decide"
	"github.com/railkit/railkit/enclave/journal"
)

// What the signer says because time has passed has to hold after it was killed and its
// machine's clock was set back. An example: the journal's last entry is of 12:00:00, and
// at 12:00:40 a body of 12:00:30 is refused as expired. Its owner pays by another body.
// If nothing of 12:00:30 or later stood in the journal, a signer that is started again at
// 12:00:00 would sign the first body too.
const (
	// timeLead is how far ahead of the clock the time is journaled for such an answer, so
	// that one entry does for all answers of a second, however many are asked for.
	timeLead = time.Second
	// timeAge is how old the journal's last time may be when it is told.
	timeAge = 10 * time.Second
)

// bear journals the time where an answer of now rests on it: where the journal's last
// time would have made another one. The caller holds mu, and lets the answer leave
// after durable.
func (m *memory) bear(now time.Time, same func(last time.Time) bool) error {
	last := m.lastTime()
	if now.UnixMilli() <= last.UnixMilli() || same(last) {
		return nil
	}
	_, err := m.record(decide.Event{Kind: decide.EventTime, TimeMs: m.clock.capAhead(now, timeLead).UnixMilli()})
	return err
}

// lastTime is what the time is after a restart, at least. The caller holds mu.
func (m *memory) lastTime() time.Time { return time.UnixMilli(m.state.LastTimeMs()).UTC() }

// readDurable asks the state about the present. Beside the answer it gives the entry that the
// answer rests on, which is on disk, and a time that this entry bears out: it may be
// named to somebody.
func readDurable[A any](
	m *memory, ask func(*decide.State, time.Time) (A, error),
) (a A, p journal.Position, at time.Time, err error) {
	a, p, at, err = readDurableLocked(m, ask)
	if broken := m.durable(p.Seq); broken != nil {
		err = broken
	}
	return a, p, at, err
}

func readDurableLocked[A any](
	m *memory, ask func(*decide.State, time.Time) (A, error),
) (a A, p journal.Position, at time.Time, err error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	now := m.clock.Now()
	a, err = ask(m.state, now)
	broken := m.bear(now, func(last time.Time) bool {
		before, was := ask(m.state, last)
		return now.Sub(last) < timeAge && reflect.DeepEqual(a, before) && reflect.DeepEqual(err, was)
	})
	if broken != nil {
		err = broken
	}
	return a, m.journal.Position(), earliest(now, m.lastTime()), err
}

// refuse gives a refusal once all that it may rest on is on disk.
func (m *memory) refuse(err error) error {
	if broken := m.durable(m.journal.Position().Seq); broken != nil {
		return broken
	}
	return err
}
