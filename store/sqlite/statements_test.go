package sqlite_test

import (
	"path/filepath"
	"sync"
	"testing"

	driver "modernc.org/sqlite"

	"github.com/railkit/railkit/store/sqlite"
)

// A text runs the first time inside of a transaction, where nothing can be prepared, and from a kept statement later;
// what was written by either is rolled back or stays as the transaction says.
func TestStatements_WithinTransactions(t *testing.T) {
	db := open(t, filepath.Join(t.TempDir(), "x.db"))
	exec(t, db, "CREATE TABLE n (n INTEGER PRIMARY KEY)")
	kept := sqlite.Keep(db.Writer)
	for i := range 6 {
		tx, err := kept.Begin(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		in := kept.Within(tx)
		if _, err := in.ExecContext(t.Context(), "INSERT INTO n (n) VALUES ($1)", i); err != nil {
			t.Fatal(err)
		}
		if _, err := in.ExecContext(t.Context(), "INSERT INTO nothing (n) VALUES ($1)", i); err == nil {
			t.Fatal("a text that SQLite refuses was run")
		}
		if i%2 == 1 {
			err = tx.Rollback()
		} else {
			err = tx.Commit()
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	rows, err := kept.QueryContext(t.Context(), "SELECT n FROM n ORDER BY n")
	if err != nil {
		t.Fatal(err)
	}
	defer rows.Close()
	var got []int
	for rows.Next() {
		var n int
		if err := rows.Scan(&n); err != nil {
			t.Fatal(err)
		}
		got = append(got, n)
	}
	if err := rows.Err(); err != nil || len(got) != 3 || got[0] != 0 || got[1] != 2 || got[2] != 4 {
		t.Errorf("got %v, %v; want 0, 2 and 4", got, err)
	}
}

// Readers share a statement, also the first time that it is asked for.
func TestStatements_ReadersAtOnce(t *testing.T) {
	db := open(t, filepath.Join(t.TempDir(), "x.db"))
	exec(t, db, "CREATE TABLE n (n INTEGER PRIMARY KEY)")
	exec(t, db, "INSERT INTO n (n) VALUES (7)")
	kept := sqlite.Keep(db.Reader)
	var all sync.WaitGroup
	for range 32 {
		all.Go(func() {
			for range 20 {
				var n int
				if err := kept.QueryRowContext(t.Context(), "SELECT n FROM n WHERE n = $1", 7).Scan(&n); err != nil ||
					n != 7 {
					t.Errorf("got %d, %v", n, err)
				}
			}
		})
	}
	all.Wait()
	if err := kept.QueryRowContext(t.Context(), "SELECT n FROM nothing").Scan(new(int)); err == nil {
		t.Error("a table that is not there was read")
	}
}

// One waits for the only connection to prepare a text, while the transaction that has it goes on.
func TestStatements_WritersAtOnce(t *testing.T) {
	db := open(t, filepath.Join(t.TempDir(), "x.db"))
	exec(t, db, "CREATE TABLE n (n INTEGER PRIMARY KEY)")
	kept := sqlite.Keep(db.Writer)
	var all sync.WaitGroup
	for i := range 16 {
		all.Go(func() {
			for j := range 10 {
				tx, err := kept.Begin(t.Context())
				if err != nil {
					t.Error(err)
					return
				}
				in := kept.Within(tx)
				for _, text := range []string{"INSERT INTO n (n) VALUES ($1)", "UPDATE n SET n = n WHERE n = $1"} {
					if _, err := in.ExecContext(t.Context(), text, i*10+j); err != nil {
						t.Error(err)
					}
				}
				if err := tx.Commit(); err != nil {
					t.Error(err)
				}
			}
		})
	}
	all.Wait()
	var n int
	if err := kept.QueryRowContext(t.Context(), "SELECT COUNT(*) FROM n").Scan(&n); err != nil || n != 160 {
		t.Errorf("%d rows, %v; want 160", n, err)
	}
}

// A kept statement is parsed once, also one whose LIMIT is bound: what a parser allocates is counted.
func TestStatements_BoundLimitIsParsedOnce(t *testing.T) {
	db := open(t, filepath.Join(t.TempDir(), "x.db"))
	exec(t, db, "CREATE TABLE n (n INTEGER PRIMARY KEY)")
	exec(t, db, "INSERT INTO n (n) VALUES (7), (8), (9)")
	kept := sqlite.Keep(db.Writer)
	allocated := func(text string, args ...any) int {
		t.Helper()
		before := lookaside(t, db)
		for range 100 {
			var n int
			if err := kept.QueryRowContext(t.Context(), text, args...).Scan(&n); err != nil || n != 7 {
				t.Fatalf("%s: %d, %v", text, n, err)
			}
		}
		return lookaside(t, db) - before
	}
	const text = "SELECT n FROM n WHERE n > $1 ORDER BY n LIMIT "
	written, bound := allocated(text+"2", 1), allocated(text+"$2", 1, 2)
	t.Logf("%d of a limit that is written, %d of one that is bound", written, bound)
	if bound > 2*written {
		t.Errorf("%d allocations for a LIMIT that is bound, %d for one that is written", bound, written)
	}
}

// lookaside is how often the writing connection took memory of the kind that parsing takes.
func lookaside(t *testing.T, db *sqlite.DB) (n int) {
	t.Helper()
	conn, err := db.Writer.Conn(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	err = conn.Raw(func(c any) error {
		_, n, err = c.(driver.DBStatus).Status(driver.DBStatusLookasideHit, false)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return n
}
