// Package platform keeps the rows of what all kits share: workspaces and their keys, members and their logins, what the
// watcher saw, and reads of the audit record and of answers that were given.
package platform

import (
	"context"
	"time"

	"github.com/railkit/railkit/platform/audit"
	"github.com/railkit/railkit/platform/auth"
	"github.com/railkit/railkit/platform/idempotency"
	"github.com/railkit/railkit/store/internal/sqldb"
)

// Store is the database as the platform sees it. Workspaces, Team, Sessions and Watch are its parts that write.
type Store struct{ db *sqldb.DB }

// New makes it.
func New(d *sqldb.DB) Store { return Store{d} }

var (
	_ auth.Store        = Store{}
	_ idempotency.Store = Store{}
	_ audit.Records     = Store{}
	_ audit.Lister      = Store{}
)

// tx is the writing half of a transaction.
type tx struct{ *sqldb.Tx }

// Answer finds the answer of an idempotency key that was made after since.
func (s Store) Answer(
	ctx context.Context, workspaceID, keyHash string, since time.Time,
) (idempotency.Row, bool, error) {
	row, err := s.db.Read.Answer(ctx, workspaceID, keyHash, sqldb.Micros(since))
	if sqldb.None(err) {
		return idempotency.Row{}, false, nil
	}
	if err != nil {
		return idempotency.Row{}, false, sqldb.Reading("reading the answer of the idempotency key", err)
	}
	return sqldb.AnswerRow(row), true, nil
}

// DropAnswers deletes the answers of idempotency keys that are older than the
// instant: nobody can ask for them any more.
func (s Store) DropAnswers(ctx context.Context, before time.Time) error {
	return s.db.Transact(ctx, func(t *sqldb.Tx) error {
		return sqldb.Doing("dropping old answers", t.Q.DropAnswers(ctx, sqldb.Micros(before)))
	})
}
