package signing

import (
	"context"
	"time"

	"github.com/railkit/railkit/kit/signing/link"
	"github.com/railkit/railkit/store/db"
	"github.com/railkit/railkit/store/internal/sqldb"
)

// linkTx writes links of the passkey page, and the origins that the page may lead back to.
type linkTx struct{ *sqldb.Tx }

// ReturnOrigin finds an origin that the passkey page may lead back to, also one that was removed.
func (s returnReads) ReturnOrigin(ctx context.Context, workspaceID, id string) (link.Origin, error) {
	row, err := s.db.Read.ReturnOrigin(ctx, workspaceID, id)
	return sqldb.One("Return origin", row, err, returnOriginRow)
}

// ReturnOrigins lists a workspace's, oldest first, without removed ones.
func (s returnReads) ReturnOrigins(ctx context.Context, workspaceID string) ([]link.Origin, error) {
	rows, err := s.db.Read.ReturnOrigins(ctx, workspaceID)
	return sqldb.Many(rows, err, returnOriginRow)
}

// UnmailedReturnOrigins lists those of every workspace whose admins are not mailed yet, and that nobody has touched
// since the instant.
func (s returnReads) UnmailedReturnOrigins(ctx context.Context, before time.Time, limit int) ([]link.Origin, error) {
	rows, err := s.db.Read.UnmailedReturnOrigins(ctx, sqldb.Micros(before), int32(limit))
	return sqldb.Many(rows, err, returnOriginRow)
}

func (t linkTx) ReturnOrigin(ctx context.Context, workspaceID, id string) (link.Origin, error) {
	row, err := t.Q.ReturnOrigin(ctx, workspaceID, id)
	return sqldb.One("Return origin", row, err, returnOriginRow)
}

func (t linkTx) CountReturnOrigins(ctx context.Context, workspaceID string) (int, error) {
	n, err := t.Q.CountReturnOrigins(ctx, workspaceID)
	return int(n), sqldb.Doing("counting return origins", err)
}

func (t linkTx) InsertReturnOrigin(ctx context.Context, o link.Origin) error {
	n, err := t.Q.InsertReturnOrigin(ctx, db.InsertReturnOriginParams{
		WorkspaceID: o.WorkspaceID, ID: o.ID, Origin: o.Origin, CreatedBy: o.CreatedBy,
		CreatedAt: sqldb.Micros(o.CreatedAt), UpdatedAt: sqldb.Micros(o.UpdatedAt),
	})
	return sqldb.Swapped("inserting a return origin", n, err)
}

func (t linkTx) RemoveReturnOrigin(ctx context.Context, workspaceID, id string, at time.Time) error {
	n, err := t.Q.RemoveReturnOrigin(ctx, sqldb.Micros(at), workspaceID, id)
	return sqldb.Swapped("removing a return origin", n, err)
}

// NoteReturnOriginMail changes one that is not mailed yet.
func (t linkTx) NoteReturnOriginMail(ctx context.Context, o link.Origin) error {
	return sqldb.Doing("noting a return origin's mail", t.Q.NoteReturnOriginMail(ctx, db.NoteReturnOriginMailParams{
		WorkspaceID: o.WorkspaceID, ID: o.ID, CreatedAt: sqldb.Micros(o.CreatedAt), Mailed: sqldb.Flag(o.Mailed),
		Now: sqldb.Micros(o.UpdatedAt),
	}))
}

func returnOriginRow(r db.ReturnOrigin) (link.Origin, error) {
	return link.Origin{
		WorkspaceID: r.WorkspaceID, ID: r.ID, Origin: r.Origin, CreatedBy: r.CreatedBy,
		CreatedAt: sqldb.Instant(r.CreatedAt), RemovedAt: sqldb.Instant(r.RemovedAt), Mailed: r.Mailed != 0,
		UpdatedAt: sqldb.Instant(r.UpdatedAt),
	}, nil
}
