package record

import (
	"errors"
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
)

// Resume is where the next sweep goes on: after the last row of a full batch,
// else at the beginning.
func Resume[T any](rows []T, at func(T) page.Cursor) page.Cursor {
	if len(rows) < SweepBatch {
		return page.Cursor{}
	}
	return at(rows[len(rows)-1])
}

// Each goes on past a row that fails, but not where the next would fail alike.
func Each[T any](rows []T, do func(T) error) (err error) {
	for _, row := range rows {
		failed := do(row)
		err = errors.Join(err, failed)
		if f, ok := fault.As(failed); ok && f.Kind == fault.Unavailable {
			return err
		}
	}
	return err
}
