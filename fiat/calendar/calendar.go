// Package calendar says when a bank has the money of a payout: which rails never close, and of the others the banking
// days, the cut-off and how many days the banks take.
//
// The cut-offs are those of Bridge, the partner that fiat/bridge speaks to. Its pages are named at each number, with
// the day on which they were read. Everything here is an estimate: no bank promises it, and a partner may change its
// page. Where two sources differ or say nothing, the later day is taken.
//
// Read rails.go (the timetables), holidays.go (the days on which banks are closed).
package calendar

import (
	"time"
	_ "time/tzdata" // many machines that run the server have no zones

	"github.com/railkit/railkit/fiat"
)

// Arrival is when the recipient's bank has the money of a payout that the partner is asked for at an instant: no
// earlier than the first instant, and no later than the second unless somebody reviews or returns it. It is false for a
// rail that is not listed. On a rail with banking days the second is the last second of a banking day, in the time zone
// of the banks that are paid.
func Arrival(rail fiat.Rail, sentAt time.Time) (earliest, latest time.Time, ok bool) {
	t, ok := timetables[rail]
	switch {
	case !ok:
		return time.Time{}, time.Time{}, false
	case t.sends == nil:
		return sentAt, sentAt.Add(t.within), true
	}
	sent := t.sendingDay(sentAt)
	earliest = sentAt
	if first := t.opens.on(t.settles.after(sent, t.first), t.zone); !t.instant && first.After(sentAt) {
		earliest = first
	}
	return earliest, endOfDay(t.settles.after(sent, t.last), t.zone), true
}

// CutOff is the next instant at which the partner stops taking payouts for the banking day. A payout that it is asked
// for at this very instant is late. It is false for a rail that never closes, or is not listed.
func CutOff(rail fiat.Rail, at time.Time) (next time.Time, ok bool) {
	t, ok := timetables[rail]
	if !ok || t.sends == nil {
		return time.Time{}, false
	}
	return t.cutOff.on(t.sendingDay(at), newYork), true
}

// sendingDay is the banking day on which the partner sends what it is asked for at an instant.
func (t timetable) sendingDay(at time.Time) time.Time {
	day := dateOf(at, newYork)
	if t.sends(day) && at.Before(t.cutOff.on(day, newYork)) {
		return day
	}
	return t.sends.after(day, 1)
}
