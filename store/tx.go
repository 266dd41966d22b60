package store

import (
	"context"
	"database/sql"
	"fmt"
	"strings"
	"time"

	"github.com/railkit/railkit/job"
	"github.com/railkit/railkit/platform/record"
	"github.com/railkit/railkit/store/db"
)

// tx is the writing half. Only the transaction is in its reach.
type tx struct {
	handle  *sql.Tx
	q       *db.Queries
	jobs    Jobs
	now     time.Time
	mark    string // what is done, where the record has no line of it: for the crash suite
	time    string // SQL: the database's own clock
	counts  map[counted]int64
	claimed claimed
}

func (t *tx) Enqueue(ctx context.Context, j job.Job) error {
	return doing("enqueueing a job", t.jobs.Enqueue(ctx, t.handle, j))
}

// doing says what failed.
func doing(what string, err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("%s: %w", what, err)
}

// swapped is the answer to a compare-and-swap, which changed n rows.
func swapped(what string, n int64, err error) error {
	if err == nil && n == 0 {
		return record.ErrStale
	}
	return doing(what, err)
}

// fold is how names are searched and sorted, the same on every engine.
func fold(name string) string { return strings.ToLower(name) }

// lookup writes an address in one way: hexadecimal ones differ in case only by
// their checksum, base58 ones differ by case.
func lookup(address string) string {
	if strings.HasPrefix(address, "0x") || strings.HasPrefix(address, "0X") {
		return strings.ToLower(address)
	}
	return address
}
