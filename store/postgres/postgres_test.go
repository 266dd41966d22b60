package postgres

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5/pgconn"

	"github.com/railkit/railkit/fault"
	"github.com/railkit/railkit/internal/test/pgtest"
)

func open(t *testing.T, url string) *DB {
	t.Helper()
	db, err := Open(t.Context(), url)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = db.Close() })
	return db
}

func show(t *testing.T, db *DB, setting string) (value string) {
	t.Helper()
	if err := db.Reader().QueryRowContext(t.Context(), "SHOW "+setting).Scan(&value); err != nil {
		t.Fatal(err)
	}
	return value
}

func TestSettings(t *testing.T) {
	db := open(t, pgtest.New(t))
	for setting, want := range map[string]string{
		"transaction_isolation": "read committed", "lock_timeout": "10s", "timezone": "UTC",
		"application_name":                    "railkit",
		"idle_in_transaction_session_timeout": "1min",
	} {
		if got := show(t, db, setting); got != want {
			t.Errorf("%s = %s, want %s", setting, got, want)
		}
	}
}

func TestNoServer(t *testing.T) {
	for _, url := range []string{
		"postgres://u:hunter2@127.0.0.1:1/x", "postgres://u:hunter2@[broken", "mysql://u:hunter2@h/x",
	} {
		_, err := Open(t.Context(), url)
		if err == nil || strings.Contains(err.Error(), "hunter2") {
			t.Errorf("got %v", err)
		}
	}
}

