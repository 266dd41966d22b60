package sandbox

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/railkit/railkit/money"
	"github.com/railkit/railkit/store/sqlite"
)

// schema is the partner's own. What it knows of customers, accounts and transfers
// are documents; what moves money are rows that the ledger can sum.
const schema = `
CREATE TABLE IF NOT EXISTS objects (
	seq INTEGER PRIMARY KEY AUTOINCREMENT, id TEXT NOT NULL UNIQUE, kind TEXT NOT NULL,
	owner TEXT NOT NULL, ref TEXT NOT NULL, due INTEGER, doc TEXT NOT NULL);
CREATE INDEX IF NOT EXISTS objects_owner ON objects (kind, owner, seq);
CREATE INDEX IF NOT EXISTS objects_ref ON objects (kind, ref, seq);
CREATE INDEX IF NOT EXISTS objects_due ON objects (due) WHERE due IS NOT NULL;
CREATE TABLE IF NOT EXISTS postings (
	id INTEGER PRIMARY KEY AUTOINCREMENT, ref TEXT NOT NULL UNIQUE, kind TEXT NOT NULL, object TEXT NOT NULL, at INTEGER NOT NULL);
CREATE INDEX IF NOT EXISTS postings_kind ON postings (kind, object);
CREATE TABLE IF NOT EXISTS entries (
	posting INTEGER NOT NULL REFERENCES postings, account TEXT NOT NULL, currency TEXT NOT NULL, minor INTEGER NOT NULL);
CREATE INDEX IF NOT EXISTS entries_account ON entries (account, currency);
CREATE INDEX IF NOT EXISTS entries_posting ON entries (posting);
CREATE TABLE IF NOT EXISTS keys (
	key TEXT PRIMARY KEY, request TEXT NOT NULL, answer TEXT NOT NULL, at INTEGER NOT NULL);
CREATE TABLE IF NOT EXISTS events (
	seq INTEGER PRIMARY KEY AUTOINCREMENT, id TEXT NOT NULL UNIQUE, body TEXT NOT NULL, due INTEGER, since INTEGER NOT NULL, how TEXT NOT NULL,
	attempts INTEGER NOT NULL DEFAULT 0, signature TEXT NOT NULL DEFAULT '');
CREATE INDEX IF NOT EXISTS events_due ON events (due) WHERE due IS NOT NULL;
CREATE TABLE IF NOT EXISTS sends (
	transfer TEXT PRIMARY KEY, chain TEXT NOT NULL, nonce INTEGER, raw BLOB, done INTEGER NOT NULL DEFAULT 0, UNIQUE (chain, nonce));
CREATE INDEX IF NOT EXISTS sends_open ON sends (transfer) WHERE done = 0;
CREATE TABLE IF NOT EXISTS windows (
	transfer TEXT PRIMARY KEY REFERENCES sends, since INTEGER NOT NULL, last_height INTEGER NOT NULL);
CREATE TABLE IF NOT EXISTS settings (name TEXT PRIMARY KEY, value TEXT NOT NULL);
`

// querier is a transaction, or the handle for reading.
type querier interface {
	QueryRowContext(ctx context.Context, query string, args ...any) *sql.Row
	QueryContext(ctx context.Context, query string, args ...any) (*sql.Rows, error)
}

// view reads.
type view struct {
	ctx context.Context
	q   querier
	s   *Server
}

// tx writes. There is one at a time in the whole partner.
type tx struct {
	view
	w   *sql.Tx
	now time.Time
}

func openStore(ctx context.Context, path string) (*sqlite.DB, error) {
	db, err := sqlite.Open(ctx, path)
	if err != nil {
		return nil, err
	}
	if _, err := db.Writer.ExecContext(ctx, schema); err != nil {
		return nil, errors.Join(fmt.Errorf("making the partner's tables: %w", err), db.Close())
	}
	return db, nil
}

func (s *Server) view(ctx context.Context) *view { return &view{ctx, s.db.Reader, s} }

// update does all of it or nothing, and wakes who waits for what became due.
func (s *Server) update(ctx context.Context, do func(*tx) error) error {
	w, err := s.db.Writer.BeginTx(ctx, nil)
	if err != nil {
		return fmt.Errorf("beginning: %w", err)
	}
	defer w.Rollback() // nothing, once it is committed
	if err := do(&tx{view{ctx, w, s}, w, time.Now()}); err != nil {
		return err
	}
	if err := w.Commit(); err != nil {
		return fmt.Errorf("committing: %w", err)
	}
	s.wake()
	return nil
}

func (t *tx) exec(query string, args ...any) (int64, error) {
	res, err := t.w.ExecContext(t.ctx, query, args...)
	if err != nil {
		return 0, fmt.Errorf("writing: %w", err)
	}
	return res.RowsAffected()
}

// row is how an object is found: whose it is, another name of it, and when
// something is to happen to it.
type row struct {
	kind, id, owner, ref string
	due                  time.Time // zero: nothing
}

func (t *tx) put(r row, doc any) error {
	raw, err := json.Marshal(doc)
	if err != nil {
		return fmt.Errorf("encoding a %s: %w", r.kind, err)
	}
	_, err = t.exec(`INSERT INTO objects (id, kind, owner, ref, due, doc) VALUES (?, ?, ?, ?, ?, ?)
		ON CONFLICT (id) DO UPDATE SET due = excluded.due, doc = excluded.doc`,
		r.id, r.kind, r.owner, r.ref, instant(r.due), string(raw))
	return err
}

