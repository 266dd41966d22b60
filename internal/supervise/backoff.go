package supervise

import "time"

// Restarts wait longer and longer, and a process that held out for healthyAfter
// is forgiven what came before.
const (
	backOffFirst = 100 * time.Millisecond
	backOffMost  = 10 * time.Second
	healthyAfter = time.Minute
)

// backOff is how long the last restart waited.
type backOff struct{ last time.Duration }

// next is how long to wait now that a process has ended that lived so long.
func (b *backOff) next(lived time.Duration) time.Duration {
	if b.last == 0 || lived >= healthyAfter {
		b.last = backOffFirst
	} else {
		b.last = min(2*b.last, backOffMost)
	}
	return b.last
}
