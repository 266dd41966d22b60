package webhook

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/railkit/railkit/fault"
	"github.com/railkit/railkit/job"
	"github.com/railkit/railkit/platform/auth"
	"github.com/railkit/railkit/platform/command"
	"github.com/railkit/railkit/platform/notify"
	"github.com/railkit/railkit/platform/record"
	"github.com/railkit/railkit/text"
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

// Notice is a mail about an endpoint that each admin gets, or got.
type Notice struct {
	WorkspaceID, ID, EndpointID string
	Change                      string
	URL                         string
	By                          auth.Kind // "": the server
	ByID                        string
	RemoteIP                    string
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

// announce writes a notice and the job that mails it, in the transaction of the change.
func announce(ctx context.Context, tx Tx, e Endpoint, n Notice) error {
	if err := tx.InsertNotice(ctx, n); err != nil {
		return err
	}
	return tx.Enqueue(ctx, job.Job{Kind: JobMail, WorkspaceID: e.WorkspaceID, ID: n.ID})
}

// Notify is the job of a notice: it mails each admin. After a crash, or where one of the mails fails, all are sent
// again under the same ids.
func (s *Service) Notify(ctx context.Context, workspaceID, id string) error {
	n, err := s.c.Store.WebhookNotice(ctx, workspaceID, id)
	if errors.Is(err, fault.ErrNotFound) || err == nil && (n.Mailed || s.c.Mailer == nil) {
		return nil
	}
	if err != nil {
		return err
	}
	admins, err := s.c.Store.AdminEmails(ctx, workspaceID)
	for _, to := range admins {
		sent := s.c.Mailer.Send(ctx, n.mailTo(to))
		if errors.Is(sent, notify.ErrRefused) {
			s.c.Log.Warn("a mail about a webhook endpoint is refused for good", "notice", n.ID, "error", sent)
			sent = nil
		}
		err = errors.Join(err, sent)
	}
	if err != nil {
		return err
	}
	return s.move(ctx, n, true)
}

// move writes that a notice is mailed, or that it is being taken care of.
func (s *Service) move(ctx context.Context, n Notice, mailed bool) error {
	n.Mailed, n.UpdatedAt = mailed, s.c.Clock.Now()
	return record.Do(ctx, s.c.Store, n.WorkspaceID, func(ctx context.Context, tx Tx) error {
		err := tx.MoveNotice(ctx, n)
		if err == nil && !mailed {
			err = tx.Enqueue(ctx, job.Job{Kind: JobMail, WorkspaceID: n.WorkspaceID, ID: n.ID})
		}
		return err
	})
}

func (s *Service) sweepNotices(ctx context.Context) error {
	if s.c.Mailer == nil {
		return nil
	}
	rows, err := s.c.Store.WaitingWebhookNotices(ctx, s.c.Clock.Now().Add(-record.SweepJobs), record.SlowBatch)
	if err != nil {
		return err
	}
	return record.Each(rows, func(n Notice) error { return s.move(ctx, n, false) })
}

// told describes each change in a mail: what happened, and what it means.
var told = map[string][2]string{
	changeCreated: {
		"A webhook endpoint was added",
		"Once it has answered a ping, it is sent all events of your workspace that it asked for.",
	},
	changeMoved: {
		"A webhook endpoint was moved to another URL",
		"Once it has answered a ping there, it is sent all events of your workspace that it asked for.",
	},
	changeRotated: {
		"The secret of a webhook endpoint was rotated",
		"Whoever has the new secret can sign what your server takes for an event of Railkit.",
	},
	changeGone: {
		"A webhook endpoint was disabled",
		"It answered 410 (Gone), which says that it wants no more events. They wait: ping it to have it go on.",
	},
}

// mailTo is the mail to one admin. It has no link, so that a phishing mail cannot imitate it.
func (n Notice) mailTo(email string) notify.Message {
	what := told[n.Change]
	return notify.Message{
		ID: record.DerivedID(n.ID, strings.ToLower(email)), To: email, Subject: what[0],
		Text: fmt.Sprintf("%s.\n\nURL: %s\nEndpoint: %s\nWhen: %s UTC\nBy: %s\n\n%s\n%s", what[0], text.InMail(n.URL),
			n.EndpointID, n.CreatedAt.UTC().Format("2 January 2006 15:04:05"), n.author(), what[1], n.advice()),
	}
}

// advice is for those who are mailed of what somebody did.
func (n Notice) advice() string {
	if n.By == "" {
		return ""
	}
	return "\nIf nobody of you did this, delete the endpoint, and revoke the API key or remove the member named above.\n"
}

func (n Notice) author() string {
	who := map[auth.Kind]string{auth.ByKey: "the API key ", auth.BySession: "the member "}[n.By] + n.ByID
	if n.By == "" {
		return "Railkit"
	}
	return who + ", from " + cmp.Or(n.RemoteIP, "an unknown address")
}
