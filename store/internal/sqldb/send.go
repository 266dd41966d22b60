package sqldb

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"errors"
	"maps"
	"slices"

	"github.com/railkit/railkit/store/db"
	"github.com/railkit/railkit/store/postgres"
)

// step is a part of what is written for all changes: generated queries whose answers nobody reads (:exec).
type step struct {
	what  string // it does, for its error
	write func(*batch) error
}

// send runs steps in their order. PostgreSQL is given the statements of all of them in one round trip, when the last
// step has been written: after each statement that is waited for, server and database have to be woken up.
func (b *batch) send(ctx context.Context, steps ...step) error {
	gathered, to := &several{}, b
	if b.tx.Send != nil {
		taking := *b
		taking.q, taking.once, to = gathered, gathered, &taking
	}
	for _, s := range steps {
		gathered.what = s.what
		if err := s.write(to); err != nil {
			return Doing(s.what, err)
		}
	}
	if len(gathered.all) == 0 {
		return nil
	}
	return b.tx.Send(ctx, gathered.all)
}

// several gathers statements, which are run later.
type several struct {
	what string // those that come now do
	all  []postgres.Statement
}

// errAnswer is a mistake of whoever wrote the call: nothing has run yet that it could be answered by.
var errAnswer = errors.New("store: the answer of a statement is asked for that is sent later, with others")

func (s *several) ExecContext(_ context.Context, text string, args ...any) (sql.Result, error) {
	s.all = append(s.all, postgres.Statement{What: s.what, Text: text, Args: args})
	return driver.ResultNoRows, nil // to ask it for a number of rows is an error
}

func (s *several) PrepareContext(context.Context, string) (*sql.Stmt, error) { return nil, errAnswer }

func (s *several) QueryContext(context.Context, string, ...any) (*sql.Rows, error) {
	return nil, errAnswer
}

func (s *several) QueryRowContext(context.Context, string, ...any) *sql.Row { panic(errAnswer) }

// touch moves a time of a row: that of its last use, or of the next look at it. write writes it where it is later than
// the one that is there.
type touch struct {
	what  string // it does, for its error
	row   string // names it
	at    int64
	write func(context.Context, *db.Queries) error
}

// Touch has a time of a row be moved when the rows of all changes are written. Of several changes that use
// the same row only the latest time is written: eight signatures of a wallet touch it once.
func (t *Tx) Touch(what, row string, at int64, write func(context.Context, *db.Queries) error) {
	t.touched = append(t.touched, touch{what, row, at, write})
}

// touch writes the rows that changes have left for sets, and what they have touched, in the order of the rows' names:
// no two transactions that do so wait for each other.
func (b *batch) touch(ctx context.Context, done []*change) error {
	latest := map[string]touch{}
	for _, c := range done {
		for _, t := range c.tx.touched {
			if last, is := latest[t.row]; !is || last.at < t.at {
				latest[t.row] = t
			}
		}
	}
	steps := puts(ctx, done)
	for _, row := range slices.Sorted(maps.Keys(latest)) {
		t := latest[row]
		steps = append(steps, step{t.what, func(b *batch) error { return t.write(ctx, db.New(b.q)) }})
	}
	return b.send(ctx, steps...)
}
