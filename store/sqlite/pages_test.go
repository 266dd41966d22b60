package sqlite_test

import (
	"path/filepath"
	"testing"

	"modernc.org/libc"
	sqlite3 "modernc.org/sqlite/lib"
)

// Pages lie in the memory that SQLite was given, and none is allocated.
func TestPages(t *testing.T) {
	db := open(t, filepath.Join(t.TempDir(), "x.db"))
	exec(t, db, "CREATE TABLE t (n BIGINT, body TEXT)")
	exec(t, db, `INSERT INTO t WITH RECURSIVE g(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM g WHERE n < 1000)
		SELECT n, hex(randomblob(1000)) FROM g`)
	var n int
	err := db.Reader.QueryRowContext(t.Context(), "SELECT COUNT(*) FROM t WHERE body LIKE '%A%'").Scan(&n)
	if err != nil {
		t.Fatal(err)
	}
	used, allocated := status(sqlite3.SQLITE_STATUS_PAGECACHE_USED), status(sqlite3.SQLITE_STATUS_PAGECACHE_OVERFLOW)
	if used < 500 || allocated > 0 {
		t.Errorf("%d pages are in the memory for them, and %d bytes elsewhere", used, allocated)
	}
}

// status is what SQLite counts in this process.
func status(of int32) int32 {
	tls := libc.NewTLS()
	defer tls.Close()
	now := libc.Xcalloc(tls, 2, 4)
	defer libc.Xfree(tls, now)
	sqlite3.Xsqlite3_status(tls, of, now, now+4, 0)
	return libc.AtomicLoadPInt32(now)
}
