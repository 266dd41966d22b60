package queue

import (
	"context"
	"database/sql"
	"fmt"
	"time"

	"github.com/railkit/railkit/job"
)

// Backlog is what there is of a kind of job in a state, for monitoring.
type Backlog struct {
	Kind  job.Kind
	State string // as River calls it: available, running, scheduled, retryable, pending, discarded
	Jobs  int64
	Late  time.Duration // since the time of the one whose time came first; negative: it is still to come
}

// counting is the SQL. Jobs that are done are left out, of which there are many.
func counting(late string) string {
	return "SELECT kind, CAST(state AS TEXT), COUNT(*), CAST(MAX(" + late + ") AS DOUBLE PRECISION) FROM river_job " +
		"WHERE state IN ('available', 'pending', 'retryable', 'running', 'scheduled', 'discarded') GROUP BY kind, state"
}

// Backlog reads what waits, runs, and was given up.
func (r *Runner) Backlog(ctx context.Context, from interface {
	QueryContext(ctx context.Context, query string, args ...any) (*sql.Rows, error)
}) (all []Backlog, err error) {
	rows, err := from.QueryContext(ctx, r.count)
	if err != nil {
		return nil, fmt.Errorf("counting jobs: %w", err)
	}
	defer rows.Close()
	for rows.Next() {
		var b Backlog
		var late float64
		if err := rows.Scan(&b.Kind, &b.State, &b.Jobs, &late); err != nil {
			return nil, fmt.Errorf("counting jobs: %w", err)
		}
		b.Late = time.Duration(late * float64(time.Second))
		all = append(all, b)
	}
	return all, rows.Err()
}
