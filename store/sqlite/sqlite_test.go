package sqlite_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/railkit/railkit/store/sqlite"
	"golang.org/x/sys/unix"
)

func open(t *testing.T, path string) *sqlite.DB {
	t.Helper()
	db, err := sqlite.Open(t.Context(), path)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = db.Close() })
	return db
}

func exec(t *testing.T, db *sqlite.DB, statement string) {
	t.Helper()
	if _, err := db.Writer.ExecContext(t.Context(), statement); err != nil {
		t.Fatalf("%s: %v", statement, err)
	}
}

func TestPragmas(t *testing.T) {
	db := open(t, filepath.Join(t.TempDir(), "x.db"))
	for pragma, want := range map[string]string{
		"journal_mode": "wal", "synchronous": "2", "foreign_keys": "1", "busy_timeout": "5000", "query_only": "0",
	} {
		var got string
		if err := db.Writer.QueryRowContext(t.Context(), "PRAGMA "+pragma).Scan(&got); err != nil || got != want {
			t.Errorf("%s of the writer: %s, %v, want %s", pragma, got, err, want)
		}
	}
	if n := db.Writer.Stats().MaxOpenConnections; n != 1 {
		t.Errorf("%d writing connections, want 1", n)
	}
}

func TestReaderCannotWrite(t *testing.T) {
	db := open(t, filepath.Join(t.TempDir(), "x.db"))
	exec(t, db, "CREATE TABLE t (n BIGINT)")
	for _, statement := range []string{
		"INSERT INTO t VALUES (1)", "DROP TABLE t", "PRAGMA query_only = 0; INSERT INTO t VALUES (1)",
	} {
		if _, err := db.Reader.ExecContext(t.Context(), statement); err == nil {
			t.Errorf("the reader ran %s", statement)
		}
	}
}

// A transaction of the writer takes the lock as it begins: no read in it can be
// stale, and none has to give up half-way.
func TestImmediate(t *testing.T) {
	path := filepath.Join(t.TempDir(), "x.db")
	first, second := open(t, path), open(t, path)
	exec(t, first, "CREATE TABLE t (n BIGINT)")
	exec(t, second, "PRAGMA busy_timeout = 1")
	tx, err := first.Writer.BeginTx(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	defer tx.Rollback()
	if _, err = second.Writer.BeginTx(t.Context(), nil); !sqlite.Busy(err) {
		t.Errorf("a second transaction began: %v", err)
	}
	if sqlite.Busy(nil) || sqlite.Busy(errors.New("x")) {
		t.Error("an error of something else counts as busy")
	}
	var n int
	if err := first.Reader.QueryRowContext(t.Context(), "SELECT COUNT(*) FROM t").Scan(&n); err != nil {
		t.Errorf("reading beside a transaction: %v", err)
	}
}

func TestOddNames(t *testing.T) {
	folder := filepath.Join(t.TempDir(), "a b?c=d&e%20#f")
	if err := os.Mkdir(folder, 0o700); err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(folder, "x?y.db")
	exec(t, open(t, path), "CREATE TABLE t (n BIGINT)")
	info, err := os.Stat(path)
	if err != nil || info.Size() == 0 && !exists(path+"-wal") {
		t.Fatalf("the database is somewhere else: %v", err)
	}
	if info.Mode().Perm() != 0o600 {
		t.Errorf("mode %v, want 0600", info.Mode().Perm())
	}
}

func exists(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}

func TestNoFolder(t *testing.T) {
	_, err := sqlite.Open(t.Context(), filepath.Join(t.TempDir(), "missing", "x.db"))
	if err == nil || !strings.Contains(err.Error(), "no such file or directory") {
		t.Errorf("got %v", err)
	}
}

func TestNoDatabase(t *testing.T) {
	path := filepath.Join(t.TempDir(), "x.db")
	if err := os.WriteFile(path, []byte(strings.Repeat("not a database ", 100)), 0o600); err != nil {
		t.Fatal(err)
	}
	_, err := sqlite.Open(t.Context(), path)
	if err == nil || !strings.Contains(err.Error(), "not a database") {
		t.Errorf("got %v", err)
	}
}

func TestUnwritableFolder(t *testing.T) {
	folder := t.TempDir()
	path := filepath.Join(folder, "x.db")
	if err := os.WriteFile(path, nil, 0o666); err != nil {
		t.Fatal(err)
	}
	if err := os.Chmod(path, 0o666); err != nil {
		t.Fatal(err)
	}
	if err := os.Chmod(folder, 0o555); err != nil {
		t.Fatal(err)
	}
	if err := os.Chmod(filepath.Dir(folder), 0o755); err != nil {
		t.Fatal(err)
	}
	asNobody(t, func() {
		for name, want := range map[string]string{"x.db": "its folder is not writable", "y.db": "permission denied"} {
			_, err := sqlite.Open(t.Context(), filepath.Join(folder, name))
			if err == nil || !strings.Contains(err.Error(), want) {
				t.Errorf("%s: got %v, want %q", name, err, want)
			}
		}
	})
}

// asNobody gives up root's right to write everywhere, for the thread of do.
func asNobody(t *testing.T, do func()) {
	t.Helper()
	if os.Geteuid() != 0 {
		do()
		return
	}
	runtime.LockOSThread() // and never unlocked: the thread ends with the test
	const nobody = 65534
	if err := unix.Setfsuid(nobody); err != nil {
		t.Fatal(err)
	}
	defer unix.Setfsuid(0)
	do()
}

func TestLock(t *testing.T) {
	path := filepath.Join(t.TempDir(), "x.db")
	first, second := open(t, path), open(t, path)
	unlock, err := first.Lock(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	hurried, cancel := context.WithTimeout(t.Context(), time.Millisecond) // given up: what never comes
	defer cancel()
	if _, err := second.Lock(hurried); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("two hold the lock: %v", err)
	}
	locked := make(chan error, 1)
	go func() {
		unlock, err := second.Lock(context.Background())
		if err == nil {
			err = unlock()
		}
		locked <- err
	}()
	if err := unlock(); err != nil {
		t.Fatal(err)
	}
	if err := <-locked; err != nil {
		t.Errorf("the lock is not free: %v", err)
	}
}

// Programs that start and stop at once on one folder wait for each other.
func TestOpenWhileOthersOpenAndClose(t *testing.T) {
	path := filepath.Join(t.TempDir(), "railkit.db")
	var wg sync.WaitGroup
	for range 8 {
		wg.Go(func() {
			for range 15 {
				db, err := sqlite.Open(t.Context(), path)
				if err != nil {
					t.Errorf("opening: %v", err)
					return
				}
				if err := db.Close(); err != nil {
					t.Errorf("closing: %v", err)
				}
			}
		})
	}
	wg.Wait()
}
