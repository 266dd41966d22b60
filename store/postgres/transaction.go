package postgres

import (
	"context"
	"database/sql"
	"fmt"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/stdlib"
)

// Transaction is one on a connection of its own.
type Transaction struct {
	*sql.Tx
	conn *sql.Conn
}

// Begin begins one. Release must be called once it has ended.
func (db *DB) Begin(ctx context.Context) (*Transaction, error) { return begin(ctx, db, db.Pool) }

// BeginInLane begins one in which no statement waits long for another transaction.
func (db *DB) BeginInLane(ctx context.Context) (*Transaction, error) { return begin(ctx, db, db.Lanes) }

func begin(ctx context.Context, db *DB, pool *sql.DB) (*Transaction, error) {
	var tx *sql.Tx
	conn, err := db.use(ctx, pool, func(conn *sql.Conn) (err error) {
		tx, err = conn.BeginTx(ctx, nil)
		return err
	})
	if conn == nil {
		return nil, err
	}
	t := &Transaction{tx, conn}
	if err != nil {
		t.Release()
		return nil, err
	}
	return t, nil
}

// Release gives the connection back.
func (t *Transaction) Release() {
	_ = t.conn.Close() // the connection is whole or gone, and in both cases not ours any more
}

// Statement is one whose answer nobody reads.
type Statement struct {
	What string // it does, for its error
	Text string
	Args []any
}

// Send runs statements in their order, and waits for the server once. After one that fails the server runs none; its
// error is the one that is told.
func (t *Transaction) Send(ctx context.Context, all []Statement) error {
	var batch pgx.Batch
	for _, s := range all {
		batch.Queue(s.Text, s.Args...)
	}
	return t.conn.Raw(func(driver any) error {
		answers := driver.(*stdlib.Conn).Conn().SendBatch(ctx, &batch)
		for _, s := range all {
			if _, err := answers.Exec(); err != nil {
				_ = answers.Close() // says the same again
				return fmt.Errorf("%s: %w", s.What, err)
			}
		}
		return answers.Close()
	})
}
