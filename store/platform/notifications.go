package platform

import (
	"context"
	"encoding/json"
	"time"

	"github.com/railkit/railkit/enclave/wire"
	"github.com/railkit/railkit/platform/mail"
	"github.com/railkit/railkit/platform/notification"
	"github.com/railkit/railkit/platform/record"
	"github.com/railkit/railkit/platform/team"
	"github.com/railkit/railkit/store/db"
	"github.com/railkit/railkit/store/internal/sqldb"
)

// Notifications is the database as those see it who tell people what happened.
type Notifications struct {
	Store
	sqldb.Writer[notification.Tx]
}

// Notifications returns it.
func (s Store) Notifications() Notifications {
	return Notifications{s, sqldb.WriterOf(s.db, func(t *sqldb.Tx) notification.Tx { return notifying{t} })}
}

var (
	_ notification.Store = Notifications{}
	_ mail.Readers       = Notifications{}
)

// Behind lists the workspaces with events that nobody has looked at.
func (s Notifications) Behind(ctx context.Context) ([]notification.Place, error) {
	rows, err := s.db.Read.BehindWorkspaces(ctx)
	return sqldb.Many(rows, err, func(r db.BehindWorkspacesRow) (notification.Place, error) {
		return notification.Place{WorkspaceID: r.WorkspaceID, Seq: r.Seq, Last: r.Events}, nil
	})
}

// Due lists who is to be mailed now.
func (s Notifications) Due(ctx context.Context, now time.Time, limit int) ([]notification.Person, error) {
	rows, err := s.db.Read.DuePeople(ctx, sqldb.Micros(now), int32(limit))
	return sqldb.Many(rows, err, func(r db.DuePeopleRow) (notification.Person, error) {
		return notification.Person{
			WorkspaceID: r.WorkspaceID, Email: r.FoldedEmail, Class: notification.Class(r.Class), Urgent: r.Urgent == 1,
		}, nil
	})
}

// LastMail is when the last mail to a person was made.
func (s Notifications) LastMail(ctx context.Context, p notification.Person) (time.Time, error) {
	at, err := s.db.Read.LastNotificationMail(ctx, p.WorkspaceID, p.Email, string(p.Class))
	return sqldb.Instant(at), sqldb.Reading("reading when somebody was mailed", err)
}

// Mail finds one.
func (s Notifications) Mail(ctx context.Context, workspaceID, id string) (notification.Mail, error) {
	row, err := s.db.Read.NotificationMail(ctx, workspaceID, id)
	return sqldb.One("Mail", row, err, notificationMail)
}

// OfMail lists what is in a mail, oldest first.
func (s Notifications) OfMail(ctx context.Context, m notification.Mail) ([]notification.Notification, error) {
	rows, err := s.db.Read.NotificationsOfMail(ctx, m.WorkspaceID, m.ID)
	return sqldb.Many(rows, err, func(r db.Notification) (n notification.Notification, err error) {
		err = json.Unmarshal([]byte(r.Fact), &n.Fact)
		n.WorkspaceID, n.ID, n.Kind, n.Subject = r.WorkspaceID, r.ID, notification.Kind(r.Kind), r.Subject
		n.Email, n.DueAt, n.CreatedAt = r.Email, sqldb.Instant(r.DueAt), sqldb.Instant(r.CreatedAt)
		return n, err
	})
}

// Unsent lists mails that have waited since before the instant.
func (s Notifications) Unsent(ctx context.Context, before time.Time, limit int) ([]notification.Mail, error) {
	rows, err := s.db.Read.UnsentNotificationMails(ctx, sqldb.Micros(before), int32(limit))
	return sqldb.Many(rows, err, notificationMail)
}

// Drop forgets what is older than the instant.
func (s Notifications) Drop(ctx context.Context, before time.Time) error {
	return s.db.Transact(ctx, func(t *sqldb.Tx) error {
		if err := t.Q.DropNotifications(ctx, sqldb.Micros(before)); err != nil {
			return sqldb.Doing("dropping old notifications", err)
		}
		return sqldb.Doing("dropping old mails", t.Q.DropNotificationMails(ctx, sqldb.Micros(before)))
	})
}

