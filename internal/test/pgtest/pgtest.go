// Package pgtest gives tests a real PostgreSQL: a private cluster for each test
// process, made from the machine's own programs, and a database for each test.
// Nothing of it outlives the process, however that ends.
package pgtest

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"net/url"
	"os"
	"strconv"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"

	"github.com/jackc/pgx/v5/pgconn"
	_ "github.com/jackc/pgx/v5/stdlib" // the driver "pgx"

	"github.com/railkit/railkit/internal/test/testwait"
)

var (
	cluster = sync.OnceValues(func() (*server, error) { return start(quick(), hasty...) })
	fragile = sync.OnceValues(func() (*server, error) { return start(quick(), hasty...) })
	durable = sync.OnceValues(func() (*server, error) { return start(os.TempDir()) })
	made    atomic.Int64

	templatesMu sync.Mutex
	templates   = map[string]error{} // by server and name: how its making went
)

// New makes an empty database that ends with the test, and returns its URL.
func New(tb testing.TB) string {
	tb.Helper()
	return create(tb, running(tb, cluster), "template1")
}

// Durable is New where what is committed is on the disk, as in production, for
// measurements. It also names the process that all of the server descend from.
func Durable(tb testing.TB) (url string, pid int) {
	tb.Helper()
	s := running(tb, durable)
	return create(tb, s, "template1"), s.pid
}

// NewFrom is New with a copy of what prepare made of an empty database, once for
// each name and process: migrations take longer than a copy of what they did.
// prepare closes its connections: a database in use is not copied.
func NewFrom(tb testing.TB, name string, prepare func(url string) error) string {
	tb.Helper()
	return copyOf(tb, running(tb, cluster), name, prepare)
}

// Fragile is NewFrom on a server of its own, for tests that crash it.
func Fragile(tb testing.TB, name string, prepare func(url string) error) string {
	tb.Helper()
	return copyOf(tb, running(tb, fragile), name, prepare)
}

func copyOf(tb testing.TB, s *server, name string, prepare func(url string) error) string {
	tb.Helper()
	name = "template_" + name
	if err := template(s, name, prepare); err != nil {
		tb.Fatalf("making the database %s: %v", name, err)
	}
	return create(tb, s, name)
}

func template(s *server, name string, prepare func(url string) error) error {
	templatesMu.Lock()
	defer templatesMu.Unlock()
	err, done := templates[s.folder+name]
	if !done {
		err = errors.Join(ask(context.Background(), s.folder, "CREATE DATABASE "+name),
			prepare(address(s.folder, name)))
		templates[s.folder+name] = err
	}
	return err
}

func create(tb testing.TB, s *server, template string) string {
	tb.Helper()
	name := "test_" + strconv.FormatInt(made.Add(1), 10)
	s.do(tb, "CREATE DATABASE "+name+" TEMPLATE "+template+s.copying)
	tb.Cleanup(func() { s.do(tb, "DROP DATABASE "+name+" WITH (FORCE)") })
	return address(s.folder, name)
}

// Crash kills a process of the server that has a database: PostgreSQL then ends all connections, of other tests of this
// process too, recovers from its log, and goes on. Tests that do it have theirs from Fragile.
func Crash(tb testing.TB, url string) {
	tb.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), testwait.Bound)
	defer cancel()
	db, err := sql.Open("pgx", url)
	if err != nil {
		tb.Fatal(err)
	}
	defer db.Close()
	var pid int
	if err := db.QueryRowContext(ctx, "SELECT pg_backend_pid()").Scan(&pid); err != nil {
		tb.Logf("the server is down already: %v", err)
		return
	}
	if err := syscall.Kill(pid, syscall.SIGKILL); err != nil {
		tb.Errorf("killing a process of the server: %v", err)
	}
}

func running(tb testing.TB, cluster func() (*server, error)) *server {
	tb.Helper()
	s, err := cluster()
	if err != nil {
		tb.Fatalf("starting PostgreSQL: %v", err)
	}
	return s
}

// address is the URL of a database behind the socket in the folder.
func address(folder, database string) string {
	return (&url.URL{
		Scheme: "postgres", User: url.User(superuser), Path: "/" + database,
		RawQuery: url.Values{"host": {folder}, "sslmode": {"disable"}}.Encode(),
	}).String()
}

// do has a statement run over the connections that are kept for it: PostgreSQL makes a process for a new one, and that
// reads its catalogs, which takes longer than to copy a database. Where a test has crashed the server those have ended.
func (s *server) do(tb testing.TB, statement string) {
	tb.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), testwait.Bound) // the test's own has ended in a cleanup
	defer cancel()
	_, err := s.admin.ExecContext(ctx, statement)
	if said := (*pgconn.PgError)(nil); err != nil && !errors.As(err, &said) {
		err = ask(ctx, s.folder, statement)
	}
	if err != nil {
		tb.Errorf("%s: %v", statement, err)
	}
}

func ask(ctx context.Context, folder, statement string) error {
	db, err := sql.Open("pgx", address(folder, "postgres"))
	if err != nil {
		return err
	}
	defer db.Close()
	if _, err := db.ExecContext(ctx, statement); err != nil {
		return fmt.Errorf("asking the server: %w", err)
	}
	return nil
}
