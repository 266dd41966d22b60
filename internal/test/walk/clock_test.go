package walk_test

import (
	"sync/atomic"
	"time"
)

// hands is a clock that stands still unless it is moved.
type hands struct{ at atomic.Int64 } // microseconds, as the database keeps them

func newHands() *hands {
	h := &hands{}
	h.at.Store(time.Now().UnixMicro())
	return h
}

func (h *hands) Now() time.Time { return time.UnixMicro(h.at.Load()).UTC() }

func (h *hands) move(d time.Duration) { h.at.Add(d.Microseconds()) }

func (h *hands) set(at time.Time) { h.at.Store(at.UnixMicro()) }