func instant(at time.Time) any {
	if at.IsZero() {
		return nil
	}
	return at.UnixMicro()
}

// find reads the newest object that a condition is true of.
func find(v *view, doc any, where string, args ...any) (bool, error) {
	var raw string
	err := v.q.QueryRowContext(v.ctx, `SELECT doc FROM objects WHERE `+where+
		` ORDER BY seq DESC LIMIT 1`, args...).Scan(&raw)
	if errors.Is(err, sql.ErrNoRows) {
		return false, nil
	}
	if err == nil {
		err = json.Unmarshal([]byte(raw), doc)
	}
	if err != nil {
		return false, fmt.Errorf("reading an object: %w", err)
	}
	return true, nil
}

// all reads objects, newest first.
func all[T any](v *view, where string, args ...any) ([]T, error) {
	rows, err := v.q.QueryContext(v.ctx, `SELECT doc FROM objects WHERE `+where, args...)
	if err != nil {
		return nil, fmt.Errorf("reading objects: %w", err)
	}
	defer rows.Close()
	list := []T{}
	for rows.Next() {
		var raw string
		var one T
		if err := errors.Join(rows.Scan(&raw), json.Unmarshal([]byte(raw), &one)); err != nil {
			return nil, fmt.Errorf("reading objects: %w", err)
		}
		list = append(list, one)
	}
	return list, rows.Err()
}

// setting reads what was kept under a name; the value stays as it is where
// nothing was.
func setting(v *view, name string, value any) error {
	var raw string
	err := v.q.QueryRowContext(v.ctx, `SELECT value FROM settings WHERE name = ?`, name).Scan(&raw)
	if errors.Is(err, sql.ErrNoRows) {
		return nil
	}
	if err == nil {
		err = json.Unmarshal([]byte(raw), value)
	}
	if err != nil {
		return fmt.Errorf("reading a setting: %w", err)
	}
	return nil
}

func (t *tx) set(name string, value any) error {
	raw, err := json.Marshal(value)
	if err != nil {
		return fmt.Errorf("encoding a setting: %w", err)
	}
	_, err = t.exec(
		`INSERT INTO settings (name, value) VALUES (?, ?) ON CONFLICT (name) DO UPDATE SET value = excluded.value`,
		name, string(raw),
	)
	return err
}

// next counts: each number is given out once.
func (t *tx) next(counter string) (uint32, error) {
	var n uint32
	if err := setting(&t.view, counter, &n); err != nil {
		return 0, err
	}
	return n, t.set(counter, n+1)
}

// The partner's accounts. A positive balance is what the partner owes, or what it
// has paid out; chain and bank accounts go below zero by what lies there.
func walletAccount(id string) string    { return "wallet:" + id }
func transitAccount(id string) string   { return "transit:" + id } // taken from a wallet, and not yet paid
func chainAccount(slug string) string   { return "chain:" + slug }
func bankAccount(rail string) string    { return "bank:" + rail }
func unclaimedAccount(id string) string { return "unclaimed:" + id }

// receivableAccount goes below zero by what a customer owes: a sender's bank took money back whose coins were sent.
func receivableAccount(customer string) string { return "receivable:" + customer }

const (
	feeAccount = "fees:developer"
	fxAccount  = "fx"

	// below zero by what was sent that nobody was owed, above it by what somebody still is
	mistakesAccount = "mistakes"
)

// line is one side of a posting.
type line struct {
	account string
	amount  money.Amount
}

// move takes an amount from one account and gives it to another.
func move(from, to string, a money.Amount) []line { return []line{{from, a.Neg()}, {to, a}} }

var errUnbalanced = errors.New("a posting does not sum to zero")

// post writes a posting once: a second one of the same ref is an error.
func (t *tx) post(kind, ref, object string, lines ...line) error {
	sums := map[money.Currency]int64{}
	for _, l := range lines {
		sums[l.amount.Currency] += l.amount.Minor
	}
	for _, sum := range sums {
		if sum != 0 {
			return errUnbalanced
		}
	}
	var id int64
	err := t.w.QueryRowContext(t.ctx, `INSERT INTO postings (ref, kind, object, at) VALUES (?, ?, ?, ?) RETURNING id`,
		ref, kind, object, t.now.UnixMicro()).Scan(&id)
	if err != nil {
		return fmt.Errorf("posting %s: %w", kind, err)
	}
	for _, l := range lines {
		if l.amount.IsZero() {
			continue
		}
		if _, err := t.exec(`INSERT INTO entries (posting, account, currency, minor) VALUES (?, ?, ?, ?)`,
			id, l.account, l.amount.Currency, l.amount.Minor); err != nil {
			return err
		}
	}
	return nil
}

// balance sums an account.
func balance(v *view, account string, c money.Currency) (money.Amount, error) {
	var minor int64
	err := v.q.QueryRowContext(
		v.ctx, `SELECT COALESCE(SUM(minor), 0) FROM entries WHERE account = ? AND currency = ?`, account, c,
	).Scan(&minor)
	if err != nil {
		return money.Amount{}, fmt.Errorf("summing an account: %w", err)
	}
	return money.Of(minor, c), nil
}
