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

// Until looks every 10 ms whether it is true, and fails the test where it is not within the bound.
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
	for deadline := time.Now().Add(bound); !is(); time.Sleep(10 * time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatalf("still not after %v: %s", bound, what)
		}
	}
}
