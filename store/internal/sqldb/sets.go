package sqldb

import (
	"cmp"
	"context"
	"reflect"
	"slices"

	"github.com/railkit/railkit/store/db"
)

// Set is a table whose new rows nobody reads before the commit. The rows of all changes of a transaction are written by
// one statement, once every change has done its own work: three orders in one commit have one INSERT into the timeline.
type Set[P any] struct {
	What   string // writing does, for its error
	Insert func(*db.Queries, context.Context, P) error
	// Merge makes the rows of all changes those that are written; nil: they are written as they are.
	Merge func([]P) []P
	// Last is of a table in which changes meet at rows. It is written when all else is, so that nobody who holds such a
	// row waits for another.
	Last bool
}

// Put has a row be written with the others of its set. P has the values of the generated INSERT in their order.
func (s *Set[P]) Put(t *Tx, row P) { t.put = append(t.put, put{s, row}) }

// put is a row of a set.
type put struct {
	set set
	row any
}

// set is a Set of any kind of row. All that can be done without knowing which is outside of Set, whose methods the
// compiler makes anew for each kind.
type set interface {
	about() (what string, last bool)
	insert(context.Context, *db.Queries, any) error
	merged([]any) []any
}

func (s *Set[P]) about() (what string, last bool) { return s.What, s.Last }

func (s *Set[P]) insert(ctx context.Context, q *db.Queries, row any) error {
	return s.Insert(q, ctx, row.(P))
}

func (s *Set[P]) merged(all []any) []any {
	if s.Merge == nil {
		return all
	}
	rows := make([]P, len(all))
	for i, row := range all {
		rows[i] = row.(P)
	}
	rows = s.Merge(rows)
	all = all[:0]
	for _, row := range rows {
		all = append(all, row)
	}
	return all
}

// rowsAtOnce are inserted by one statement.
const rowsAtOnce = 100

// inserts are the steps that write rows.
func inserts(ctx context.Context, s set, rows []any) (steps []step) {
	what, _ := s.about()
	for some := range slices.Chunk(s.merged(rows), rowsAtOnce) {
		more := make([][]any, 0, len(some)-1)
		for _, row := range some[1:] {
			more = append(more, values(row))
		}
		given := reflect.TypeOf(some[0]).NumField()
		steps = append(steps, step{what, func(b *batch) error { return s.insert(ctx, b.repeat(given, more), some[0]) }})
	}
	return steps
}

// values are those of a row's fields.
func values(row any) []any {
	v := reflect.ValueOf(row)
	all := make([]any, v.NumField())
	for i := range all {
		all[i] = v.Field(i).Interface()
	}
	return all
}

// puts writes the rows of all changes, each table by itself, in the order in which they came to it.
func puts(ctx context.Context, done []*change) (steps []step) {
	rows, sets := map[set][]any{}, []set{}
	for _, c := range done {
		for _, p := range c.tx.put {
			if rows[p.set] == nil {
				sets = append(sets, p.set)
			}
			rows[p.set] = append(rows[p.set], p.row)
		}
	}
	slices.SortStableFunc(sets, func(a, b set) int {
		_, aLast := a.about()
		_, bLast := b.about()
		return cmp.Compare(Flag(aLast), Flag(bLast))
	})
	for _, s := range sets {
		steps = append(steps, inserts(ctx, s, rows[s])...)
	}
	return steps
}
