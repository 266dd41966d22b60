package team

import (
	"context"
	"errors"

	"github.com/railkit/railkit/fault"
	"github.com/railkit/railkit/job"
	"github.com/railkit/railkit/platform/auth"
	"github.com/railkit/railkit/platform/mail"
)

// JobMail is the kind of the job that mails an invitation.
const JobMail job.Kind = "team_mail"

// SendInvitation mails an invitation that is still open. It may run twice: the
// second mail has the same link and the same message id.
func (s *Service) SendInvitation(ctx context.Context, workspaceID, id string) error {
	i, err := s.c.Store.Invitation(ctx, workspaceID, id)
	if errors.Is(err, fault.ErrNotFound) {
		return nil
	}
	if err != nil || s.c.Post == nil || s.c.Secret == nil || i.Mail != mail.Queued || !i.Open(s.c.Clock.Now()) {
		return err
	}
	// Under another session key than when it was made, its token is another one.
	if err := s.c.Store.ListToken(ctx, workspaceID, id, auth.Hash(s.token(i))); err != nil {
		return err
	}
	err = s.c.Post.SendIn(ctx, i.Language, i.Email, i.ID, mail.Invitation{
		Role: mail.Word(i.Role), Until: i.ExpiresAt, Link: mail.Link(s.link(i)),
	})
	switch {
	case err == nil:
		return s.c.Store.Mailed(ctx, workspaceID, id, mail.Sent)
	case errors.Is(err, mail.ErrRefused):
		return s.c.Store.Mailed(ctx, workspaceID, id, mail.Failed)
	}
	return err
}

// Sweep makes jobs of mails whose jobs were lost or have given up.
func (s *Service) Sweep(ctx context.Context) error {
	if s.c.Post == nil || s.c.Secret == nil {
		return nil
	}
	now := s.c.Clock.Now()
	unsent, err := s.c.Store.Unsent(ctx, now, now.Add(-mail.Alone))
	for _, i := range unsent {
		err = errors.Join(err, s.c.Store.QueueMail(ctx, i.WorkspaceID, i.ID))
	}
	return err
}
