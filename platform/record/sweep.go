package record

import (
	"errors"
	"math/rand/v2"
	"time"

	"github.com/railkit/railkit/fault"
	"github.com/railkit/railkit/platform/page"
)

// The sweeper looks at rows that have waited longer than a request or a job
// would let them, so many at a time.
const (
	SweepAfter = 10 * time.Second
	SweepJobs  = 2 * time.Minute
	SweepBatch = 500
	SlowBatch  = 50 // of rows that wait for a partner or for a mail
)

// Resume is where the next sweep goes on: after the last row of a full batch,
// else at the beginning.
func Resume[T any](rows []T, at func(T) page.Cursor) page.Cursor {
	if len(rows) < SweepBatch {
		return page.Cursor{}
	}
	return at(rows[len(rows)-1])
}

// mostAway is how many rows in a row find something away before a sweep ends.
const mostAway = 3

// Each does something with each row of a sweep. It goes on past a row that fails, but not where the next ones would
// fail alike, because the enclave, a node or the partner is away: after mostAway of them. What one row waits for may be
// away for it alone, such as the node of a network that has none any more; so the rows come in another order each time,
// and such a row is not always before the same others.
func Each[T any](rows []T, do func(T) error) (err error) {
	away := 0
	for _, i := range rand.Perm(len(rows)) {
		failed := do(rows[i])
		err = errors.Join(err, failed)
		if f, ok := fault.As(failed); !ok || f.Kind != fault.Unavailable {
			away = 0
		} else if away++; away == mostAway {
			return err
		}
	}
	return err
}
