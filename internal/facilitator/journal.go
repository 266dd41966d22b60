package facilitator

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"time"

	"github.com/go-json-experiment/json"

	"github.com/railkit/railkit/chain/evm"
	"github.com/railkit/railkit/clock"
	"github.com/railkit/railkit/store/sqlite"
	"github.com/railkit/railkit/x402"
)

// journal is the facilitator's file. A settlement stands in it before anybody is asked to sign for it, its signed
// bytes before they are sent, and its receipt before it is answered.
type journal struct {
	db     *sqlite.DB
	unlock func() error
}

const schema = `
CREATE TABLE IF NOT EXISTS settlements (
	id TEXT PRIMARY KEY, terms TEXT NOT NULL, chain INTEGER NOT NULL, nonce INTEGER NOT NULL,
	request TEXT NOT NULL, ask TEXT NOT NULL, raw BLOB, hash TEXT NOT NULL DEFAULT '', receipt TEXT, at INTEGER NOT NULL,
	UNIQUE (chain, nonce));
CREATE INDEX IF NOT EXISTS settlements_open ON settlements (chain, nonce) WHERE receipt IS NULL;
CREATE TABLE IF NOT EXISTS resources (
	resource TEXT PRIMARY KEY, kind TEXT NOT NULL, version INTEGER NOT NULL, accepts TEXT NOT NULL, metadata TEXT NOT NULL,
	at INTEGER NOT NULL);
`

// otherProcess is how long one waits for another that is ending.
const otherProcess = time.Second

// openJournal opens the file of an account: nonces are an account's.
func openJournal(ctx context.Context, folder string, account evm.Address) (*journal, error) {
	db, err := sqlite.Open(ctx, filepath.Join(folder, strings.ToLower(account.String())+".db"))
	if err != nil {
		return nil, err
	}
	waiting, cancel := context.WithTimeout(ctx, otherProcess)
	defer cancel()
	unlock, err := db.Lock(waiting) // two would sign under one nonce
	if err != nil {
		return nil, errors.Join(errors.New("another facilitator has this folder"), db.Close())
	}
	if _, err := db.Writer.ExecContext(ctx, schema); err != nil {
		return nil, errors.Join(fmt.Errorf("making the journal: %w", err), db.Close(), unlock())
	}
	return &journal{db, unlock}, nil
}

func (j *journal) close() error { return errors.Join(j.db.Close(), j.unlock()) }

const columns = `SELECT id, terms, chain, nonce, request, ask, raw, hash, receipt FROM settlements `

// find is a settlement by the money that it moves, or nil.
func (j *journal) find(ctx context.Context, id string) (*settlement, error) {
	all, err := j.list(ctx, `WHERE id = ?`, id)
	if err != nil || len(all) == 0 {
		return nil, err
	}
	return all[0], nil
}

// open are those without a receipt, in the order of their nonces.
func (j *journal) open(ctx context.Context, chain uint64) ([]*settlement, error) {
	return j.list(ctx, `WHERE chain = ? AND receipt IS NULL ORDER BY nonce`, chain)
}

// from are all from a nonce on, in their order.
func (j *journal) from(ctx context.Context, chain, nonce uint64) ([]*settlement, error) {
	return j.list(ctx, `WHERE chain = ? AND nonce >= ? ORDER BY nonce`, chain, nonce)
}

func (j *journal) list(ctx context.Context, where string, args ...any) ([]*settlement, error) {
	rows, err := j.db.Reader.QueryContext(ctx, columns+where, args...)
	if err != nil {
		return nil, fmt.Errorf("reading the journal: %w", err)
	}
	defer func() { _ = rows.Close() }()
	var all []*settlement
	for rows.Next() {
		s, err := scan(rows)
		if err != nil {
			return nil, fmt.Errorf("reading the journal: %w", err)
		}
		all = append(all, s)
	}
	return all, rows.Err()
}

func scan(rows *sql.Rows) (*settlement, error) {
	s := &settlement{done: make(chan struct{})}
	var request, ask string
	var receipt sql.NullString
	if err := rows.Scan(&s.id, &s.terms, &s.chain, &s.nonce, &request, &ask, &s.raw, &s.hash, &receipt); err != nil {
		return nil, err
	}
	s.ask = []byte(ask)
	if err := json.Unmarshal([]byte(request), &s.request); err != nil {
		return nil, err
	}
	if !receipt.Valid {
		return s, nil
	}
	close(s.done)
	return s, json.Unmarshal([]byte(receipt.String), &s.receipt)
}

// next is the nonce above all that the journal has.
func (j *journal) next(ctx context.Context, chain uint64) (next uint64, err error) {
	err = j.db.Reader.QueryRowContext(ctx, `SELECT COALESCE(MAX(nonce) + 1, 0) FROM settlements WHERE chain = ?`,
		chain).Scan(&next)
	if err != nil {
		return 0, fmt.Errorf("reading the journal: %w", err)
	}
	return next, nil
}

func (j *journal) begin(ctx context.Context, s *settlement, at time.Time) error {
	request, err := json.Marshal(s.request)
	if err != nil {
		return err
	}
	return j.write(ctx, `INSERT INTO settlements (id, terms, chain, nonce, request, ask, at) VALUES (?, ?, ?, ?, ?, ?, ?)`,
		s.id, s.terms, s.chain, s.nonce, string(request), string(s.ask), clock.Micros(at))
}

// forget takes back a settlement that nobody signs.
func (j *journal) forget(ctx context.Context, s *settlement) error {
	return j.write(ctx, `DELETE FROM settlements WHERE id = ? AND raw IS NULL`, s.id)
}

func (j *journal) signed(ctx context.Context, id string, raw []byte, hash string) error {
	return j.write(ctx, `UPDATE settlements SET raw = ?, hash = ? WHERE id = ? AND raw IS NULL`, raw, hash, id)
}

func (j *journal) end(ctx context.Context, id string, r x402.Receipt) error {
	text, err := json.Marshal(r)
	if err != nil {
		return err
	}
	return j.write(ctx, `UPDATE settlements SET receipt = ? WHERE id = ? AND receipt IS NULL`, string(text), id)
}

// write changes one row, or says that it did not.
func (j *journal) write(ctx context.Context, query string, args ...any) error {
	done, err := j.db.Writer.ExecContext(ctx, query, args...)
	if err != nil {
		return fmt.Errorf("writing the journal: %w", err)
	}
	if n, err := done.RowsAffected(); err != nil || n != 1 {
		return errors.Join(errors.New("writing the journal: the row is not as it was"), err)
	}
	return nil
}
