package facilitator

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"path/filepath"
	"time"

	"github.com/go-json-experiment/json"

	"github.com/railkit/railkit/chain/families"
	"github.com/railkit/railkit/clock"
	"github.com/railkit/railkit/crash"
	"github.com/railkit/railkit/store/sqlite"
	"github.com/railkit/railkit/x402"
)

// journal is the facilitator's file. A settlement stands in it before anybody is asked to sign for it, its signed
// bytes before they are sent, and its receipt before it is answered.
type journal struct {
	db     *sqlite.DB
	unlock func() error // the folder
}

// schemas are what a file was made with and what has changed since, in their order. PRAGMA user_version counts them.
var schemas = []string{`
CREATE TABLE IF NOT EXISTS settlements (
	id TEXT PRIMARY KEY, terms TEXT NOT NULL, chain INTEGER NOT NULL, nonce INTEGER NOT NULL,
	request TEXT NOT NULL, ask TEXT NOT NULL, raw BLOB, hash TEXT NOT NULL DEFAULT '', receipt TEXT, at INTEGER NOT NULL,
	UNIQUE (chain, nonce));
CREATE INDEX IF NOT EXISTS settlements_open ON settlements (chain, nonce) WHERE receipt IS NULL;
CREATE TABLE IF NOT EXISTS resources (
	resource TEXT PRIMARY KEY, kind TEXT NOT NULL, version INTEGER NOT NULL, accepts TEXT NOT NULL, metadata TEXT NOT NULL,
	at INTEGER NOT NULL);
`, `
-- A nonce is of what was signed for it. Before that, two settlements may have asked for it.
CREATE TABLE settlements_2 (
	id TEXT PRIMARY KEY, terms TEXT NOT NULL, chain INTEGER NOT NULL, nonce INTEGER NOT NULL,
	request TEXT NOT NULL, ask TEXT NOT NULL, raw BLOB, hash TEXT NOT NULL DEFAULT '', receipt TEXT, at INTEGER NOT NULL);
INSERT INTO settlements_2 SELECT id, terms, chain, nonce, request, ask, raw, hash, receipt, at FROM settlements;
DROP TABLE settlements;
ALTER TABLE settlements_2 RENAME TO settlements;
CREATE UNIQUE INDEX settlements_signed ON settlements (chain, nonce) WHERE raw IS NOT NULL;
CREATE INDEX settlements_nonce ON settlements (chain, nonce);
CREATE INDEX settlements_open ON settlements (chain, nonce) WHERE receipt IS NULL;
-- Whose success was said, and to whom ("": nobody hears it again).
CREATE TABLE told (id TEXT PRIMARY KEY, listener TEXT NOT NULL, at INTEGER NOT NULL);
INSERT INTO told SELECT id, '', at FROM settlements WHERE receipt IS NOT NULL;
-- They had what buyers asked for in them. Their shops are listed again by the next payment.
DELETE FROM resources;
`, `
-- Where transactions have no nonces, the slot before one and the height of the last block that can have it.
ALTER TABLE settlements ADD COLUMN since INTEGER NOT NULL DEFAULT 0;
ALTER TABLE settlements ADD COLUMN last_height INTEGER NOT NULL DEFAULT 0;
DROP INDEX settlements_signed;
CREATE UNIQUE INDEX settlements_signed ON settlements (chain, nonce) WHERE raw IS NOT NULL AND chain <> 0;
`, `
-- Which transfer pays, where a wallet that is a program makes it: the chain's run of it says so, and not the bytes.
ALTER TABLE settlements ADD COLUMN paid TEXT NOT NULL DEFAULT '';
`}

// otherProcess is how long one waits for another that is ending.
const otherProcess = time.Second

// openJournal opens the file of an account: nonces are an account's. It locks the folder, since two processes would
// sign under one nonce, unless another journal of this process in the folder, beside, has locked it.
func openJournal(ctx context.Context, folder, account string, beside *journal) (*journal, error) {
	db, err := sqlite.Open(ctx, filepath.Join(folder, families.Lookup(account)+".db"))
	if err != nil {
		return nil, err
	}
	unlock := func() error { return nil }
	if beside == nil {
		waiting, cancel := context.WithTimeout(ctx, otherProcess)
		defer cancel()
		if unlock, err = db.Lock(waiting); err != nil {
			return nil, errors.Join(errors.New("another facilitator has this folder"), db.Close())
		}
	}
	if err := migrate(ctx, db.Writer); err != nil {
		return nil, errors.Join(fmt.Errorf("making the journal: %w", err), db.Close(), unlock())
	}
	return &journal{db, unlock}, nil
}

