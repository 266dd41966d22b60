package floor

import (
	"context"
	"database/sql"
	"fmt"
)

// Renaming is a change under an idempotency key, as few bytes as it can be.
type Renaming struct {
	Key    string `json:"-"` // new for each
	ID     string `json:"-"`
	Label  string `json:"label"`
	Answer []byte `json:"-"`
}

// tables are those of a change: what was asked under which key, the row itself,
// and the record of its change.
const tables = `
CREATE TABLE IF NOT EXISTS floor_answers (id TEXT NOT NULL PRIMARY KEY, answer BYTEA NOT NULL);
CREATE TABLE IF NOT EXISTS floor_labels (id TEXT NOT NULL PRIMARY KEY, label TEXT NOT NULL);
CREATE TABLE IF NOT EXISTS floor_audit (id TEXT NOT NULL PRIMARY KEY, action TEXT NOT NULL, detail TEXT NOT NULL);
`

// Commits writes the rows of a change, each in one transaction.
type Commits struct {
	db                   *sql.DB
	answer, label, audit *sql.Stmt
}

// OpenCommits makes the tables where there are none.
func OpenCommits(ctx context.Context, db *sql.DB) (*Commits, error) {
	if _, err := db.ExecContext(ctx, tables); err != nil {
		return nil, fmt.Errorf("making the tables: %w", err)
	}
	c := &Commits{db: db}
	for stmt, text := range map[**sql.Stmt]string{
		&c.answer: "INSERT INTO floor_answers (id, answer) VALUES ($1, $2)",
		&c.label: "INSERT INTO floor_labels (id, label) VALUES ($1, " +
			"$2) ON CONFLICT (id) DO UPDATE SET label = excluded.label",
		&c.audit: "INSERT INTO floor_audit (id, action, detail) VALUES ($1, $2, $3)",
	} {
		var err error
		if *stmt, err = db.PrepareContext(ctx, text); err != nil {
			return nil, fmt.Errorf("preparing a commit: %w", err)
		}
	}
	return c, nil
}

// Rename is the raw commit: nothing is read, nothing is checked.
func (c *Commits) Rename(ctx context.Context, r Renaming) error {
	tx, err := c.db.BeginTx(ctx, nil)
	if err != nil {
		return fmt.Errorf("beginning: %w", err)
	}
	defer tx.Rollback() // does nothing after a commit
	for _, write := range []struct {
		stmt *sql.Stmt
		args []any
	}{
		{c.answer, []any{r.Key, r.Answer}},
		{c.label, []any{r.ID, r.Label}},
		{c.audit, []any{r.Key, "passkey.rename", r.Label}},
	} {
		if _, err := tx.StmtContext(ctx, write.stmt).ExecContext(ctx, write.args...); err != nil {
			return fmt.Errorf("writing: %w", err)
		}
	}
	return tx.Commit()
}
