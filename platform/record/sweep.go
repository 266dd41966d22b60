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

// Each does something with each row of a sweep. It goes on past a row that fails, but not where the next one would fail
// alike, because the enclave, a node or the partner is away.
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
