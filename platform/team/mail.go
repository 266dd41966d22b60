package team

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/railkit/railkit/fault"
	"github.com/railkit/railkit/job"
	"github.com/railkit/railkit/platform/auth"
	"github.com/railkit/railkit/platform/notify"
)

// JobMail is the kind of the job that mails an invitation.
const JobMail job.Kind = "team_mail"

// leaveAlone is how old a queued mail is when the sweeper makes another job of it.
const leaveAlone = time.Minute

// SendInvitation mails an invitation that is still open. It may run twice: the
// second mail has the same link and the same message id.
func (s *Service) SendInvitation(ctx context.Context, workspaceID, id string) error {
	i, err := s.c.Store.Invitation(ctx, workspaceID, id)
	if errors.Is(err, fault.ErrNotFound) {
		return nil
	}
	if err != nil || s.c.Mailer == nil || s.c.Secret == nil || i.Mail != Queued || !i.Open(s.c.Clock.Now()) {
		return err
	}
	// Under another session key than when it was made, its token is another one.
	if err := s.c.Store.ListToken(ctx, workspaceID, id, auth.Hash(s.token(i))); err != nil {
		return err
	}
	err = s.c.Mailer.Send(ctx, s.message(i))
	switch {
	case err == nil:
		return s.c.Store.Mailed(ctx, workspaceID, id, Sent)
	case errors.Is(err, notify.ErrRefused):
		return s.c.Store.Mailed(ctx, workspaceID, id, Failed)
	}
	return err
}

func (s *Service) message(i Invitation) notify.Message {
	return notify.Message{
		ID: i.ID, To: i.Email, Subject: "Your invitation",
		Text: fmt.Sprintf("You are invited to a Railkit workspace as %s.\n\nOpen this link to accept. It works once, "+
			"until %s UTC:\n\n%s\n\n"+
			"If you did not expect this, ignore it: nothing happens without the link.\n",
			i.Role, i.ExpiresAt.UTC().Format("2 January 2006 15:04"), s.link(i)),
	}
}

// Sweep makes jobs of mails whose jobs were lost or have given up.
func (s *Service) Sweep(ctx context.Context) error {
	if s.c.Mailer == nil || s.c.Secret == nil {
		return nil
	}
	now := s.c.Clock.Now()
	unsent, err := s.c.Store.Unsent(ctx, now, now.Add(-leaveAlone))
	for _, i := range unsent {
		err = errors.Join(err, s.c.Store.QueueMail(ctx, i.WorkspaceID, i.ID))
	}
	return err
}
