package sqldb

import (
	"cmp"
	"context"
	"database/sql"
	"database/sql/driver"
	"errors"
	"maps"
	"slices"

	"github.com/railkit/railkit/store/db"
	"github.com/railkit/railkit/store/postgres"
)

// send has write run generated queries whose answers nobody reads (:exec). PostgreSQL is given all of them in one round
// trip: five statements that wait for each other cost server and database ten changes of the process that runs, and two
// so. An error of one of them is told by send, and write goes on as if it had run.
func (b *batch) send(ctx context.Context, write func(*batch) error) error {
	if b.tx.Send == nil {
		return write(b)
	}
	gathered, taking := &several{}, *b
	taking.q, taking.once = gathered, gathered
	if err := write(&taking); err != nil || len(gathered.all) == 0 {
		return err
	}
	return b.tx.Send(ctx, gathered.all)
}

// did says what a statement did that failed, also where it is sent later.
func (b *batch) did(what string, err error) error {
	if s, later := b.q.(*several); later {
		for i := range s.all {
			s.all[i].What = cmp.Or(s.all[i].What, what)
		}
	}
	return Doing(what, err)
}

// several gathers statements, which are run later.
type several struct{ all []postgres.Statement }

// errAnswer is a mistake of whoever wrote the call: nothing has run yet that it could be answered by.
var errAnswer = errors.New("store: the answer of a statement is asked for that is sent later, with others")

func (s *several) ExecContext(_ context.Context, text string, args ...any) (sql.Result, error) {
	s.all = append(s.all, postgres.Statement{Text: text, Args: args})
	return driver.ResultNoRows, nil // to ask it for a number of rows is an error
}

func (s *several) PrepareContext(context.Context, string) (*sql.Stmt, error) { return nil, errAnswer }

func (s *several) QueryContext(context.Context, string, ...any) (*sql.Rows, error) {
	return nil, errAnswer
}

func (s *several) QueryRowContext(context.Context, string, ...any) *sql.Row { panic(errAnswer) }

// touch moves the time of a row's last use. write writes it where it is later than the one that is there.
type touch struct {
	what  string // it does, for its error
	row   string // names it
	at    int64
	write func(context.Context, *db.Queries) error
}

// Touch has the time of a row's last use be moved when the rows of all changes are written. Of several changes that use
// the same row only the latest time is written: eight signatures of a wallet touch it once.
func (t *Tx) Touch(what, row string, at int64, write func(context.Context, *db.Queries) error) {
	t.touched = append(t.touched, touch{what, row, at, write})
}

// touch writes what changes have touched, in the order of the rows' names: no two transactions that do so wait for
// each other.
func (b *batch) touch(ctx context.Context, done []*change) error {
	latest := map[string]touch{}
	for _, c := range done {
		for _, t := range c.tx.touched {
			if last, is := latest[t.row]; !is || last.at < t.at {
				latest[t.row] = t
			}
		}
	}
	return b.send(ctx, func(b *batch) error {
		for _, row := range slices.Sorted(maps.Keys(latest)) {
			t := latest[row]
			if err := b.did(t.what, t.write(ctx, db.New(b.q))); err != nil {
				return err
			}
		}
		return nil
	})
}
