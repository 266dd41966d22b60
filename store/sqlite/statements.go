package sqlite

import (
	"context"
	"database/sql"
	"maps"
	"regexp"
	"slices"
	"sync"
)

// Statements keeps the statements of a handle. SQLite parses the text of a query whenever it is given one, which takes
// longer than most of our queries run; a prepared statement is parsed once for each connection. Only texts that do not
// change belong here: what is built for each call would fill the memory.
type Statements struct {
	db *sql.DB

	mu      sync.RWMutex
	known   map[string]*sql.Stmt
	unknown map[string]struct{} // met inside of a transaction, to be prepared before the next
}

// Keep keeps the statements of a handle.
func Keep(db *sql.DB) *Statements {
	return &Statements{db: db, known: map[string]*sql.Stmt{}, unknown: map[string]struct{}{}}
}

// boundLimit is a LIMIT whose number is bound. SQLite plans with that number, and so parses such a statement anew
// whenever it is bound again, prepared or not: a tenth of what a server does. It does not look behind a plus.
var boundLimit = regexp.MustCompile(`\bLIMIT ([?$@])`)

// prepared finds the statement of a text, or prepares it. The lock is free meanwhile: who waits here for the writing
// handle's connection must not stop the transaction that has it. Of two callers that prepare one text, the second's
// statement is closed.
func (s *Statements) prepared(ctx context.Context, text string) (*sql.Stmt, error) {
	s.mu.RLock()
	stmt := s.known[text]
	s.mu.RUnlock()
	if stmt != nil {
		return stmt, nil
	}
	mine, err := s.db.PrepareContext(ctx, boundLimit.ReplaceAllString(text, "LIMIT +$1"))
	if err != nil {
		return nil, err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if stmt = s.known[text]; stmt != nil {
		return stmt, mine.Close()
	}
	s.known[text] = mine
	return mine, nil
}

// ExecContext is that of sql.DB.
func (s *Statements) ExecContext(ctx context.Context, text string, args ...any) (sql.Result, error) {
	stmt, err := s.prepared(ctx, text)
	if err != nil {
		return nil, err
	}
	return stmt.ExecContext(ctx, args...)
}

// PrepareContext is that of sql.DB. The caller closes the statement.
func (s *Statements) PrepareContext(ctx context.Context, text string) (*sql.Stmt, error) {
	return s.db.PrepareContext(ctx, text)
}

// QueryContext is that of sql.DB.
func (s *Statements) QueryContext(ctx context.Context, text string, args ...any) (*sql.Rows, error) {
	stmt, err := s.prepared(ctx, text)
	if err != nil {
		return nil, err
	}
	return stmt.QueryContext(ctx, args...)
}

// QueryRowContext is that of sql.DB.
func (s *Statements) QueryRowContext(ctx context.Context, text string, args ...any) *sql.Row {
	stmt, err := s.prepared(ctx, text)
	if err != nil {
		return s.db.QueryRowContext(ctx, text, args...) // fails in the same way, and a sql.Row holds that
	}
	return stmt.QueryRowContext(ctx, args...)
}

// Begin begins a transaction that uses the kept statements. The writing handle has one connection, which the
// transaction takes: nothing can be prepared on it meanwhile, so a text that is new inside of a transaction is run as
// it is, and prepared before the next one begins.
func (s *Statements) Begin(ctx context.Context) (*sql.Tx, error) {
	s.mu.Lock()
	texts := slices.Collect(maps.Keys(s.unknown))
	clear(s.unknown)
	s.mu.Unlock()
	for _, text := range texts {
		_, _ = s.prepared(ctx, text) // a text that SQLite refuses fails where it is used
	}
	return s.db.BeginTx(ctx, nil)
}

// Within is the transaction with the kept statements.
func (s *Statements) Within(tx *sql.Tx) *Transaction { return &Transaction{tx: tx, statements: s} }

// Transaction is a transaction on a handle whose statements are kept.
type Transaction struct {
	tx         *sql.Tx
	statements *Statements
}

// prepared is nil where the text is not prepared yet.
func (t *Transaction) prepared(ctx context.Context, text string) *sql.Stmt {
	s := t.statements
	s.mu.RLock()
	stmt := s.known[text]
	s.mu.RUnlock()
	if stmt != nil {
		return t.tx.StmtContext(ctx, stmt)
	}
	s.mu.Lock()
	s.unknown[text] = struct{}{}
	s.mu.Unlock()
	return nil
}

// ExecContext is that of sql.Tx.
func (t *Transaction) ExecContext(ctx context.Context, text string, args ...any) (sql.Result, error) {
	if stmt := t.prepared(ctx, text); stmt != nil {
		return stmt.ExecContext(ctx, args...)
	}
	return t.tx.ExecContext(ctx, text, args...)
}

// PrepareContext is that of sql.Tx.
func (t *Transaction) PrepareContext(ctx context.Context, text string) (*sql.Stmt, error) {
	return t.tx.PrepareContext(ctx, text)
}

// QueryContext is that of sql.Tx.
func (t *Transaction) QueryContext(ctx context.Context, text string, args ...any) (*sql.Rows, error) {
	if stmt := t.prepared(ctx, text); stmt != nil {
		return stmt.QueryContext(ctx, args...)
	}
	return t.tx.QueryContext(ctx, text, args...)
}

// QueryRowContext is that of sql.Tx.
func (t *Transaction) QueryRowContext(ctx context.Context, text string, args ...any) *sql.Row {
	if stmt := t.prepared(ctx, text); stmt != nil {
		return stmt.QueryRowContext(ctx, args...)
	}
	return t.tx.QueryRowContext(ctx, text, args...)
}
