package sqldb

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"github.com/railkit/railkit/fault"
)

var (
	errBusy  = errors.New("busy")
	errOther = errors.New("other")
)

// failing fails n times.
func failing(n int, err error) (do func() error, calls *int) {
	calls = new(int)
	return func() error {
		*calls++
		if *calls <= n {
			return err
		}
		return nil
	}, calls
}

func TestRetry(t *testing.T) {
	d := &DB{Retryable: func(err error) bool { return errors.Is(err, errBusy) }, Counts: &Counts{}}
	for name, c := range map[string]struct {
		fail  int
		err   error
		want  error
		calls int
	}{
		"works at once":    {0, nil, nil, 1},
		"works at last":    {attempts - 1, errBusy, nil, attempts},
		"never works":      {attempts, errBusy, fault.ErrUnavailable, attempts},
		"is another error": {1, errOther, errOther, 1},
	} {
		synctest.Test(t, func(t *testing.T) {
			do, calls := failing(c.fail, c.err)
			start := time.Now()
			err := d.retry(t.Context(), do)
			if !errors.Is(err, c.want) || *calls != c.calls {
				t.Errorf("%s: got %v after %d calls, want %v after %d", name, err, *calls, c.want, c.calls)
			}
			if waited := time.Since(start); waited > attempts*mostWait {
				t.Errorf("%s: waited %v", name, waited)
			}
		})
	}
	if again, gaveUp := d.Counts.Again.Load(), d.Counts.GaveUp.Load(); again != 2*attempts-1 || gaveUp != 1 {
		t.Errorf("counted %d retries, and %d that never worked", again, gaveUp)
	}
}

func TestRetryEndsWithItsCaller(t *testing.T) {
	d := &DB{Retryable: func(error) bool { return true }, Counts: &Counts{}}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	do, calls := failing(attempts, errBusy)
	if err := d.retry(ctx, do); !errors.Is(err, context.Canceled) || *calls != 1 {
		t.Errorf("got %v after %d calls", err, *calls)
	}
}
