package invite

import (
	"context"
	"errors"

	"github.com/google/uuid"

	"github.com/railkit/railkit/fault"
	"github.com/railkit/railkit/job"
	"github.com/railkit/railkit/platform/mail"
	"github.com/railkit/railkit/platform/record"
)

// Job mails the invite of a recipient.
const Job job.Kind = "payout_invite"

// put writes an invite, with the job that mails it.
func put(ctx context.Context, tx Tx, i Invite) error {
	if err := tx.PutInvite(ctx, i); err != nil || i.Mail != mail.Queued {
		return err
	}
	return tx.Enqueue(ctx, job.Job{Kind: Job, WorkspaceID: i.WorkspaceID, ID: i.RecipientID, Anew: true})
}

// Mail is the job that mails a recipient's invite, as long as it can be used.
// It may run twice: the second mail has the same link and the same message id.
func (s *Service) Mail(ctx context.Context, workspaceID, recipientID string) error {
	i, err := s.c.Store.Invite(ctx, workspaceID, recipientID)
	if errors.Is(err, fault.ErrNotFound) {
		return nil
	}
	if err != nil || s.c.Post == nil || i.Mail != mail.Queued {
		return err
	}
	status := mail.Sent
	switch err = s.send(ctx, i); {
	case errors.Is(err, mail.ErrRefused), errors.Is(err, ErrOver):
		status = mail.Failed
		s.c.Log.WarnContext(ctx,
			"an invite is not mailed: refused for good, or over", "workspace", workspaceID, "recipient", recipientID,
		)
	case err != nil:
		return err
	}
	return record.Do(ctx, s.c.Store, workspaceID, func(ctx context.Context, tx Tx) error {
		return tx.InviteMailed(ctx, i, status)
	})
}

func (s *Service) send(ctx context.Context, i Invite) error {
	if err := s.over(ctx, i); err != nil {
		return err
	}
	w, err := s.c.Workspaces.Workspace(ctx, i.WorkspaceID)
	if err != nil {
		return err
	}
	token, err := s.c.Vault.Open(i.place(), i.Sealed)
	if err != nil {
		return err
	}
	r, err := s.c.Store.Recipient(ctx, i.WorkspaceID, i.RecipientID)
	if err != nil {
		return err
	}
	id := uuid.NewSHA1(uuid.NameSpaceOID, []byte("invite "+i.TokenHash)).String()
	return s.c.Post.SendIn(ctx, mail.OfCountry(r.Address.Country), i.Email, id, mail.AccountInvite{
		Business: mail.Name(w.Name), Until: i.ExpiresAt, Link: mail.Link(s.link(string(token))),
	})
}

// Sweep makes jobs of mails whose jobs were lost or have given up, and forgets tokens
// that ended long ago.
func (s *Service) Sweep(ctx context.Context) error {
	dropped := s.c.Store.DropInviteTokens(ctx, s.c.Clock.Now().Add(-traceLife))
	if s.c.Post == nil {
		return dropped
	}
	rows, err := s.c.Store.UnsentInvites(ctx, s.c.Clock.Now().Add(-mail.Alone), record.SlowBatch)
	if err = errors.Join(dropped, err); err != nil {
		return err
	}
	return record.Each(rows, func(i Invite) error {
		return record.Do(ctx, s.c.Store, i.WorkspaceID, func(ctx context.Context, tx Tx) error {
			return tx.Enqueue(ctx, job.Job{Kind: Job, WorkspaceID: i.WorkspaceID, ID: i.RecipientID})
		})
	})
}
