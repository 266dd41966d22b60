package transfer

import (
	"errors"
	"time"

	"github.com/railkit/railkit/fiat"
)

// Waits between two polls of a transfer. They grow with its age; a notice causes a poll at once.
const (
	Soon   = time.Second
	Later  = 5 * time.Second
	Slowly = time.Minute
	rarely = 10 * time.Minute
	last   = 6 * time.Hour // of what has not changed for a day
)

const (
	mostBackOff = 5 * time.Minute
	MostTries   = 10 // refused one after the other, before a person is told

	// HoldRefusing is why an order waits that the partner refused, however often it was asked.
	HoldRefusing = "partner_refuses"
)

// NextLook is when to ask again after an answer. If the answer changed nothing, asking at once would give the same.
func NextLook(changed bool, err error) (time.Duration, error) {
	if err == nil && !changed {
		return Slowly, nil
	}
	return AtOnce, err
}

// BackOff is the wait after a refused attempt: 2 seconds after the first, doubling up to five minutes.
func BackOff(attempt int) time.Duration { return min(time.Second<<min(attempt, 9), mostBackOff) }

// ComeBack is when to ask a busy partner again, under the same key.
func (s *Service) ComeBack(since time.Time, err error) time.Duration {
	var busy *fiat.Busy
	if errors.As(err, &busy) && busy.After > 0 {
		return min(busy.After, mostBackOff)
	}
	return s.Pace(since)
}

// AtOnce means that the order has changed, and its next step should be done now.
const AtOnce time.Duration = -1

// Pace is the wait until the next poll of a transfer that has not changed since then.
func (s *Service) Pace(since time.Time) time.Duration { return PaceOf(s.clock.Now().Sub(since)) }

// PaceOf is the wait until the next poll of what has not changed for so long.
func PaceOf(age time.Duration) time.Duration {
	switch {
	case age < 30*time.Second:
		return Soon
	case age < 5*time.Minute:
		return Later
	case age < time.Hour:
		return Slowly
	case age < 24*time.Hour:
		return rarely
	}
	return last
}
