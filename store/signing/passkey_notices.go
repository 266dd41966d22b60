package signing

import (
	"context"
	"time"

	"github.com/railkit/railkit/kit/signing/passkey"
	"github.com/railkit/railkit/store/db"
	"github.com/railkit/railkit/store/internal/sqldb"
)

// noticeTx writes notices about passkeys.
type noticeTx struct{ *sqldb.Tx }

// PasskeyNotice finds the mails about one change of a passkey.
func (s passkeyNoticeReads) PasskeyNotice(ctx context.Context, workspaceID, id string) (passkey.Notice, error) {
	row, err := s.db.Read.PasskeyNotice(ctx, workspaceID, id)
	return sqldb.One("Notice", row, err, passkeyNoticeRow)
}

// WaitingPasskeyNotices lists those of every workspace that are not mailed and that nobody has touched since the
// instant.
func (s passkeyNoticeReads) WaitingPasskeyNotices(
	ctx context.Context, before time.Time, limit int,
) ([]passkey.Notice, error) {
	rows, err := s.db.Read.WaitingPasskeyNotices(ctx, sqldb.Micros(before), int32(limit))
	return sqldb.Many(rows, err, passkeyNoticeRow)
}

func (t noticeTx) InsertPasskeyNotice(ctx context.Context, n passkey.Notice) error {
	return sqldb.Doing("inserting a notice", t.Q.InsertPasskeyNotice(ctx, db.InsertPasskeyNoticeParams{
		WorkspaceID: n.WorkspaceID, ID: n.ID, SubOrganizationID: n.SubOrganizationID, CredentialID: n.CredentialID,
		Email: n.Email, NoticedAt: sqldb.Micros(n.NoticedAt), UpdatedAt: sqldb.Micros(n.UpdatedAt),
	}))
}

// MovePasskeyNotice changes a notice that is not mailed yet.
func (t noticeTx) MovePasskeyNotice(ctx context.Context, n passkey.Notice) error {
	return sqldb.Doing("moving a notice", t.Q.MovePasskeyNotice(ctx, db.MovePasskeyNoticeParams{
		WorkspaceID: n.WorkspaceID, ID: n.ID, Mailed: sqldb.Flag(n.Mailed), Now: sqldb.Micros(n.UpdatedAt),
	}))
}

func passkeyNoticeRow(r db.PasskeyNotice) (passkey.Notice, error) {
	return passkey.Notice{
		WorkspaceID: r.WorkspaceID, ID: r.ID, SubOrganizationID: r.SubOrganizationID, CredentialID: r.CredentialID,
		Email: r.Email, NoticedAt: sqldb.Instant(r.NoticedAt), Mailed: r.Mailed != 0,
		UpdatedAt: sqldb.Instant(r.UpdatedAt),
	}, nil
}
