package queue

import (
	"context"
	"database/sql"
	"testing"

	"github.com/riverqueue/river/riverdriver"
	"github.com/riverqueue/river/rivertype"

	"github.com/railkit/railkit/store/sqlite"
)

// taker counts how often jobs are taken.
type taker struct {
	riverdriver.Executor
	taken int
}

func (t *taker) JobGetAvailable(
	context.Context, *riverdriver.JobGetAvailableParams,
) ([]*rivertype.JobRow, error) {
	t.taken++
	return nil, nil
}

// Jobs are taken only where one is there to be run at once, and of no other queue.
func TestPeeking(t *testing.T) {
	file, err := sqlite.Open(t.Context(), t.TempDir()+"/x.db")
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	db := file.Writer
	look := func() int {
		t.Helper()
		counts := &taker{}
		e := peekingExecutor{counts, db}
		if _, err := e.JobGetAvailable(t.Context(), &riverdriver.JobGetAvailableParams{Queue: "mine"}); err != nil {
			t.Fatal(err)
		}
		return counts.taken
	}
	run(t, db, "CREATE TABLE river_job (state TEXT, queue TEXT)")
	run(t, db, "INSERT INTO river_job VALUES ('running', 'mine'), ('scheduled', 'mine'), ('available', 'another')")
	if n := look(); n != 0 {
		t.Errorf("jobs were taken %d times, and there were none", n)
	}
	run(t, db, "INSERT INTO river_job VALUES ('available', 'mine')")
	if n := look(); n != 1 {
		t.Errorf("jobs were taken %d times, want once", n)
	}
}

func run(t *testing.T, db *sql.DB, text string) {
	t.Helper()
	if _, err := db.ExecContext(t.Context(), text); err != nil {
		t.Fatal(err)
	}
}
