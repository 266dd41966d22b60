package ratelimit

import (
	"fmt"
	"net/http"
	"time"

	"github.com/railkit/railkit/fault"
)

// ErrLimit is what a caller over its limit is told.
var ErrLimit = fault.Define(fault.TooMany, "rate_limit_exceeded", "Rate limit exceeded",
	"The key, agent or member, or the network of a caller without one or with a wrong one, "+
		"made more calls in the last 60 seconds than its limit; retry after Retry-After")

// Verdict is what became of a call.
type Verdict struct {
	Admitted         bool
	Limit, Remaining int
	Reset            time.Duration // until the window has room for one more call than now
	At               time.Time     // when, by the clock that counts
}

// Headers tells the caller where it stands, in the fields of
// draft-ietf-httpapi-ratelimit-headers.
func (v Verdict) Headers(h http.Header, c Class) {
	h.Set("RateLimit-Policy", fmt.Sprintf("%q;q=%d;w=%d", c, v.Limit, int(Window.Seconds())))
	h.Set("RateLimit", fmt.Sprintf("%q;r=%d;t=%d", c, v.Remaining, seconds(v.Reset)))
}

// Err is nil where the call was admitted.
func (v Verdict) Err() error {
	if v.Admitted {
		return nil
	}
	return ErrLimit.After(v.Reset)
}

// seconds rounds up: who waits as long as it is told is never too early.
func seconds(d time.Duration) int { return int((d + time.Second - 1) / time.Second) }
