package store_test

import (
	"database/sql/driver"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"

	"modernc.org/sqlite"

	"github.com/railkit/railkit/clock"
	"github.com/railkit/railkit/internal/test/testenv"
	"github.com/railkit/railkit/store"
)

// poisons make the database refuse what the change "poison" leaves in a table for which all changes of a transaction
// share a statement.
var poisons = map[string]string{
	"idempotency": "UPDATE ON idempotency|NEW.key_hash = 'hash-poison'",
	"events":      "INSERT ON events|NEW.object_id = 'poison'",
	"audit":       "INSERT ON audit|NEW.resource = 'poison'",
}

func poison(t *testing.T, s *store.Store, engine, table string) {
	t.Helper()
	when, condition, _ := strings.Cut(poisons[table], "|")
	statements := []string{fmt.Sprintf(
		"CREATE TRIGGER poison BEFORE %s FOR EACH ROW WHEN %s BEGIN SELECT RAISE(ABORT, 'injected'); END", when, condition,
	)}
	if engine == "postgres" {
		statements = []string{
			"CREATE FUNCTION poison() RETURNS TRIGGER LANGUAGE plpgsql AS $$ BEGIN RAISE 'injected'; END $$",
			fmt.Sprintf(
				"CREATE TRIGGER poison BEFORE %s FOR EACH ROW WHEN (%s) EXECUTE FUNCTION poison()", when, condition,
			),
		}
	}
	for _, statement := range statements {
		if _, err := s.Writer().ExecContext(t.Context(), statement); err != nil {
			t.Fatal(err)
		}
	}
}

// Where a statement for all changes fails by one of them, that one fails, and the others are committed.
func TestTogetherPoisoned(t *testing.T) {
	for table := range poisons {
		t.Run(table, func(t *testing.T) {
			eachEngine(t, func(t *testing.T, s *store.Store) {
				poison(t, s, filepath.Base(t.Name()), table)
				c := newCrowd(t, s, "first")
				c.inserts("a")
				c.joins(func() {
					_, err := s.Signing().Commit(t.Context(), keyedCommand("poison"), insertWithJob("poison", &c.ran))
					if err == nil || !strings.Contains(err.Error(), "injected") {
						t.Errorf("got %v", err)
					}
				})
				c.inserts("b")
				c.goes()
				c.holds("first", "a", "b")
			})
		})
	}
}

const (
	dieAt   = "RAILKIT_TEST_DIE_AT"   // the row at which the process kills itself
	dieFile = "RAILKIT_TEST_DIE_FILE" // the database
)

// written are the tables to whose rows a batch of insertWithJob comes.
var written = []string{"idempotency", "transactions", "river_job", "audit_heads", "events", "audit"}

// rowsWritten is how many rows those are: of the change that holds the lane, and of the three that are committed
// together.
const rowsWritten = 27

// A server that dies at any row of a transaction of several changes leaves none of them, and one that comes after it
// commits each once.
func TestTogetherKilled(t *testing.T) {
	template := filepath.Join(t.TempDir(), "railkit.db")
	deadly(t, template)
	places := make([]int, rowsWritten)
	for i := range places {
		places[i] = i + 1
	}
	for _, at := range append(testenv.Sample(t, places, 5), rowsWritten+1) {
		path := filepath.Join(t.TempDir(), "railkit.db")
		copyTree(t, template, path)
		died := diesAt(t, path, at)
		if died != (at <= rowsWritten) {
			t.Errorf("at row %d: died is %v", at, died)
		}
		s := openFile(t, path, clock.System{})
		ids := []string{"later", "a", "b", "c"}
		if _, err := s.Signing().Transaction(t.Context(), "ws-1", "first"); err == nil {
			ids = append(ids, "first")
		}
		if n := count(t, s.Writer(), "SELECT COUNT(*) FROM transactions WHERE id <> 'first'"); died && n != 0 {
			t.Errorf("died at row %d: %d of the changes are there", at, n)
		}
		c := newCrowd(t, s, "later")
		for _, id := range []string{"a", "b", "c"} {
			c.inserts(id)
		}
		c.goes()
		c.holds(ids...)
	}
}

// deadly makes a database whose rows are counted as they are written.
func deadly(t *testing.T, path string) {
	t.Helper()
	s, err := openPath(t.Context(), path, clock.System{})
	if err != nil {
		t.Fatal(err)
	}
	for _, table := range written {
		for _, change := range []string{"INSERT", "UPDATE"} {
			statement := fmt.Sprintf("CREATE TRIGGER die_%s_%s AFTER %s ON %s BEGIN SELECT die(); END",
				table, change, change, table)
			if _, err := s.Writer().ExecContext(t.Context(), statement); err != nil {
				t.Fatal(err)
			}
		}
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
}

// diesAt runs TestTogetherDies in a process of its own, and reports whether that killed itself.
func diesAt(t *testing.T, path string, row int) bool {
	t.Helper()
	child := exec.CommandContext(t.Context(), os.Args[0], "-test.run", "^TestTogetherDies$")
	child.Env = append(os.Environ(), dieAt+"="+strconv.Itoa(row), dieFile+"="+path)
	out, err := child.CombinedOutput()
	if err == nil {
		return false
	}
	var exit *exec.ExitError
	if !errors.As(err, &exit) || exit.Sys().(syscall.WaitStatus).Signal() != syscall.SIGKILL {
		t.Fatalf("at row %d: %v\n%s", row, err, out)
	}
	return true
}

// TestTogetherDies is the process that TestTogetherKilled has kill itself.
func TestTogetherDies(t *testing.T) {
	row, err := strconv.Atoi(os.Getenv(dieAt))
	if err != nil {
		return // an ordinary run
	}
	s := openFile(t, os.Getenv(dieFile), clock.System{})
	c := newCrowd(t, s, "first")
	for _, id := range []string{"a", "b", "c"} {
		c.inserts(id)
	}
	rowsLeft.Store(int64(row))
	c.goes()
}

// rowsLeft is after how many rows the process dies; 0: it does not.
var rowsLeft atomic.Int64

// killable gives the triggers of deadly their function.
func killable() {
	sqlite.MustRegisterScalarFunction("die", 0, func(*sqlite.FunctionContext, []driver.Value) (driver.Value, error) {
		if rowsLeft.Add(-1) == 0 {
			_ = syscall.Kill(os.Getpid(), syscall.SIGKILL)
		}
		return int64(0), nil
	})
}
