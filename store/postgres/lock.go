package postgres

import (
	"context"
	"errors"
	"fmt"
	"time"
)

// lockKey is ours among the advisory locks of the database: "railkit" in ASCII.
const lockKey = 0x7261696c6b6974

// Lock keeps other processes out of Lock until unlock is called, and out of
// nothing else: requests never touch it. It belongs to a session, so the server
// frees it when the process dies.
//
// It is asked for again and again instead of waited for in SQL: a waiting
// statement holds a snapshot, and a migration that builds an index concurrently
// would wait for that snapshot, with the lock in its hand.
func (db *DB) Lock(ctx context.Context) (unlock func() error, err error) {
	conn, err := db.Pool.Conn(ctx)
	if err != nil {
		return nil, fmt.Errorf("locking the database: %w", err)
	}
	for {
		var locked bool
		if err := conn.QueryRowContext(
			ctx, "SELECT pg_try_advisory_lock($1)", int64(lockKey),
		).Scan(&locked); err != nil {
			return nil, fmt.Errorf("locking the database: %w", errors.Join(err, conn.Close()))
		}
		if locked {
			break
		}
		select {
		case <-time.After(50 * time.Millisecond):
		case <-ctx.Done():
			return nil, fmt.Errorf("locking the database: %w", errors.Join(ctx.Err(), conn.Close()))
		}
	}
	return func() error {
		_, err := conn.ExecContext(context.WithoutCancel(ctx), "SELECT pg_advisory_unlock($1)", int64(lockKey))
		return errors.Join(err, conn.Close())
	}, nil
}