// migrate brings a file to the newest schema, whole or not at all. One of a newer program is refused.
func migrate(ctx context.Context, db *sql.DB) error {
	tx, err := db.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	defer func() { _ = tx.Rollback() }() // nothing is left of it after a commit
	var have int
	if err := tx.QueryRowContext(ctx, `PRAGMA user_version`).Scan(&have); err != nil {
		return err
	}
	if have > len(schemas) {
		return fmt.Errorf("a newer program made it: its version is %d, and this one knows %d", have, len(schemas))
	}
	for _, schema := range schemas[have:] {
		if _, err := tx.ExecContext(ctx, schema); err != nil {
			return err
		}
	}
	if _, err := tx.ExecContext(ctx, fmt.Sprintf(`PRAGMA user_version = %d`, len(schemas))); err != nil {
		return err
	}
	return tx.Commit()
}

func (j *journal) close() error { return errors.Join(j.db.Close(), j.unlock()) }

const columns = `SELECT id, terms, chain, nonce, request, ask, raw, hash, receipt, at, since, last_height, paid
	FROM settlements `

// known is the settlement of a payment, if there is one: the one that is under way, or what the journal has of one that
// has ended. Nobody follows what is read of an open row: who waited for that would hear of no end. So where the row was
// begun since the list was looked at, as when ten shops ask for one payment at once, the list is looked at again.
func (j *journal) known(ctx context.Context, id string, underWay func(id string) *settlement) (*settlement, error) {
	if id == "" {
		return nil, nil
	}
	for range 3 {
		if s := underWay(id); s != nil {
			return s, nil
		}
		if s, err := j.find(ctx, id); err != nil || s == nil || s.ended() {
			return s, err
		}
	}
	return nil, errors.New("the journal has an open settlement of the payment, and nobody follows it")
}

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

// from are all from a nonce on that are signed, in their order.
func (j *journal) from(ctx context.Context, chain, nonce uint64) ([]*settlement, error) {
	return j.list(ctx, `WHERE chain = ? AND nonce >= ? AND raw IS NOT NULL ORDER BY nonce`, chain, nonce)
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
	var request, ask, paid string
	var receipt sql.NullString
	var at int64
	err := rows.Scan(&s.id, &s.terms, &s.chain, &s.nonce, &request, &ask, &s.raw, &s.hash, &receipt, &at,
		&s.since, &s.lastHeight, &paid)
	if err == nil && paid != "" {
		err = json.Unmarshal([]byte(paid), &s.sponsored.Paid)
	}
	if err != nil {
		return nil, err
	}
	s.ask, s.at = []byte(ask), clock.FromMicros(at)
	if err := json.Unmarshal([]byte(request), &s.request); err != nil {
		return nil, err
	}
	if !receipt.Valid {
		return s, nil
	}
	close(s.done)
	return s, json.Unmarshal([]byte(receipt.String), &s.receipt)
}

// next is the nonce above all that the journal has signed bytes for.
func (j *journal) next(ctx context.Context, chain uint64) (next uint64, err error) {
	err = j.db.Reader.QueryRowContext(ctx, `SELECT COALESCE(MAX(nonce) + 1, 0) FROM settlements WHERE chain = ? AND raw IS NOT NULL`, chain).Scan(&next)
	if err != nil {
		return 0, fmt.Errorf("reading the journal: %w", err)
	}
	return next, nil
}

func (j *journal) begin(ctx context.Context, s *settlement) error {
	request, err := json.Marshal(s.request)
	if err != nil {
		return err
	}
	var paid []byte
	if s.sponsored.Wrapped {
		if paid, err = json.Marshal(s.sponsored.Paid); err != nil {
			return err
		}
	}
	return j.write(ctx, "begin", `INSERT INTO settlements (id, terms, chain, nonce, request, ask, at, since, last_height, paid)
		VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
		s.id, s.terms, s.chain, s.nonce, string(request), string(s.ask), clock.Micros(s.at), s.since, s.lastHeight,
		string(paid))
}

// forget takes back a settlement that nobody signs.
func (j *journal) forget(ctx context.Context, s *settlement) error {
	return j.write(ctx, "forget", `DELETE FROM settlements WHERE id = ? AND raw IS NULL`, s.id)
}

func (j *journal) signed(ctx context.Context, id string, raw []byte, hash string) error {
	return j.write(ctx, "signed", `UPDATE settlements SET raw = ?, hash = ? WHERE id = ? AND raw IS NULL`, raw, hash, id)
}

func (j *journal) end(ctx context.Context, id string, r x402.Receipt) error {
	text, err := json.Marshal(r)
	if err != nil {
		return err
	}
	return j.write(ctx, "end", `UPDATE settlements SET receipt = ? WHERE id = ? AND receipt IS NULL`, string(text), id)
}

// write changes one row, or says that it did not.
func (j *journal) write(ctx context.Context, what, query string, args ...any) error {
	crash.At(what, "before-write")
	done, err := j.db.Writer.ExecContext(ctx, query, args...)
	if err != nil {
		return fmt.Errorf("writing the journal: %w", err)
	}
	if n, err := done.RowsAffected(); err != nil || n != 1 {
		return errors.Join(errors.New("writing the journal: the row is not as it was"), err)
	}
	crash.At(what, "after-write")
	return nil
}