func notificationMail(r db.NotificationMail) (notification.Mail, error) {
	return notification.Mail{
		WorkspaceID: r.WorkspaceID, ID: r.ID, Class: notification.Class(r.Class), Email: r.Email,
		Status: mail.Status(r.Status), CreatedAt: sqldb.Instant(r.CreatedAt),
	}, nil
}

// Request reads a request that waits for votes, with the transaction or the wallet that it is about.
func (s Notifications) Request(ctx context.Context, workspaceID, id string) (notification.Request, error) {
	row, err := s.db.Read.Approval(ctx, workspaceID, id)
	r, err := sqldb.One("Approval", row, err, request)
	if err != nil || row.Kind != "transaction" {
		return r, err
	}
	t, err := s.db.Read.Transaction(ctx, workspaceID, row.Subject)
	if err != nil && !sqldb.None(err) {
		return r, sqldb.Reading("reading a transaction", err)
	}
	r.Amount, r.Asset, r.Chain, r.To = t.Amount, t.TokenSymbol, t.Chain, t.ToAddress
	w, err := s.db.Read.Wallet(ctx, workspaceID, row.WalletID)
	if err != nil && !sqldb.None(err) {
		return r, sqldb.Reading("reading a wallet", err)
	}
	r.Wallet = w.Name
	return r, nil
}

func request(r db.Approval) (notification.Request, error) {
	votes, err := sqldb.Unlist[wire.Vote](r.Votes)
	q := notification.Request{
		ID: r.ID, Status: r.State, Activity: r.Activity, Comment: r.Comment, SubOrganizationID: r.SubOrganizationID,
		RequesterUserID: r.Requester, RequestedBy: r.RequestedBy, Required: int(r.Required), CostUSD: r.CostUsd,
		ExpiresAt: sqldb.Instant(r.ExpiresAt),
	}
	for _, v := range votes {
		q.Voted = append(q.Voted, v.UserID)
	}
	return q, err
}

// Users lists the users of a sub-organization who have a passkey.
func (s Notifications) Users(ctx context.Context, workspaceID, subOrganizationID string) ([]notification.User, error) {
	rows, err := s.db.Read.PasskeyUsers(ctx, workspaceID, subOrganizationID)
	return sqldb.Many(rows, err, func(r db.PasskeyUsersRow) (notification.User, error) {
		return notification.User{ID: r.UserID, Email: r.Email}, nil
	})
}

// Owner is the e-mail address with which a sub-organization was made.
func (s Notifications) Owner(ctx context.Context, workspaceID, subOrganizationID string) (string, error) {
	row, err := s.db.Read.SubOrganization(ctx, workspaceID, subOrganizationID)
	return sqldb.One("Sub-organization", row, err, func(r db.SubOrganization) (string, error) { return r.Email, nil })
}

// PasskeyEmail is whose a passkey of the wallets is.
func (s Notifications) PasskeyEmail(ctx context.Context, workspaceID, id string) (string, error) {
	row, err := s.db.Read.Passkey(ctx, workspaceID, id)
	return sqldb.One("Passkey", row, err, func(r db.Passkey) (string, error) { return r.Email, nil })
}

// AgentName is what an agent was called when it was made.
func (s Notifications) AgentName(ctx context.Context, workspaceID, id string) (string, error) {
	row, err := s.db.Read.Agent(ctx, workspaceID, id)
	return sqldb.One("Agent", row, err, func(r db.Agent) (string, error) { return r.Name, nil })
}

// Admins lists the admins of a workspace.
func (s Notifications) Admins(ctx context.Context, workspaceID string) ([]team.Member, error) {
	rows, err := s.db.Read.AdminMembers(ctx, workspaceID)
	return sqldb.Many(rows, err, member)
}

