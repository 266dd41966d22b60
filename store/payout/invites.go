package payout

import (
	"context"
	"time"

	"github.com/railkit/railkit/kit/payout/invite"
	"github.com/railkit/railkit/platform/mail"
	"github.com/railkit/railkit/store/db"
	"github.com/railkit/railkit/store/internal/sqldb"
)

// Invite finds the newest invite of a recipient.
func (s inviteReads) Invite(ctx context.Context, workspaceID, recipientID string) (invite.Invite, error) {
	row, err := s.db.Read.Invite(ctx, workspaceID, recipientID)
	return sqldb.One("Invite", row, err, inviteRow)
}

// InviteOwner finds whose a token is, also one that is over.
func (s inviteReads) InviteOwner(ctx context.Context, tokenHash string) (invite.Owner, error) {
	row, err := s.db.Read.InviteToken(ctx, tokenHash)
	return sqldb.One("Invite", row, err, func(r db.RecipientInviteDirectory) (invite.Owner, error) {
		return invite.Owner{
			WorkspaceID: r.WorkspaceID, RecipientID: r.RecipientID, ExpiresAt: sqldb.Instant(r.ExpiresAt),
		}, nil
	})
}

// DropInviteTokens forgets the tokens that expired before the instant.
func (s inviteReads) DropInviteTokens(ctx context.Context, before time.Time) error {
	return s.db.Transact(ctx, func(t *sqldb.Tx) error {
		return sqldb.Doing("dropping old invites", t.Q.DropInviteTokens(ctx, sqldb.Micros(before)))
	})
}

// UnsentInvites lists those of every workspace whose mail is queued since before the instant.
func (s inviteReads) UnsentInvites(ctx context.Context, before time.Time, limit int) ([]invite.Invite, error) {
	rows, err := s.db.Read.UnsentInvites(ctx, sqldb.Micros(before), int32(limit))
	return sqldb.Many(rows, err, inviteRow)
}

// InviteMailed notes what became of the mail of an invite, if it was not replaced.
func (t tx) InviteMailed(ctx context.Context, i invite.Invite, status mail.Status) error {
	return sqldb.Doing("noting a mail", t.Q.InviteMailed(ctx, db.InviteMailedParams{
		MailStatus: string(status), WorkspaceID: i.WorkspaceID, RecipientID: i.RecipientID, TokenHash: i.TokenHash,
	}))
}

// PutInvite takes the place of the recipient's invite, where there is one.
func (t tx) PutInvite(ctx context.Context, i invite.Invite) error {
	err := t.Q.PutInvite(ctx, db.PutInviteParams{
		WorkspaceID: i.WorkspaceID, RecipientID: i.RecipientID, TokenHash: i.TokenHash, Sealed: i.Sealed,
		CreatedAt: sqldb.Micros(i.CreatedAt), ExpiresAt: sqldb.Micros(i.ExpiresAt), Email: i.Email,
		MailStatus: string(i.Mail),
	})
	if err == nil {
		err = t.Q.ListInviteToken(ctx, db.ListInviteTokenParams{
			TokenHash: i.TokenHash, WorkspaceID: i.WorkspaceID, RecipientID: i.RecipientID,
			ExpiresAt: sqldb.Micros(i.ExpiresAt),
		})
	}
	return sqldb.Doing("inserting an invite", err)
}

func (t tx) HeldInvite(ctx context.Context, workspaceID, recipientID string) (invite.Invite, error) {
	row, err := t.Q.Invite(ctx, workspaceID, recipientID)
	return sqldb.One("Invite", row, err, inviteRow)
}

// UseInvite notes the account that was entered, where it is still the one that
// the invite was read with.
func (t tx) UseInvite(ctx context.Context, i invite.Invite, accountID string) error {
	n, err := t.Q.UseInvite(ctx, db.UseInviteParams{
		WorkspaceID: i.WorkspaceID, RecipientID: i.RecipientID, TokenHash: i.TokenHash, Replaced: i.AccountID,
		AccountID: accountID,
	})
	return sqldb.Swapped("using an invite", n, err)
}

func (t tx) EndInvite(ctx context.Context, workspaceID, recipientID string, now time.Time) error {
	return sqldb.Doing("ending an invite", t.Q.EndInvite(ctx, sqldb.Micros(now), workspaceID, recipientID))
}

func inviteRow(r db.RecipientInvite) (invite.Invite, error) {
	return invite.Invite{
		WorkspaceID: r.WorkspaceID, RecipientID: r.RecipientID, TokenHash: r.TokenHash, Sealed: r.Sealed,
		AccountID: r.AccountID,
		CreatedAt: sqldb.Instant(r.CreatedAt), ExpiresAt: sqldb.Instant(r.ExpiresAt), EndedAt: sqldb.Instant(r.EndedAt),
		Email: r.Email, Mail: mail.Status(r.MailStatus),
	}, nil
}
