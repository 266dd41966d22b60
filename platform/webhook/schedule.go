package webhook

import (
	"math/rand/v2"
	"net/http"
	"strconv"
	"time"
)

// waits is how long a delivery waits after each failed try: that of the specification. The last try is about three
// days after the first.
var waits = []time.Duration{
	5 * time.Second, 5 * time.Minute, 30 * time.Minute, 2 * time.Hour, 5 * time.Hour, 10 * time.Hour, 14 * time.Hour,
	20 * time.Hour, 24 * time.Hour,
}

const (
	// pendingLife is when a delivery is given up whose endpoint was tried less often than the schedule says. It is
	// longer than the schedule with the most of jitter.
	pendingLife = 84 * time.Hour
	// waitingLife is when one is given up that never had its turn. Events are kept for longer than both lives.
	waitingLife = 14 * 24 * time.Hour

	mostRetryAfter = 24 * time.Hour

	// An endpoint that answers nothing well is tried less often, by one delivery at a time: whatever waits is sent
	// as soon as one of them is answered.
	troubled   = 5 // rounds of failures
	firstPause = 30 * time.Second
	mostPause  = 10 * time.Minute
)

// jittered is a time from nine to eleven tenths of d, so that deliveries that failed together do not come back
// together.
func jittered(d time.Duration) time.Duration { return d - d/10 + rand.N(d/5+1) }

// nextTry is how long to wait after so many failed tries; false: there is no other.
func nextTry(tries int, retryAfter time.Duration) (time.Duration, bool) {
	if tries > len(waits) {
		return 0, false
	}
	return max(jittered(waits[tries-1]), retryAfter), true
}

// pause is how long an endpoint is left alone after rounds without a good answer.
func pause(failures int, retryAfter time.Duration) time.Duration {
	rest := time.Duration(0)
	if n := failures - troubled; n >= 0 {
		rest = jittered(min(firstPause<<min(n, 10), mostPause))
	}
	return max(rest, min(retryAfter, mostPause))
}

// retryAfter is what an answer asks for: seconds or a date, 24 hours at most. Only those that say "later" are heard.
func retryAfter(status int, h http.Header, now time.Time) time.Duration {
	if status != http.StatusTooManyRequests && status < http.StatusInternalServerError {
		return 0
	}
	text := h.Get("Retry-After")
	if n, err := strconv.ParseUint(text, 10, 32); err == nil {
		return min(time.Duration(n)*time.Second, mostRetryAfter)
	}
	if at, err := http.ParseTime(text); err == nil {
		return max(0, min(at.Sub(now), mostRetryAfter))
	}
	return 0
}