// MemberByEmail finds a member, in whatever case the address is written.
func (s Notifications) MemberByEmail(ctx context.Context, workspaceID, email string) (team.Member, error) {
	row, err := s.db.Read.MemberByEmail(ctx, workspaceID, sqldb.Fold(email))
	return sqldb.One("Member", row, err, member)
}

// Language is that of the member with the e-mail address, and English for anybody else.
func (s Notifications) Language(ctx context.Context, workspaceID, email string) (mail.Language, error) {
	row, err := s.db.Read.MemberByEmail(ctx, workspaceID, sqldb.Fold(email))
	if sqldb.None(err) {
		return mail.English, nil
	}
	return mail.Language(row.Language).Or(), sqldb.Reading("reading the language of a member", err)
}

// BusinessName is what a workspace is called.
func (s Notifications) BusinessName(ctx context.Context, workspaceID string) (string, error) {
	w, err := s.Workspace(ctx, workspaceID)
	return w.Name, err
}

// notifying is the part of a transaction that tells people.
type notifying struct{ *sqldb.Tx }

// MoveCursor notes up to which event it is decided who is told.
func (t notifying) MoveCursor(ctx context.Context, at notification.Place, to int64) error {
	if err := t.Q.BeginNotificationCursor(ctx, at.WorkspaceID); err != nil {
		return sqldb.Doing("beginning to read events", err)
	}
	n, err := t.Q.MoveNotificationCursor(ctx, to, at.WorkspaceID, at.Seq)
	return sqldb.Swapped("noting that events are read", n, err)
}

// Insert writes a notification, unless it is there.
func (t notifying) Insert(ctx context.Context, n notification.Notification) error {
	fact, err := json.Marshal(n.Fact)
	if err != nil {
		return sqldb.Doing("encoding a notification", err)
	}
	return sqldb.Doing("inserting a notification", t.Q.InsertNotification(ctx, db.InsertNotificationParams{
		WorkspaceID: n.WorkspaceID, ID: n.ID, Class: string(n.Kind.Class()), Kind: string(n.Kind), Subject: n.Subject,
		Email: n.Email, FoldedEmail: sqldb.Fold(n.Email), Fact: string(fact), DueAt: sqldb.Micros(n.DueAt),
		CreatedAt: sqldb.Micros(n.CreatedAt),
	}))
}

// Gather puts what a person waits for into a new mail.
func (t notifying) Gather(ctx context.Context, p notification.Person, mailID string, now time.Time) error {
	emails, err := t.Q.GatherNotifications(ctx, db.GatherNotificationsParams{
		MailID: mailID, WorkspaceID: p.WorkspaceID, FoldedEmail: p.Email, Class: string(p.Class),
		Now: sqldb.Micros(now),
	})
	if err == nil && len(emails) == 0 {
		return record.ErrStale // another server was faster
	}
	if err != nil {
		return sqldb.Doing("gathering notifications", err)
	}
	return sqldb.Doing("inserting a mail", t.Q.InsertNotificationMail(ctx, db.InsertNotificationMailParams{
		WorkspaceID: p.WorkspaceID, ID: mailID, Class: string(p.Class), Email: emails[0], FoldedEmail: p.Email,
		CreatedAt: sqldb.Micros(now),
	}))
}

// Postpone has a person's notifications wait.
func (t notifying) Postpone(ctx context.Context, p notification.Person, now, until time.Time) error {
	return sqldb.Doing("postponing notifications", t.Q.PostponeNotifications(ctx, db.PostponeNotificationsParams{
		Until: sqldb.Micros(until), WorkspaceID: p.WorkspaceID, FoldedEmail: p.Email, Class: string(p.Class),
		Now: sqldb.Micros(now),
	}))
}

// Mailed notes what became of a mail.
func (t notifying) Mailed(ctx context.Context, m notification.Mail, status mail.Status) error {
	return sqldb.Doing("noting what became of a mail", t.Q.NotificationMailed(ctx, string(status), m.WorkspaceID, m.ID))
}
