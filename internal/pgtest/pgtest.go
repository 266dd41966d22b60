// Package pgtest gives tests a real PostgreSQL: a private cluster for each test
// process, made from the machine's own programs, and a database for each test.
// Nothing of it outlives the process, however that ends.
package pgtest

import (
	"context"
	"database/sql"
	"fmt"
	"net/url"
	"strconv"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	_ "github.com/jackc/pgx/v5/stdlib" // the driver "pgx"
)

var (
	cluster = sync.OnceValues(func() (*server, error) { return start(hasty...) })
	durable = sync.OnceValues(func() (*server, error) { return start() })
	made    atomic.Int64
)

// New makes an empty database that ends with the test, and returns its URL.
func New(tb testing.TB) string {
	tb.Helper()
	url, _ := database(tb, cluster)
	return url
}

// Durable is New where what is committed is on the disk, as in production, for
// measurements. It also names the process that all of the server descend from.
func Durable(tb testing.TB) (url string, pid int) {
	tb.Helper()
	return database(tb, durable)
}

func database(tb testing.TB, cluster func() (*server, error)) (url string, pid int) {
	tb.Helper()
	server, err := cluster()
	if err != nil {
		tb.Fatalf("starting PostgreSQL: %v", err)
	}
	folder, name := server.folder, "test_"+strconv.FormatInt(made.Add(1), 10)
	run(tb, folder, "CREATE DATABASE "+name)
	tb.Cleanup(func() { run(tb, folder, "DROP DATABASE "+name+" WITH (FORCE)") })
	return address(folder, name), server.pid
}

// address is the URL of a database behind the socket in the folder.
func address(folder, database string) string {
	return (&url.URL{
		Scheme: "postgres", User: url.User(superuser), Path: "/" + database,
		RawQuery: url.Values{"host": {folder}, "sslmode": {"disable"}}.Encode(),
	}).String()
}

func run(tb testing.TB, folder, statement string) {
	tb.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute) // the test's own has ended in a cleanup
	defer cancel()
	if err := ask(ctx, folder, statement); err != nil {
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
