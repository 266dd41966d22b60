package ratelimit

import (
	"fmt"
	"net/http"
	"time"

	"github.com/railkit/railkit/fault"
)

// ErrLimit is the error that a caller over its limit gets.
var ErrLimit = fault.Define(fault.TooMany, "rate_limit_exceeded", "Rate limit exceeded",
	"The key, agent or member, or the network of a caller without one or with a wrong one, "+
		"made more calls in the last 60 seconds than its limit; details has the limit and, as Retry-After, the time to wait")

// Verdict is a limiter's decision about a call.
type Verdict struct {
	Admitted         bool
	Limit, Remaining int
	Reset            time.Duration // until the window has room for one more call than now
	At               time.Time     // the time of the call, by the limiter's clock
}

// Headers sets the headers that show a caller its limit and its remaining calls, as in
// draft-ietf-httpapi-ratelimit-headers.
func (v Verdict) Headers(h http.Header, c Class) {
	c = c.Counted()
	h.Set("RateLimit-Policy", fmt.Sprintf("%q;q=%d;w=%d", c, v.Limit, int(Window.Seconds())))
	h.Set("RateLimit", fmt.Sprintf("%q;r=%d;t=%d", c, v.Remaining, seconds(v.Reset)))
}

// Err is ErrLimit with the time to wait. It is nil if the call was admitted.
func (v Verdict) Err() error {
	if v.Admitted {
		return nil
	}
	return ErrLimit.After(v.Reset).With("limit", v.Limit).With("windowSeconds", int(Window.Seconds())).
		With("retryAfterSeconds", seconds(v.Reset))
}

// seconds rounds up, so that a caller that waits so long never calls too early.
func seconds(d time.Duration) int { return int((d + time.Second - 1) / time.Second) }
