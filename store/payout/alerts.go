package payout

import (
	"context"
	"errors"
	"time"

	"github.com/railkit/railkit/kit/payout/alert"
	"github.com/railkit/railkit/platform/auth"
	"github.com/railkit/railkit/platform/mail"
	"github.com/railkit/railkit/store/db"
	"github.com/railkit/railkit/store/internal/sqldb"
)

// Alerts lists those of a mail, newest first, with what they are about.
func (s alertReads) Alerts(ctx context.Context, workspaceID, mailID string, limit int) ([]alert.Shown, error) {
	rows, err := s.db.Read.Alerts(ctx, workspaceID, mailID, int32(limit))
	return sqldb.Many(rows, err, func(r db.AlertsRow) (alert.Shown, error) {
		of, err := bankAccount(r.BankAccount)
		n := r.AccountAlert
		return alert.Shown{RecipientName: r.Name, Currency: of.Currency, LastFour: of.Shown.LastFour,
			FrozenAt: of.FrozenAt, Alert: alert.Alert{
				WorkspaceID: n.WorkspaceID, ID: n.ID, AccountID: n.AccountID, Change: alert.Change(n.Change),
				Detail: n.Detail,
				By:     auth.Kind(n.ActorKind), ByID: n.ActorID, RemoteIP: n.RemoteIp, UsedAt: sqldb.Instant(n.UsedAt),
				CreatedAt: sqldb.Instant(n.CreatedAt),
			}}, err
	})
}

// NewestWaitingAlert is when the newest that stands in no mail was made.
func (s alertReads) NewestWaitingAlert(ctx context.Context, workspaceID string) (time.Time, error) {
	at, err := s.db.Read.NewestWaitingAlert(ctx, workspaceID)
	return sqldb.Instant(at), sqldb.Doing("reading what members are to be mailed of", err)
}

// LastAlertMail is when members were last mailed.
func (s alertReads) LastAlertMail(ctx context.Context, workspaceID string) (time.Time, error) {
	at, err := s.db.Read.LastAlertMail(ctx, workspaceID)
	return sqldb.Instant(at), sqldb.Doing("reading when members were mailed", err)
}

// AlertReaders lists the members who are mailed: admins and managers.
func (s alertReads) AlertReaders(ctx context.Context, workspaceID string) ([]alert.Reader, error) {
	rows, err := s.db.Read.AlertReaders(ctx, workspaceID)
	return sqldb.Many(rows, err, func(r db.AlertReadersRow) (alert.Reader, error) {
		return alert.Reader{MemberID: r.ID, Email: r.Email}, nil
	})
}

// QueuedAlertMails lists a workspace's mails that were not sent.
func (s alertReads) QueuedAlertMails(ctx context.Context, workspaceID string) ([]alert.Mail, error) {
	rows, err := s.db.Read.QueuedAlertMails(ctx, workspaceID)
	return sqldb.Many(rows, err, alertMail)
}

// AlertMail finds the mail that has a token.
func (s alertReads) AlertMail(ctx context.Context, tokenHash string) (alert.Mail, error) {
	row, err := s.db.Read.AlertMail(ctx, tokenHash)
	return sqldb.One("Mail", row, err, alertMail)
}

// UnsentAlerts lists the workspaces whose members wait for a mail.
func (s alertReads) UnsentAlerts(ctx context.Context, before time.Time, limit int) ([]string, error) {
	rows, err := s.db.Read.UnsentAlerts(ctx, int32(limit), sqldb.Micros(before))
	return rows, sqldb.Doing("reading who is to be mailed", err)
}

// DropAlertTokens forgets the links that expired before the instant, and their mails and changes.
func (s alertReads) DropAlertTokens(ctx context.Context, before time.Time) error {
	return s.db.Transact(ctx, func(t *sqldb.Tx) error {
		return sqldb.Doing("dropping old alerts", errors.Join(
			t.Q.DropAlertTokens(ctx,
				sqldb.Micros(before)), t.Q.DropAlertMails(ctx, sqldb.Micros(before)), t.Q.DropAlerts(ctx)))
	})
}

func (t tx) InsertAlert(ctx context.Context, a alert.Alert) error {
	return sqldb.Doing("inserting an alert", t.Q.InsertAlert(ctx, db.InsertAlertParams{
		WorkspaceID: a.WorkspaceID, ID: a.ID, AccountID: a.AccountID, Change: string(a.Change), Detail: a.Detail,
		ActorKind: string(a.By), ActorID: a.ByID, RemoteIp: a.RemoteIP, CreatedAt: sqldb.Micros(a.CreatedAt),
	}))
}

func (t tx) BatchAlerts(ctx context.Context, workspaceID, mailID string) (bool, error) {
	n, err := t.Q.BatchAlerts(ctx, mailID, workspaceID)
	return n > 0, sqldb.Doing("putting alerts into a mail", err)
}

func (t tx) InsertAlertMail(ctx context.Context, m alert.Mail) error {
	err := t.Q.InsertAlertMail(ctx, db.InsertAlertMailParams{
		WorkspaceID: m.WorkspaceID, TokenHash: m.TokenHash, MailID: m.ID, MemberID: m.MemberID, Email: m.Email,
		Sealed:    m.Sealed,
		CreatedAt: sqldb.Micros(m.CreatedAt), ExpiresAt: sqldb.Micros(m.ExpiresAt),
	})
	if err == nil {
		err = t.Q.ListAlertToken(ctx, m.TokenHash, m.WorkspaceID, sqldb.Micros(m.ExpiresAt))
	}
	return sqldb.Doing("inserting a mail", err)
}

func (t tx) ClaimAlertMail(ctx context.Context, m alert.Mail, now, before time.Time) error {
	n, err := t.Q.ClaimAlertMail(ctx, db.ClaimAlertMailParams{
		Now: sqldb.Micros(now), WorkspaceID: m.WorkspaceID, TokenHash: m.TokenHash, Before: sqldb.Micros(before),
	})
	return sqldb.Swapped("claiming a mail", n, err)
}

func (t tx) ReleaseAlertMail(ctx context.Context, m alert.Mail) error {
	return sqldb.Doing("releasing a mail", t.Q.ReleaseAlertMail(ctx, m.WorkspaceID, m.TokenHash))
}

func (t tx) AlertMailed(ctx context.Context, m alert.Mail, status mail.Status) error {
	return sqldb.Doing("noting a mail", t.Q.AlertMailed(ctx, string(status), m.WorkspaceID, m.TokenHash))
}

func (t tx) UseAlerts(ctx context.Context, workspaceID, mailID, accountID string, now time.Time) error {
	n, err := t.Q.UseAlerts(
		ctx, db.UseAlertsParams{Now: sqldb.Micros(now), WorkspaceID: workspaceID, MailID: mailID, AccountID: accountID},
	)
	return sqldb.Swapped("using a mail's link", n, err)
}

func (t tx) DropReturnChanges(ctx context.Context, workspaceID, accountID string, now time.Time) error {
	return sqldb.Doing(
		"dropping changes of return addresses", t.Q.DropReturnChanges(ctx, sqldb.Micros(now), workspaceID, accountID),
	)
}

func alertMail(r db.AccountAlertMail) (alert.Mail, error) {
	return alert.Mail{
		WorkspaceID: r.WorkspaceID, TokenHash: r.TokenHash, ID: r.MailID, MemberID: r.MemberID, Email: r.Email,
		Sealed:    r.Sealed,
		CreatedAt: sqldb.Instant(r.CreatedAt), ExpiresAt: sqldb.Instant(r.ExpiresAt),
	}, nil
}
