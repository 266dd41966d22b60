package signing

import (
	"context"
	"time"

	"github.com/railkit/railkit/kit/signing/rollback"
	"github.com/railkit/railkit/store/db"
	"github.com/railkit/railkit/store/internal/sqldb"
)

// signer is the name of the one row.
const signer = "signer"

// signerMarks keeps what servers have seen of the signer's journal.
type signerMarks struct {
	sqldb.Writer[rollback.Tx]
	db *sqldb.DB
}

// SignerMarks keeps what servers have seen of the signer's journal.
func (s Store) SignerMarks() rollback.Store {
	d := s.db
	return signerMarks{sqldb.WriterOf(d, func(t *sqldb.Tx) rollback.Tx { return tx{Tx: t} }), d}
}

// Mark is the newest entry that was seen; the zero Mark before the first.
func (s signerMarks) Mark(ctx context.Context) (rollback.Mark, error) {
	row, err := s.db.Read.SignerMark(ctx, signer)
	if sqldb.None(err) {
		return rollback.Mark{}, nil
	}
	return rollback.Mark{
		Generation: row.Generation, Seq: row.Seq, Head: row.Head, SeenAt: sqldb.Instant(row.SeenAt),
	}, sqldb.Reading("reading the signer's mark", err)
}

// RowsSeq is the highest entry that rows of rules and payees rest on.
func (s signerMarks) RowsSeq(ctx context.Context) (int64, error) {
	seq, err := s.db.Read.SignerRows(ctx)
	return seq, sqldb.Reading("reading what rows rest on", err)
}

// Raise moves the mark on, unless an operator has set it anew or another server was faster.
func (s signerMarks) Raise(ctx context.Context, m rollback.Mark) error {
	return s.db.Transact(ctx, func(t *sqldb.Tx) error {
		return sqldb.Doing("raising the signer's mark", t.Q.RaiseSignerMark(ctx, db.RaiseSignerMarkParams{
			Name: signer, Generation: m.Generation, Seq: m.Seq, Head: m.Head, SeenAt: sqldb.Micros(m.SeenAt),
		}))
	})
}

func (t tx) ReplaceSignerMark(ctx context.Context, seq int64, head string, at time.Time) error {
	return sqldb.Doing("setting the signer's mark", t.Q.ReplaceSignerMark(ctx, db.ReplaceSignerMarkParams{
		Name: signer, Seq: seq, Head: head, SeenAt: sqldb.Micros(at),
	}))
}

// AgentEnded tells whether an agent was killed or deleted.
func (s agentReads) AgentEnded(ctx context.Context, workspaceID, agentID string) (bool, error) {
	n, err := s.db.Read.AgentEnded(ctx, workspaceID, agentID)
	return n > 0, sqldb.Reading("asking whether an agent has ended", err)
}
