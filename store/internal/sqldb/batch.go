package sqldb

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"time"

	"github.com/railkit/railkit/platform/command"
	"github.com/railkit/railkit/store/db"
)

// change is what one caller wants to have committed: do, under an idempotency key where there is one.
type change struct {
	ctx         context.Context
	workspaceID string
	key         *command.Key // nil: none
	do          func(context.Context, *Tx) error

	tx      *Tx   // its part of the transaction that it is in
	claimed int64 // when its key was, by the database's clock
	err     error // why it is not a part of what was committed
	seat
}

// batch is one transaction with the changes of one caller or of several. Each does its own work first, one after the
// other, so that the second finds what the first has written. What every change leaves besides (the answer of its key,
// its audit entries, its events) is then written for all of them by one statement for each table. For example eight
// changes of a workspace with their keys take 8 statements and 8 for the savepoints beside those of their own work;
// eight transactions take 64 and eight syncs of the disk.
type batch struct {
	*DB
	tx     Begun
	q      db.DBTX // runs queries whose text never changes
	once   db.DBTX // runs those whose text is used once
	begun  time.Time
	shared bool // by several changes: one that fails must leave no trace, and the others must not fail with it
}

// outOfReach is an error of a beginning or a commit, and no change's own. A commit may have happened all the same,
// where the connection broke under it.
type outOfReach struct{ error }

func (e outOfReach) Unwrap() error { return e.error }

// commit runs changes in one transaction. Each that is not a part of it knows why by its err. An error is one of the
// transaction, of which nothing is left unless that error was the commit's.
func (d *DB) commit(ctx context.Context, all []*change) error {
	begin := d.Begin
	if all[0].lane {
		begin = d.BeginInLane
	}
	tx, err := begin(ctx)
	if err != nil {
		return outOfReach{fmt.Errorf("beginning a transaction: %w", err)}
	}
	defer tx.Release()
	defer tx.Rollback() // does nothing after a commit
	b := &batch{DB: d, tx: tx, q: tx.Kept, once: tx.Tx, begun: d.Clock.Now(), shared: len(all) > 1}
	done, err := b.work(ctx, all)
	if err != nil || len(done) == 0 {
		return err
	}
	if err := b.touch(ctx, done); err != nil {
		return err
	}
	if err := b.record(ctx, done); err != nil {
		return err
	}
	if err := tx.Commit(); err != nil {
		return outOfReach{fmt.Errorf("committing a transaction: %w", err)}
	}
	d.Counts.Transactions.Add(1)
	d.Counts.Changes.Add(uint64(len(done)))
	return nil
}

// work has each change do its own, and returns those that did it.
func (b *batch) work(ctx context.Context, all []*change) (done []*change, err error) {
	var keyed []*change
	for _, c := range all {
		c.err = nil
		if c.key != nil {
			keyed = append(keyed, c)
		}
	}
	each, err := b.claimAll(ctx, keyed)
	if err != nil {
		return nil, err
	}
	for _, c := range all {
		if c.err != nil {
			continue
		}
		if err := b.do(ctx, c, each); err != nil {
			return nil, err
		}
		if c.err == nil {
			done = append(done, c)
		}
	}
	return done, nil
}

// claimAll claims the keys of all changes. Where one of them has to wait for another server, or fails, each claims its
// own when its turn comes.
func (b *batch) claimAll(ctx context.Context, keyed []*change) (each bool, err error) {
	if len(keyed) == 0 {
		return false, nil
	}
	if !b.shared {
		b.claimOne(ctx, keyed[0])
		return false, nil
	}
	if err := b.save(ctx); err != nil {
		return false, err
	}
	if err := b.claim(ctx, keyed); err != nil {
		for _, c := range keyed {
			c.err = nil
		}
		return true, b.takeBack(ctx)
	}
	return false, nil
}

// do has one change do its work, and undoes it where that fails, with the claim of its key.
func (b *batch) do(ctx context.Context, c *change, claims bool) error {
	if b.shared {
		if err := b.save(ctx); err != nil {
			return err
		}
	}
	var bound *bounded
	raw, q := b.once, b.q
	if c.lane {
		bound = &bounded{}
		raw, q = bound.of(raw), bound.of(q)
	}
	c.tx = &Tx{Q: db.New(q), Handle: b.tx.Tx, Begun: b.begun, raw: raw, batch: b}
	if claims && c.key != nil {
		b.claimOne(ctx, c)
	}
	if c.err == nil {
		c.tx.claimed = Instant(c.claimed)
		c.err = c.work(ctx)
	}
	if c.err == nil && (bound.tooLong() || c.lane && len(c.tx.put) > statementsInLane) {
		c.err = errLong
	}
	if c.err == nil { // its caller left: nobody hears of what it did
		c.err = c.ctx.Err()
	}
	if c.err == nil || !b.shared {
		return nil
	}
	if err := b.takeBack(ctx); err != nil || c.key == nil || claims {
		return err
	}
	return Doing("giving back an idempotency key", db.New(b.q).UnclaimAnswer(ctx, c.workspaceID, c.key.Hash))
}

// save sets the place that takeBack goes back to.
func (b *batch) save(ctx context.Context) error {
	_, err := b.tx.ExecContext(ctx, "SAVEPOINT change")
	return Doing("setting a savepoint", err)
}

func (b *batch) takeBack(ctx context.Context) error {
	_, err := b.tx.ExecContext(ctx, "ROLLBACK TO SAVEPOINT change")
	return Doing("going back to a savepoint", err)
}

// repeat runs a generated query for one row and for more. Texts of few rows are few, so that their statements are kept.
// A change of many workspaces, or with many events, would fill the memory with statements that are used once.
func (b *batch) repeat(given int, more [][]any) *db.Queries {
	q := b.q
	if len(more) >= most {
		q = b.once
	}
	return db.New(Repeat(q, given, more))
}

// errLong takes a change out of a batch in which others wait for it.
var errLong = errors.New("store: a change of many rows is committed alone")

// statementsInLane is how many statements a change may run while others wait, and how many rows it may leave for sets.
const statementsInLane = 64

// bounded counts the statements of a change. A change that was refused one is undone as a whole, even where its code
// hides the error.
type bounded struct{ n int }

func (b *bounded) tooLong() bool { return b != nil && b.n > statementsInLane }

func (b *bounded) of(q db.DBTX) db.DBTX { return boundedQueries{q, b} }

type boundedQueries struct {
	db.DBTX
	bound *bounded
}

func (q boundedQueries) ExecContext(ctx context.Context, text string, args ...any) (sql.Result, error) {
	if q.bound.n++; q.bound.tooLong() {
		return nil, errLong
	}
	return q.DBTX.ExecContext(ctx, text, args...)
}

func (q boundedQueries) QueryContext(ctx context.Context, text string, args ...any) (*sql.Rows, error) {
	if q.bound.n++; q.bound.tooLong() {
		return nil, errLong
	}
	return q.DBTX.QueryContext(ctx, text, args...)
}

func (q boundedQueries) QueryRowContext(ctx context.Context, text string, args ...any) *sql.Row {
	q.bound.n++
	return q.DBTX.QueryRowContext(ctx, text, args...)
}
