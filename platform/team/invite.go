package team

import (
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"fmt"
	netmail "net/mail"

	"github.com/google/uuid"

	"github.com/railkit/railkit/fault"
	"github.com/railkit/railkit/platform/auth"
	"github.com/railkit/railkit/platform/command"
	"github.com/railkit/railkit/platform/mail"
	"github.com/railkit/railkit/platform/page"
	"github.com/railkit/railkit/rest"
)

// Invite invites the owner of an e-mail address. An earlier invitation for it becomes void. A job sends the mail, so
// that the call succeeds while the mail server is down.
func (s *Service) Invite(
	ctx context.Context, cmd *command.Command, in rest.InviteMemberRequest,
) (command.Answer, error) {
	answer, _, err := s.InviteWithLink(ctx, cmd, in)
	return answer, err
}

// InviteWithLink is Invite for an operator's shell, which may see the link.
func (s *Service) InviteWithLink(
	ctx context.Context, cmd *command.Command, in rest.InviteMemberRequest,
) (command.Answer, string, error) {
	if s.c.Secret == nil {
		return command.Answer{}, "", ErrNoLogin
	}
	if !emailAddress(in.Email) {
		return command.Answer{}, "", fault.Field("email", "must be an e-mail address")
	}
	id, err := uuid.NewV7()
	if err != nil {
		return command.Answer{}, "", fmt.Errorf("making an invitation: %w", err)
	}
	now := s.c.Clock.Now()
	i := Invitation{
		WorkspaceID: cmd.Principal.WorkspaceID, ID: id.String(), Email: in.Email, Role: auth.Role(in.Role),
		State: Pending, Mail: mail.Queued, Language: mail.Language(in.Language).Or(), CreatedAt: now,
		ExpiresAt: now.Add(Life),
	}
	answer, err := s.c.Store.Commit(ctx, cmd, func(ctx context.Context, tx Tx) (command.Reply, error) {
		return s.invite(ctx, tx, i)
	})
	return answer, s.link(i), err
}

func (s *Service) invite(ctx context.Context, tx Tx, i Invitation) (command.Reply, error) {
	is, err := tx.HasMember(ctx, i.WorkspaceID, i.Email)
	if err == nil && is {
		err = ErrMember
	}
	if err == nil {
		err = tx.InsertInvitation(ctx, i, auth.Hash(s.token(i)))
	}
	if err == nil {
		err = tx.QueueMail(ctx, i.WorkspaceID, i.ID)
	}
	return command.Reply{
		Status: 201, Message: "Invitation made", Data: s.view(i),
		Audit: command.Audit{Action: "invitation.create", Resource: i.ID, Detail: map[string]string{
			"email": i.Email, "role": string(i.Role),
		}},
	}, err
}

// Invitations lists the workspace's invitations, newest first.
func (s *Service) Invitations(
	ctx context.Context, p auth.Principal, at page.Page,
) ([]rest.Invitation, *page.Cursor, int, error) {
	all, total, err := s.c.Store.Invitations(ctx, p.WorkspaceID, at)
	if err != nil {
		return nil, nil, 0, err
	}
	views := make([]rest.Invitation, len(all))
	for n, i := range all {
		views[n] = s.view(i)
	}
	next := page.Next(at, all, total, func(i Invitation) page.Cursor {
		return page.Cursor{CreatedAt: i.CreatedAt, ID: i.ID}
	})
	return views, next, total, nil
}

// Revoke makes an invitation void.
func (s *Service) Revoke(ctx context.Context, cmd *command.Command, id string) (command.Answer, error) {
	now := s.c.Clock.Now()
	return s.c.Store.Commit(ctx, cmd, func(ctx context.Context, tx Tx) (command.Reply, error) {
		pending, err := tx.EndInvitation(ctx, cmd.Principal.WorkspaceID, id, Revoked, now)
		if err == nil && !pending {
			err = fault.Missing("Invitation")
		}
		return command.Reply{
			Status: 200, Message: "Invitation revoked", Data: Removed{id},
			Audit: command.Audit{Action: "invitation.revoke", Resource: id},
		}, err
	})
}

// Resend mails an open invitation again: the same link, until the same day.
func (s *Service) Resend(ctx context.Context, cmd *command.Command, id string) (command.Answer, error) {
	return s.c.Store.Commit(ctx, cmd, func(ctx context.Context, tx Tx) (command.Reply, error) {
		i, err := tx.Invitation(ctx, cmd.Principal.WorkspaceID, id)
		if err == nil && !i.Open(s.c.Clock.Now()) {
			err = fault.Missing("Invitation")
		}
		if err == nil {
			err = tx.SetMailStatus(ctx, i.WorkspaceID, id, mail.Queued)
		}
		if err == nil {
			err = tx.QueueMail(ctx, i.WorkspaceID, id)
		}
		i.Mail = mail.Queued
		return command.Reply{
			Status: 200, Message: "Invitation queued", Data: s.view(i),
			Audit: command.Audit{Action: "invitation.resend", Resource: id},
		}, err
	})
}

// token is derived from the server's secret and the invitation's id. So a job that runs twice mails the same link, and
// the link of the first mail stays valid. The database has only the token's hash.
func (s *Service) token(i Invitation) string {
	mac := hmac.New(sha256.New, s.c.Secret)
	mac.Write([]byte("railkit invitation " + i.WorkspaceID + " " + i.ID))
	return base64.RawURLEncoding.EncodeToString(mac.Sum(nil))
}

// link holds the token behind the #, which browsers send to no server.
func (s *Service) link(i Invitation) string {
	return string(s.c.Dashboard.Page("invitation")) + "#" + s.token(i)
}

// emailAddress takes an address and nothing else: no name, no comment, no list.
func emailAddress(text string) bool {
	for _, c := range text {
		if c <= ' ' || c == 0x7f {
			return false
		}
	}
	a, err := netmail.ParseAddress(text)
	return err == nil && a.Address == text && a.Name == ""
}
