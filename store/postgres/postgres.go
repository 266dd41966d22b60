// Package postgres opens the production database: one pool, which nobody waits
// for longer than a moment.
package postgres

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"net"
	"strconv"
	"strings"
	"sync/atomic"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/stdlib"

	"github.com/railkit/railkit/fault"
)

const (
	connections = 8               // and those of the lanes: 8 to 16 are the optimum for a server of two cores
	patience    = 3 * time.Second // for a connection of the pool
	lockWait    = "10s"           // for a row that another transaction holds
	laneWait    = "50ms"          // for the same in a lane, where other callers wait meanwhile
	idleInside  = "60s"           // of a transaction whose server went away with its host
	idleOutside = 5 * time.Minute // of a connection
)

// Lanes is how many transactions of changes of several callers there are at once.
const Lanes = 4

// DB is an open database.
type DB struct {
	Pool  *sql.DB
	Lanes *sql.DB // for those transactions alone

	patience time.Duration
	made     atomic.Int64
}

// Connections is how many were made so far. A replica takes over behind new ones only.
func (db *DB) Connections() int64 { return db.made.Load() }

// Open connects to the database that the URL names; it must exist. What goes
// wrong is told without the URL, since that holds the password.
func Open(ctx context.Context, url string) (*DB, error) {
	config, err := pgx.ParseConfig(url)
	if err != nil {
		return nil, errors.New("opening the database: its URL is not of the form postgres://user:password@host:port/name")
	}
	settings(config.RuntimeParams)
	db := &DB{patience: patience}
	db.Pool = db.pool(config.Copy(), lockWait, connections)
	db.Lanes = db.pool(config, laneWait, Lanes)
	if err := db.Pool.PingContext(ctx); err != nil {
		return nil, fmt.Errorf("opening the database: %w", errors.Join(err, db.Close()))
	}
	return db, nil
}

func (db *DB) pool(config *pgx.ConnConfig, lockWait string, most int) *sql.DB {
	config.RuntimeParams["lock_timeout"] = lockWait
	pool := stdlib.OpenDB(*config, stdlib.OptionAfterConnect(func(context.Context, *pgx.Conn) error {
		db.made.Add(1)
		return nil
	}))
	pool.SetMaxOpenConns(most)
	pool.SetMaxIdleConns(most)
	pool.SetConnMaxIdleTime(idleOutside)
	return pool
}

// Address names the database of a URL without user and password: host, port and
// name, or the socket's folder.
func Address(url string) string {
	config, err := pgx.ParseConfig(url)
	if err != nil {
		return "PostgreSQL"
	}
	if strings.HasPrefix(config.Host, "/") {
		return "PostgreSQL " + config.Host + "/" + config.Database
	}
	return "PostgreSQL " + net.JoinHostPort(config.Host, strconv.Itoa(int(config.Port))) + "/" + config.Database
}

// settings are each connection's, whatever the server's defaults are.
//
// Read committed is enough, and needs fewer retries than more would: a change of
// state is one UPDATE that names the state it starts from, which PostgreSQL
// checks again once it has waited for the row; what must exist once is held by a
// unique index; and an idempotency key is claimed by an upsert that locks the
// row even where it changes nothing, so that the answer read next is committed
// and stays. No transaction decides by one row about another.
func settings(params map[string]string) {
	params["default_transaction_isolation"] = "read committed"
	params["idle_in_transaction_session_timeout"] = idleInside
	params["timezone"] = "UTC"
	if params["application_name"] == "" {
		params["application_name"] = "railkit"
	}
}

// Close closes the pools.
func (db *DB) Close() error { return errors.Join(db.Pool.Close(), db.Lanes.Close()) }

// use has do ask something on a connection, which the caller gives back where
// there is one. A connection that ended while it lay in the pool shows that at
// its next use only: what changes nothing is then asked once more, on one that
// has just answered.
func (db *DB) use(ctx context.Context, pool *sql.DB, do func(*sql.Conn) error) (*sql.Conn, error) {
	conn, err := db.acquire(ctx, pool)
	if err != nil {
		return nil, err
	}
	if err = do(conn); err == nil || ctx.Err() != nil || !dropped(err) {
		return conn, err
	}
	_ = conn.Close()
	if conn, err = db.awake(ctx, pool); err != nil {
		return nil, err
	}
	return conn, do(conn)
}

// awake takes a connection that answers. Those that do not leave the pool, and at
// the worst that is all of them.
func (db *DB) awake(ctx context.Context, pool *sql.DB) (*sql.Conn, error) {
	var last error
	for range connections + 1 {
		conn, err := db.acquire(ctx, pool)
		if err != nil {
			return nil, err
		}
		if last = conn.PingContext(ctx); last == nil {
			return conn, nil
		}
		_ = conn.Close()
	}
	return nil, fault.ErrUnavailable.Because(fmt.Errorf(
		"asking the database for an answer: %w", last,
	)).After(time.Second)
}

// acquire takes a connection. Where all are busy for too long, or there is no
// server, the caller hears at once that it should come back.
func (db *DB) acquire(ctx context.Context, pool *sql.DB) (*sql.Conn, error) {
	wait, cancel := context.WithTimeout(ctx, db.patience)
	defer cancel()
	conn, err := pool.Conn(wait)
	if err == nil {
		return conn, nil
	}
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	return nil, fault.ErrUnavailable.Because(fmt.Errorf(
		"taking a connection to the database: %w", err,
	)).After(time.Second)
}
