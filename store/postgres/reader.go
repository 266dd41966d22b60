package postgres

import (
	"context"
	"database/sql"
)

// Reader runs single queries, each on a connection that it waits for no longer
// than a transaction would.
type Reader struct{ db *DB }

// Reader is for what needs no transaction.
func (db *DB) Reader() *Reader { return &Reader{db} }

// QueryContext gives the connection back once the rows are closed.
func (r *Reader) QueryContext(ctx context.Context, query string, args ...any) (rows *sql.Rows, err error) {
	conn, err := r.db.use(ctx, r.db.Pool, func(conn *sql.Conn) (err error) {
		rows, err = conn.QueryContext(ctx, query, args...)
		return err
	})
	if conn == nil {
		return nil, err
	}
	defer giveBack(conn)
	return rows, err
}

// QueryRowContext gives the connection back once the row is scanned.
func (r *Reader) QueryRowContext(ctx context.Context, query string, args ...any) (row *sql.Row) {
	conn, err := r.db.use(ctx, r.db.Pool, func(conn *sql.Conn) error {
		row = conn.QueryRowContext(ctx, query, args...)
		return row.Err()
	})
	if conn == nil {
		return r.db.Pool.QueryRowContext(refused{ctx, err}, query)
	}
	defer giveBack(conn)
	return row
}

// ExecContext runs a statement, once: it may change something.
func (r *Reader) ExecContext(ctx context.Context, query string, args ...any) (sql.Result, error) {
	conn, err := r.db.acquire(ctx, r.db.Pool)
	if err != nil {
		return nil, err
	}
	defer giveBack(conn)
	return conn.ExecContext(ctx, query, args...)
}

// PrepareContext prepares on the pool: a statement outlives any one connection.
func (r *Reader) PrepareContext(ctx context.Context, query string) (*sql.Stmt, error) {
	return r.db.Pool.PrepareContext(ctx, query)
}

// giveBack closes conn once its rows are closed: Close waits for them, and whoever
// reads them does not know of conn.
func giveBack(conn *sql.Conn) { go conn.Close() }

// refused is a context that has ended for a reason of ours: the one way to hand
// out a row that says why there is none.
type refused struct {
	context.Context
	err error
}

var ended = func() chan struct{} { c := make(chan struct{}); close(c); return c }()

// Done is closed.
func (refused) Done() <-chan struct{} { return ended }

// Err is the reason.
func (r refused) Err() error { return r.err }
