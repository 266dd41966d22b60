package session

import (
	"context"
	"errors"

	"github.com/railkit/railkit/clock"
	"github.com/railkit/railkit/fault"
	"github.com/railkit/railkit/platform/auth"
	"github.com/railkit/railkit/platform/command"
	"github.com/railkit/railkit/platform/team"
)

// InvitationOpened is what the holder of an invitation's token sees.
type InvitationOpened struct {
	IntegratorID  string         `json:"integratorId" format:"uuid"`
	WorkspaceName string         `json:"workspaceName"`
	Email         string         `json:"email"`
	Role          auth.Role      `json:"role" enum:"admin,manager,auditor,viewer"`
	ExpiresAt     string         `json:"expiresAt" format:"date-time"`
	Options       PasskeyOptions `json:"options" doc:"For navigator.credentials.create"`
}

// OpenInvitation shows an invitation and asks for the new member's passkey.
func (s *Service) OpenInvitation(ctx context.Context, token string) (InvitationOpened, error) {
	l, i, err := s.invited(ctx, token)
	if err != nil {
		return InvitationOpened{}, err
	}
	challenge, err := s.ask(ctx, forInvitation(i))
	return InvitationOpened{
		IntegratorID: l.Workspace.ID, WorkspaceName: l.Workspace.Name, Email: i.Email, Role: i.Role,
		ExpiresAt: clock.ISO(i.ExpiresAt), Options: s.creationOptions(l.Member, nil, challenge),
	}, err
}

func forInvitation(i team.Invitation) string { return "invitation " + i.WorkspaceID + " " + i.ID }

// invited finds an open invitation, and the member that it makes. One that is
// unknown, used, replaced, revoked or over looks the same.
func (s *Service) invited(ctx context.Context, token string) (l Living, i team.Invitation, err error) {
	if err := s.ready(); err != nil {
		return l, i, err
	}
	now := s.c.Clock.Now()
	if i, err = s.c.Store.InvitationByToken(ctx, auth.Hash(token)); err != nil {
		return l, i, err
	}
	if !i.Open(now) {
		return l, i, fault.Missing("Invitation")
	}
	l.Member = team.Member{
		WorkspaceID: i.WorkspaceID, ID: i.ID, Email: i.Email, Role: i.Role, Language: i.Language,
		CreatedAt: now, UpdatedAt: now,
	}
	l.Workspace, err = s.c.Store.Workspace(ctx, i.WorkspaceID)
	if err == nil && l.Workspace.Environment != s.c.Environment {
		err = fault.Missing("Invitation")
	}
	return l, i, err
}

// AcceptInvitation makes a member with a passkey, and opens its first session.
func (s *Service) AcceptInvitation(
	ctx context.Context, cmd *command.Command, token string, c Credential, label string,
) (command.Answer, Refresh, error) {
	l, i, err := s.invited(ctx, token)
	if err != nil {
		return command.Answer{}, Refresh{}, err
	}
	made, challenge, err := s.created(l.Member, c)
	if err != nil {
		return command.Answer{}, Refresh{}, err
	}
	now := l.Member.CreatedAt
	p, err := newPasskey(l.Member, made, label, now)
	if err != nil {
		return command.Answer{}, Refresh{}, err
	}
	cmd.Principal = s.principal(l)
	return s.open(ctx, cmd, l, now, command.Audit{Action: "invitation.accept"}, func(ctx context.Context, tx Tx) error {
		open, err := tx.AcceptInvitation(ctx, i.WorkspaceID, i.ID, now)
		if err == nil && !open {
			err = fault.Missing("Invitation").Because(errors.New("it was used, replaced or revoked meanwhile"))
		}
		if err != nil {
			return err
		}
		fresh, err := tx.InsertMember(ctx, l.Member)
		if err == nil && !fresh {
			err = team.ErrMember
		}
		if err != nil {
			return err
		}
		return keep(ctx, tx, p, challenge, forInvitation(i), now)
	})
}
