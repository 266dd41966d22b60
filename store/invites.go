package store

import (
	"context"
	"time"

	"github.com/railkit/railkit/kit/payout/invite"
	"github.com/railkit/railkit/kit/payout/mail"
	"github.com/railkit/railkit/store/db"
)

// Invite finds the newest invite of a recipient.
func (s inviteReads) Invite(ctx context.Context, workspaceID, recipientID string) (invite.Invite, error) {
	row, err := s.read.Invite(ctx, workspaceID, recipientID)
	return one("Invite", row, err, inviteRow)
}

// InviteOwner finds whose a token is, also one that is over.
func (s inviteReads) InviteOwner(ctx context.Context, tokenHash string) (invite.Owner, error) {
	row, err := s.read.InviteToken(ctx, tokenHash)
	return one("Invite", row, err, func(r db.RecipientInviteDirectory) (invite.Owner, error) {
		return invite.Owner{WorkspaceID: r.WorkspaceID, RecipientID: r.RecipientID, ExpiresAt: instant(r.ExpiresAt)}, nil
	})
}

// DropInviteTokens forgets the tokens that expired before the instant.
func (s inviteReads) DropInviteTokens(ctx context.Context, before time.Time) error {
	return s.transact(ctx, func(tx *tx) error {
		return doing("dropping old invites", tx.q.DropInviteTokens(ctx, micros(before)))
	})
}

// UnsentInvites lists those of every workspace whose mail is queued since before the instant.
func (s inviteReads) UnsentInvites(ctx context.Context, before time.Time, limit int) ([]invite.Invite, error) {
	rows, err := s.read.UnsentInvites(ctx, micros(before), int32(limit))
	return many(rows, err, inviteRow)
}

// InviteMailed notes what became of the mail of an invite, if it was not replaced.
func (t inviteTx) InviteMailed(ctx context.Context, i invite.Invite, status mail.Status) error {
	return doing("noting a mail", t.q.InviteMailed(ctx, db.InviteMailedParams{
		MailStatus: string(status), WorkspaceID: i.WorkspaceID, RecipientID: i.RecipientID, TokenHash: i.TokenHash,
	}))
}

// PutInvite takes the place of the recipient's invite, where there is one.
func (t inviteTx) PutInvite(ctx context.Context, i invite.Invite) error {
	err := t.q.PutInvite(ctx, db.PutInviteParams{
		WorkspaceID: i.WorkspaceID, RecipientID: i.RecipientID, TokenHash: i.TokenHash, Sealed: i.Sealed,
		CreatedAt: micros(i.CreatedAt), ExpiresAt: micros(i.ExpiresAt), Email: i.Email, MailStatus: string(i.Mail),
	})
	if err == nil {
		err = t.q.ListInviteToken(ctx, db.ListInviteTokenParams{
			TokenHash: i.TokenHash, WorkspaceID: i.WorkspaceID, RecipientID: i.RecipientID, ExpiresAt: micros(i.ExpiresAt),
		})
	}
	return doing("inserting an invite", err)
}

func (t inviteTx) HeldInvite(ctx context.Context, workspaceID, recipientID string) (invite.Invite, error) {
	row, err := t.q.Invite(ctx, workspaceID, recipientID)
	return one("Invite", row, err, inviteRow)
}

// UseInvite notes the account that was entered, where it is still the one that
// the invite was read with.
func (t inviteTx) UseInvite(ctx context.Context, i invite.Invite, accountID string) error {
	n, err := t.q.UseInvite(ctx, db.UseInviteParams{
		WorkspaceID: i.WorkspaceID, RecipientID: i.RecipientID, TokenHash: i.TokenHash, Replaced: i.AccountID, AccountID: accountID,
	})
	return swapped("using an invite", n, err)
}

func (t inviteTx) EndInvite(ctx context.Context, workspaceID, recipientID string, now time.Time) error {
	return doing("ending an invite", t.q.EndInvite(ctx, micros(now), workspaceID, recipientID))
}

func inviteRow(r db.RecipientInvite) (invite.Invite, error) {
	return invite.Invite{
		WorkspaceID: r.WorkspaceID, RecipientID: r.RecipientID, TokenHash: r.TokenHash, Sealed: r.Sealed, AccountID: r.AccountID,
		CreatedAt: instant(r.CreatedAt), ExpiresAt: instant(r.ExpiresAt), EndedAt: instant(r.EndedAt),
		Email: r.Email, Mail: mail.Status(r.MailStatus),
	}, nil
}
