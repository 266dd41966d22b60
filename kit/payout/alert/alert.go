// Package alert mails the admins and managers of a workspace when a bank account or a return address has changed, so
// that a thief of an API key cannot redirect payments unseen.
//
// An alert is written in the transaction of its change. The first one is mailed at once; all alerts of the five
// minutes after a mail go into the next one. Each member gets a mail with its own link (queued, sent or failed). For
// seven days the link can freeze the accounts in the mail, once each.
//
// Read alert.go (what happened), mail.go (how members are told), then link.go (what
// the link in a mail shows). Freezing is package account's.
package alert

import (
	"cmp"
	"context"
	"time"

	"github.com/railkit/railkit/job"
	"github.com/railkit/railkit/money"
	"github.com/railkit/railkit/platform/auth"
	"github.com/railkit/railkit/platform/command"
	"github.com/railkit/railkit/platform/mail"
	"github.com/railkit/railkit/platform/record"
)

// Change is what happened to a bank account.
type Change string

// The changes that members are mailed of.
const (
	Added           Change = "added"
	Changed         Change = "changed"
	Archived        Change = "archived"
	Restored        Change = "restored"
	Confirmed       Change = "confirmed"
	Unfrozen        Change = "unfrozen"
	ReturnChanged   Change = "return_address"
	ReturnConfirmed Change = "return_confirmed"
)

// Alert is a change of a bank account or return address that the workspace's admins and managers get a mail about.
type Alert struct {
	WorkspaceID, ID, AccountID string
	Change                     Change
	Detail                     string // which fields, or the new return address
	By                         auth.Kind
	ByID                       string
	RemoteIP                   string
	UsedAt                     time.Time // when the account was frozen by the mail's link
	CreatedAt                  time.Time
}

// Shown is an alert with the account and the recipient that it is about.
type Shown struct {
	Alert
	RecipientName string
	Currency      money.Currency // of the account
	LastFour      string
	FrozenAt      time.Time // zero: the account is not frozen now
}

// Store keeps alerts and their mails.
type Store interface {
	record.Writer[Tx]
	// Alerts lists the alerts of a mail, newest first, without those of accounts that the partner refused at once.
	Alerts(ctx context.Context, workspaceID, mailID string, limit int) ([]Shown, error)
	// NewestWaitingAlert is the time of the newest alert that is in no mail yet; zero if there is none.
	NewestWaitingAlert(ctx context.Context, workspaceID string) (time.Time, error)
	LastAlertMail(ctx context.Context, workspaceID string) (time.Time, error) // zero where there is none
	AlertReaders(ctx context.Context, workspaceID string) ([]Reader, error)
	QueuedAlertMails(ctx context.Context, workspaceID string) ([]Mail, error)
	AlertMail(ctx context.Context, tokenHash string) (Mail, error)
	// UnsentAlerts lists the workspaces with alerts or mails that have waited since before the instant.
	UnsentAlerts(ctx context.Context, before time.Time, limit int) ([]string, error)
	DropAlertTokens(ctx context.Context, before time.Time) error
}

// Tx writes mails.
type Tx interface {
	// BatchAlerts puts all alerts that are in no mail into one, and tells whether there were any. It leaves out
	// accounts that the partner has not answered about yet.
	BatchAlerts(ctx context.Context, workspaceID, mailID string) (bool, error)
	InsertAlertMail(context.Context, Mail) error
	// ClaimAlertMail reserves the sending of a mail for this caller. It is record.ErrStale if another caller has
	// reserved it after the instant.
	ClaimAlertMail(ctx context.Context, m Mail, now, before time.Time) error
	ReleaseAlertMail(context.Context, Mail) error
	AlertMailed(ctx context.Context, m Mail, status mail.Status) error
	record.Queue
}

// RaiseTx writes an alert in the transaction of the change that it tells of.
type RaiseTx interface {
	InsertAlert(context.Context, Alert) error // unless it is there
	record.Queue
}

// Job mails a workspace's members of changed bank accounts.
const Job job.Kind = "payout_alert"

// New is a change that a caller makes.
func New(cmd *command.Command, now time.Time, workspaceID, accountID string, change Change, detail string) Alert {
	return Alert{
		WorkspaceID: workspaceID, ID: record.NewID(), AccountID: accountID, Change: change, Detail: detail,
		By: cmd.Principal.Kind, ByID: cmd.Principal.ID, RemoteIP: cmd.RemoteIP, CreatedAt: now,
	}
}

// Raise writes an alert and the job that mails it, in the transaction of the change.
func Raise(ctx context.Context, tx RaiseTx, a Alert) error {
	if err := tx.InsertAlert(ctx, a); err != nil {
		return err
	}
	return tx.Enqueue(ctx, job.Job{Kind: Job, WorkspaceID: a.WorkspaceID, ID: a.WorkspaceID, Anew: true})
}

// line is an alert as a mail shows it: the account, the change, when, by whom and from where.
func (a Shown) line(members map[string]string) mail.AccountChange {
	change := mail.AccountChange{
		Recipient: mail.Name(a.RecipientName), Currency: mail.Word(a.Currency.Upper()), LastFour: mail.Word(a.LastFour),
		Change: mail.Word(a.Change), Detail: mail.Word(a.Detail), At: a.CreatedAt, Invite: a.By == auth.ByInvite,
		Actor: mail.Word(a.author(members)), RemoteIP: mail.Word(a.RemoteIP),
	}
	if a.By == auth.BySession {
		change.Member = mail.Address(members[a.ByID])
	}
	return change
}

// author names the actor of a change: a member by e-mail, if still a member.
func (a Alert) author(members map[string]string) string {
	switch a.By {
	case auth.ByInvite:
		return "the recipient's invite"
	case auth.BySession:
		return "the member " + cmp.Or(members[a.ByID], a.ByID)
	}
	return "the API key " + a.ByID
}
