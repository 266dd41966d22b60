package postgres

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"errors"
	"io"
	"net"
	"strings"
	"time"

	"github.com/jackc/pgx/v5/pgconn"

	"github.com/railkit/railkit/fault"
)

// Retryable reports whether err only says that another transaction was in the
// way: the whole transaction may be run again.
func Retryable(err error) bool {
	switch code(err) {
	case "40001", // serialization_failure
		"40P01": // deadlock_detected
		return true
	}
	return false
}

// Waited reports whether err says that a statement would have waited too long for another transaction, or that one
// before it in its transaction has failed so.
func Waited(err error) bool {
	switch code(err) {
	case "55P03", // lock_not_available: lock_timeout
		"25P02": // in_failed_sql_transaction
		return true
	}
	return false
}

// Away reports whether err says that the server could not be asked, or not in
// time. A commit may have happened all the same: the caller's next try under its
// idempotency key finds out.
func Away(err error) bool {
	var connect *pgconn.ConnectError
	if errors.As(err, &connect) {
		return true
	}
	switch c := code(err); c {
	case "55P03", // lock_not_available: lock_timeout
		"25P03", // idle_in_transaction_session_timeout
		"57014", // query_canceled, by statement_timeout
		"57P01", // admin_shutdown
		"57P02", // crash_shutdown
		"57P03", // cannot_connect_now
		"57P05": // idle_session_timeout
		return true
	case "":
		return lost(err)
	default:
		return strings.HasPrefix(c, "08") || strings.HasPrefix(c, "53") // no connection; no resources
	}
}

// dropped reports whether err says that the connection is gone, and nothing else.
func dropped(err error) bool {
	switch code(err) {
	case "57P01", // admin_shutdown
		"57P02", // crash_shutdown
		"57P05": // idle_session_timeout
		return true
	case "":
		return lost(err)
	}
	return false
}

// Tell makes an outage one that the caller is told of, and leaves alone what is
// something else: a fault already, the caller's own leaving, whatever SQLite says.
func Tell(err error) error {
	_, is := fault.As(err)
	if is || errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded) || !Away(err) {
		return err
	}
	return fault.ErrUnavailable.Because(err).After(time.Second)
}

// Denied reports whether err says that the role lacks a right.
func Denied(err error) bool { return code(err) == "42501" } // insufficient_privilege

func code(err error) string {
	var e *pgconn.PgError
	if errors.As(err, &e) {
		return e.Code
	}
	return ""
}

// lost reports whether the connection broke under a statement.
func lost(err error) bool {
	for _, end := range []error{
		io.EOF, io.ErrUnexpectedEOF, net.ErrClosed, driver.ErrBadConn, sql.ErrConnDone, pgconn.ErrConnClosed,
	} {
		if errors.Is(err, end) {
			return true
		}
	}
	var network *net.OpError
	return errors.As(err, &network)
}
