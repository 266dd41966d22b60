package store

import (
	"context"
	"errors"
	"time"

	"github.com/railkit/railkit/kit/payout/alert"
	"github.com/railkit/railkit/kit/payout/mail"
	"github.com/railkit/railkit/platform/auth"
	"github.com/railkit/railkit/store/db"
)

// Alerts lists those of a mail, newest first, with what they are about.
func (s alertReads) Alerts(ctx context.Context, workspaceID, mailID string, limit int) ([]alert.Shown, error) {
	rows, err := s.read.Alerts(ctx, workspaceID, mailID, int32(limit))
	return many(rows, err, func(r db.AlertsRow) (alert.Shown, error) {
		of, err := bankAccount(r.BankAccount)
		n := r.AccountAlert
		return alert.Shown{RecipientName: r.Name, Currency: of.Currency, LastFour: of.Shown.LastFour, FrozenAt: of.FrozenAt, Alert: alert.Alert{
			WorkspaceID: n.WorkspaceID, ID: n.ID, AccountID: n.AccountID, Change: alert.Change(n.Change), Detail: n.Detail,
			By: auth.Kind(n.ActorKind), ByID: n.ActorID, RemoteIP: n.RemoteIp, UsedAt: instant(n.UsedAt), CreatedAt: instant(n.CreatedAt),
		}}, err
	})
}

// NewestWaitingAlert is when the newest that stands in no mail was made.
func (s alertReads) NewestWaitingAlert(ctx context.Context, workspaceID string) (time.Time, error) {
	at, err := s.read.NewestWaitingAlert(ctx, workspaceID)
	return instant(at), doing("reading what members are to be mailed of", err)
}

// LastAlertMail is when members were last mailed.
func (s alertReads) LastAlertMail(ctx context.Context, workspaceID string) (time.Time, error) {
	at, err := s.read.LastAlertMail(ctx, workspaceID)
	return instant(at), doing("reading when members were mailed", err)
}

// AlertReaders lists the members who are mailed: admins and managers.
func (s alertReads) AlertReaders(ctx context.Context, workspaceID string) ([]alert.Reader, error) {
	rows, err := s.read.AlertReaders(ctx, workspaceID)
	return many(rows, err, func(r db.AlertReadersRow) (alert.Reader, error) {
		return alert.Reader{MemberID: r.ID, Email: r.Email}, nil
	})
}

// QueuedAlertMails lists a workspace's mails that were not sent.
func (s alertReads) QueuedAlertMails(ctx context.Context, workspaceID string) ([]alert.Mail, error) {
	rows, err := s.read.QueuedAlertMails(ctx, workspaceID)
	return many(rows, err, alertMail)
}

// AlertMail finds the mail that has a token.
func (s alertReads) AlertMail(ctx context.Context, tokenHash string) (alert.Mail, error) {
	row, err := s.read.AlertMail(ctx, tokenHash)
	return one("Mail", row, err, alertMail)
}

// UnsentAlerts lists the workspaces whose members wait for a mail.
func (s alertReads) UnsentAlerts(ctx context.Context, before time.Time, limit int) ([]string, error) {
	rows, err := s.read.UnsentAlerts(ctx, int32(limit), micros(before))
	return rows, doing("reading who is to be mailed", err)
}

// DropAlertTokens forgets the links that expired before the instant, and their mails and changes.
func (s alertReads) DropAlertTokens(ctx context.Context, before time.Time) error {
	return s.transact(ctx, func(tx *tx) error {
		return doing("dropping old alerts", errors.Join(
			tx.q.DropAlertTokens(ctx, micros(before)), tx.q.DropAlertMails(ctx, micros(before)), tx.q.DropAlerts(ctx)))
	})
}

func (t alertTx) InsertAlert(ctx context.Context, a alert.Alert) error {
	return doing("inserting an alert", t.q.InsertAlert(ctx, db.InsertAlertParams{
		WorkspaceID: a.WorkspaceID, ID: a.ID, AccountID: a.AccountID, Change: string(a.Change), Detail: a.Detail,
		ActorKind: string(a.By), ActorID: a.ByID, RemoteIp: a.RemoteIP, CreatedAt: micros(a.CreatedAt),
	}))
}

func (t alertTx) BatchAlerts(ctx context.Context, workspaceID, mailID string) (bool, error) {
	n, err := t.q.BatchAlerts(ctx, mailID, workspaceID)
	return n > 0, doing("putting alerts into a mail", err)
}

func (t alertTx) InsertAlertMail(ctx context.Context, m alert.Mail) error {
	err := t.q.InsertAlertMail(ctx, db.InsertAlertMailParams{
		WorkspaceID: m.WorkspaceID, TokenHash: m.TokenHash, MailID: m.ID, MemberID: m.MemberID, Email: m.Email, Sealed: m.Sealed,
		CreatedAt: micros(m.CreatedAt), ExpiresAt: micros(m.ExpiresAt),
	})
	if err == nil {
		err = t.q.ListAlertToken(ctx, m.TokenHash, m.WorkspaceID, micros(m.ExpiresAt))
	}
	return doing("inserting a mail", err)
}

func (t alertTx) ClaimAlertMail(ctx context.Context, m alert.Mail, now, before time.Time) error {
	n, err := t.q.ClaimAlertMail(ctx, db.ClaimAlertMailParams{
		Now: micros(now), WorkspaceID: m.WorkspaceID, TokenHash: m.TokenHash, Before: micros(before),
	})
	return swapped("claiming a mail", n, err)
}

func (t alertTx) ReleaseAlertMail(ctx context.Context, m alert.Mail) error {
	return doing("releasing a mail", t.q.ReleaseAlertMail(ctx, m.WorkspaceID, m.TokenHash))
}

func (t alertTx) AlertMailed(ctx context.Context, m alert.Mail, status mail.Status) error {
	return doing("noting a mail", t.q.AlertMailed(ctx, string(status), m.WorkspaceID, m.TokenHash))
}

func (t alertTx) UseAlerts(ctx context.Context, workspaceID, mailID, accountID string, now time.Time) error {
	n, err := t.q.UseAlerts(ctx, db.UseAlertsParams{Now: micros(now), WorkspaceID: workspaceID, MailID: mailID, AccountID: accountID})
	return swapped("using a mail's link", n, err)
}

func (t alertTx) DropReturnChanges(ctx context.Context, workspaceID, accountID string, now time.Time) error {
	return doing("dropping changes of return addresses", t.q.DropReturnChanges(ctx, micros(now), workspaceID, accountID))
}

func alertMail(r db.AccountAlertMail) (alert.Mail, error) {
	return alert.Mail{
		WorkspaceID: r.WorkspaceID, TokenHash: r.TokenHash, ID: r.MailID, MemberID: r.MemberID, Email: r.Email, Sealed: r.Sealed,
		CreatedAt: instant(r.CreatedAt), ExpiresAt: instant(r.ExpiresAt),
	}, nil
}