// occupy takes every connection of the pool, as busy requests do.
func occupy(t *testing.T, db *DB) (free func()) {
	t.Helper()
	var releases []func()
	for range connections {
		tx, err := db.Begin(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		releases = append(releases, func() { _ = tx.Rollback(); tx.Release() })
	}
	return func() {
		for _, r := range releases {
			r()
		}
	}
}

// A caller who finds all connections busy is told so soon, and never hangs.
func TestBusyPoolIsToldSoon(t *testing.T) {
	db := open(t, pgtest.New(t))
	free := occupy(t, db)
	patience := db.patience
	db.patience = 50 * time.Millisecond // only now: a new connection may take longer
	var one int
	for what, do := range map[string]func() error{
		"transaction": func() error { return second(db.Begin(t.Context())) },
		"row":         func() error { return db.Reader().QueryRowContext(t.Context(), "SELECT 1").Scan(&one) },
		"rows":        func() error { return closed(db.Reader().QueryContext(t.Context(), "SELECT 1")) },
		"statement":   func() error { return second(db.Reader().ExecContext(t.Context(), "SELECT 1")) },
	} {
		err := do()
		if f, ok := fault.As(err); !ok || f.Code != fault.ErrUnavailable.Code || f.RetryAfter == 0 {
			t.Errorf("%s: got %v", what, err)
		}
	}
	gone, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := db.Begin(gone); !errors.Is(err, context.Canceled) {
		t.Errorf("a caller who left: got %v", err)
	}
	free()
	db.patience = patience
	if err := db.Reader().QueryRowContext(t.Context(), "SELECT 1").Scan(&one); err != nil {
		t.Errorf("once there is room: %v", err)
	}
}

func closed(rows *sql.Rows, err error) error {
	if err != nil {
		return err
	}
	return errors.Join(rows.Err(), rows.Close())
}

// A reader gives each connection back, also of a query that failed or whose rows
// were not read to the end.
func TestReaderGivesBack(t *testing.T) {
	db := open(t, pgtest.New(t))
	var one int
	for range 3 * connections {
		if err := closed(db.Reader().QueryContext(t.Context(), "SELECT generate_series(1, 1000)")); err != nil {
			t.Fatal(err)
		}
		if err := db.Reader().QueryRowContext(t.Context(), "SELECT 1").Scan(&one); err != nil {
			t.Fatal(err)
		}
		if err := closed(db.Reader().QueryContext(t.Context(), "SELECT nothing")); err == nil {
			t.Fatal("a wrong query worked")
		}
	}
	if n := db.Pool.Stats().OpenConnections; n > connections {
		t.Errorf("%d connections", n)
	}
}

func second[T any](_ T, err error) error { return err }

// Two transactions that lock two rows in opposite orders: PostgreSQL ends one.
func TestRetryable(t *testing.T) {
	db := open(t, pgtest.New(t))
	for _, statement := range []string{"CREATE TABLE t (id BIGINT PRIMARY KEY)", "INSERT INTO t VALUES (1), (2)"} {
		if _, err := db.Pool.ExecContext(t.Context(), statement); err != nil {
			t.Fatal(err)
		}
	}
	lock := func(tx *Transaction, id int) error {
		_, err := tx.ExecContext(t.Context(), "SELECT 1 FROM t WHERE id = $1 FOR UPDATE", id)
		return err
	}
	var txs [2]*Transaction
	for i := range txs {
		tx, err := db.Begin(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		defer tx.Release()
		defer tx.Rollback()
		if err := lock(tx, i+1); err != nil {
			t.Fatal(err)
		}
		txs[i] = tx
	}
	loser := make(chan error, 1)
	go func() {
		err := lock(txs[0], 2)
		_ = txs[0].Rollback()
		loser <- err
	}()
	mine := lock(txs[1], 1)
	_ = txs[1].Rollback()
	theirs := <-loser
	if Retryable(mine) == Retryable(theirs) {
		t.Errorf("one of the two can be run again: %v; %v", mine, theirs)
	}
}

func TestErrors(t *testing.T) {
	for _, c := range []struct {
		err             error
		retryable, away bool
	}{
		{nil, false, false},
		{errors.New("x"), false, false},
		{sql.ErrNoRows, false, false},
		{&pgconn.PgError{Code: "40001"}, true, false},
		{&pgconn.PgError{Code: "40P01"}, true, false},
		{&pgconn.PgError{Code: "23505"}, false, false},
		{&pgconn.PgError{Code: "55P03"}, false, true},
		{&pgconn.PgError{Code: "57P01"}, false, true},
		{&pgconn.PgError{Code: "53300"}, false, true},
		{sql.ErrConnDone, false, true},
		{pgconn.ErrConnClosed, false, true},
		{&pgconn.ConnectError{}, false, true},
	} {
		err := c.err
		if err != nil {
			err = fmt.Errorf("doing something: %w", err)
		}
		if Retryable(err) != c.retryable || Away(err) != c.away {
			t.Errorf("%T %s: retryable %v, away %v", c.err, code(err), Retryable(err), Away(err))
		}
	}
}

func TestLock(t *testing.T) {
	url := pgtest.New(t)
	first, second := open(t, url), open(t, url)
	unlock, err := first.Lock(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	short, cancel := context.WithTimeout(t.Context(), 200*time.Millisecond) // given up: what never comes
	defer cancel()
	if _, err := second.Lock(short); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("two hold the lock: %v", err)
	}
	if err := unlock(); err != nil {
		t.Fatal(err)
	}
	unlock, err = second.Lock(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if err := unlock(); err != nil {
		t.Fatal(err)
	}
}

// A server process that dies leaves no lock behind.
func TestLockEndsWithItsSession(t *testing.T) {
	url := pgtest.New(t)
	first, second := open(t, url), open(t, url)
	if _, err := first.Lock(t.Context()); err != nil {
		t.Fatal(err)
	}
	_, err := second.Pool.ExecContext(
		t.Context(), "SELECT pg_terminate_backend(pid) FROM pg_locks WHERE locktype = 'advisory'",
	)
	if err != nil {
		t.Fatal(err)
	}
	unlock, err := second.Lock(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if err := unlock(); err != nil {
		t.Fatal(err)
	}
}

// Statements that are sent together run in their order. After one that fails none runs, and its error is told.
func TestSend(t *testing.T) {
	db := open(t, pgtest.New(t))
	tx, err := db.Begin(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer tx.Release()
	defer tx.Rollback()
	insert := func(n int) Statement {
		return Statement{"inserting", "INSERT INTO sent (n) VALUES ($1)", []any{n}}
	}
	if err := tx.Send(t.Context(), []Statement{{Text: "CREATE TABLE sent (n BIGINT PRIMARY KEY)"}}); err != nil {
		t.Fatal(err)
	}
	add := Statement{"adding", "UPDATE sent SET n = n + $1", []any{2}}
	if err := tx.Send(t.Context(), []Statement{insert(1), add}); err != nil {
		t.Fatal(err)
	}
	var n int
	if err := tx.QueryRowContext(t.Context(), "SELECT MAX(n) FROM sent").Scan(&n); err != nil || n != 3 {
		t.Errorf("the row is %d, %v", n, err)
	}
	err = tx.Send(t.Context(), []Statement{insert(4), insert(3), insert(5)})
	if code(err) != "23505" || !strings.HasPrefix(err.Error(), "inserting: ") { // unique_violation
		t.Errorf("a row that is there twice: %v", err)
	}
	if err := tx.Commit(); err == nil {
		t.Error("what failed was committed")
	}
	gone, cancel := context.WithCancel(t.Context())
	cancel()
	if err := tx.Send(gone, []Statement{insert(6)}); err == nil {
		t.Error("a caller who left is not told so")
	}
}
