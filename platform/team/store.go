package team

import (
	"context"
	"time"

	"github.com/railkit/railkit/platform/auth"
	"github.com/railkit/railkit/platform/command"
	"github.com/railkit/railkit/platform/mail"
	"github.com/railkit/railkit/platform/page"
)

// Store keeps members and invitations. What is not there is fault.Missing.
type Store interface {
	Member(ctx context.Context, workspaceID, id string) (Member, error)
	Members(ctx context.Context, workspaceID string, at page.Page) ([]Member, int, error)
	Invitation(ctx context.Context, workspaceID, id string) (Invitation, error)
	Invitations(ctx context.Context, workspaceID string, at page.Page) ([]Invitation, int, error)
	// Unsent lists open invitations of every workspace whose mail is queued since before the instant.
	Unsent(ctx context.Context, now, before time.Time) ([]Invitation, error)
	// QueueMail makes a job of sending the invitation, unless there is one.
	QueueMail(ctx context.Context, workspaceID, id string) error
	// ListToken has the invitation be found by a token's hash too, if it is not already.
	ListToken(ctx context.Context, workspaceID, id, tokenHash string) error
	// Mailed notes what became of the mail of a pending invitation.
	Mailed(ctx context.Context, workspaceID, id string, status mail.Status) error
	Commit(
		ctx context.Context, cmd *command.Command, fn func(context.Context, Tx) (command.Reply, error),
	) (command.Answer, error)
}

// Tx is one transaction.
type Tx interface {
	// LockAdmins counts the admins, of whom none comes or goes until the transaction ends, and no key is made.
	LockAdmins(ctx context.Context, workspaceID string) (int, error)
	Member(ctx context.Context, workspaceID, id string) (Member, error)
	// KeysMadeBy lists the API keys that a member made and that may be used, oldest first.
	KeysMadeBy(ctx context.Context, workspaceID, memberID string) ([]auth.Key, error)
	HasMember(ctx context.Context, workspaceID, email string) (bool, error)
	SetRole(ctx context.Context, workspaceID, id string, role auth.Role, now time.Time) error
	// RemoveMember also ends its sessions, forgets its passkeys and revokes what invites its e-mail.
	RemoveMember(ctx context.Context, workspaceID, id string, now time.Time) error
	Invitation(ctx context.Context, workspaceID, id string) (Invitation, error)
	// InsertInvitation puts it in the place of a pending one for the same e-mail.
	InsertInvitation(ctx context.Context, i Invitation, tokenHash string) error
	// EndInvitation reports false where it is not pending any more.
	EndInvitation(ctx context.Context, workspaceID, id string, state State, now time.Time) (bool, error)
	SetMailStatus(ctx context.Context, workspaceID, id string, status mail.Status) error
	QueueMail(ctx context.Context, workspaceID, id string) error
}
