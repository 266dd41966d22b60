package alert

import (
	"context"
	"errors"
	"log/slog"
	"time"

	"github.com/google/uuid"

	"github.com/railkit/railkit/clock"
	"github.com/railkit/railkit/job"
	"github.com/railkit/railkit/platform/auth"
	"github.com/railkit/railkit/platform/mail"
	"github.com/railkit/railkit/platform/record"
	"github.com/railkit/railkit/platform/vault"
	"github.com/railkit/railkit/platform/workspace"
)

const (
	gap        = 5 * time.Minute // between two mails to a member
	linkLife   = 7 * 24 * time.Hour
	mostListed = 50  // changes in a mail; its page shows more
	mostShown  = 500 // changes on a page
	asking     = 2 * time.Second
)

// Mail is a mail to one member, with its link.
type Mail struct {
	WorkspaceID, TokenHash string
	ID                     string // the same for all members
	MemberID, Email        string
	Sealed                 string // the token, until it is mailed
	CreatedAt, ExpiresAt   time.Time
}

// place binds the encrypted token to its field in the database.
func (m Mail) place() vault.Place {
	return vault.Place{WorkspaceID: m.WorkspaceID, Kind: "account_alert_mails", ID: m.ID, Field: "token " + m.TokenHash}
}

// Reader is a member who is mailed.
type Reader struct{ MemberID, Email string }

// Service mails alerts, and answers for the links in the mails.
type Service struct{ c Config }

// Config wires a Service.
type Config struct {
	Store      Store
	Workspaces workspace.Reader
	Vault      *vault.Vault
	InvitePage string     // address below which the page of the links is; "": there is none
	Post       *mail.Post // nil: mail waits until there is one
	Clock      clock.Clock
	Log        *slog.Logger
}

// NewService makes it.
func NewService(c Config) *Service { return &Service{c} }

// Mail is the job that mails alerts to a workspace's admins and managers: at once if there was no mail for five
// minutes, else five minutes after the last mail. Of 400 changes within a minute the first is mailed at once, the
// other 399 together five minutes later.
func (s *Service) Mail(ctx context.Context, workspaceID string) (again time.Duration, err error) {
	if s.c.Post == nil { // the sweeper comes back
		return 0, nil
	}
	again, err = s.batch(ctx, workspaceID)
	if err != nil {
		return 0, err
	}
	mails, err := s.c.Store.QueuedAlertMails(ctx, workspaceID)
	for _, m := range mails {
		err = errors.Join(err, s.sendOnce(ctx, m))
	}
	return again, err
}

