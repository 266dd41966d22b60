// Package clock is where the time comes from, so that a test can be late.
package clock

import "time"

// Clock tells the time.
type Clock interface{ Now() time.Time }

// System is the machine's clock, in UTC.
type System struct{}

// Now is the current time.
func (System) Now() time.Time { return time.Now().UTC() }

// Func makes a Clock of a function.
type Func func() time.Time

// Now calls f.
func (f Func) Now() time.Time { return f() }

// Micros is how SQL stores an instant: microseconds since 1970, UTC.
func Micros(t time.Time) int64 { return t.UnixMicro() }

// FromMicros reads what Micros wrote.
func FromMicros(us int64) time.Time { return time.UnixMicro(us).UTC() }

// ISO is how the API writes an instant: ISO 8601, UTC, milliseconds.
func ISO(t time.Time) string { return t.UTC().Format("2006-01-02T15:04:05.000Z") }

// ISOOrNil is ISO of an instant that may not have come: nil, which JSON shows as null, for the zero time.
func ISOOrNil(t time.Time) *string {
	if t.IsZero() {
		return nil
	}
	iso := ISO(t)
	return &iso
}
