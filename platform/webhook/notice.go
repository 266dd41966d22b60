package webhook

import (
	"context"
	"errors"
	"time"

	"github.com/railkit/railkit/fault"
	"github.com/railkit/railkit/job"
	"github.com/railkit/railkit/platform/auth"
	"github.com/railkit/railkit/platform/command"
	"github.com/railkit/railkit/platform/mail"
	"github.com/railkit/railkit/platform/record"
)

// JobMail mails a workspace's admins of a change of an endpoint.
const JobMail job.Kind = "webhook_mail"

// noticeKept is how long a notice is kept after it was mailed.
const noticeKept = 30 * 24 * time.Hour

// The changes that admins are mailed of: who can make one can learn all that happens in the workspace.
const (
	changeCreated = "created"
	changeMoved   = "moved"
	changeRotated = "secret_rotated"
	changeGone    = "gone"
)

// Notice is a change of an endpoint that each admin is mailed of, or was.
type Notice struct {
	WorkspaceID, ID, EndpointID string
	Change                      string
	URL                         string
	By                          auth.Kind // "": the server
	ByID                        string
	RemoteIP                    string
	MailID                      string // the notice whose mail tells of this one; "": none yet
	More                        int    // how many others its own mail tells of
	CreatedAt, UpdatedAt        time.Time
	Mailed                      bool
}

func notice(e Endpoint, change string, now time.Time) Notice {
	return Notice{
		WorkspaceID: e.WorkspaceID, ID: record.NewID(), EndpointID: e.ID, Change: change, URL: e.URL, CreatedAt: now,
		UpdatedAt: now,
	}
}

// noticeBy is the notice of what a caller did.
func noticeBy(cmd *command.Command, e Endpoint, change string, now time.Time) Notice {
	n := notice(e, change, now)
	n.By, n.ByID, n.RemoteIP = cmd.Principal.Kind, cmd.Principal.ID, cmd.RemoteIP
	return n
}

// announce writes a notice and the job that mails it, in the transaction of the change. One that comes soon after
// another waits for a mail that tells of all (sweepNotices), so that no API key has admins mailed without end.
func announce(ctx context.Context, tx Tx, e Endpoint, n Notice) error {
	if _, err := tx.HoldOwner(ctx, e.WorkspaceID); err != nil { // of changes at once, one is the first
		return err
	}
	soon, err := tx.Noticed(ctx, e.WorkspaceID, n.CreatedAt.Add(-record.SweepJobs))
	if err != nil {
		return err
	}
	if !soon {
		n.MailID = n.ID
	}
	if err = tx.InsertNotice(ctx, n); err != nil || soon {
		return err
	}
	return tx.Enqueue(ctx, job.Job{Kind: JobMail, WorkspaceID: e.WorkspaceID, ID: n.ID})
}

// Notify is the job of a notice: it mails each admin. After a crash, or where one of the mails fails, all are sent
// again under the same ids.
func (s *Service) Notify(ctx context.Context, workspaceID, id string) error {
	n, err := s.c.Store.WebhookNotice(ctx, workspaceID, id)
	if errors.Is(err, fault.ErrNotFound) || err == nil && (n.Mailed || n.MailID != n.ID || s.c.Post == nil) {
		return nil
	}
	if err != nil {
		return err
	}
	admins, err := s.c.Store.AdminEmails(ctx, workspaceID)
	if err == nil {
		err = s.c.Post.DeliverAll(ctx, workspaceID, admins, n.letter(), n.ID)
	}
	if err != nil {
		return err
	}
	return record.Do(ctx, s.c.Store, workspaceID, func(ctx context.Context, tx Tx) error {
		return tx.NoticesMailed(ctx, n, s.c.Clock.Now())
	})
}

// gather makes the mail of a notice, and of all that happened since the last one. Where it is made already, its job is
// made again.
func (s *Service) gather(ctx context.Context, n Notice) error {
	return record.Do(ctx, s.c.Store, n.WorkspaceID, func(ctx context.Context, tx Tx) error {
		leads, err := tx.Gather(ctx, n, s.c.Clock.Now())
		if err == nil && leads {
			err = tx.Enqueue(ctx, job.Job{Kind: JobMail, WorkspaceID: n.WorkspaceID, ID: n.ID})
		}
		return err
	})
}

// sweepNotices makes mails of notices that are in none, one for each workspace, and jobs of mails whose jobs were lost.
func (s *Service) sweepNotices(ctx context.Context) error {
	if s.c.Post == nil {
		return nil
	}
	rows, err := s.c.Store.WaitingWebhookNotices(ctx, s.c.Clock.Now().Add(-record.SweepJobs), record.SlowBatch)
	if err != nil {
		return err
	}
	return record.Each(rows, func(n Notice) error { return s.gather(ctx, n) })
}

func (n Notice) letter() mail.WebhookEndpoint {
	return mail.WebhookEndpoint{
		Change: mail.Word(n.Change), URL: mail.Word(n.URL), Endpoint: mail.Word(n.EndpointID), At: n.CreatedAt,
		By: mail.Word(n.By), ByID: mail.Word(n.ByID), RemoteIP: mail.Word(n.RemoteIP), More: n.More,
	}
}
