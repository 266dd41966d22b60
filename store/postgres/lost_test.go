package postgres

import (
	"context"
	"database/sql"
	"errors"
	"testing"

	"github.com/jackc/pgx/v5/stdlib"

	"github.com/railkit/railkit/internal/test/pgtest"
)

// sever cuts every connection that lies in the pool, as the end of the server
// does. All were used a moment ago, so that nothing pings them first.
func sever(t *testing.T, db *DB) {
	t.Helper()
	var held []*sql.Conn
	for range connections {
		conn, err := db.acquire(t.Context(), db.Pool)
		if err != nil {
			t.Fatal(err)
		}
		held = append(held, conn)
	}
	for _, conn := range held {
		err := conn.Raw(func(c any) error { return c.(*stdlib.Conn).Conn().PgConn().Conn().Close() })
		if err = errors.Join(err, conn.Close()); err != nil {
			t.Fatal(err)
		}
	}
}

// A connection that ended while it lay in the pool costs no caller anything, be
// it for a read or for the beginning of a transaction.
func TestDeadConnectionsCostNobody(t *testing.T) {
	db := open(t, pgtest.New(t))
	var one int
	for what, do := range map[string]func() error{
		"row":         func() error { return db.Reader().QueryRowContext(t.Context(), "SELECT 1").Scan(&one) },
		"rows":        func() error { return closed(db.Reader().QueryContext(t.Context(), "SELECT 1")) },
		"transaction": func() error { return begun(db.Begin(t.Context())) },
	} {
		occupy(t, db)()
		sever(t, db)
		before := db.Connections()
		for range connections {
			if err := do(); err != nil {
				t.Errorf("%s: %v", what, err)
			}
		}
		if db.Connections() == before {
			t.Errorf("%s: there is no new connection", what)
		}
	}
}

func begun(tx *Transaction, err error) error {
	if err != nil {
		return err
	}
	defer tx.Release()
	return tx.Rollback()
}

// What is wrong for another reason is asked once, and so is what its caller left.
func TestOnlyDeadConnectionsAreAskedAgain(t *testing.T) {
	db := open(t, pgtest.New(t))
	gone, cancel := context.WithCancel(t.Context())
	for name, c := range map[string]struct {
		ctx  context.Context
		fail func() error
	}{
		"another error": {t.Context(), func() error { return errors.New("no such column") }},
		"no caller":     {gone, func() error { cancel(); return sql.ErrConnDone }},
	} {
		asked := 0
		conn, err := db.use(c.ctx, db.Pool, func(*sql.Conn) error { asked++; return c.fail() })
		if err == nil || asked != 1 {
			t.Errorf("%s: asked %d times, %v", name, asked, err)
		}
		_ = conn.Close()
	}
}
