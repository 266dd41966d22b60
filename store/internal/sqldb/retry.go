package sqldb

import (
	"context"
	"math/rand/v2"
	"time"

	"github.com/railkit/railkit/fault"
)

const (
	attempts  = 8
	firstWait = 5 * time.Millisecond
	mostWait  = 250 * time.Millisecond
)

// retry runs do again while it fails only because of another transaction. A
// caller whose turn never comes is told to try later.
func (d *DB) retry(ctx context.Context, do func() error) error {
	var err error
	wait := firstWait
	for range attempts {
		if err = do(); err == nil || !d.Retryable(err) {
			return err
		}
		d.Counts.Again.Add(1)
		if !pause(ctx, wait/2+rand.N(wait/2)) {
			return ctx.Err()
		}
		wait = min(2*wait, mostWait)
	}
	d.Counts.GaveUp.Add(1)
	return fault.ErrUnavailable.Because(err).After(time.Second)
}

func pause(ctx context.Context, d time.Duration) bool {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return true
	case <-ctx.Done():
		return false
	}
}
