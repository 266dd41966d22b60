package transfer

import (
	"errors"
	"time"

	"github.com/railkit/railkit/fiat"
)

// How often the partner is asked how far a transfer is: the longer it takes, the less
// often. What a notice says is asked about at once.
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

// NextLook is after an answer that was taken in, or could not be: asked at once, the
// partner would say the same.
func NextLook(changed bool, err error) (time.Duration, error) {
	if err == nil && !changed {
		return Slowly, nil
	}
	return AtOnce, err
}

// BackOff is how long to wait after an attempt that did not work.
func BackOff(attempt int) time.Duration { return min(time.Second<<min(attempt, 9), mostBackOff) }

// ComeBack is when to ask a busy partner again, by the same key.
func (s *Service) ComeBack(since time.Time, err error) time.Duration {
	var busy *fiat.Busy
	if errors.As(err, &busy) && busy.After > 0 {
		return min(busy.After, mostBackOff)
	}
	return s.Pace(since)
}

// AtOnce says that the order was changed, and that there may be more to do.
const AtOnce time.Duration = -1

// Pace is how long to wait with the next question about something that has not
// changed since then.
func (s *Service) Pace(since time.Time) time.Duration {
	switch age := s.clock.Now().Sub(since); {
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