// batch puts the waiting alerts into one mail to each member, if it is time for one.
func (s *Service) batch(ctx context.Context, workspaceID string) (again time.Duration, err error) {
	newest, err := s.c.Store.NewestWaitingAlert(ctx, workspaceID)
	if err != nil || newest.IsZero() {
		return 0, err
	}
	last, err := s.c.Store.LastAlertMail(ctx, workspaceID)
	if err != nil {
		return 0, err
	}
	now := s.c.Clock.Now()
	if wait := last.Add(gap).Sub(now); wait > 0 {
		return wait, nil
	}
	readers, err := s.c.Store.AlertReaders(ctx, workspaceID)
	if err != nil {
		return 0, err
	}
	err = record.Do(ctx, s.c.Store, workspaceID, func(ctx context.Context, tx Tx) error {
		id := record.NewID()
		if any, err := tx.BatchAlerts(ctx, workspaceID, id); err != nil || !any {
			return err
		}
		for _, r := range readers {
			if err := tx.InsertAlertMail(ctx, s.newMail(workspaceID, id, r, now)); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		return 0, err
	}
	newest, err = s.c.Store.NewestWaitingAlert(ctx, workspaceID)
	if err != nil || newest.IsZero() || now.Sub(newest) > mail.Alone { // the sweeper comes back
		return 0, err
	}
	return asking, nil // of an account that the partner is being asked about
}

func (s *Service) newMail(workspaceID, id string, r Reader, now time.Time) Mail {
	token := auth.Secret()
	m := Mail{
		WorkspaceID: workspaceID, TokenHash: auth.Hash(token), ID: id, MemberID: r.MemberID, Email: r.Email,
		CreatedAt: now, ExpiresAt: now.Add(linkLife),
	}
	m.Sealed = s.c.Vault.Seal(m.place(), []byte(token))
	return m
}

// sendOnce sends one mail, unless another job is sending it. After a crash while it
// was sent it is sent again: with the same link and the same message id.
func (s *Service) sendOnce(ctx context.Context, m Mail) error {
	now := s.c.Clock.Now()
	err := record.Do(ctx, s.c.Store, m.WorkspaceID, func(ctx context.Context, tx Tx) error {
		return tx.ClaimAlertMail(ctx, m, now, now.Add(-mail.Alone))
	})
	if err != nil {
		return record.UnlessStale(err)
	}
	err = s.send(ctx, m)
	if err != nil {
		ctx := context.WithoutCancel(ctx)
		err = errors.Join(err, record.Do(ctx, s.c.Store, m.WorkspaceID, func(ctx context.Context, tx Tx) error {
			return tx.ReleaseAlertMail(ctx, m)
		}))
	}
	return err
}

func (s *Service) send(ctx context.Context, m Mail) error {
	alerts, err := s.c.Store.Alerts(ctx, m.WorkspaceID, m.ID, mostShown)
	if err != nil {
		return err
	}
	status := mail.Sent
	if len(alerts) > 0 {
		err = s.write(ctx, m, alerts)
	}
	switch {
	case errors.Is(err, mail.ErrRefused):
		status = mail.Failed
		s.c.Log.ErrorContext(ctx,
			"a member is not mailed of a changed bank account: the mail server refuses", "workspace", m.WorkspaceID,
			"member", m.MemberID,
		)
	case err != nil:
		return err
	}
	return record.Do(ctx, s.c.Store, m.WorkspaceID, func(ctx context.Context, tx Tx) error {
		return tx.AlertMailed(ctx, m, status)
	})
}

func (s *Service) write(ctx context.Context, m Mail, alerts []Shown) error {
	w, err := s.c.Workspaces.Workspace(ctx, m.WorkspaceID)
	if err != nil {
		return err
	}
	members, err := s.memberNames(ctx, m.WorkspaceID)
	if err != nil {
		return err
	}
	token, err := s.c.Vault.Open(m.place(), m.Sealed)
	if err != nil {
		return err
	}
	letter := mail.AccountAlert{
		Business: mail.Name(w.Name), More: max(len(alerts)-mostListed, 0), Until: m.ExpiresAt,
	}
	for _, a := range alerts[:min(len(alerts), mostListed)] {
		letter.Changes = append(letter.Changes, a.line(members))
	}
	if s.c.InvitePage != "" {
		letter.Link = mail.Link(s.c.InvitePage + "/freeze#" + string(token))
	}
	id := uuid.NewSHA1(uuid.NameSpaceOID, []byte("alert "+m.TokenHash)).String()
	return s.c.Post.Send(ctx, m.WorkspaceID, m.Email, id, letter)
}

// memberNames are the e-mails of admins and managers, by their ids.
func (s *Service) memberNames(ctx context.Context, workspaceID string) (map[string]string, error) {
	readers, err := s.c.Store.AlertReaders(ctx, workspaceID)
	names := make(map[string]string, len(readers))
	for _, r := range readers {
		names[r.MemberID] = r.Email
	}
	return names, err
}

// Sweep makes jobs of alerts that are in no mail and of mails that were not sent, and deletes expired links.
func (s *Service) Sweep(ctx context.Context) error {
	dropped := s.c.Store.DropAlertTokens(ctx, s.c.Clock.Now())
	if s.c.Post == nil {
		return dropped
	}
	rows, err := s.c.Store.UnsentAlerts(ctx, s.c.Clock.Now().Add(-mail.Alone), record.SlowBatch)
	if err != nil {
		return errors.Join(dropped, err)
	}
	return errors.Join(dropped, record.Each(rows, func(workspaceID string) error {
		return record.Do(ctx, s.c.Store, workspaceID, func(ctx context.Context, tx Tx) error {
			return tx.Enqueue(ctx, job.Job{Kind: Job, WorkspaceID: workspaceID, ID: workspaceID})
		})
	}))
}
