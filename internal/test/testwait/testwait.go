// Package testwait is the one place in which tests wait for what comes true by itself: a child's restart, a block, a
// job.
package testwait

import "time"

// Bound is for a machine that is busy with everything else: no test fails because it had to wait for a processor. A
// server that starts in a second took more than one minute beside three other builds.
const Bound = 3 * time.Minute

// failer is a test, a benchmark or a script.
type failer interface {
	Fatalf(format string, args ...any)
}

// Until looks again and again whether it is true, and fails the test where it is not within the bound. A look may cost
// a whole server milliseconds: after the first moments it is a fifth of the time waited that passes between two.
func Until(t failer, what string, is func() bool) {
	if h, ok := t.(interface{ Helper() }); ok {
		h.Helper()
	}
	Within(t, Bound, what, is)
}

// Within is Until for what takes long by itself, such as the end of a soak.
func Within(t failer, bound time.Duration, what string, is func() bool) {
	if h, ok := t.(interface{ Helper() }); ok {
		h.Helper()
	}
	for began := time.Now(); !is(); time.Sleep(pause(time.Since(began))) { // between two looks
		if time.Since(began) > bound {
			t.Fatalf("still not after %v: %s", bound, what)
		}
	}
}

// pause is between two looks, after one has waited for so long.
func pause(waited time.Duration) time.Duration {
	return min(max(waited/5, 10*time.Millisecond), 100*time.Millisecond)
}
