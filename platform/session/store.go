package session

import (
	"context"
	"time"

	"github.com/railkit/railkit/platform/command"
	"github.com/railkit/railkit/platform/team"
	"github.com/railkit/railkit/platform/workspace"
)

// Rotation puts a new refresh token in the place of one.
type Rotation struct {
	WorkspaceID, SessionID string
	From, To               string // hashes
	Salt                   string
	Now, ExpiresAt         time.Time
}

// Store keeps passkeys, challenges and sessions. What is not there is fault.Missing.
type Store interface {
	Workspace(ctx context.Context, id string) (workspace.Workspace, error)
	Member(ctx context.Context, workspaceID, id string) (team.Member, error)
	InvitationByToken(ctx context.Context, hash string) (team.Invitation, error)
	PasskeyByCredential(ctx context.Context, credentialID string) (Passkey, error)
	Passkeys(ctx context.Context, workspaceID, memberID string) ([]Passkey, error)
	Session(ctx context.Context, workspaceID, id string) (Living, error)
	// SessionByToken finds it by any refresh token that it ever had.
	SessionByToken(ctx context.Context, hash string) (Living, error)
	Sessions(ctx context.Context, workspaceID, memberID string) ([]Session, error)
	AddChallenge(ctx context.Context, hash, purpose string, expiresAt time.Time) error
	// Rotate reports false where From is not the good one any more.
	Rotate(ctx context.Context, r Rotation) (bool, error)
	// Reused ends a session of which an old refresh token was shown.
	Reused(ctx context.Context, s Session, now time.Time) error
	// Drop deletes challenges and sessions that are over.
	Drop(ctx context.Context, challenges, sessions time.Time) error
	Commit(
		ctx context.Context, cmd *command.Command, fn func(context.Context, Tx) (command.Reply, error),
	) (command.Answer, error)
}

// Tx is one transaction.
type Tx interface {
	// TakeChallenge reports false where there is none with this purpose that is still good. It is gone then.
	TakeChallenge(ctx context.Context, hash, purpose string, now time.Time) (bool, error)
	// AcceptInvitation reports false where it is not open any more.
	AcceptInvitation(ctx context.Context, workspaceID, id string, now time.Time) (bool, error)
	// InsertMember reports false where the workspace has one with the e-mail.
	InsertMember(ctx context.Context, m team.Member) (bool, error)
	// InsertLoginPasskey reports false where the credential is known.
	InsertLoginPasskey(ctx context.Context, p Passkey) (bool, error)
	// UseLoginPasskey reports false where it was used, or deleted, since it was read.
	UseLoginPasskey(ctx context.Context, p Passkey, now time.Time) (bool, error)
	// LockLoginPasskeys counts a member's, of which none goes until the transaction ends.
	LockLoginPasskeys(ctx context.Context, workspaceID, memberID string) (int, error)
	DeleteLoginPasskey(ctx context.Context, workspaceID, memberID, id string) (bool, error)
	InsertSession(ctx context.Context, s Session) error
	Member(ctx context.Context, workspaceID, id string) (team.Member, error)
	// SetMails writes which mails a member gets, and in which language.
	SetMails(ctx context.Context, m team.Member, now time.Time) error
	RevokeSession(ctx context.Context, s Session, now time.Time) (bool, error)
}
